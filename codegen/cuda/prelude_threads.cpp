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
    {"sn_skew", R"(
// How far an address lies behind a boundary of 16 bytes.
__device__ __forceinline__ int sn_skew(const void* p) { return (int)((unsigned long long)p & 15u); }
)"},
    {"sn_expect", R"(
// Prepares the word by which threads learn that a piece of a run is there.
__device__ __forceinline__ void sn_expect(unsigned char* word) {
#ifdef SINTER_HOST
  sinter_host_expect(word);
#else
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"((unsigned)__cvta_generic_to_shared(word)) : "memory");
#endif
}
)"},
    {"sn_bulk_copy", R"(
// Copies what lies between two boundaries of 16 bytes to shared memory while the threads go on; counts it in the word.
__device__ __forceinline__ void sn_bulk_copy(unsigned char* to, const unsigned char* from, int bytes,
                                             unsigned char* word) {
#ifdef SINTER_HOST
  sinter_host_bulk_copy(to, from, bytes, word);
#else
  const unsigned arrived = (unsigned)__cvta_generic_to_shared(word);
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(arrived), "r"(bytes) : "memory");
  if (bytes > 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" : :
                 "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes), "r"(arrived) : "memory");
#endif
}
)"},
    {"sn_element", R"(
template <int N> __device__ __forceinline__ sn_words<N> sn_element(const unsigned char* p) {
#ifdef SINTER_HOST
  sn_words<N> r = {};
  sinter_host_load(&r, p, N);
  return r;
#else
  if constexpr (N == 1) return {*p};
  else if constexpr (N == 2) return {*(const unsigned short*)p};
  else return *(const sn_words<N>*)p;
#endif
}
)"},
    {"sn_stage", R"(
// Sends for a run of `count` elements of N bytes, a piece at a time. It lies at `to` as it does in memory between two
// boundaries of 16 bytes. The few elements of a piece before its first boundary and behind its last one are taken by a
// thread each, so that nothing around the run is read.
template <int N, int piece, int pieces>
__device__ __forceinline__ void sn_stage(unsigned char* arrived, unsigned char* to, const void* run, int count) {
  const unsigned char* const from = (const unsigned char*)run;
  const int skew = sn_skew(from), ahead = -skew & 15;
  const auto begin = [&](int p) { return N * (count < p * piece ? count : p * piece); };
  const auto first = [&](int p) { return begin(p) + ahead < begin(p + 1) ? begin(p) + ahead : begin(p + 1); };
  const auto last = [&](int p) {
    const int at = begin(p + 1) - (begin(p + 1) + skew & 15);
    return at < first(p) ? first(p) : at;
  };
  if (threadIdx.x == 0) {
    #pragma unroll 1
    for (int p = 0; p < pieces; ++p) sn_expect(arrived + 8 * p);
#ifndef SINTER_HOST
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
#endif
    #pragma unroll 1
    for (int p = 0; p < pieces; ++p) sn_bulk_copy(to + first(p), from + first(p), last(p) - first(p), arrived + 8 * p);
  }
  constexpr int most = 16 / N;  // on each side of a piece, one more than there can be
  #pragma unroll 1
  for (int i = threadIdx.x; i < 2 * most * pieces; i += blockDim.x) {
    const int p = i / (2 * most), e = i % (2 * most);
    const int at = e < most ? begin(p) + N * e : last(p) + N * (e - most);
    if (at < (e < most ? first(p) : begin(p + 1))) sn_shared_store<N>(to + at, sn_element<N>(from + at));
  }
  __syncthreads();
}
)"},
    {"sn_await", R"(
// Until the pieces are there that elements `at` to `at + span` of a run lie in.
template <int piece, int pieces>
__device__ __forceinline__ void sn_await(const unsigned char* arrived, unsigned at, unsigned span) {
  for (unsigned p = at / piece; p <= (at + span) / piece && p < pieces; ++p) {
#ifdef SINTER_HOST
    sinter_host_await(arrived + 8 * p);
#else
    unsigned is_there;
    do
      asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.shared::cta.b64 q, [%1], 0; selp.u32 %0, 1, 0, q; }" :
                   "=r"(is_there) : "r"((unsigned)__cvta_generic_to_shared(arrived + 8 * p)) : "memory");
    while (is_there == 0);
#endif
  }
}
)"},
    {"sn_staged", R"(
template <int N> __device__ __forceinline__ sn_words<N> sn_staged(const void* p) {
  return sn_shared_load<N>((const unsigned char*)p);
}
)"},
    {"sn_staged_if", R"(
template <int N>
__device__ __forceinline__ sn_words<N> sn_staged_if(const void* p, bool inside, unsigned even, unsigned odd) {
  if (inside) return sn_shared_load<N>((const unsigned char*)p);
  sn_words<N> r = {};
  for (int i = 0; i < (N < 4 ? 1 : N / 4); ++i) r.w[i] = i % 2 == 0 ? even : odd;
  return r;
}
)"},
    {"sn_arrive", R"(
// True in the block that comes last of `count`: it sees what the others stored before they came. Leaves the word 0.
__device__ __forceinline__ bool sn_arrive(unsigned* word, unsigned count) {
  __syncthreads();
  bool last = false;
  if (threadIdx.x == 0) {
#ifdef SINTER_HOST
    __threadfence();
    const unsigned before = atomicAdd(word, 1u);
    __threadfence();
#else
    // The same in one instruction, which waits for less than two sequentially consistent fences.
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(word) : "memory");
#endif
    last = before == count - 1;
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
    {"sn_warp_min", R"(
__device__ __forceinline__ unsigned sn_warp_min(unsigned v) {
#ifdef SINTER_HOST
  for (int lanes = 1; lanes < 32; lanes *= 2) {
    const unsigned other = sn_shuffle_xor(v, lanes);
    v = other < v ? other : v;
  }
  return v;
#else
  return __reduce_min_sync(0xffffffffu, v);
#endif
}
)"},
    {"sn_load_relaxed", R"(
// Words by which blocks tell each other something: neither torn nor kept in a cache of one multiprocessor.
__device__ __forceinline__ unsigned long long sn_load_relaxed(const unsigned long long* p) {
#ifdef SINTER_HOST
  return *(const volatile unsigned long long*)p;
#else
  unsigned long long v;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
#endif
}
)"},
    {"sn_store_relaxed", R"(
__device__ __forceinline__ void sn_store_relaxed(unsigned long long* p, unsigned long long v) {
#ifdef SINTER_HOST
  *(volatile unsigned long long*)p = v;
#else
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory");
#endif
}
)"},
    {"sn_look_back", R"(
// The blocks of a scan wait for what is before them. A block leaves what it ends with, in H halves of 32 bits, in a ring
// of `places`: each half is a word with a tag that says of which round through the ring it is, and whether a sequence
// begins. One block at a time serves: from left to right, it gives each of the blocks behind it that have left something
// what is before that one, in a second ring of words that are 0 where nobody is to read. It never waits for one that has
// nothing yet: that one finds the word that makes it serve next. So blocks wait for such with lower numbers only.
template <int H, unsigned places>
struct sn_ring {
  unsigned long long* words;
  struct entry {
    unsigned long long w[H];
    __device__ __forceinline__ unsigned tag() const { return (unsigned)(w[0] >> 32); }
    // Are all halves of one kind?
    __device__ __forceinline__ bool is_complete() const {
      bool same = true;
      for (int h = 1; h < H; ++h) same = same && (unsigned)(w[h] >> 32) == tag();
      return same;
    }
    __device__ __forceinline__ void get(unsigned (&v)[H]) const {
      for (int h = 0; h < H; ++h) v[h] = (unsigned)w[h];
    }
  };
  __device__ __forceinline__ static unsigned round(unsigned number) { return (number / places + 1u) * 2u; }
  __device__ __forceinline__ unsigned long long* place(unsigned number) const { return words + number % places * H; }
  __device__ __forceinline__ entry load(unsigned number) const {
    entry e;
    for (int h = 0; h < H; ++h) e.w[h] = sn_load_relaxed(place(number) + h);
    return e;
  }
  __device__ __forceinline__ void put(unsigned number, unsigned tag, const unsigned (&v)[H]) const {
    for (int h = 0; h < H; ++h) sn_store_relaxed(place(number) + h, (unsigned long long)tag << 32 | v[h]);
  }
  __device__ __forceinline__ void clear(unsigned number) const {
    for (int h = 0; h < H; ++h) sn_store_relaxed(place(number) + h, 0ull);
  }
  // Until whoever had the place has read what was in it; `e` is what was seen there.
  __device__ __forceinline__ void wait_until_free(entry e, unsigned number) const {
    for (;; e = load(number)) {
      bool is_free = true;
      for (int h = 0; h < H; ++h) is_free = is_free && e.w[h] == 0;
      if (is_free) return;
    }
  }
};
// One warp: `all` is what everything before block `next` combines to. A lane looks at one block, and loads the next while
// it combines. Values come by shuffles, a batch while the one before is combined: a step takes as long as that.
template <int H, unsigned places, int batch, class F>
__device__ __forceinline__ void sn_serve(const sn_ring<H, places>& left, const sn_ring<H, places>& given, unsigned next,
                                         unsigned count, unsigned (&all)[H], F combine) {
  using entry = typename sn_ring<H, places>::entry;
  const unsigned lane = threadIdx.x;
  entry ahead = left.load(next + lane), ahead_given = given.load(next + lane);
  while (next < count) {
    const entry now = ahead, now_given = ahead_given;
    const unsigned tag = now.tag(), number = next + lane;
    const bool is_there = number < count && (tag & ~1u) == left.round(number) && now.is_complete();
    // Those that have left something, as far as no other sequence begins among them.
    const unsigned ready = sn_warp_min(is_there && (lane == 0 || (tag & 1u) == 0) ? 32u : lane);
    if (ready == 0) {
      if (lane == 0) {
        given.wait_until_free(now_given, next);
        given.put(next, 2u, all);
      }
      return;
    }
    ahead = left.load(number + ready);
    ahead_given = given.load(number + ready);
    const bool begins = (sn_shuffle(tag, 0) & 1u) != 0;
    unsigned own[H], before[H], v[batch][H], later[batch][H];
    now.get(own);
    for (int h = 0; h < H; ++h) before[h] = all[h];
    const auto fetch = [&](unsigned (&to)[batch][H], int first) {
      for (int j = 0; j < batch; ++j)
        for (int h = 0; h < H; ++h) to[j][h] = sn_shuffle(own[h], (first + j) % 32);
    };
    fetch(v, 0);
    #pragma unroll (batch > 1 ? 32 / batch : 1)
    for (int j = 0; j < 32; j += batch) {
      if ((unsigned)j >= ready) break;
      fetch(later, j + batch);
      for (int i = 0; i < batch; ++i) {
        for (int h = 0; h < H; ++h)
          if (lane == (unsigned)(j + i)) before[h] = all[h];
        if (j + i == 0 && begins)
          for (int h = 0; h < H; ++h) all[h] = v[i][h];
        else if ((unsigned)(j + i) < ready)
          combine(all, v[i], all);
      }
      for (int i = 0; i < batch; ++i)
        for (int h = 0; h < H; ++h) v[i][h] = later[i][h];
    }
    if (lane < ready) {
      given.wait_until_free(now_given, number);
      given.put(number, 1u, before);
    }
    next += ready;
  }
}
template <int H, unsigned places, int batch, class F>
__device__ __forceinline__ void sn_look_back(unsigned* words, unsigned char* shared, unsigned number, unsigned piece,
                                             unsigned count, const unsigned (&own)[H], unsigned (&before)[H], F combine) {
  using ring = sn_ring<H, places>;
  const ring left{(unsigned long long*)(words + 4)}, given{left.words + places * H};
  if (threadIdx.x < 32u) {
    typename ring::entry e = {};
    if (threadIdx.x == 0) {
      left.put(number, ring::round(number) | (unsigned)(piece == 0), own);
      if (number != 0)
        do e = given.load(number);
        while (e.tag() == 0 || !e.is_complete());
      if (number != 0) given.clear(number);
    }
    const bool serves = number == 0 || sn_shuffle(e.tag(), 0) == 2u;
    for (int h = 0; h < H; ++h) before[h] = piece == 0 ? own[h] : sn_shuffle((unsigned)e.w[h], 0);
    if (threadIdx.x == 0)
      for (int h = 0; h < H; ++h) sn_shared_put(shared + 4 * h, before[h]);
    if (serves) {
      unsigned all[H];
      for (int h = 0; h < H; ++h) all[h] = own[h];
      if (piece != 0) combine(before, own, all);
      sn_serve<H, places, batch>(left, given, number + 1u, count, all, combine);
    }
  }
  __syncthreads();
  for (int h = 0; h < H; ++h) before[h] = sn_shared_get<unsigned>(shared + 4 * h);
  if (number == count - 1u)  // everything that was left has been read
    for (unsigned i = threadIdx.x; i < places; i += blockDim.x) left.clear(i);
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
    {"sn_shared_add", R"(
__device__ __forceinline__ unsigned sn_shared_add(unsigned* p, unsigned v) {
#ifdef SINTER_HOST
  const unsigned before = *p;
  *p = before + v;
  return before;
#else
  return atomicAdd(p, v);
#endif
}
)"},
    {"sn_table_sum", R"(
// Adds to element i of a block's own table of `count`. Of 64 bits the lower halves come first, then the upper ones: only
// 32 bits are added in one step.
template <class T>
__device__ __forceinline__ void sn_table_sum(unsigned char* table, unsigned count, unsigned i, T v) {
  if (v == 0) return;
  unsigned* const low = (unsigned*)table + i;
  const unsigned before = sn_shared_add(low, (unsigned)v);
  if constexpr (sizeof(T) == 8) {
    const unsigned high = (unsigned)((unsigned long long)v >> 32) + (before + (unsigned)v < before);
    if (high != 0) sn_shared_add(low + count, high);
  }
}
)"},
    {"sn_table_clear", R"(
__device__ __forceinline__ void sn_table_clear(unsigned char* table, unsigned bytes) {
  for (unsigned at = threadIdx.x * 4; at < bytes; at += blockDim.x * 4) sn_shared_store<4>(table + at, sn_words<4>{});
}
)"},
    {"sn_table_add", R"(
// Adds a block's own table to the one in memory.
template <class T>
__device__ __forceinline__ void sn_table_add(T* p, const unsigned char* table, unsigned count) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    unsigned long long v = sn_shared_load<4>(table + 4 * i).w[0];
    if constexpr (sizeof(T) == 8) v |= (unsigned long long)sn_shared_load<4>(table + 4 * (count + i)).w[0] << 32;
    if (v != 0) sn_accumulate_sum(p + i, (T)v);
  }
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
