// SPDX-License-Identifier: Apache-2.0
#include "src/capture/captured_handles.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/capture/function.h"

namespace sinter::capture {
namespace {

std::mutex idle_mutex;
std::vector<CapturedHandles*>& idle() {
  static auto* all = new std::vector<CapturedHandles*>;
  return *all;
}

}  // namespace

CapturedHandles& CapturedHandles::take() {
  std::scoped_lock lock(idle_mutex);
  if (idle().empty()) return *new CapturedHandles;
  CapturedHandles* last = idle().back();
  idle().pop_back();
  return *last;
}

void CapturedHandles::begin(const Function& function, FrozenUse use, std::span<const Tensor* const> arguments) {
  std::scoped_lock lock(mutex_);
  open_ = true;
  name_ = function.options.name;
  context_ = function.context();
  use_ = use;
  reads_.clear();
  generators_.clear();
  for (const Tensor* t : arguments) {
    const tensor::TensorImpl& a = *t->impl();
    stand_ins_.push_back(tensor::make_tensor(a.storage, a.dtype, a.shape, a.strides, a.offset));
    stand_ins_.back().impl()->frozen = a.frozen;
  }
}

void CapturedHandles::close() noexcept {
  std::vector<Tensor> stand_ins;  // die outside the lock
  bool unused = false;
  {
    std::scoped_lock lock(mutex_);
    open_ = false;
    stand_ins.swap(stand_ins_);
    unused = origins_.empty();
  }
  if (!unused) return;
  std::scoped_lock lock(idle_mutex);
  idle().push_back(this);
}

Tensor CapturedHandles::placeholder(size_t argument) {
  Tensor t = tensor::make_pending(this, ~static_cast<int32_t>(argument));
  std::scoped_lock lock(mutex_);
  origins_.emplace_back(t.impl(), fmt::format("argument {}", argument));
  return t;
}

tensor::TensorImpl* CapturedHandles::stand_in(const tensor::TensorImpl& placeholder) const {
  return stand_ins_[placeholder_number(placeholder)].impl();
}

int32_t CapturedHandles::argument_of(const tensor::TensorImpl* stand_in) const {
  for (size_t i = 0; i < stand_ins_.size(); ++i)
    if (stand_ins_[i].impl() == stand_in) return static_cast<int32_t>(i);
  return -1;
}

void CapturedHandles::poison(tensor::TensorImpl* t, std::string origin) noexcept {
  std::scoped_lock lock(mutex_);
  origins_.emplace_back(t, std::move(origin));
  if (t->pending.exchange(this, std::memory_order_acq_rel) != tensor::abandoned()) return;
  origins_.pop_back();
  tensor::recycle(t);
}

void CapturedHandles::refuse(std::string_view why, const std::string& what, SourceLine line) const {
  const char* meaning = use_ == FrozenUse::skip ? "Host::skip runs the host code once, for all values"
                                                : "a saved function holds no host code";
  const char* fix = use_ == FrozenUse::skip ? "compute it with ops or pass it as an argument; or Host::rerun"
                                            : "compute it with ops or pass it as an argument; or save the parts";
  throw UserError({std::string(why), fmt::format("{}; {}", what, meaning), line, context_, fix});
}

void CapturedHandles::refuse_escaped(const tensor::TensorImpl& t, std::string_view why, SourceLine line) const {
  const auto origin = std::ranges::find(origins_, &t, [](const auto& o) { return o.first; });
  throw UserError({std::string(why),
                   fmt::format("the tensor escaped from the capture of \"{}\" and has no value: it is {} there", name_,
                               origin == origins_.end() ? "a handle" : origin->second),
                   line, context_, "return it from the function; or Host::rerun"});
}

void CapturedHandles::note_draw(const Tensor& state) {
  if (!is_generator(state.impl())) generators_.push_back(state);
}

bool CapturedHandles::is_generator(const tensor::TensorImpl* t) const {
  return std::ranges::any_of(generators_, [&](const Tensor& state) { return state.impl() == t; });
}

void CapturedHandles::note_read(int32_t slot, int32_t dim) {
  if (std::ranges::find(reads_, Read{slot, dim}) == reads_.end()) reads_.push_back({slot, dim});
}

const tensor::TensorImpl& CapturedHandles::argument(const tensor::TensorImpl& t, const char* why) {
  if (!open_) refuse_escaped(t, why, {});
  return *stand_ins_[placeholder_number(t)].impl();
}

DType CapturedHandles::dtype(const tensor::TensorImpl& t) {
  std::scoped_lock lock(mutex_);
  return argument(t, "dtype").dtype;
}

Device CapturedHandles::device(const tensor::TensorImpl& t) {
  std::scoped_lock lock(mutex_);
  return argument(t, "device").device;
}

int CapturedHandles::rank(const tensor::TensorImpl& t) {
  std::scoped_lock lock(mutex_);
  return static_cast<int>(argument(t, "rank").shape.size());
}

Dims CapturedHandles::shape(const tensor::TensorImpl& t) {
  std::scoped_lock lock(mutex_);
  const Dims& shape = argument(t, "shape").shape;
  for (size_t d = 0; d < shape.size(); ++d) note_read(t.slot, static_cast<int32_t>(d));
  return shape;
}

int64_t CapturedHandles::extent(const tensor::TensorImpl& t, size_t dim) {
  std::scoped_lock lock(mutex_);
  const int64_t extent = argument(t, "size").shape[dim];
  note_read(t.slot, static_cast<int32_t>(dim));
  return extent;
}

Dims CapturedHandles::strides(tensor::TensorImpl& t) {
  std::scoped_lock lock(mutex_);
  const Dims strides = argument(t, "strides").strides;
  note_read(t.slot, -1);
  return strides;
}

void CapturedHandles::check_operand(const tensor::TensorImpl& t, std::string_view op, SourceLine line) {
  std::scoped_lock lock(mutex_);
  refuse_escaped(t, op, line);
}

void CapturedHandles::compute(tensor::TensorImpl& t, const char* why, SourceLine line) {
  std::scoped_lock lock(mutex_);
  if (!open_) refuse_escaped(t, why, line);
  const tensor::TensorImpl& a = argument(t, why);
  refuse(why, fmt::format("reads {} {} on the host", a.dtype.name(), a.shape.text()), line);
}

void CapturedHandles::compute_together(std::span<tensor::TensorImpl* const> tensors, const char* why, SourceLine line) {
  for (tensor::TensorImpl* t : tensors)
    if (t->pending.load(std::memory_order_acquire) == this) compute(*t, why, line);
}

bool CapturedHandles::forget(tensor::TensorImpl& t) noexcept {
  bool unused = false;
  {
    std::scoped_lock lock(mutex_);
    std::erase_if(origins_, [&](const auto& o) { return o.first == &t; });
    unused = !open_ && origins_.empty();
  }
  if (unused) {
    std::scoped_lock lock(idle_mutex);
    idle().push_back(this);
  }
  return true;
}

}  // namespace sinter::capture
