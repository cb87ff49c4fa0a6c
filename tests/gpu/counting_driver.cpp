// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/counting_driver.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "runtime/device/backend.h"
#include "runtime/device/cuda/backend.h"

namespace sinter::device::cuda {
namespace {

enum Call : int {
#define SINTER_CALL(name, version, parameters) call_##name,
  SINTER_CUDA_DRIVER(SINTER_CALL)
#undef SINTER_CALL
};

template <int call, class F>
struct Counted;
template <int call, class... A>
struct Counted<call, CUresult(CUDAAPI*)(A...)> {
  static inline CUresult(CUDAAPI* real)(A...) = nullptr;
  static inline std::atomic<int64_t> count{0};
  static CUresult CUDAAPI run(A... arguments) {
    count.fetch_add(1, std::memory_order_relaxed);
    return real(arguments...);
  }
};

/// Before the first use of a device.
class Installation final : public testing::Environment {
 public:
  void SetUp() override {
    register_backend(DeviceKind::cuda, [](int index) { return make_backend(counting_driver(), index); });
  }
};

const auto* const installation = testing::AddGlobalTestEnvironment(new Installation);

}  // namespace

const Driver& counting_driver() {
  static const Driver counted = [] {
    const DriverResult& result = driver();
    if (result.driver == nullptr) throw std::runtime_error("no CUDA driver: " + result.tried);
    Driver d = *result.driver;
#define SINTER_COUNT(name, version, parameters)          \
  Counted<call_##name, decltype(d.name)>::real = d.name; \
  d.name = Counted<call_##name, decltype(d.name)>::run;
    SINTER_CUDA_DRIVER(SINTER_COUNT)
#undef SINTER_COUNT
    return d;
  }();
  return counted;
}

std::map<std::string, int64_t> driver_calls() {
  std::map<std::string, int64_t> calls;
#define SINTER_READ(name, version, parameters) calls[#name] = Counted<call_##name, decltype(Driver::name)>::count;
  SINTER_CUDA_DRIVER(SINTER_READ)
#undef SINTER_READ
  return calls;
}

std::map<std::string, int64_t> driver_calls_since(const std::map<std::string, int64_t>& before) {
  std::map<std::string, int64_t> calls;
  for (const auto& [name, count] : driver_calls())
    if (count != before.at(name)) calls[name] = count - before.at(name);
  return calls;
}

}  // namespace sinter::device::cuda
