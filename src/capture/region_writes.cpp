// SPDX-License-Identifier: Apache-2.0
// The recorder's part for in-place ops. A write makes a new value of the memory that the destination is a view of;
// other views of it are read again, from that value, when they are next used.
#include <fmt/format.h>

#include <algorithm>

#include "src/capture/region_recorder.h"
#include "src/graph/text.h"
#include "src/lower/view_layout.h"
#include "src/tensor/addresses.h"

namespace sinter::capture {
namespace {

constexpr OperandCode no_code = INT32_MIN;

}  // namespace

void RegionRecorder::forget_writes() {
  written_.clear();
  written_of_.clear();
  writes_.clear();
  nodes_.clear();
  first_value_.clear();
  tensor::writes_are_pending = false;
}

/// From here on the nodes of the region are at hand by slot.
void RegionRecorder::begin_writes() {
  if (!nodes_.empty() || depth_ == 0) return;
  nodes_ = path_to(cursor_);
  size_t next = 0;
  for (const TraceNode* n : nodes_) {
    first_value_.push_back(next);
    next += n->kinds.size();
  }
}

/// The input whose memory a value of these contents is, or the value as the region computed it.
OperandCode RegionRecorder::base_of(OperandCode root) const {
  const auto written = written_of_.find(root);
  return written == written_of_.end() ? root : written_[written->second].base;
}

/// How the memory of an input, or of a value that is no view, is addressed.
graph::Layout RegionRecorder::memory_layout(graph::NodeId root) const {
  const auto of_input = [&](size_t input) {
    const Tensor& t = inputs_[input];
    compute_kept(t, {});  // what an earlier region kept has no strides yet
    return graph::Layout{{t.impl()->strides.begin(), t.impl()->strides.end()}, graph::Expr(0)};
  };
  for (size_t slot = 0; slot < type_slots_.size(); ++slot) {
    if (type_slots_[slot].node != root) continue;
    const OperandCode base = base_of(static_cast<OperandCode>(slot));
    return base < 0 ? of_input(static_cast<size_t>(~base)) : graph::contiguous_layout(types_->type({root, 0}).shape);
  }
  return of_input(
      static_cast<size_t>(std::ranges::find(type_inputs_, root, &graph::Value::node) - type_inputs_.begin()));
}

/// Does eager execution copy here, because strides do not express the view?
bool RegionRecorder::is_copied(int32_t slot) {
  const TraceNode& node = *nodes_[static_cast<size_t>(slot)];
  if (!node.op->may_copy) return false;
  const OperandCode operand = node.operands[0];
  if (node.op->op_class == graph::OpClass::view && !is_view(operand)) {
    const OperandCode base = base_of(operand);
    if (base >= 0) return false;  // dense
    const Tensor& input = inputs_[static_cast<size_t>(~base)];
    compute_kept(input, node.line);
    if (tensor::is_contiguous(input.impl()->shape, input.impl()->strides)) return false;
  }
  if (types_ == nullptr) replay_types();
  const graph::NodeId id = type_slots_[static_cast<size_t>(slot)].node;
  return lower::view_layout(*types_, id, [&](graph::NodeId root) { return memory_layout(root); }).base == id;
}

bool RegionRecorder::is_view(OperandCode code) {
  if (code < 0) return false;
  return nodes_[static_cast<size_t>(code)]->op->scatter != nullptr && !is_copied(code);
}

/// What a value is a view of, and the views on the way, that of the memory first.
OperandCode RegionRecorder::root_of(OperandCode code, std::vector<int32_t>& views) {
  while (is_view(code)) {
    views.push_back(code);
    code = nodes_[static_cast<size_t>(code)]->operands[0];
  }
  std::ranges::reverse(views);
  return code;
}

/// The view `view` of another value.
OperandCode RegionRecorder::replay(int32_t view, OperandCode operand, SourceLine line) {
  const TraceNode& node = *nodes_[static_cast<size_t>(view)];
  const graph::CallAttributes attributes(
      node.words, {values_.data() + first_value_[static_cast<size_t>(view)], node.kinds.size()}, node.extent_mask);
  return append({node.op, {}, &attributes, line}, {&operand, 1});
}

/// The value that a handle or an input has now. A handle moves to it, unless the value is not as a view reads it
/// (`as_view`): what was just written through the handle.
OperandCode RegionRecorder::up_to_date(OperandCode code, bool as_view, SourceLine line) {
  std::vector<int32_t> views;
  const OperandCode root = root_of(code, views);
  const auto written = written_of_.find(root);
  if (written == written_of_.end()) return code;
  const Written w = written_[written->second];
  if (w.current == root) return code;
  if (!as_view && w.writer == code) return w.value;
  OperandCode now = w.current;
  for (const int32_t view : views) now = replay(view, now, line);
  if (code < 0) return now;
  if (tensor::TensorImpl* handle = std::exchange(slots_[static_cast<size_t>(code)], nullptr)) {
    handle->slot = now;
    slots_[static_cast<size_t>(now)] = handle;
  }
  return now;
}

/// Before the region ends every live handle is a view of what its memory holds in the end.
void RegionRecorder::update_views() {
  for (size_t i = 0, n = slots_.size(); i < n; ++i)
    if (slots_[i] != nullptr && slots_[i]->pending.load(std::memory_order_acquire) == this)
      up_to_date(static_cast<OperandCode>(i), true, {});
  for (const Written& w : written_)
    if (w.base < 0) writes_.push_back({w.current, ~w.base});
}

bool RegionRecorder::writes(const tensor::TensorImpl& t) const {
  return std::ranges::any_of(written_, [&](const Written& w) {
    return w.base < 0 && tensor::overlap(*inputs_[static_cast<size_t>(~w.base)].impl(), t);
  });
}

/// A value that an earlier region kept has no memory yet.
void RegionRecorder::compute_kept(const Tensor& t, SourceLine line) const {
  if (tensor::PendingOwner* owner = t.impl()->pending.load(std::memory_order_acquire);
      owner != nullptr && owner != this)
    owner->compute(*t.impl(), "in-place op", line);
}

/// The tensor from outside of the region that a tensor is a view of, or nullptr.
const Tensor* RegionRecorder::memory_of(const Tensor& t) {
  if (t.impl()->pending.load(std::memory_order_acquire) != this) return &t;
  std::vector<int32_t> views;
  const OperandCode base = base_of(root_of(t.impl()->slot, views));
  return base < 0 ? &inputs_[static_cast<size_t>(~base)] : nullptr;
}

/// Two inputs may overlap. Once one was written the other holds something else, which only memory can tell: the region
/// ends, and the next one reads it.
void RegionRecorder::break_before_stale_read(const graph::Call& call) {
  for (const Tensor* t : call.operands) {
    if (t->impl() == nullptr) continue;
    const Tensor* memory = memory_of(*t);
    if (memory == nullptr) continue;
    compute_kept(*memory, call.line);
    const bool stale = std::ranges::any_of(written_, [&](const Written& w) {
      if (w.base >= 0 || memory->impl()->storage == nullptr) return false;
      const tensor::TensorImpl* input = inputs_[static_cast<size_t>(~w.base)].impl();
      return input != memory->impl() && tensor::overlap(*input, *memory->impl());
    });
    if (!stale) continue;
    if (function_->options.fullgraph)
      throw CompileError(
          {std::string(call.op->name),
           "an operand overlaps another argument, which was written; fullgraph = true allows no graph break", call.line,
           function_->context(), "pass one of them and take views of it inside"});
    break_region(demand_nothing, "in-place op", call.line);
    return;
  }
}

/// Are elements of a view there more than once?
bool RegionRecorder::view_repeats(int32_t view) {
  if (types_ == nullptr) replay_types();
  const graph::Value value = type_slots_[static_cast<size_t>(view)];
  const lower::StridedView layout =
      lower::view_layout(*types_, value.node, [&](graph::NodeId root) { return memory_layout(root); });
  Dims shape, strides;
  for (graph::Expr e : types_->type(value).shape) shape.push_back(*e.constant());
  for (graph::Expr e : layout.strides) strides.push_back(*e.constant());
  return tensor::repeats(shape, strides);
}

void RegionRecorder::refuse_repeated(OperandCode code, const graph::Call& call) {
  std::vector<int32_t> views;
  const OperandCode base = base_of(root_of(code, views));
  const bool of_input = base < 0;
  const auto may_repeat = [&](int32_t v) { return nodes_[static_cast<size_t>(v)]->op->may_repeat; };
  if (of_input)
    if (const auto& storage = inputs_[static_cast<size_t>(~base)].impl()->storage; storage && storage->read_only)
      throw UserError({std::string(call.op->name), "the destination's memory is read-only", call.line,
                       function_->context(), "write to clone(x)"});
  const auto as_dtype = [&](int32_t v) { return nodes_[static_cast<size_t>(v)]->op->op_class != graph::OpClass::view; };
  if (of_input && std::ranges::any_of(views, as_dtype)) {
    if (types_ == nullptr) replay_types();
    const DType dtype = types_->type(type_slots_[static_cast<size_t>(code)]).dtype;
    tensor::offset_as(*inputs_[static_cast<size_t>(~base)].impl(), dtype);  // refuses what is not aligned
  }
  // Through a view that repeats elements there is no way back, also where a view of that repeats none.
  bool repeated = std::ranges::any_of(views, [&](int32_t v) { return may_repeat(v) && view_repeats(v); });
  if (of_input && !repeated) {
    const tensor::TensorImpl& t = *inputs_[static_cast<size_t>(~base)].impl();
    repeated = tensor::repeats(t.shape, t.strides);
  }
  if (repeated)
    throw UserError({std::string(call.op->name),
                     "elements of the destination share memory, as those of an expanded tensor", call.line,
                     function_->context(), "write to what it is a view of, or to clone(x)"});
}

void RegionRecorder::write(const graph::Call& call) {
  if (frozen_ != nullptr) frozen_->refuse(call.op->name, "an in-place write", call.line);
  if (depth_ == max_region_ops) break_region(demand_nothing, "8192 ops", call.line);
  const Busy busy(*this);
  begin_writes();
  break_before_stale_read(call);
  begin_writes();  // of the next region, if this one ended
  const size_t inputs_before = inputs_.size();
  const tensor::TensorImpl& destination = *call.operands[0]->impl();
  const bool own = destination.pending.load(std::memory_order_acquire) == this;
  int32_t value = -1;
  try {
    const OperandCode code = own ? destination.slot : input_code(call.operands[0]->impl(), call);
    refuse_repeated(code, call);
  } catch (...) {
    drop_inputs_from(inputs_before);
    throw;
  }
  value = record(call);
  note_written(own ? destination.slot : input_code(call.operands[0]->impl(), call), value, call.line);
}

/// `value` is what the destination holds now: replaces it in each thing that it is a view of, down to the memory.
void RegionRecorder::note_written(OperandCode destination, int32_t value, SourceLine line) {
  begin_writes();
  std::vector<int32_t> views;
  const OperandCode root = root_of(destination, views);
  const auto [at, added] = written_of_.try_emplace(root, written_.size());
  const size_t memory = at->second;
  if (added) written_.push_back({root, root, no_code, no_code});
  std::vector<OperandCode> viewed{written_[memory].current};
  for (size_t i = 0; i + 1 < views.size(); ++i) viewed.push_back(replay(views[i], viewed.back(), line));
  OperandCode now = value;
  for (size_t i = views.size(); i-- > 0;) {
    const TraceNode& node = *nodes_[static_cast<size_t>(views[i])];
    const graph::CallAttributes attributes(
        node.words, {values_.data() + first_value_[static_cast<size_t>(views[i])], node.kinds.size()},
        node.extent_mask);
    const OperandCode operands[] = {viewed[i], now};
    now = append({node.op->scatter, {}, &attributes, line}, operands);
  }
  Written& w = written_[memory];
  w.current = now;
  w.writer = views.empty() ? no_code : destination;
  w.value = value;
  written_of_.emplace(now, memory);
  if (w.base < 0) tensor::writes_are_pending = true;
}

}  // namespace sinter::capture
