// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/executable.h"

#include <sinter/error.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <string>

#include "runtime/exec/call_step.h"
#include "runtime/exec/status.h"

namespace sinter::exec {
namespace {

/// A step with everything that does not change between calls filled in; the rest are patches.
struct PreparedStep {
  int32_t call = -1;  ///< >= 0: no kernel, and nothing below is used
  device::Function* function = nullptr;
  device::LaunchConfig config;
  bool grid_varies = false;
  std::vector<uint64_t> slots;
  std::vector<int32_t> patches;  ///< slots that a call fills
};

struct PreparedOutput {
  bool varies = false;
  Dims shape, strides;
};

bool varies(const HostExpr& e) { return e.length > 0; }

/// A floating number as an integer of t: towards zero, the nearest limit of t if it is outside, 0 for NaN.
uint64_t saturated(double d, DType t) {
  if (std::isnan(d)) return 0;
  const int value_bits = t.bits() - (t.is_signed() ? 1 : 0);
  const double limit = std::ldexp(1.0, value_bits);
  const uint64_t largest = ~uint64_t{0} >> (64 - value_bits);
  if (d >= limit) return largest;
  if (!t.is_signed()) return d <= 0 ? 0 : static_cast<uint64_t>(d);
  return d <= -limit ? ~largest : static_cast<uint64_t>(static_cast<int64_t>(d));
}

/// Bits of a number symbol in the kernel's compute type, as a literal is converted; numbers travel as int64 or as the
/// bits of a double.
uint64_t number_bits(int64_t bits, const SlotSource& s) {
  const bool floating = s.bits != 0;  // what the user gave
  double d;
  std::memcpy(&d, &bits, sizeof d);
  if (s.dtype == f64) {
    const double v = floating ? d : static_cast<double>(bits);
    uint64_t r;
    std::memcpy(&r, &v, sizeof r);
    return r;
  }
  if (s.dtype == f32) {
    const float v = floating ? static_cast<float>(d) : static_cast<float>(bits);
    uint32_t r;
    std::memcpy(&r, &v, sizeof r);
    return r;
  }
  if (s.dtype == boolean) return floating ? d != 0 : bits != 0;
  const uint64_t v = floating ? saturated(d, s.dtype) : static_cast<uint64_t>(bits);
  return s.dtype.bits() == 64 ? v : static_cast<uint32_t>(v);
}

class PlanExecutable final : public Executable {
 public:
  PlanExecutable(Plan plan, std::vector<LoadedKernel> kernels) : plan_(std::move(plan)), kernels_(std::move(kernels)) {
    for (const CallRef& c : plan_.calls) calls_.emplace_back(plan_, c);
    for (const Step& s : plan_.steps) prepare(s);
    for (const TensorSpec& t : plan_.outputs) prepare(t);
  }

  const Plan& plan() const override { return plan_; }
  std::span<const LoadedKernel> kernels() const override { return kernels_; }
  int64_t launches() const override { return static_cast<int64_t>(steps_.size()); }

  void run(const Arguments& a, std::span<tensor::TensorImpl* const> outputs) const override {
    device::Backend& backend = device::backend(plan_.device);
    const device::StreamHandle stream = device::current_stream(plan_.device);
    for (size_t i = 0; i < outputs.size(); ++i) allocate(i, a, outputs, backend, stream);
    const std::vector<std::shared_ptr<const PreparedCall>> calls = prepare_calls(a, outputs);
    const size_t arena_bytes = aligned(static_cast<size_t>(evaluate(plan_, plan_.arena_bytes, a.symbols)));
    const Workspace arena(backend, stream, arena_bytes + workspace_of(calls));
    Status status(plan_, backend, stream);
    const ArrivalWords arrivals(plan_.uses_arrivals, backend, stream);
    const Memory memory{arena.data, status.word(), arrivals.words(), arena.data + arena_bytes};
    for (size_t i = 0; i < steps_.size(); ++i)
      if (const int32_t call = steps_[i].call; call >= 0)
        make_call(static_cast<size_t>(call), calls[static_cast<size_t>(call)], a, outputs, memory, backend, stream);
      else
        launch(i, a, outputs, memory, backend, stream);
    status.check();
  }

 private:
  /// What the kernels of a call share.
  struct Memory {
    char* arena = nullptr;
    void* status = nullptr;
    void* arrivals = nullptr;
    void* workspace = nullptr;  ///< of one call at a time
  };

  static constexpr size_t arena_alignment = 256;
  static size_t aligned(size_t bytes) { return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment; }

  struct Workspace {
    Workspace(device::Backend& b, device::StreamHandle s, size_t n) : backend(b), stream(s), bytes(n) {
      if (bytes > 0) data = static_cast<char*>(backend.allocate(bytes, stream));
    }
    ~Workspace() {
      if (data != nullptr) backend.release(data, bytes, stream);
    }
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    device::Backend& backend;
    device::StreamHandle stream;
    size_t bytes;
    char* data = nullptr;
  };

  /// A captured graph may be replayed beside the stream's other work, so it has words of its own.
  struct ArrivalWords {
    ArrivalWords(bool used, device::Backend& backend, device::StreamHandle stream)
        : own(backend, stream, used && backend.is_capturing(stream) ? device::arrival_words * sizeof(uint32_t) : 0) {
      if (!used) return;
      if (own.data != nullptr)
        backend.fill_zero(own.data, own.bytes, stream);
      else
        shared = backend.arrivals(stream);
    }
    void* words() const { return own.data != nullptr ? own.data : shared.get(); }
    const Workspace own;
    std::shared_ptr<void> shared;
  };

  void prepare(const Step& s) {
    PreparedStep p;
    if (s.call >= 0) {
      p.call = s.call;
      steps_.push_back(std::move(p));
      return;
    }
    const KernelRef& k = plan_.kernels[static_cast<size_t>(s.kernel)];
    p.function = kernels_[static_cast<size_t>(s.kernel)].function;
    p.config = {s.grid.literal, k.threads, k.shared_bytes};
    p.grid_varies = varies(s.grid);
    for (size_t i = 0; i < s.slots.size(); ++i) {
      const SlotSource& source = s.slots[i];
      const bool fixed =
          source.kind == SlotSource::Kind::literal || (source.kind == SlotSource::Kind::index && !varies(source.expr));
      p.slots.push_back(source.kind == SlotSource::Kind::literal ? source.bits
                                                                 : static_cast<uint64_t>(source.expr.literal));
      if (!fixed) p.patches.push_back(static_cast<int32_t>(i));
    }
    steps_.push_back(std::move(p));
  }

  void prepare(const TensorSpec& t) {
    PreparedOutput p;
    p.varies = varies(t.alias_offset);
    for (size_t d = 0; d < t.shape.size(); ++d) {
      p.varies = p.varies || varies(t.shape[d]) || varies(t.strides[d]);
      p.shape.push_back(t.shape[d].literal);
      p.strides.push_back(t.strides[d].literal);
    }
    outputs_.push_back(p);
  }

  /// Extents of run-time symbols may each be legal and have a product that no memory holds.
  size_t bytes_of(const tensor::TensorImpl& out) const {
    int64_t bytes = out.dtype.bytes();
    for (const int64_t extent : out.shape)
      if (__builtin_mul_overflow(bytes, extent, &bytes))
        throw UserError({plan_.name,
                         "the result would be " + std::string(out.dtype.name()) + " " + out.shape.text() +
                             ", more than any memory holds",
                         {},
                         {},
                         {}});
    return static_cast<size_t>(bytes);
  }

  void allocate(size_t i, const Arguments& a, std::span<tensor::TensorImpl* const> outputs, device::Backend& backend,
                device::StreamHandle stream) const {
    tensor::TensorImpl& out = *outputs[i];
    const TensorSpec& spec = plan_.outputs[i];
    out.dtype = spec.dtype;
    out.device = plan_.device;
    out.shape = outputs_[i].shape;
    out.strides = outputs_[i].strides;
    if (outputs_[i].varies)
      for (size_t d = 0; d < spec.shape.size(); ++d) {
        out.shape[d] = evaluate(plan_, spec.shape[d], a.symbols);
        out.strides[d] = evaluate(plan_, spec.strides[d], a.symbols);
      }
    if (spec.alias_input >= 0 || spec.alias_output >= 0) {
      const tensor::TensorImpl& base = spec.alias_input >= 0 ? *a.inputs[static_cast<size_t>(spec.alias_input)]
                                                             : *outputs[static_cast<size_t>(spec.alias_output)];
      out.storage = base.storage;
      out.offset = tensor::offset_as(base, out.dtype) + evaluate(plan_, spec.alias_offset, a.symbols);
      return;
    }
    auto storage = std::make_shared<tensor::Storage>();
    storage->bytes = bytes_of(out);
    storage->device = plan_.device;
    storage->stream = stream;
    storage->data = backend.allocate(storage->bytes, stream);
    storage->owned = true;
    out.storage = std::move(storage);
    out.offset = 0;
  }

  uint64_t slot_value(const SlotSource& s, const Arguments& a, std::span<tensor::TensorImpl* const> outputs,
                      const Memory& memory) const {
    const auto offset = [&] { return evaluate(plan_, s.expr, a.symbols); };
    const auto address = [](const void* p) { return reinterpret_cast<uint64_t>(p); };
    switch (s.kind) {
      case SlotSource::Kind::input:
        return address(static_cast<char*>(a.inputs[static_cast<size_t>(s.index)]->data()) + offset());
      case SlotSource::Kind::output:
        return address(static_cast<char*>(outputs[static_cast<size_t>(s.index)]->storage->data) + offset());
      case SlotSource::Kind::temporary:
        return address(memory.arena) + static_cast<uint64_t>(offset());
      case SlotSource::Kind::index:
        return static_cast<uint64_t>(offset());
      case SlotSource::Kind::number:
        return number_bits(a.symbols[static_cast<size_t>(s.index)], s);
      case SlotSource::Kind::literal:
        return s.bits;
      case SlotSource::Kind::status:
        return address(memory.status);
      case SlotSource::Kind::arrivals:
        return address(memory.arrivals);
    }
    return 0;
  }

  void launch(size_t i, const Arguments& a, std::span<tensor::TensorImpl* const> outputs, const Memory& memory,
              device::Backend& backend, device::StreamHandle stream) const {
    const PreparedStep& p = steps_[i];
    device::LaunchConfig config = p.config;
    if (p.grid_varies) config.grid = evaluate(plan_, plan_.steps[i].grid, a.symbols);
    if (config.grid == 0) return;
    std::array<uint64_t, 64> few;
    std::vector<uint64_t> many;
    uint64_t* slots = few.data();
    if (p.slots.size() > few.size()) {
      many.resize(p.slots.size());
      slots = many.data();
    }
    std::memcpy(slots, p.slots.data(), p.slots.size() * sizeof(uint64_t));
    for (int32_t k : p.patches) slots[k] = slot_value(plan_.steps[i].slots[static_cast<size_t>(k)], a, outputs, memory);
    backend.launch(*p.function, config, slots, p.slots.size(), stream);
  }

  /// Addresses of a call's operands, then of its results.
  std::vector<uint64_t> addresses(const CallRef& call, const Arguments& a, std::span<tensor::TensorImpl* const> outputs,
                                  const Memory& memory) const {
    std::vector<uint64_t> list;
    for (const CallTensorSource& t : call.operands) list.push_back(slot_value(t.address, a, outputs, memory));
    for (const CallTensorSource& t : call.results) list.push_back(slot_value(t.address, a, outputs, memory));
    return list;
  }

  /// All calls made ready, before there is an arena: how much workspace they need decides its size. The arena's own
  /// address is aligned.
  std::vector<std::shared_ptr<const PreparedCall>> prepare_calls(const Arguments& a,
                                                                 std::span<tensor::TensorImpl* const> outputs) const {
    std::vector<std::shared_ptr<const PreparedCall>> calls;
    for (size_t i = 0; i < calls_.size(); ++i)
      calls.push_back(calls_[i].prepare(a.symbols, addresses(plan_.calls[i], a, outputs, {})));
    return calls;
  }

  static size_t workspace_of(const std::vector<std::shared_ptr<const PreparedCall>>& calls) {
    size_t most = 0;
    for (const auto& call : calls)
      if (call) most = std::max(most, call->workspace_bytes());
    return most;
  }

  void make_call(size_t i, const std::shared_ptr<const PreparedCall>& call, const Arguments& a,
                 std::span<tensor::TensorImpl* const> outputs, const Memory& memory, device::Backend& backend,
                 device::StreamHandle stream) const {
    if (!call) return;
    std::vector<void*> all;
    for (uint64_t address : addresses(plan_.calls[i], a, outputs, memory))
      all.push_back(reinterpret_cast<void*>(address));
    const auto run = [call, all = std::move(all), n = plan_.calls[i].operands.size(), w = memory.workspace, stream] {
      const std::span<void* const> tensors(all);
      call->run(tensors.first(n), tensors.subspan(n), w, stream);
    };
    if (backend.is_host() && backend.is_capturing(stream))
      backend.perform(stream, run);
    else
      run();
  }

  Plan plan_;
  std::vector<LoadedKernel> kernels_;
  std::deque<CallStep> calls_;  ///< by position in the plan; refer to it
  std::vector<PreparedStep> steps_;
  std::vector<PreparedOutput> outputs_;
};

}  // namespace

std::shared_ptr<const Executable> make_executable(Plan plan, std::vector<LoadedKernel> kernels) {
  return std::make_shared<PlanExecutable>(std::move(plan), std::move(kernels));
}

}  // namespace sinter::exec
