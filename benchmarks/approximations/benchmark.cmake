# SPDX-License-Identifier: Apache-2.0
# Measures what a device approximates under Math::fast; its lines are those of tools/math/accuracy.txt.
sinter_benchmark(approximations ${PROJECT_SOURCE_DIR}/tools/math/approximations.cpp)
