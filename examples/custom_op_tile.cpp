// SPDX-License-Identifier: Apache-2.0
// An op of one's own as a tile program: one text for the CPU and for CUDA. A program scales 256 elements.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sinter/custom_op.h>
#include <sinter/sinter.h>

#include <exception>

namespace sn = sinter;

namespace {

constexpr const char* text = R"(
kernel scale warps 4 (
  @x: f32* align 4,
  @y: f32* written align 4,
  @n: i64,
  @factor: f64,
) {
  %pid = program_id : i64
  %n = parameter @n : i64
  %block = constant 256 : i64
  %start = mul %pid, %block : i64
  %zero = constant 0 : f32
  %x = block_load @x + 0 [%start * 1 < %n] fill %zero : f32[256]
  %f64 = parameter @factor : f64
  %f = convert<f32> %f64 : f32
  %factor = broadcast %f : f32[256]
  %y = mul %x, %factor : f32[256]
  block_store @y + 0 [%start * 1 < %n], %y
}
)";

}  // namespace

int main() try {
  sn::OpDefinition d;
  d.name = "scale";
  d.attributes = {{"factor", sn::AttributeKind::number, 1.0}};
  d.type = sn::same_as_operand();
  d.reference = [](const sn::CustomCall& call) {
    for (int64_t i = 0; i < call.result.shape.product(); ++i)
      call.result.as<float>()[i] = call.operands[0].as<float>()[i] * static_cast<float>(call.number("factor"));
  };
  d.tile = sn::TileKernel{text, [](const sn::CustomCall& call) {
                            const int64_t n = call.result.shape.product();
                            return sn::TileLaunch{(n + 255) / 256, {n, call.number("factor")}};
                          }};
  const sn::CustomOp scale = sn::register_op(d);
  auto f = sn::compile([&](const sn::Tensor& x) { return scale({x + 1}, {{"factor", 0.5}}) - 1; });
  const sn::Tensor x = sn::to(sn::arange(6, {.dtype = sn::f32}), sn::Device::best());
  fmt::print("{}\n", sn::to_vector<float>(f(x)));
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
