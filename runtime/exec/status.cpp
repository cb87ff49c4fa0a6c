// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/status.h"

#include <sinter/error.h>

#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sinter::exec {
namespace {

constexpr size_t word_bytes = 8;

struct Pending {
  Device device;
  device::StreamHandle stream;
  void* word;
  std::vector<std::string> messages;
};

std::mutex mutex;
std::vector<Pending> pending;

[[noreturn]] void fail(uint64_t status, const std::vector<std::string>& messages) {
  throw UserError(status <= messages.size() ? messages[status - 1] : "an index is out of range");
}

uint64_t read(device::Backend& backend, void* word, device::StreamHandle stream) {
  uint64_t status = 0;
  backend.copy_to_host(&status, word, sizeof status, stream);
  backend.synchronize(stream);
  return status;
}

}  // namespace

Status::Status(const Plan& plan, device::Backend& backend, device::StreamHandle stream)
    : plan_(plan), backend_(backend), stream_(stream) {
  if (!plan_.uses_status) return;
  word_ = backend_.allocate(word_bytes, stream_);
  backend_.fill_zero(word_, word_bytes, stream_);
}

Status::~Status() {
  if (word_ != nullptr) backend_.release(word_, word_bytes, stream_);
}

void Status::check() {
  if (word_ == nullptr) return;
  if (plan_.device.is_cpu()) {
    if (const uint64_t status = read(backend_, word_, stream_)) fail(status, plan_.status_messages);
    return;
  }
  if (backend_.is_capturing(stream_)) return;
  std::scoped_lock lock(mutex);
  pending.push_back({plan_.device, stream_, std::exchange(word_, nullptr), plan_.status_messages});
}

void check_pending_status(Device device, std::optional<device::StreamHandle> stream) {
  std::vector<Pending> ready;
  // Reading a word of a stream that is captured meanwhile would spoil the capture; it is read after a later wait.
  const auto is_ready = [&](const Pending& p) {
    return p.device == device && (!stream || *stream == p.stream) && !device::backend(device).is_capturing(p.stream);
  };
  {
    std::scoped_lock lock(mutex);
    for (size_t i = 0; i < pending.size();)
      if (is_ready(pending[i])) {
        ready.push_back(std::move(pending[i]));
        pending[i] = std::move(pending.back());
        pending.pop_back();
      } else {
        ++i;
      }
  }
  const Pending* bad = nullptr;
  uint64_t status = 0;
  device::Backend* backend = ready.empty() ? nullptr : &device::backend(device);
  for (const Pending& p : ready) {
    const uint64_t s = read(*backend, p.word, p.stream);
    backend->release(p.word, word_bytes, p.stream);
    if (s != 0 && bad == nullptr) {
      bad = &p;
      status = s;
    }
  }
  if (bad != nullptr) fail(status, bad->messages);
}

}  // namespace sinter::exec
