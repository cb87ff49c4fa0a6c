# SPDX-License-Identifier: Apache-2.0
# Kinds of inputs that broke comparable systems, by the interpreter, the CPU back end and the emulator.
sinter_test(kinds SOURCES ${test_sources} LINKS sinter_internal sinter_simt SECONDS 40)
