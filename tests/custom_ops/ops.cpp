// SPDX-License-Identifier: Apache-2.0
#include "tests/custom_ops/ops.h"

#include <fstream>
#include <iterator>

#include "tests/simt/backend.h"

namespace sinter::test {

void install_emulator() {
  static const bool once = (simt::install(), true);
  (void)once;
}

OpDefinition reversed_definition(const std::string& name) {
  OpDefinition d;
  d.name = name;
  d.attributes = {{"scale", AttributeKind::number, 1.0}};
  d.type = same_as_operand();
  d.reference = [](const CustomCall& call) {
    const int64_t n = call.result.shape.product();
    const auto scale = static_cast<float>(call.number("scale"));
    for (int64_t i = 0; i < n; ++i) call.result.as<float>()[i] = call.operands[0].as<float>()[n - 1 - i] * scale;
  };
  return d;
}

Tensor reversed(const Tensor& x, double scale) { return flip(x, {0}) * scale; }

const CustomOp& turned() {
  static const CustomOp op = [] {
    std::ifstream file(SINTER_SOURCE_DIR "/tests/tile/transpose.tile");
    OpDefinition d;
    d.name = "turned";
    d.type = [](TypeContext& c) {
      const TensorType& x = c.operands()[0];
      if (x.dtype != f32 || x.shape.size() != 2) c.fail("takes a matrix of f32", "convert it");
      return TensorType{f32, {x.shape[1], x.shape[0]}};
    };
    d.reference = [](const CustomCall& call) {
      const Dims& in = call.operands[0].shape;
      for (int64_t i = 0; i < in[0]; ++i)
        for (int64_t j = 0; j < in[1]; ++j)
          call.result.as<float>()[j * in[0] + i] = call.operands[0].as<float>()[i * in[1] + j];
    };
    d.tile = TileKernel{{std::istreambuf_iterator<char>(file), {}}, [](const CustomCall& call) {
                          const Dims& in = call.operands[0].shape;
                          const auto blocks = [](int64_t n) { return (n + 15) / 16; };
                          return TileLaunch{blocks(in[0]) * blocks(in[1]), {in[0], in[1]}};
                        }};
    return register_op(std::move(d));
  }();
  return op;
}

}  // namespace sinter::test
