// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/views.h>

#include <cstring>

#include "src/loop/reader.h"
#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/move_elements.h"
#include "src/ops/samples.h"
#include "src/ops/storage_bits.h"
#include "src/ops/view.h"

namespace sinter {

Tensor view(Operand x, DType dtype) {
  return ops::dispatch(ops::op<"view">(), {&x}, graph::CallAttributes().dtype(dtype));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Expr;

std::vector<graph::ValueType> infer_view(graph::InferContext& context) {
  graph::ValueType result = context.operand(0);
  const DType from = result.dtype, to = context.attributes().dtype();
  result.dtype = to;
  if (from.bytes() == to.bytes()) return {result};
  if (result.rank() == 0)
    context.fail(
        fmt::format("a 0-d tensor of {} cannot be viewed as {}, which has another size", from.name(), to.name()),
        "unsqueeze it first");
  Expr& last = result.shape.back();
  if (from.bytes() > to.bytes()) {
    last = last * (from.bytes() / to.bytes());
    return {result};
  }
  const int64_t ratio = to.bytes() / from.bytes();
  const Expr count = simplify_extent(floordiv(last, ratio));
  if (!context.same_extent(simplify_extent(count * ratio), last))
    context.fail(fmt::format("the last dim of {} is not a multiple of {}: {} elements of {} are one of {}",
                             describe(context.operand(0)), ratio, ratio, from.name(), to.name()),
                 "narrow() or pad() it to a multiple");
  last = count;
  return {result};
}

/// Part `i` of `count` parts of `bits`, lowest first.
loop::Value part(loop::Builder& b, loop::Value bits, Expr i, int width) {
  const DType t = bits.type;
  const loop::Value shift = b.mul(b.convert(b.body().index_value(i, i32), t), b.constant(t, width));
  const loop::Value mask = b.convert(b.body().constant(scalar::constant_int(u64, (int64_t{1} << width) - 1)), t);
  return b.bit_and(b.shr(bits, shift), mask);
}

/// An element of the bytes of an operand, as the dtype of the result.
loop::Value lower_bytes(loop::Reader& reader, size_t operand, std::span<const Expr> index) {
  loop::Builder& b = reader.builder();
  const DType from = reader.operand_type(operand).dtype, to = reader.result_type().dtype;
  std::vector<Expr> source(index.begin(), index.end());
  const auto read_bits = [&] { return storage_bits(b, reader.read(operand, source), from); };
  if (from.bytes() == to.bytes()) return from_storage_bits(b, read_bits(), to);
  const Expr last = index.back();
  if (from.bytes() > to.bytes()) {
    const int ratio = from.bytes() / to.bytes();
    source.back() = floordiv(last, ratio);
    const loop::Value bits = part(b, read_bits(), mod(last, ratio), 8 * to.bytes());
    return from_storage_bits(b, b.convert(bits, to.bytes() == 8 ? u64 : u32), to);
  }
  const DType wide = to.bytes() == 8 ? u64 : u32;
  loop::Value bits = b.constant(wide, 0);
  for (int i = 0; i < to.bytes() / from.bytes(); ++i) {
    source.back() = last * (to.bytes() / from.bytes()) + i;
    bits = b.bit_or(bits, b.shl(b.convert(read_bits(), wide), b.constant(wide, 8 * i * from.bytes())));
  }
  return from_storage_bits(b, bits, to);
}

std::vector<reference::Array> reference_bytes(const graph::Node& node, const reference::Array& operand) {
  reference::Array result = reference::Array::zeros(node.results[0].dtype, literal_extents(node.results[0].shape));
  if (!result.data.empty()) std::memcpy(result.data.data(), operand.data.data(), result.data.size());
  if (result.dtype.is_boolean())
    for (std::byte& b : result.data) b = std::byte{b != std::byte{0}};
  return {std::move(result)};
}

std::vector<graph::SampleCall> sample_view() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, DType to) {
    // Halves without NaN: whose bits a NaN of theirs has is the machine's.
    const auto half = [](DType d) { return d == f16 || d == bf16; };
    const double low = half(t) || half(to) ? 0 : -4;
    list.push_back(sample_call({sample_type(t, shape)}, graph::CallAttributes().dtype(to), low, 4));
  };
  // Every dtype on either side of the smallest and the largest elements, then pairs of one size.
  for (const DType t : all_dtypes)
    for (const DType other : {u8, i64}) {
      add(t, {2, 8}, other);
      if (t != u8 && t != i64) add(other, {2, 8}, t);
    }
  for (const auto& [from, to] : {std::pair<DType, DType>{f32, i32}, {u32, f32}, {i16, f16}, {f16, bf16}, {bf16, u16}})
    add(from, {17}, to);
  add(f32, {}, i32);
  add(f64, {1023}, u8);
  add(u8, {2, 1024}, f16);
  add(f32, {0, 4}, f64);
  add(f32, {3, 0}, i16);
  return list;
}

std::vector<graph::SampleCall> sample_view_scatter() {
  std::vector<graph::SampleCall> list = sample_view();
  for (graph::SampleCall& call : list) {
    graph::InferContext context(*graph::find_op("view"), call.operands, call.attributes, {});
    call.operands.push_back(infer_view(context)[0]);
  }
  return list;
}

/// All elements are replaced: the value's bytes.
graph::OpDef view_scatter_op() {
  graph::OpDef def;
  def.name = "view_scatter";
  def.doc = "The operand with its bytes replaced by those of a value of its view as another dtype.";
  def.op_class = graph::OpClass::indexed;
  def.min_operands = def.max_operands = 2;
  def.params = {{"dtype", graph::ParamKind::dtype}};
  def.write_role = graph::WriteRole::scatter;
  def.infer = [](graph::InferContext& context) { return infer_scatter(context, infer_view(context)[0]); };
  def.lower = [](loop::Reader& reader, std::span<const Expr> index) { return lower_bytes(reader, 1, index); };
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return reference_bytes(node, operands[1]);
  };
  def.sample = sample_list(sample_view_scatter);
  return def;
}

}  // namespace

void register_view_dtype() {
  graph::OpDef def;
  def.name = "view";
  def.doc = "The same bytes as elements of another dtype; the last dim shrinks or grows with their size.";
  def.op_class = graph::OpClass::indexed;
  def.params = {{"dtype", graph::ParamKind::dtype}};
  def.scatter = &graph::register_op(view_scatter_op());
  def.may_copy = true;
  def.infer = infer_view;
  def.lower = [](loop::Reader& reader, std::span<const Expr> index) { return lower_bytes(reader, 0, index); };
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return reference_bytes(node, operands[0]);
  };
  def.sample = sample_list(sample_view);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
