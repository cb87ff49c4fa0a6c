// SPDX-License-Identifier: Apache-2.0
#include "src/capture/region_recorder.h"

#include <fmt/format.h>

#include "src/capture/entries.h"
#include "src/capture/region_graph.h"
#include "src/capture/region_run.h"
#include "src/capture/scope_pool.h"

namespace sinter::capture {

RegionRecorder::~RegionRecorder() { abandon(); }

void RegionRecorder::begin(Function& function) {
  function_ = &function;
  start_region(&function.root);
}

void RegionRecorder::start_region(TraceNode* root) {
  cursor_ = root;
  depth_ = 0;
  slots_.clear();
  inputs_.clear();
  values_.clear();
  types_.reset();
  type_inputs_.clear();
  type_slots_.clear();
  device_ = Device::cpu();
  has_device_ = false;
}

Tensor RegionRecorder::call(const graph::Call& call) {
  if (depth_ == max_region_ops) break_region("8192 ops", call.line);
  const size_t inputs_before = inputs_.size();
  codes_.clear();
  try {
    for (const Tensor* t : call.operands) codes_.push_back(code_of(*t, call));
    if (call.operands.empty()) note_creation_device(call);
    TraceNode* next = match(call);
    if (next == nullptr && types_ == nullptr) replay_types();
    if (types_ != nullptr) record_types(call);
    if (next == nullptr) {
      std::scoped_lock lock(function_->grow);
      next = append_child(cursor_, call, codes_);
    }
    cursor_ = next;
  } catch (const UserError& e) {
    drop_inputs_from(inputs_before);
    throw_with_context(e);
  } catch (...) {
    drop_inputs_from(inputs_before);
    throw;
  }
  const auto values = call.attributes->values();
  values_.insert(values_.end(), values.begin(), values.end());
  Tensor result = tensor::make_pending(this, depth_++);
  slots_.push_back(result.impl());
  return result;
}

OperandCode RegionRecorder::code_of(const Tensor& t, const graph::Call& call) {
  tensor::TensorImpl* impl = t.impl();
  if (impl == nullptr)
    throw UserError(
        {std::string(call.op->name), "an operand is an undefined tensor", call.line, function_->context(), {}});
  if (impl->pending == this) return impl->slot;
  if (impl->pending != nullptr)
    throw UserError({std::string(call.op->name), "an operand is being recorded on another thread", call.line,
                     function_->context(), "return it from its compiled function first"});
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].impl() == impl) return ~static_cast<OperandCode>(i);
  return add_input(impl, call);
}

OperandCode RegionRecorder::add_input(tensor::TensorImpl* impl, const graph::Call& call) {
  if (impl->storage == nullptr)
    throw UserError({std::string(call.op->name),
                     "an operand has no data: the region that should have computed it failed",
                     call.line,
                     function_->context(),
                     {}});
  const auto small = [](const tensor::TensorImpl& t) {
    return t.device.is_cpu() && t.shape.product() * t.dtype.bytes() <= small_tensor_bytes;
  };
  if (has_device_ && impl->device != device_ && !small(*impl)) {
    bool others_move = impl->device.is_cuda() && device_.is_cpu();
    for (const Tensor& t : inputs_) others_move = others_move && small(*t.impl());
    if (!others_move)
      throw UserError({std::string(call.op->name),
                       fmt::format("operands on {} and {}", device_.text(), impl->device.text()), call.line,
                       function_->context(),
                       fmt::format("move one: to(x, Device::{})",
                                   device_.is_cpu() ? "cpu()" : fmt::format("cuda({})", device_.index))});
  }
  if (!has_device_ || impl->device.is_cuda()) device_ = impl->device;
  has_device_ = true;
  tensor::retain(impl);
  inputs_.push_back(Tensor::adopt(impl));
  return ~static_cast<OperandCode>(inputs_.size() - 1);
}

void RegionRecorder::drop_inputs_from(size_t count) {
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

TraceNode* RegionRecorder::match(const graph::Call& call) const {
  for (TraceNode* n = cursor_->first_child.load(std::memory_order_acquire); n != nullptr;
       n = n->next_sibling.load(std::memory_order_acquire))
    if (n->matches(call, codes_)) return n;
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
        const tensor::TensorImpl& t = *inputs_[type_inputs_.size()].impl();
        type_inputs_.push_back(types->add_input({t.dtype, {t.shape.begin(), t.shape.end()}}));
      }
      operands.push_back(c >= 0 ? type_slots_[static_cast<size_t>(c)] : type_inputs_[static_cast<size_t>(~c)]);
    }
    type_slots_.push_back(
        {types->add(*node->op, std::move(operands), node_attributes(*node, bits, next, literal), node->line), 0});
    next += node->kinds.size();
  }
  types_ = std::move(types);
}

void RegionRecorder::record_types(const graph::Call& call) {
  std::vector<graph::Value> operands;
  while (type_inputs_.size() < inputs_.size()) {
    const tensor::TensorImpl& t = *inputs_[type_inputs_.size()].impl();
    type_inputs_.push_back(types_->add_input({t.dtype, {t.shape.begin(), t.shape.end()}}));
  }
  for (OperandCode c : codes_)
    operands.push_back(c >= 0 ? type_slots_[static_cast<size_t>(c)] : type_inputs_[static_cast<size_t>(~c)]);
  type_slots_.push_back(
      {types_->add(*call.op, std::move(operands), graph::literal_attributes(*call.attributes), call.line), 0});
}

/// A type rule knows the line of the op; which function was called is known here.
void RegionRecorder::throw_with_context(const UserError& e) const {
  ErrorParts parts = e.parts();
  if (parts.context.empty()) parts.context = function_->context();
  throw UserError(std::move(parts));
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
  return shape;
}

Device RegionRecorder::device(const tensor::TensorImpl&) { return device_; }

void RegionRecorder::compute(tensor::TensorImpl& t, const char* why, SourceLine line) {
  check_thread(why, line);
  if (function_->options.fullgraph)
    throw CompileError(
        {why,
         fmt::format("reads {} on the host; fullgraph = true allows no graph break",
                     fmt::format("{} {}", dtype(t).name(), shape(t).text())),
         line, function_->context(),
         "where(p, a, b) keeps one graph; or fullgraph = false (one more launch and a synchronisation)"});
  break_region(why, line);
}

void RegionRecorder::break_region(const char* why, SourceLine line) {
  if (depth_ == 0) return;
  function_->counters.breaks.fetch_add(1, std::memory_order_relaxed);
  end_region(why, line);
}

void RegionRecorder::forget(tensor::TensorImpl& t) noexcept { slots_[static_cast<size_t>(t.slot)] = nullptr; }

void RegionRecorder::abandon() noexcept {
  for (tensor::TensorImpl* t : slots_)
    if (t != nullptr) t->pending = nullptr;
  slots_.clear();
  inputs_.clear();
}

void RegionRecorder::build_key() {
  key_.clear();
  append_inputs(key_, inputs_);
  for (const graph::Number& v : values_) key_.push_back(v.bits);
}

void RegionRecorder::move_inputs_to_device() {
  if (device_.is_cpu()) return;
  for (Tensor& t : inputs_)
    if (t.impl()->device != device_) t = tensor::follow_to_device(t, device_);
}

void RegionRecorder::end_region(const char* why, SourceLine line) {
  if (depth_ == 0) return;
  std::vector<int32_t> live;
  for (size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i] != nullptr) live.push_back(static_cast<int32_t>(i));
  RegionEnd* end = find_end(cursor_, live);
  if (end == nullptr) {
    std::scoped_lock lock(function_->grow);
    end = append_end(cursor_, live);
  }
  try {
    if (!live.empty()) run(*end, why, line);
  } catch (const UserError& e) {
    abandon();
    start_region(&end->continuation);
    throw_with_context(e);
  } catch (...) {
    abandon();
    start_region(&end->continuation);
    throw;
  }
  start_region(&end->continuation);
}

void RegionRecorder::run(RegionEnd& end, const char* why, SourceLine line) {
  move_inputs_to_device();
  build_key();
  Entry* entry = end.entries.find(key_);
  RegionCall region{*function_, cursor_, end, inputs_, key_, device_, why, line, entry == nullptr};
  if (entry == nullptr) entry = &compile_entry(region);
  std::vector<tensor::TensorImpl*> outputs;
  outputs.reserve(end.outputs.size());
  for (int32_t slot : end.outputs) outputs.push_back(slots_[static_cast<size_t>(slot)]);
  run_entry(region, *entry, outputs);
  for (tensor::TensorImpl* t : outputs) t->pending = nullptr;
}

}  // namespace sinter::capture
