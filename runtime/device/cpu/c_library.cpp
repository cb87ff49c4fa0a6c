// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/c_library.h"

#include <sched.h>

#include <cmath>
#include <cstring>
#include <iterator>

namespace sinter::device::cpu {

namespace {

struct Entry {
  std::string_view name;
  void* address;
};

template <class R, class... A>
void* address_of(R (*function)(A...)) {
  return reinterpret_cast<void*>(function);
}

// One-argument functions exist for double and, with the suffix f, for float.
#define SINTER_UNARY(name) \
  {#name, address_of<double, double>(::name)}, { #name "f", address_of<float, float>(::name##f) }
#define SINTER_BINARY(name) \
  {#name, address_of<double, double, double>(::name)}, { #name "f", address_of<float, float, float>(::name##f) }

const Entry functions[] = {
    {"memcpy", address_of<void*, void*, const void*, size_t>(::memcpy)},
    {"memmove", address_of<void*, void*, const void*, size_t>(::memmove)},
    {"memset", address_of<void*, void*, int, size_t>(::memset)},
    {"sched_yield", address_of<int>(::sched_yield)},
    SINTER_UNARY(sin),
    SINTER_UNARY(cos),
    SINTER_UNARY(tan),
    SINTER_UNARY(asin),
    SINTER_UNARY(acos),
    SINTER_UNARY(atan),
    SINTER_UNARY(sinh),
    SINTER_UNARY(cosh),
    SINTER_UNARY(tanh),
    SINTER_UNARY(asinh),
    SINTER_UNARY(acosh),
    SINTER_UNARY(atanh),
    SINTER_UNARY(exp),
    SINTER_UNARY(exp2),
    SINTER_UNARY(expm1),
    SINTER_UNARY(log),
    SINTER_UNARY(log2),
    SINTER_UNARY(log10),
    SINTER_UNARY(log1p),
    SINTER_UNARY(cbrt),
    SINTER_UNARY(erf),
    SINTER_UNARY(erfc),
    SINTER_UNARY(tgamma),
    SINTER_UNARY(lgamma),
    SINTER_UNARY(sqrt),
    SINTER_UNARY(floor),
    SINTER_UNARY(ceil),
    SINTER_UNARY(trunc),
    SINTER_UNARY(rint),
    SINTER_UNARY(nearbyint),
    SINTER_UNARY(round),
    SINTER_BINARY(atan2),
    SINTER_BINARY(pow),
    SINTER_BINARY(fmod),
    SINTER_BINARY(hypot),
    {"fma", address_of<double, double, double, double>(::fma)},
    {"fmaf", address_of<float, float, float, float>(::fmaf)},
};

#undef SINTER_UNARY
#undef SINTER_BINARY

}  // namespace

void* c_library_function(std::string_view name) {
  for (const Entry& entry : functions)
    if (entry.name == name) return entry.address;
  return nullptr;
}

}  // namespace sinter::device::cpu
