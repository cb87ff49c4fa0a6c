// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sinter::device::cpu {

/// While alive, this thread rounds to nearest even and keeps subnormals, whatever the program chose for itself; results
/// then do not depend on which thread computed them.
class FloatMode {
 public:
#if defined(__x86_64__)
  FloatMode() : saved_(_mm_getcsr()) {
    if ((saved_ & ~flags) != standard) _mm_setcsr(standard);
  }
  ~FloatMode() {
    if ((saved_ & ~flags) != standard) _mm_setcsr(saved_);
  }
#else
  FloatMode() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatMode() { std::fesetenv(&saved_); }
#endif
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr unsigned standard = 0x1f80;  ///< MXCSR: all exceptions masked, nearest even, no FTZ, no DAZ
  static constexpr unsigned flags = 0x3f;       ///< exceptions seen so far
  unsigned saved_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace sinter::device::cpu
