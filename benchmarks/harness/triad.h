// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/device/cpu/thread_pool.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sinter::benchmarks {

/// STREAM's triad, a = b + 3 * c, with stores past the caches where the machine has them: the ceiling of memory-bound
/// CPU kernels. Arrays are 64-byte aligned; n is a multiple of 4096.
struct Triad {
  float* a;
  const float *b, *c;
};

inline constexpr int64_t triad_block = 4096;
inline double triad_bytes(int64_t n) { return 12.0 * static_cast<double>(n); }  // no write-allocate

#if defined(__x86_64__)
__attribute__((target("avx512f"))) inline void triad_512(const Triad& t, int64_t begin, int64_t end) {
  const __m512 scale = _mm512_set1_ps(3);
  for (int64_t i = begin; i < end; i += 16)
    _mm512_stream_ps(t.a + i, _mm512_fmadd_ps(scale, _mm512_load_ps(t.c + i), _mm512_load_ps(t.b + i)));
  _mm_sfence();
}

__attribute__((target("avx2,fma"))) inline void triad_256(const Triad& t, int64_t begin, int64_t end) {
  const __m256 scale = _mm256_set1_ps(3);
  for (int64_t i = begin; i < end; i += 8)
    _mm256_stream_ps(t.a + i, _mm256_fmadd_ps(scale, _mm256_load_ps(t.c + i), _mm256_load_ps(t.b + i)));
  _mm_sfence();
}
#endif

/// A range of blocks of triad_block elements.
inline void triad_blocks(void* context, int64_t begin, int64_t end) {
  const Triad& t = *static_cast<const Triad*>(context);
#if defined(__x86_64__)
  return (__builtin_cpu_supports("avx512f") ? triad_512 : triad_256)(t, begin * triad_block, end * triad_block);
#else
  for (int64_t i = begin * triad_block; i < end * triad_block; ++i) t.a[i] = t.b[i] + 3 * t.c[i];
#endif
}

/// On all threads.
inline void run_triad(Triad t, int64_t n) { device::cpu::parallel_for(n / triad_block, 1, triad_blocks, &t); }

}  // namespace sinter::benchmarks
