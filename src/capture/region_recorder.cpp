// SPDX-License-Identifier: Apache-2.0
#include "src/capture/region_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/capture/region_graph.h"
#include "src/capture/scope_pool.h"

namespace sinter::capture {
namespace {

graph::ValueType literal_type(const Tensor& t) {
  const Dims shape = t.shape();
  return {t.dtype(), {shape.begin(), shape.end()}};
}

/// Follows the region to any device.
bool is_small(const Tensor& t) { return t.device().is_cpu() && t.numel() * t.dtype().bytes() <= small_tensor_bytes; }

}  // namespace

void RegionRecorder::begin(Function& function) {
  function_ = &function;
  frozen_ = nullptr;
  start_region(&function.root);
}

void RegionRecorder::start_region(TraceNode* root) {
  // Inputs may die here, and the deleter of a user's memory may use tensors: it must find an empty region.
  std::vector<Tensor> inputs;
  inputs.swap(inputs_);
  input_table_.clear();
  cursor_ = root;
  depth_ = 0;
  slots_.clear();
  values_.clear();
  types_.reset();
  type_inputs_.clear();
  type_slots_.clear();
  device_ = Device::cpu();
  has_device_ = false;
  forget_writes();
  inputs.clear();
  if (inputs_.empty()) inputs_.swap(inputs);  // keeps the capacity
}

Tensor RegionRecorder::call(const graph::Call& call) {
  if (depth_ == max_region_ops) break_region(demand_nothing, "8192 ops", call.line);
  const Busy busy(*this);
  if (frozen_ != nullptr) note_draw(call);
  if (!written_.empty()) break_before_stale_read(call);
  const int32_t slot = record(call);
  Tensor result = tensor::make_pending(this, slot);
  slots_[static_cast<size_t>(slot)] = result.impl();
  return result;
}

/// The slot of the call's result.
int32_t RegionRecorder::record(const graph::Call& call) {
  const size_t inputs_before = inputs_.size();
  codes_.clear();
  try {
    for (const Tensor* t : call.operands) codes_.push_back(code_of(*t, call));
    if (call.operands.empty()) note_creation_device(call);
    return append(call, codes_);
  } catch (const UserError& e) {
    drop_inputs_from(inputs_before);
    throw function_->with_context(e);
  } catch (...) {
    drop_inputs_from(inputs_before);
    throw;
  }
}

/// Takes the operands as codes: call.operands is not looked at.
int32_t RegionRecorder::append(const graph::Call& call, std::span<const OperandCode> codes) {
  TraceNode* next = match(call, codes);
  if (next == nullptr && types_ == nullptr) replay_types();
  if (types_ != nullptr) record_types(call, codes);
  if (next == nullptr) {
    std::scoped_lock lock(function_->grow);
    next = append_child(cursor_, call, codes);
  }
  cursor_ = next;
  if (!nodes_.empty()) {
    nodes_.push_back(next);
    first_value_.push_back(values_.size());
  }
  const auto values = call.attributes->values();
  values_.insert(values_.end(), values.begin(), values.end());
  slots_.push_back(nullptr);
  return depth_++;
}

OperandCode RegionRecorder::code_of(const Tensor& t, const graph::Call& call) {
  tensor::TensorImpl* impl = t.impl();
  if (impl == nullptr)
    throw UserError(
        {std::string(call.op->name), "an operand is an undefined tensor", call.line, function_->context(), {}});
  const bool own = impl->pending.load(std::memory_order_acquire) == this;
  const OperandCode code = own ? impl->slot : input_code(impl, call);
  // A view of what was written through a view is one of the memory, not of the value.
  return written_.empty() ? code : up_to_date(code, call.op->scatter != nullptr, call.line);
}

OperandCode RegionRecorder::input_code(tensor::TensorImpl* impl, const graph::Call& call) {
  tensor::PendingOwner* owner = impl->pending.load(std::memory_order_acquire);
  if (owner != nullptr && owner == frozen_)
    impl = frozen_->stand_in(*impl);
  else if (owner != nullptr)
    owner->check_operand(*impl, call.op->name, call.line);
  if (owner != nullptr && !owner->on_any_thread())
    throw UserError({std::string(call.op->name), "an operand is being recorded on another thread", call.line,
                     function_->context(), "return it from its compiled function first"});
  const int32_t known = input_table_.find(inputs_, impl);
  return known >= 0 ? ~known : add_input(impl, call);
}

/// Can a region that is on device_ go to this one? From the CPU to CUDA, if nothing large must move.
void RegionRecorder::require_movable(Device device, const graph::Call& call) const {
  if (!has_device_ || device == device_) return;
  if (device.is_cuda() && device_.is_cpu() && std::ranges::all_of(inputs_, is_small)) return;
  throw UserError({std::string(call.op->name), fmt::format("operands on {} and {}", device_.text(), device.text()),
                   call.line, function_->context(),
                   fmt::format("move one: to(x, Device::{})",
                               device_.is_cpu() ? "cpu()" : fmt::format("cuda({})", device_.index))});
}

OperandCode RegionRecorder::add_input(tensor::TensorImpl* impl, const graph::Call& call) {
  tensor::retain(impl);
  Tensor input = Tensor::adopt(impl);
  const Device device = input.device();
  if (impl->pending.load(std::memory_order_acquire) == nullptr && impl->storage == nullptr)
    throw UserError({std::string(call.op->name),
                     "an operand has no data: the region that should have computed it failed",
                     call.line,
                     function_->context(),
                     {}});
  if (!is_small(input)) require_movable(device, call);
  if (!has_device_ || device.is_cuda()) device_ = device;
  has_device_ = true;
  inputs_.push_back(std::move(input));
  return ~static_cast<OperandCode>(inputs_.size() - 1);
}

void RegionRecorder::drop_inputs_from(size_t count) {
  if (inputs_.size() > count) input_table_.clear();
  inputs_.resize(count);
  if (type_inputs_.size() > count) type_inputs_.resize(count);  // the next new input is another tensor
}

void RegionRecorder::note_creation_device(const graph::Call& call) {
  size_t word = 0;
  for (const graph::Param& p : call.op->params) {
    const auto words = call.attributes->words();
    switch (p.kind) {
      case graph::ParamKind::device: {
        const int64_t w = words[word];
        const Device wanted{static_cast<DeviceKind>(w & 0xff), static_cast<int16_t>(w >> 8)};
        if (wanted.is_cuda()) require_movable(wanted, call);
        if (!has_device_ || wanted.is_cuda()) device_ = wanted;
        has_device_ = true;
        return;
      }
      case graph::ParamKind::integers:
        word += 1 + static_cast<size_t>(words[word]);
        break;
      case graph::ParamKind::number:
      case graph::ParamKind::extent:
        break;
      default:
        ++word;
    }
  }
}

TraceNode* RegionRecorder::match(const graph::Call& call, std::span<const OperandCode> codes) const {
  for (TraceNode* n = cursor_->first_child.load(std::memory_order_acquire); n != nullptr;
       n = n->next_sibling.load(std::memory_order_acquire))
    if (n->matches(call, codes)) return n;
  return nullptr;
}

void RegionRecorder::replay_types() {
  auto types = std::make_unique<graph::Graph>();
  type_inputs_.clear();
  type_slots_.clear();
  const auto path = path_to(cursor_);
  size_t next = 0;
  std::vector<int64_t> bits;
  for (const graph::Number& v : values_) bits.push_back(v.bits);
  const SymbolMap literal(bits.size(), -1);
  for (const TraceNode* node : path) {
    std::vector<graph::Value> operands;
    for (OperandCode c : node->operands) {
      while (c < 0 && type_inputs_.size() <= static_cast<size_t>(~c)) {
        type_inputs_.push_back(types->add_input(literal_type(inputs_[type_inputs_.size()])));
      }
      operands.push_back(c >= 0 ? type_slots_[static_cast<size_t>(c)] : type_inputs_[static_cast<size_t>(~c)]);
    }
    type_slots_.push_back(
        {types->add(*node->op, std::move(operands), node_attributes(*node, bits, next, literal), node->line), 0});
    next += node->kinds.size();
  }
  types_ = std::move(types);
}

void RegionRecorder::record_types(const graph::Call& call, std::span<const OperandCode> codes) {
  std::vector<graph::Value> operands;
  while (type_inputs_.size() < inputs_.size()) {
    type_inputs_.push_back(types_->add_input(literal_type(inputs_[type_inputs_.size()])));
  }
  for (OperandCode c : codes)
    operands.push_back(c >= 0 ? type_slots_[static_cast<size_t>(c)] : type_inputs_[static_cast<size_t>(~c)]);
  type_slots_.push_back(
      {types_->add(*call.op, std::move(operands), graph::literal_attributes(*call.attributes), call.line), 0});
}

void RegionRecorder::check_thread(const char* why, SourceLine line) const {
  if (active_recorder() == this) return;
  throw UserError(
      {why, "the tensor is being recorded on another thread", line, {}, "return it from its compiled function first"});
}

const graph::ValueType& RegionRecorder::type_of(const tensor::TensorImpl& t) {
  check_thread("shape", {});
  if (types_ == nullptr) replay_types();
  return types_->type(type_slots_[static_cast<size_t>(t.slot)]);
}

DType RegionRecorder::dtype(const tensor::TensorImpl& t) { return type_of(t).dtype; }

Dims RegionRecorder::shape(const tensor::TensorImpl& t) {
  Dims shape;
  for (graph::Expr e : type_of(t).shape) shape.push_back(*e.constant());
  for (size_t d = 0; frozen_ != nullptr && d < shape.size(); ++d) frozen_->note_read(t.slot, static_cast<int32_t>(d));
  return shape;
}

int RegionRecorder::rank(const tensor::TensorImpl& t) { return type_of(t).rank(); }

int64_t RegionRecorder::extent(const tensor::TensorImpl& t, size_t dim) {
  if (frozen_ != nullptr) frozen_->note_read(t.slot, static_cast<int32_t>(dim));
  return *type_of(t).shape[dim].constant();
}

Device RegionRecorder::device(const tensor::TensorImpl&) {
  check_thread("device", {});
  return device_;
}

bool RegionRecorder::forget(tensor::TensorImpl& t) noexcept {
  if (own_recorder == this) {
    slots_[static_cast<size_t>(t.slot)] = nullptr;
    return true;
  }
  // Another thread: the owner may be computing the handle right now. Whoever comes second recycles it.
  tensor::PendingOwner* owner = this;
  if (t.pending.compare_exchange_strong(owner, tensor::abandoned(), std::memory_order_acq_rel)) return false;
  // The caller read `pending` before the owner ended the region: the handle is computed, or a recipe's, which lists it.
  return owner == nullptr || owner->forget(t);
}

}  // namespace sinter::capture
