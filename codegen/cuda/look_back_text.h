// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sinter::cuda {

/// A part of the prelude: what a program of a scan over the grid waits for, the fold of all programs before it.
inline constexpr std::string_view look_back_text = R"(
// The blocks of a scan leave what they end with, in H halves of 32 bits, in a ring of `places` behind word 4: each half
// is a word with a tag, which says of which round through the ring it is, and whether it is what that block alone ends
// with or, in its lowest bit, that with all before it. A thread waits for one of the blocks before; from the nearest one
// that is whole, thread 0 combines from left to right. Word 1 counts who is done; the last block clears the ring.
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
  // Waits until the block left something; is it whole?
  __device__ __forceinline__ bool wait(unsigned number, unsigned (&v)[H]) const {
    for (;;) {
      const unsigned long long first = place(number)[0];
      const unsigned is = (unsigned)(first >> 32);
      bool same = (is & ~1u) == tag(number);
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
  if (threadIdx.x == 0) ring.put(number, own, piece == 0);
  for (int h = 0; h < H; ++h) before[h] = own[h];
  if (piece != 0) {
    const unsigned seen = piece < blockDim.x ? piece : blockDim.x, warps = blockDim.x / 32u;
    unsigned char* const nearest_of_warps = shared + 4 * H * blockDim.x;
    unsigned char* const result = nearest_of_warps + 4 * warps;
    unsigned nearest;
    do {
      unsigned mine = seen, v[H];
      if (threadIdx.x < seen) {
        if (ring.wait(number - 1u - threadIdx.x, v)) mine = threadIdx.x;
        sn_put_halves<H>(shared + 4 * H * threadIdx.x, v);
      }
      for (int lanes = 1; lanes < 32; lanes *= 2) {
        const unsigned other = sn_shuffle_xor(mine, lanes);
        mine = other < mine ? other : mine;
      }
      const unsigned of_warp[1] = {mine};
      if (threadIdx.x % 32u == 0) sn_put_halves<1>(nearest_of_warps + threadIdx.x / 32u * 4u, of_warp);
      __syncthreads();
      nearest = seen;
      for (unsigned w = 0; w < warps; ++w) {
        unsigned other[1];
        sn_get_halves<1>(nearest_of_warps + 4 * w, other);
        nearest = other[0] < nearest ? other[0] : nearest;
      }
      if (nearest == seen) __syncthreads();
    } while (nearest == seen);
    if (threadIdx.x == 0) {
      unsigned all[H];
      sn_get_halves<H>(shared + 4 * H * nearest, before);
      #pragma unroll 8
      for (unsigned t = nearest; t-- > 0;) {
        unsigned v[H];
        sn_get_halves<H>(shared + 4 * H * t, v);
        combine(before, v, before);
      }
      combine(before, own, all);
      ring.put(number, all, 1u);
      sn_put_halves<H>(result, before);
    }
    __syncthreads();
    sn_get_halves<H>(result, before);
  }
  ring.finish(number, count);
}
)";

}  // namespace sinter::cuda
