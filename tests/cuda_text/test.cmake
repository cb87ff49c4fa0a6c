# SPDX-License-Identifier: Apache-2.0
# CUDA text from tile kernels, run by the emulator.
sinter_test(cuda_text SOURCES ${test_sources} LINKS sinter_cuda_codegen sinter_loop sinter_simt sinter_llvm_codegen SECONDS 80)
