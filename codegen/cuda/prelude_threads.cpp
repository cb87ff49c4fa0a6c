// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/prelude_text.h"

namespace sinter::cuda {
namespace {

constexpr PreludePart between_threads[] = {
    {"sn_shuffle_xor", R"(
__device__ __forceinline__ unsigned sn_shuffle_xor(unsigned v, int mask) { return __shfl_xor_sync(0xffffffffu, v, mask); }
template <class T> __device__ __forceinline__ T sn_shuffle_xor(T v, int mask) {
  if constexpr (sizeof(T) == 8) {
    const unsigned long long b = sn_bitcast<unsigned long long>(v);
    const unsigned lo = sn_shuffle_xor((unsigned)b, mask), hi = sn_shuffle_xor((unsigned)(b >> 32), mask);
    return sn_bitcast<T>(((unsigned long long)hi << 32) | lo);
  } else if constexpr (sizeof(T) == 4) {
    return sn_bitcast<T>(sn_shuffle_xor(sn_bitcast<unsigned>(v), mask));
  } else {
    return (T)sn_shuffle_xor((unsigned)v, mask);
  }
}
)"},
    {"sn_shuffle", R"(
__device__ __forceinline__ unsigned sn_shuffle(unsigned v, int lane) { return __shfl_sync(0xffffffffu, v, lane); }
template <class T> __device__ __forceinline__ T sn_shuffle(T v, int lane) {
  if constexpr (sizeof(T) == 8) {
    const unsigned long long b = sn_bitcast<unsigned long long>(v);
    const unsigned lo = sn_shuffle((unsigned)b, lane), hi = sn_shuffle((unsigned)(b >> 32), lane);
    return sn_bitcast<T>(((unsigned long long)hi << 32) | lo);
  } else if constexpr (sizeof(T) == 4) {
    return sn_bitcast<T>(sn_shuffle(sn_bitcast<unsigned>(v), lane));
  } else {
    return (T)sn_shuffle((unsigned)v, lane);
  }
}
)"},
    {"sn_cluster_arrive", R"(
// Blocks of a cluster meet in two steps; what a block wrote to its shared memory before, others may read afterwards.
__device__ __forceinline__ void sn_cluster_arrive() {
#ifdef SINTER_HOST
  sinter_host_cluster_arrive();
#else
  asm volatile("barrier.cluster.arrive.aligned;" : : : "memory");
#endif
}
)"},
    {"sn_cluster_wait", R"(
__device__ __forceinline__ void sn_cluster_wait() {
#ifdef SINTER_HOST
  sinter_host_cluster_wait();
#else
  asm volatile("barrier.cluster.wait.aligned;" : : : "memory");
#endif
}
)"},
    {"sn_cluster_get", R"(
// What a block of the cluster has at this place of its shared memory.
template <class T> __device__ __forceinline__ T sn_cluster_get(const unsigned char* p, unsigned block) {
  sn_words<(sizeof(T) < 4 ? 4 : sizeof(T))> r = {};
#ifdef SINTER_HOST
  sinter_host_cluster_load(&r, p, sizeof r, block);
#else
  const unsigned own = (unsigned)__cvta_generic_to_shared(p);
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(block));
  for (unsigned i = 0; i < sizeof r / 4; ++i)
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(r.w[i]) : "r"(there + 4 * i) : "memory");
#endif
  if constexpr (sizeof(T) < 4) return (T)r.w[0];
  else return sn_bitcast<T>(r);
}
)"},
    {"sn_arrive", R"(
// True in the block that comes last of `count`: it sees what the others stored before they came. Leaves the word 0.
__device__ __forceinline__ bool sn_arrive(unsigned* word, unsigned count) {
  __syncthreads();
  bool last = false;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(word, 1u) == count - 1;
    __threadfence();
    if (last) *word = 0;
  }
  return __syncthreads_or(last);
}
)"},
    {"sn_ticket", R"(
// How many of `count` blocks took a ticket before this one. Leaves the word 0.
__device__ __forceinline__ unsigned sn_ticket(unsigned* word, unsigned count, unsigned char* shared) {
  if (threadIdx.x == 0) {
    sn_words<4> number = {};
    number.w[0] = atomicInc(word, count - 1);
    sn_shared_store<4>(shared, number);
  }
  __syncthreads();
  return sn_shared_load<4>(shared).w[0];
}
)"},
    {"sn_look_back", R"(
// The blocks of a scan leave what they end with, in H halves of 32 bits, in a ring of `places` behind word 4: each half
// is a word with a tag, which says of which round through the ring it is, and whether it is what that block alone ends
// with or, in its lowest bit, that with all before it. A thread waits for one of the blocks before; from the nearest one
// that is whole, thread 0 combines from left to right. Of those in the farther half a thread waits until they are whole:
// so no block is whole while one that far before it is not, and none comes round to a place that is still to be read.
// Word 1 counts who is done; the last block clears the ring.
template <int H, unsigned places>
struct sn_ring {
  unsigned* words;
  __device__ __forceinline__ volatile unsigned long long* place(unsigned number) const {
    return (volatile unsigned long long*)(words + 4) + number % places * H;
  }
  __device__ __forceinline__ static unsigned tag(unsigned number) { return (number / places + 1u) * 2u; }
  __device__ __forceinline__ void put(unsigned number, const unsigned (&v)[H], unsigned whole) const {
    for (int h = 0; h < H; ++h) place(number)[h] = (unsigned long long)(tag(number) | whole) << 32 | v[h];
  }
  // Waits until the block left something, or something whole; is it whole?
  __device__ __forceinline__ bool wait(unsigned number, bool until_whole, unsigned (&v)[H]) const {
    for (;;) {
      const unsigned long long first = place(number)[0];
      const unsigned is = (unsigned)(first >> 32);
      bool same = (is & ~1u) == tag(number) && (!until_whole || (is & 1u) != 0);
      v[0] = (unsigned)first;
      for (int h = 1; h < H; ++h) {
        const unsigned long long next = place(number)[h];
        same = same && (unsigned)(next >> 32) == is;
        v[h] = (unsigned)next;
      }
      if (same) return is & 1u;
    }
  }
  __device__ __forceinline__ void finish(unsigned number, unsigned count) const {
    if (threadIdx.x == 0) {
      __threadfence();
      atomicInc(words + 1, ~0u);
    }
    if (number != count - 1) return;
    if (threadIdx.x == 0) {
      while (*(volatile unsigned*)(words + 1) != count) {}
      words[1] = 0;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < places * H; i += blockDim.x) place(0)[i] = 0;
  }
};
template <int H>
__device__ __forceinline__ void sn_put_halves(unsigned char* shared, const unsigned (&v)[H]) {
  for (int h = 0; h < H; ++h) {
    sn_words<4> w = {};
    w.w[0] = v[h];
    sn_shared_store<4>(shared + 4 * h, w);
  }
}
template <int H>
__device__ __forceinline__ void sn_get_halves(const unsigned char* shared, unsigned (&v)[H]) {
  for (int h = 0; h < H; ++h) v[h] = sn_shared_load<4>(shared + 4 * h).w[0];
}
template <int H, unsigned places, class F>
__device__ __forceinline__ void sn_look_back(unsigned* words, unsigned char* shared, unsigned number, unsigned piece,
                                             unsigned count, const unsigned (&own)[H], unsigned (&before)[H], F combine) {
  const sn_ring<H, places> ring{words};
  if (threadIdx.x == 0) ring.put(number, own, 0u);
  const unsigned none = blockDim.x, half = blockDim.x / 2u, warps = blockDim.x / 32u;
  const bool is_far = threadIdx.x >= half, is_of_row = threadIdx.x < piece;
  unsigned char* const nearest_of_warps = shared + 4 * H * blockDim.x;
  unsigned char* const result = nearest_of_warps + 4 * warps;
  unsigned nearest;
  bool again;
  do {
    unsigned mine = none, v[H];
    if (threadIdx.x < number && (is_far || is_of_row)) {
      const bool is_whole = ring.wait(number - 1u - threadIdx.x, is_far, v);
      if (is_of_row) {
        if (is_whole) mine = threadIdx.x;
        sn_put_halves<H>(shared + 4 * H * threadIdx.x, v);
      }
    }
    for (int lanes = 1; lanes < 32; lanes *= 2) {
      const unsigned other = sn_shuffle_xor(mine, lanes);
      mine = other < mine ? other : mine;
    }
    const unsigned of_warp[1] = {mine};
    if (threadIdx.x % 32u == 0) sn_put_halves<1>(nearest_of_warps + threadIdx.x / 32u * 4u, of_warp);
    __syncthreads();
    nearest = none;
    for (unsigned w = 0; w < warps; ++w) {
      unsigned other[1];
      sn_get_halves<1>(nearest_of_warps + 4 * w, other);
      nearest = other[0] < nearest ? other[0] : nearest;
    }
    again = piece != 0 && nearest == none;
    if (again) __syncthreads();
  } while (again);
  if (threadIdx.x == 0) {
    unsigned all[H];
    for (int h = 0; h < H; ++h) before[h] = all[h] = own[h];
    if (piece != 0) {
      sn_get_halves<H>(shared + 4 * H * nearest, before);
      #pragma unroll 8
      for (unsigned t = nearest; t-- > 0;) {
        unsigned v[H];
        sn_get_halves<H>(shared + 4 * H * t, v);
        combine(before, v, before);
      }
      combine(before, own, all);
    }
    ring.put(number, all, 1u);
    sn_put_halves<H>(result, before);
  }
  __syncthreads();
  sn_get_halves<H>(result, before);
  ring.finish(number, count);
}
)"},
    {"sn_accumulate_sum", R"(
template <class T>
__device__ __forceinline__ void sn_accumulate_sum(T* p, T v) {
#ifdef SINTER_HOST
  sinter_host_atomic(p, sizeof(T));
  *p = sn_add(*p, v);
#else
  // The sum of signed integers has the bits of the unsigned one.
  if constexpr (sizeof(T) == 8)
    atomicAdd((unsigned long long*)p, (unsigned long long)v);
  else
    atomicAdd((unsigned*)p, (unsigned)v);
#endif
}
)"},
    {"sn_accumulate_max", R"(
template <class T>
__device__ __forceinline__ void sn_accumulate_max(T* p, T v) {
#ifdef SINTER_HOST
  sinter_host_atomic(p, sizeof(T));
  *p = *p < v ? v : *p;
#else
  atomicMax(p, v);
#endif
}
)"},
    {"sn_accumulate_min", R"(
template <class T>
__device__ __forceinline__ void sn_accumulate_min(T* p, T v) {
#ifdef SINTER_HOST
  sinter_host_atomic(p, sizeof(T));
  *p = v < *p ? v : *p;
#else
  atomicMin(p, v);
#endif
}
)"},
    {"sn_report", R"(
__device__ __forceinline__ void sn_report(unsigned long long* status, unsigned long long word) {
  if (*(volatile unsigned long long*)status == 0) atomicCAS(status, 0ull, word);
}
)"},
};

}  // namespace

std::span<const PreludePart> parts_between_threads() { return between_threads; }

}  // namespace sinter::cuda
