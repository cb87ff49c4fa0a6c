// SPDX-License-Identifier: Apache-2.0
#include "src/ops/scan.h"

#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

int dim_of(const graph::Node& node, int rank) {
  const int64_t dim = graph::AttributeReader(node.attributes).integer();
  return static_cast<int>(dim < 0 ? dim + rank : dim);
}

/// Every dtype that the op takes, short and long scans, along any dim; nothing and 0-d tensors.
std::vector<graph::SampleCall> sample_scan(const Scan& s) {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, int64_t dim) {
    list.push_back(sample_call({sample_type(t, shape)}, graph::CallAttributes().integer(dim), s.low, s.high));
  };
  const bool floats = s.kind == graph::ScanKind::logaddexp;
  for (const DType t : all_dtypes) {
    if (floats && !t.is_floating()) continue;
    add(t, {7, 17}, 1);
    add(t, {17, 7}, 0);
  }
  for (const DType t : {f16, bf16, f32, f64}) {
    add(t, {3, 1023}, -1);
    add(t, {1100, 3}, 0);
  }
  if (!floats) add(i32, {2, 1100}, 1);
  add(f32, {}, 0);
  add(f32, {1}, -1);
  add(f32, {2, 16, 3, 5}, 1);
  add(f32, {2, 16, 3}, -2);
  add(f32, {5, 1, 3}, 1);
  add(f32, {0, 3}, 1);
  add(f32, {3, 0}, 1);
  return list;
}

}  // namespace

size_t scanned_dim(const graph::Node& node, const reference::Array& x) {
  return static_cast<size_t>(dim_of(node, static_cast<int>(x.shape.size())));
}

void register_scan_op(const Scan& s) {
  graph::OpDef def;
  def.name = s.name;
  def.doc = s.doc;
  def.op_class = graph::OpClass::scan;
  def.params = {{"dim", graph::ParamKind::integer}};
  def.infer = s.infer;
  def.scan = [kind = s.kind](const graph::Node& node, const graph::Graph& g) {
    return graph::ScanSpec{kind, dim_of(node, g.type(node.operands[0]).rank())};
  };
  def.reference = s.reference;
  def.sample = sample_list([s] { return sample_scan(s); });
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
