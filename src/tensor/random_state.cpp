// SPDX-License-Identifier: Apache-2.0
#include "src/tensor/random_state.h"

#include <sinter/error.h>
#include <sinter/random.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/device/backend.h"
#include "src/tensor/impl.h"

namespace sinter::tensor {
namespace {

thread_local std::vector<CapturedDraws> captured_draws;
thread_local DrawsApart* draws_apart = nullptr;

[[noreturn]] void refuse_draw(std::string_view op, SourceLine line, std::string what, std::string fix) {
  throw UserError({std::string(op), std::move(what), line, {}, std::move(fix)});
}

/// The sequence of one device.
class Sequence {
 public:
  Sequence(Device device, const RandomState& begin) : device_(device), begin_(begin) {}
  Device device() const { return device_; }

  Draw draw(std::string_view op, SourceLine line, int64_t count) {
    device::Backend& backend = device::backend(device_, line);
    const device::StreamHandle stream = device::current_stream(device_);
    const bool capturing = backend.is_capturing(stream);
    if (!state_.defined()) {
      if (capturing)
        refuse_draw(op, line, "the device's first random numbers cannot be drawn while a stream is captured",
                    "draw some before the capture begins");
      make_state(begin_);
    }
    if (draws_apart != nullptr) return {state_, drawn_ + draws_apart->take()};
    Storage& storage = *state_.impl()->storage;
    if (capturing) {
      storage.exposed.store(true);  // replays change it: nothing may read it later than the program says
      int64_t& captured = captured_count();
      return {state_, drawn_ + std::exchange(captured, captured + count)};
    }
    if (stream != storage.stream) backend.record_use(storage.data, stream);
    return {state_, std::exchange(drawn_, drawn_ + count)};
  }

  /// What was recorded keeps the state that it was recorded with, unless captured work shares it.
  void restart(const RandomState& begin, std::string_view op, SourceLine line) {
    if (state_.defined() && device::backend(device_).is_capturing(device::current_stream(device_)))
      refuse_draw(op, line, "a sequence cannot begin anew while a stream is captured",
                  "seed before the capture begins");
    begin_ = begin;
    drawn_ = 0;
    if (!state_.defined()) return;
    Storage& storage = *state_.impl()->storage;
    if (!storage.exposed.load()) {
      make_state(begin);
      return;
    }
    storage.expose();
    write_state(begin);
  }

  RandomState now() const {
    if (!state_.defined()) return begin_;
    uint64_t words[2];
    read_elements(*state_.impl(), words);
    return {words[0], words[1] + static_cast<uint64_t>(drawn_)};
  }

 private:
  void make_state(const RandomState& begin) {
    state_ = empty({2}, u64, device_);
    write_state(begin);
  }

  void write_state(const RandomState& begin) {
    const uint64_t words[] = {begin.seed, begin.offset};
    device::Backend& backend = device::backend(device_);
    const device::StreamHandle stream = device::current_stream(device_);
    backend.copy_from_host(state_.impl()->data(), words, sizeof words, stream);
    backend.synchronize(stream);  // other streams may draw next
  }

  int64_t& captured_count() {
    const auto known =
        std::ranges::find_if(captured_draws, [&](const CapturedDraws& c) { return c.state.impl() == state_.impl(); });
    if (known != captured_draws.end()) return known->count;
    captured_draws.push_back({state_, 0});
    return captured_draws.back().count;
  }

  Device device_;
  RandomState begin_;
  Tensor state_;
  int64_t drawn_ = 0;
};

/// All devices'; never destroyed, since device memory may outlive what would be destroyed with it.
struct Sequences {
  std::mutex mutex;
  uint64_t seed = default_seed;
  std::list<Sequence> list;

  Sequence& of(Device device) {
    for (Sequence& s : list)
      if (s.device() == device) return s;
    return list.emplace_back(device, RandomState{seed, 0});
  }
};

Sequences& sequences() {
  static auto* all = new Sequences;
  return *all;
}

}  // namespace

Draw next_draw(Device device, std::string_view op, SourceLine line, int64_t count) {
  Sequences& all = sequences();
  const std::scoped_lock lock(all.mutex);
  return all.of(device).draw(op, line, count);
}

DrawsApart::DrawsApart() : before_(std::exchange(draws_apart, this)) {}
DrawsApart::~DrawsApart() { draws_apart = before_; }

std::vector<CapturedDraws> take_captured_draws() {
  if (captured_draws.empty()) return {};
  return std::exchange(captured_draws, {});
}

}  // namespace sinter::tensor

namespace sinter {

void manual_seed(uint64_t seed, SourceLine line) {
  tensor::Sequences& all = tensor::sequences();
  const std::scoped_lock lock(all.mutex);
  for (tensor::Sequence& s : all.list) s.restart({seed, 0}, "manual_seed", line);
  all.seed = seed;
}

RandomState random_state(Device device) {
  tensor::Sequences& all = tensor::sequences();
  const std::scoped_lock lock(all.mutex);
  return all.of(device).now();
}

void set_random_state(const RandomState& state, Device device, SourceLine line) {
  tensor::Sequences& all = tensor::sequences();
  const std::scoped_lock lock(all.mutex);
  all.of(device).restart(state, "set_random_state", line);
}

}  // namespace sinter
