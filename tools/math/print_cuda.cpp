// SPDX-License-Identifier: Apache-2.0
//
// Prints one CUDA kernel per function and definition, each primitive op one statement. count_sass.py counts what the
// assembler makes of them. With --main, rare cases trap, so that the main path alone is counted.
#include "tools/math/text_builder.h"

#include "src/scalar/math/math.h"

#include <cstdio>
#include <cstring>

namespace {

namespace m = sinter::scalar::math;
using m::TextBuilder;
using m::TextValue;

bool main_paths = false;

template <class Expand>
void print(const char* name, const char* parameters, Expand expand) {
  TextBuilder b(main_paths);
  const TextValue result = expand(b);
  std::printf("extern \"C\" __global__ void %s(%s, float* out) {\n%s  *out = %s;\n}\n", name, parameters,
              b.text().c_str(), result.name.c_str());
}

const TextValue x{"x", sinter::f32};
const TextValue y{"y", sinter::f32};

}  // namespace

int main(int argc, char** argv) {
  main_paths = argc > 1 && std::strcmp(argv[1], "--main") == 0;
  std::printf("%s", TextBuilder::prelude());
  print("baseline1", "float x", [](TextBuilder&) { return x; });
  print("baseline2", "float x, float y", [](TextBuilder& b) { return b.mul(x, y); });
#define SINTER_MATH_FUNCTION(name, ...)                                                             \
  print(#name "_f32", "float x", [](TextBuilder& b) { return m::name##_f32(b, x); });               \
  print(#name "_f16", "float x", [](TextBuilder& b) { return m::name##_half(b, x, sinter::f16); }); \
  print(#name "_bf16", "float x", [](TextBuilder& b) { return m::name##_half(b, x, sinter::bf16); });
#include "tests/math/functions.def"
#undef SINTER_MATH_FUNCTION
  print("atan2_f32", "float x, float y", [](TextBuilder& b) { return m::atan2_f32(b, y, x); });
  print("atan2_half", "float x, float y", [](TextBuilder& b) { return m::atan2_half(b, y, x, sinter::f16); });
  print("hypot_f32", "float x, float y", [](TextBuilder& b) { return m::hypot_f32(b, x, y); });
  print("hypot_half", "float x, float y", [](TextBuilder& b) { return m::hypot_half(b, x, y, sinter::f16); });
  print("pow_f32", "float x, float y", [](TextBuilder& b) { return m::pow_f32(b, x, y); });
  print("pow_half", "float x, float y", [](TextBuilder& b) { return m::pow_half(b, x, y, sinter::f16); });
}
