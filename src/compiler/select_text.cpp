// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/select_text.h"

#include <fmt/format.h>

#include <string_view>

#include "src/compiler/sort_text.h"

namespace sinter::compiler {
namespace {

constexpr int digit_bits = 11;
constexpr int64_t room = 2 * most_selected;

constexpr std::string_view reading_text = R"(
__device__ __forceinline__ unsigned add(unsigned* at, unsigned n) {
#ifdef SINTER_HOST
  const unsigned before = *at;
  *at += n;
  return before;
#else
  return atomicAdd(at, n);
#endif
}

// Elements that stand side by side, or those at some positions.
struct Row {
  const Element* __restrict__ elements;
  const long long* __restrict__ at;
  unsigned count;
};

struct alignas(16) Words {
  unsigned w[4];
};
constexpr int width = 16 / sizeof(Element);
__device__ __forceinline__ Element element_of(const Words& words, int j) {
  if constexpr (sizeof(Element) == 8)
    return (Element)(words.w[2 * j] | (unsigned long long)words.w[2 * j + 1] << 32);
  else
    return (Element)(words.w[j * (int)sizeof(Element) / 4] >> j * (int)sizeof(Element) % 4 * 8);
}

// Each element's key and place, in no order.
template <class Visit>
__device__ __forceinline__ void each(const Row& row, Visit visit) {
  const unsigned t = threadIdx.x;
  if (row.at) {
    for (unsigned i = t; i < row.count; i += threads) visit(key_of(row.elements[row.at[i]]), i);
    return;
  }
  const unsigned to_boundary = (unsigned)(-(unsigned long long)row.elements & 15) / sizeof(Element);
  const unsigned head = to_boundary < row.count ? to_boundary : row.count;
  if (t < head) visit(key_of(row.elements[t]), t);
  const Words* __restrict__ words = (const Words*)(row.elements + head);
  const unsigned whole = (row.count - head) / width;
  const auto visit_all = [&](const Words& some, unsigned v) {
#pragma unroll
    for (int j = 0; j < width; ++j) visit(key_of(element_of(some, j)), head + v * width + j);
  };
  unsigned v = t;
  for (; v + threads < whole; v += 2 * threads) {
    const Words one = words[v], other = words[v + threads];
    visit_all(one, v);
    visit_all(other, v + threads);
  }
  if (v < whole) visit_all(words[v], v);
  const unsigned i = head + whole * width + t;
  if (i < row.count) visit(key_of(row.elements[i]), i);
}
)";

constexpr std::string_view counting_text = R"(
struct Found {
  unsigned digit, before, among;
};

// Counts the digits of those elements that have one below `digits`. Which digit has the element that is the last of the
// wanted ones, how many have smaller digits, and how many this one? A thread adds equal digits in a row at once.
template <class DigitOf>
__device__ __forceinline__ Found find_digit(const Row& row, const Memory& memory, unsigned wanted, DigitOf digit_of) {
  const unsigned t = threadIdx.x;
  for (int d = t; d < digits; d += threads) memory.counts[d] = 0;
  __syncthreads();
  unsigned last = digits, run = 0;
  each(row, [&](Key key, unsigned place) {
    const unsigned d = digit_of(key, place);
    if (d == digits) return;
    if (d != last) {
      if (run > 0) add(memory.counts + last, run);
      last = d;
      run = 0;
    }
    ++run;
  });
  if (run > 0) add(memory.counts + last, run);
  __syncthreads();
  constexpr int own = digits / threads;
  unsigned count = 0;
#pragma unroll
  for (int j = 0; j < own; ++j) count += memory.counts[t * own + j];
  unsigned before = sum_up_to(memory.sums, count) - count;
  if (before < wanted && wanted <= before + count)
    for (unsigned d = t * own;; ++d) {
      const unsigned c = memory.counts[d];
      if (wanted <= before + c) {
        *memory.found = Found{d, before, c};
        break;
      }
      before += c;
    }
  __syncthreads();
  return *memory.found;
}

// By key, then by place.
__device__ __forceinline__ void sort_chosen(const Memory& memory, unsigned count) {
  unsigned size = 1;
  while (size < count) size *= 2;
  for (unsigned i = count + threadIdx.x; i < size; i += threads) {
    memory.keys[i] = last_key;
    memory.places[i] = 0xffffffffu;
  }
  __syncthreads();
  for (unsigned run = 2; run <= size; run *= 2)
    for (unsigned step = run / 2; step > 0; step /= 2) {
      for (unsigned i = threadIdx.x; i < size / 2; i += threads) {
        const unsigned a = 2 * i - (i & step - 1), b = a + step;
        const Key x = memory.keys[a], y = memory.keys[b];
        const unsigned p = memory.places[a], q = memory.places[b];
        const bool falls = y < x || y == x && q < p;
        if (falls == ((a & run) == 0)) {
          memory.keys[a] = y;
          memory.keys[b] = x;
          memory.places[a] = q;
          memory.places[b] = p;
        }
      }
      __syncthreads();
    }
}
)";

constexpr std::string_view kernel_text =
    R"(    const Element* elements, const long long* among, long long* positions, long long length, long long pieces,
    long long some, long long kept) {{
  alignas(16) __shared__ unsigned char shared[{}];
  const Memory memory = memory_in(shared);
  const long long number = blockIdx.x / pieces, piece = blockIdx.x % pieces;
  const long long begin = length * piece / pieces, end = length * (piece + 1) / pieces;
  Row row = {{elements + number * length + begin, 0, (unsigned)(end - begin)}};
  if (among) row = Row{{elements + number * length, among + number * some, (unsigned)some}};
  // The last of the first ones is among those whose key begins with `prefix`, and if they are too many, whose place
  // begins with `place_prefix`; of these, `wanted` are to be taken.
  Key prefix = 0;
  unsigned place_prefix = 0, wanted = kept, chosen = 0;
  int shift = key_bits, place_shift = 31;
  do {{
    const int bits = shift < digit_bits ? shift : digit_bits, below = shift -= bits;
    const Found found = find_digit(row, memory, wanted, [&](Key key, unsigned) {{
      return key >> below >> bits == prefix ? (unsigned)(key >> below) & (1u << bits) - 1 : digits;
    }});
    prefix = (Key)(prefix << bits | found.digit);
    wanted -= found.before;
    chosen = (unsigned)kept - wanted + found.among;
  }} while (shift > 0 && chosen > room);
  if (chosen > room)
    for (place_shift = 0; (row.count - 1) >> place_shift != 0;) ++place_shift;
  while (chosen > room) {{
    const int bits = place_shift < digit_bits ? place_shift : digit_bits, below = place_shift -= bits;
    const Found found = find_digit(row, memory, wanted, [&](Key key, unsigned place) {{
      return key == prefix && place >> below >> bits == place_prefix ? place >> below & (1u << bits) - 1 : digits;
    }});
    place_prefix = place_prefix << bits | found.digit;
    wanted -= found.before;
    chosen = (unsigned)kept - wanted + found.among;
  }}
  if (threadIdx.x == 0) *memory.next = 0;
  __syncthreads();
  each(row, [&](Key key, unsigned place) {{
    const Key begins = key >> shift;
    if (begins > prefix || begins == prefix && place >> place_shift > place_prefix) return;
    const unsigned next = add(memory.next, 1);
    memory.keys[next] = key;
    memory.places[next] = place;
  }});
  sort_chosen(memory, chosen);
  for (unsigned i = threadIdx.x; i < kept; i += threads)
    positions[blockIdx.x * kept + i] = row.at ? row.at[memory.places[i]] : begin + memory.places[i];
}}
)";

std::string memory_text() {
  return fmt::format(R"(
constexpr int digit_bits = {}, digits = 1 << digit_bits, room = {};

struct Found;
struct Memory {{
  Key* keys;         // of the chosen elements
  unsigned* places;  // and where they are
  unsigned* counts;
  unsigned* sums;
  unsigned* next;
  Found* found;
}};
__device__ __forceinline__ Memory memory_in(unsigned char* shared) {{
  Memory m;
  m.keys = (Key*)shared;
  m.places = (unsigned*)(m.keys + room);
  m.counts = m.places + room;
  m.sums = m.counts + digits;
  m.next = m.sums + threads;
  m.found = (Found*)(m.next + 1);
  return m;
}}
)",
                     digit_bits, room);
}

}  // namespace

std::string SelectText::entry() const {
  return fmt::format("select_{}{}_{}", dtype.name(), descending ? "_descending" : "", threads);
}

std::string SelectText::text() const {
  std::string s = "// The first elements of rows in the order of their keys. A block has a row, or a piece of one.\n";
  s += sort_key_text(dtype, descending);
  s += fmt::format("\nconstexpr int threads = {};\n", threads);
  s += memory_text();
  s += block_sum_text;
  s += reading_text;
  s += counting_text;
  const int64_t bytes = room * (key_bytes(dtype) + 4) + (int64_t{1} << digit_bits) * 4 + threads * 4 + 16;
  s += fmt::format("\nextern \"C\" __global__ void __launch_bounds__({}) {}(\n", threads, entry());
  return s + fmt::format(kernel_text, bytes);
}

}  // namespace sinter::compiler
