// SPDX-License-Identifier: Apache-2.0
//
// Prints one CUDA kernel per function and definition, each primitive op one statement. count_sass.py counts what the
// assembler makes of them.
#include "tools/math/text_builder.h"

#include "src/scalar/math/math.h"

#include <cstdio>

namespace {

namespace m = sinter::scalar::math;
using m::TextBuilder;
using m::TextValue;

template <class Expand>
void print(const char* name, const char* parameters, Expand expand) {
  TextBuilder b;
  const TextValue result = expand(b);
  std::printf("extern \"C\" __global__ void %s(%s, float* out) {\n%s  *out = %s;\n}\n", name, parameters,
              b.text().c_str(), result.name.c_str());
}

const TextValue x{"x", sinter::f32};
const TextValue y{"y", sinter::f32};

}  // namespace

int main() {
  std::printf("%s", TextBuilder::prelude());
  print("baseline1", "float x", [](TextBuilder&) { return x; });
  print("baseline2", "float x, float y", [](TextBuilder& b) { return b.mul(x, y); });
#define SINTER_PRINT(name)                                                                          \
  print(#name "_f32", "float x", [](TextBuilder& b) { return m::name##_f32(b, x); });               \
  print(#name "_f16", "float x", [](TextBuilder& b) { return m::name##_half(b, x, sinter::f16); }); \
  print(#name "_bf16", "float x", [](TextBuilder& b) { return m::name##_half(b, x, sinter::bf16); });
  SINTER_PRINT(exp)
  SINTER_PRINT(sigmoid)
  SINTER_PRINT(tanh)
  SINTER_PRINT(erf)
  SINTER_PRINT(gelu)
  SINTER_PRINT(rsqrt)
  SINTER_PRINT(log)
#undef SINTER_PRINT
  print("pow_f32", "float x, float y", [](TextBuilder& b) { return m::pow_f32(b, x, y); });
  print("pow_half", "float x, float y", [](TextBuilder& b) { return m::pow_half(b, x, y, sinter::f16); });
  print("pow_f32_main", "float x, float y",
        [](TextBuilder& b) { return m::detail::pow_positive(b, x, y, b.f32(0.0f)); });
  print("pow_half_main", "float x, float y",
        [](TextBuilder& b) { return m::detail::pow_positive_half(b, x, y, b.f32(0.0f)); });
}
