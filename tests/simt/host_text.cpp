// SPDX-License-Identifier: Apache-2.0
#include "tests/simt/host_text.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <charconv>

namespace sinter::simt {
namespace {

// No header is included: a kernel compiles in milliseconds. The struct is HostTable.
constexpr std::string_view prefix = R"(
struct sinter_host_table {
  unsigned thread, block, threads, blocks;
  void (*load)(void* to, const void* from, int bytes, int read_only);
  void (*store)(void* to, const void* from, int bytes);
  void (*shared_load)(void* to, const void* from, int bytes);
  void (*shared_store)(void* to, const void* from, int bytes);
  void (*block_barrier)(int line);
  int (*block_or)(int value, int line);
  void (*warp_barrier)(unsigned mask, int line);
  unsigned (*shuffle)(unsigned mask, unsigned value, int lane, int is_xor);
  unsigned long long (*compare_and_swap)(unsigned long long* at, unsigned long long expected, unsigned long long value);
  void (*fence)();
  unsigned (*add)(unsigned* at, unsigned value);
  unsigned (*increment)(unsigned* at, unsigned limit);
  void (*atomic)(const void* at, int bytes);
  void (*cluster_arrive)();
  void (*cluster_wait)();
  void (*cluster_load)(void* to, const void* from, int bytes, unsigned block);
  void (*expect)(void* word);
  void (*bulk_copy)(void* to, const void* from, int bytes, void* word);
  void (*await)(const void* word);
};
extern "C" { sinter_host_table* sinter_host; }

struct sinter_host_index { unsigned x; };
#define threadIdx (sinter_host_index{sinter_host->thread})
#define blockIdx (sinter_host_index{sinter_host->block})
#define blockDim (sinter_host_index{sinter_host->threads})
#define gridDim (sinter_host_index{sinter_host->blocks})
#define __syncthreads() sinter_host->block_barrier(__LINE__)
#define __syncthreads_or(value) sinter_host->block_or(value, __LINE__)
#define __threadfence() sinter_host->fence()
#define __syncwarp() sinter_host->warp_barrier(0xffffffffu, __LINE__)
#define __shfl_sync(mask, value, lane) sinter_host->shuffle(mask, value, lane, 0)
#define __shfl_xor_sync(mask, value, lane) sinter_host->shuffle(mask, value, lane, 1)
#define atomicCAS(at, expected, value) sinter_host->compare_and_swap(at, expected, value)

#define atomicAdd(at, value) sinter_host->add(at, value)
#define atomicInc(at, limit) sinter_host->increment(at, limit)

#define SINTER_HOST 1
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
// A kernel's shared array is one of the file's, with a name of its own, so that the emulator finds it.
#define __shared__ extern

inline void sinter_host_load(void* to, const void* from, int bytes) { sinter_host->load(to, from, bytes, 1); }
inline void sinter_host_load_rw(void* to, const void* from, int bytes) { sinter_host->load(to, from, bytes, 0); }
inline void sinter_host_store(void* to, const void* from, int bytes) { sinter_host->store(to, from, bytes); }
inline void sinter_host_atomic(const void* at, int bytes) { sinter_host->atomic(at, bytes); }
inline void sinter_host_shared_load(void* to, const void* from, int bytes) { sinter_host->shared_load(to, from, bytes); }
inline void sinter_host_shared_store(void* to, const void* from, int bytes) {
  sinter_host->shared_store(to, from, bytes);
}

inline void sinter_host_cluster_arrive() { sinter_host->cluster_arrive(); }
inline void sinter_host_cluster_wait() { sinter_host->cluster_wait(); }
inline void sinter_host_cluster_load(void* to, const void* from, int bytes, unsigned block) {
  sinter_host->cluster_load(to, from, bytes, block);
}
inline void sinter_host_expect(void* word) { sinter_host->expect(word); }
inline void sinter_host_bulk_copy(void* to, const void* from, int bytes, void* word) {
  sinter_host->bulk_copy(to, from, bytes, word);
}
inline void sinter_host_await(const void* word) { sinter_host->await(word); }

inline unsigned sinter_host_f16_bits(float v) {
  const _Float16 h = (_Float16)v;
  unsigned short bits;
  __builtin_memcpy(&bits, &h, 2);
  return bits;
}
inline float sinter_host_f16_float(unsigned bits) {
  const unsigned short low = (unsigned short)bits;
  _Float16 h;
  __builtin_memcpy(&h, &low, 2);
  return (float)h;
}
inline unsigned sinter_host_bf16_bits(float v) {
  unsigned b;
  __builtin_memcpy(&b, &v, 4);
  return v != v ? 0x7fffu : (b + 0x7fffu + (b >> 16 & 1u)) >> 16;
}

inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#define SINTER_HOST_MATH(name) \
  inline float name##f(float v) { return __builtin_##name##f(v); } \
  inline double name(double v) { return __builtin_##name(v); }
SINTER_HOST_MATH(fabs)
SINTER_HOST_MATH(sqrt)
SINTER_HOST_MATH(floor)
SINTER_HOST_MATH(ceil)
SINTER_HOST_MATH(trunc)
SINTER_HOST_MATH(nearbyint)
SINTER_HOST_MATH(exp)
SINTER_HOST_MATH(exp2)
SINTER_HOST_MATH(log)
SINTER_HOST_MATH(log2)
SINTER_HOST_MATH(tanh)
SINTER_HOST_MATH(erf)
SINTER_HOST_MATH(expm1)
SINTER_HOST_MATH(log10)
SINTER_HOST_MATH(log1p)
SINTER_HOST_MATH(sin)
SINTER_HOST_MATH(cos)
SINTER_HOST_MATH(tan)
SINTER_HOST_MATH(asin)
SINTER_HOST_MATH(acos)
SINTER_HOST_MATH(atan)
SINTER_HOST_MATH(sinh)
SINTER_HOST_MATH(cosh)
SINTER_HOST_MATH(asinh)
SINTER_HOST_MATH(acosh)
SINTER_HOST_MATH(atanh)
SINTER_HOST_MATH(erfc)
inline double fmod(double a, double b) { return __builtin_fmod(a, b); }
inline double atan2(double a, double b) { return __builtin_atan2(a, b); }
inline double hypot(double a, double b) { return __builtin_hypot(a, b); }
inline double pow(double a, double b) { return __builtin_pow(a, b); }

template <class... A>
struct sinter_host_call {
  template <class... V>
  static void with(void (*kernel)(A...), const unsigned long long* slots, V... v) {
    if constexpr (sizeof...(V) == sizeof...(A)) {
      (void)slots;
      kernel((A)v...);
    } else {
      with(kernel, slots, v..., slots[sizeof...(V)]);
    }
  }
};
template <class... A>
void sinter_host_run(void (*kernel)(A...), const unsigned long long* slots) {
  sinter_host_call<A...>::with(kernel, slots);
}
template <class... A>
constexpr int sinter_host_slots(void (*)(A...)) { return sizeof...(A); }
)";

}  // namespace

std::string host_file(std::span<const HostUnit> units) {
  std::string s(prefix);
  for (const HostUnit& u : units) {
    // extern "C" names of two texts may be equal, so the entry is renamed by the preprocessor. Lines are the text's.
    s += fmt::format(
        "asm(\".comm {0}_shared, {2}, 16\");\nnamespace {0}_space {{\n#define {1} {0}_entry\n"
        "#define shared {0}_shared\n#line 1 \"{1}\"\n",
        u.symbol, u.entry, std::max<size_t>(shared_bytes_of(u.text), 1));
    s += u.text;
    s += fmt::format(
        "\n}}\nextern \"C\" void {0}(const unsigned long long* slots) {{ sinter_host_run({0}_space::{0}_entry, slots); "
        "}}\n"
        "extern \"C\" const int {0}_slots;\nextern \"C\" const int {0}_slots = "
        "sinter_host_slots({0}_space::{0}_entry);\n#undef {1}\n#undef shared\n",
        u.symbol, u.entry);
  }
  return s;
}

std::string entry_of(std::string_view text) {
  const size_t kernel = text.find("extern \"C\" __global__ void ");
  if (kernel == std::string_view::npos) throw CompileError("internal: a text without a kernel");
  std::string_view rest = text.substr(kernel + std::string_view("extern \"C\" __global__ void ").size());
  while (rest.starts_with("__")) rest.remove_prefix(std::min(rest.size(), rest.find(") ") + 2));  // attributes
  return std::string(rest.substr(0, rest.find('(')));
}

namespace {

/// The number that stands behind some words; 0 without them.
size_t number_behind(std::string_view words, std::string_view text) {
  const size_t at = text.find(words);
  size_t number = 0;
  if (at != std::string_view::npos) {
    const std::string_view rest = text.substr(at + words.size());
    std::from_chars(rest.data(), rest.data() + rest.size(), number);
  }
  return number;
}

}  // namespace

size_t shared_bytes_of(std::string_view text) { return number_behind("__shared__ unsigned char shared[", text); }

unsigned cluster_of(std::string_view text) {
  return std::max<unsigned>(1, static_cast<unsigned>(number_behind("__cluster_dims__(", text)));
}

}  // namespace sinter::simt
