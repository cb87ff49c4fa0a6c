// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/sort_text.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace sinter::compiler {
namespace {

constexpr std::string_view tile_text = R"(
// Places in shared memory: a gap after every 32 keeps the threads' runs in different banks.
__device__ __forceinline__ int padded(int i) { return i + (i >> 5); }
constexpr int padded_tile = tile + tile / 32 + 1;

struct Tile {
  Key* keys;
  unsigned* sums;
  unsigned short* places;
  unsigned short* counts;
};
constexpr int key_space = padded_tile * sizeof(Key) + 15 & ~15;
constexpr int place_space = padded_tile * 2 + 15 & ~15;
__device__ __forceinline__ Tile tile_in(unsigned char* memory) {
  Tile tile;
  tile.keys = (Key*)memory;
  tile.sums = (unsigned*)(memory + key_space);
  tile.places = (unsigned short*)(memory + key_space + threads * 4);
  tile.counts = (unsigned short*)(memory + key_space + threads * 4 + place_space);
  return tile;
}

// A stable pass over four bits of the keys. A thread has a run of neighbours; counters stand by digit, then by thread.
__device__ __forceinline__ void sort_by_digit(const Tile& tile, int shift) {
  const int t = threadIdx.x;
  Key key[items];
  unsigned short place[items];
#pragma unroll
  for (int j = 0; j < items; ++j) {
    key[j] = tile.keys[padded(t * items + j)];
    place[j] = tile.places[padded(t * items + j)];
  }
#pragma unroll
  for (int d = 0; d < 16; ++d) tile.counts[d * threads + t] = 0;
#pragma unroll
  for (int j = 0; j < items; ++j) ++tile.counts[(int)(key[j] >> shift & 15) * threads + t];
  __syncthreads();
  unsigned short* const own = tile.counts + t * 16;
  unsigned count = 0;
#pragma unroll
  for (int d = 0; d < 16; ++d) count += own[d];
  unsigned next = sum_up_to(tile.sums, count) - count;
#pragma unroll
  for (int d = 0; d < 16; ++d) {
    const unsigned c = own[d];
    own[d] = next;
    next += c;
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const int at = padded(tile.counts[(int)(key[j] >> shift & 15) * threads + t]++);
    tile.keys[at] = key[j];
    tile.places[at] = place[j];
  }
  __syncthreads();
}
)";

constexpr std::string_view row_text = R"(    const Element* elements, long long* positions, long long length,
    long long kept) {
  SHARED
  const Tile tile_memory = tile_in(shared);
  const int t = threadIdx.x;
  const long long first = (long long)blockIdx.x * length;
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const int i = j * threads + t;
    tile_memory.keys[padded(i)] = i < length ? key_of(elements[first + i]) : last_key;
    tile_memory.places[padded(i)] = i;
  }
  __syncthreads();
  for (int shift = 0; shift < key_bits; shift += 4) sort_by_digit(tile_memory, shift);
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const int i = j * threads + t;
    if (i < kept) positions[blockIdx.x * kept + i] = tile_memory.places[padded(i)];
  }
}
)";

// Counts stand by row, digit, tile.
constexpr std::string_view count_text =
    R"(    const void* source, unsigned* counts, long long length, long long tiles, long long shift, long long is_first) {
  SHARED
  unsigned* const found = (unsigned*)shared;
  const int t = threadIdx.x;
  const long long row = blockIdx.x / tiles, number = blockIdx.x % tiles, first = number * tile;
  for (int d = t; d < 256; d += threads) found[d] = 0;
  __syncthreads();
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const long long i = first + j * threads + t;
    if (i >= length) continue;
    const Key key = is_first ? key_of(((const Element*)source)[row * length + i]) : ((const Key*)source)[row * length + i];
    unsigned* const at = found + (int)(key >> (int)shift & 255);
#ifdef SINTER_HOST
    ++*at;
#else
    atomicAdd(at, 1u);
#endif
  }
  __syncthreads();
  for (int d = t; d < 256; d += threads) counts[(row * 256 + d) * tiles + number] = found[d];
}
)";

// Of each row and digit: how many come before each tile, and in all.
constexpr std::string_view sum_text = R"(    unsigned* counts, unsigned* totals, long long tiles) {
  SHARED
  unsigned* const sums = (unsigned*)shared;
  const int t = threadIdx.x;
  unsigned* const own = counts + (long long)blockIdx.x * tiles;
  unsigned before = 0;
  for (long long first = 0; first < tiles; first += threads) {
    const unsigned count = first + t < tiles ? own[first + t] : 0;
    const unsigned up_to = sum_up_to(sums, count);
    if (first + t < tiles) own[first + t] = before + up_to - count;
    before += sums[threads - 1];
    __syncthreads();
  }
  if (t == 0) totals[blockIdx.x] = before;
}
)";

constexpr std::string_view move_text =
    R"(    const void* source, const unsigned* places, const unsigned* counts, const unsigned* totals, Key* keys_to,
    unsigned* places_to, long long* positions, long long length, long long tiles, long long shift,
    long long is_first, long long is_last, long long kept) {
  SHARED
  const Tile tile_memory = tile_in(shared);
  const int t = threadIdx.x;
  const long long row = blockIdx.x / tiles, number = blockIdx.x % tiles, first = number * tile;
  const long long base = row * length;
  const int inside = length - first < tile ? (int)(length - first) : tile;
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const int i = j * threads + t;
    Key key = last_key;
    if (i < inside) {
      const long long at = base + first + i;
      key = is_first ? key_of(((const Element*)source)[at]) : ((const Key*)source)[at];
    }
    tile_memory.keys[padded(i)] = key;
    tile_memory.places[padded(i)] = i;
  }
  __syncthreads();
  sort_by_digit(tile_memory, (int)shift);
  sort_by_digit(tile_memory, (int)shift + 4);
  // Where a digit begins in the tile, and where its elements of this tile go.
  unsigned* const starts = (unsigned*)tile_memory.counts;
  unsigned* const targets = starts + 256;
  const auto digit = [&](int i) { return (int)(tile_memory.keys[padded(i)] >> (int)shift & 255); };
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const int i = j * threads + t;
    if (i == 0 || digit(i) != digit(i - 1)) starts[digit(i)] = i;
  }
  const unsigned total = totals[row * 256 + t];
  targets[t] = sum_up_to(tile_memory.sums, total) - total + counts[(row * 256 + t) * tiles + number];
  __syncthreads();
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const int i = j * threads + t;
    if (i >= inside) continue;
    const int d = digit(i), local = tile_memory.places[padded(i)];
    const unsigned place = is_first ? (unsigned)(first + local) : places[base + first + local];
    const long long to = targets[d] + (i - starts[d]);
    if (!is_last) {
      keys_to[base + to] = tile_memory.keys[padded(i)];
      places_to[base + to] = place;
    } else if (to < kept) {
      positions[row * kept + to] = place;
    }
  }
}
)";

constexpr std::string_view names[] = {"row", "count", "sum", "move"};
constexpr std::string_view bodies[] = {row_text, count_text, sum_text, move_text};

int64_t aligned(int64_t bytes) { return (bytes + 15) / 16 * 16; }

int64_t shared_bytes(const SortText& s) {
  const int64_t padded = s.tile() + s.tile() / 32 + 1;
  return aligned(padded * key_bytes(s.dtype)) + s.threads * 4 + aligned(padded * 2) + int64_t{s.threads} * 32;
}

}  // namespace

std::string SortText::entry() const {
  return fmt::format("sort_{}_{}{}_{}x{}", names[static_cast<size_t>(kernel)], dtype.name(),
                     descending ? "_descending" : "", threads, items);
}

std::string SortText::text() const {
  std::string s = fmt::format("// Sorts by the digits of keys. A block has {} elements.\n", tile());
  s += sort_key_text(dtype, descending);
  s += fmt::format("\nconstexpr int threads = {}, items = {}, tile = threads * items;\n", threads, items);
  s += block_sum_text;
  s += tile_text;
  std::string body(bodies[static_cast<size_t>(kernel)]);
  constexpr std::string_view place = "SHARED";
  body.replace(body.find(place), place.size(),
               fmt::format("alignas(16) __shared__ unsigned char shared[{}];", shared_bytes(*this)));
  return s + fmt::format("\nextern \"C\" __global__ void __launch_bounds__({}) {}(\n", threads, entry()) + body;
}

std::string sort_key_text(DType t, bool descending) {
  const int width = static_cast<int>(t.bytes()) * 8;
  constexpr std::array<std::string_view, 4> unsigned_types = {"unsigned char", "unsigned short", "unsigned",
                                                              "unsigned long long"};
  const std::string_view element = unsigned_types[width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3];
  const uint64_t mask = ~uint64_t{0} >> (64 - width), sign = uint64_t{1} << (width - 1);
  const uint64_t infinity = t == f16 ? 0x7c00 : t == bf16 ? 0x7f80 : t == f32 ? 0x7f800000 : 0x7ff0000000000000;
  std::string key = "bits";
  if (t.is_floating())
    key =
        "magnitude > infinity ? last_key : magnitude == 0 ? sign : (bits & sign) != 0 ? ~bits & last_key : bits | sign";
  else if (t.is_integer() && t.is_signed())
    key = "bits ^ sign";
  return fmt::format(
      "typedef {0} Element;\ntypedef {1} Key;\nconstexpr int key_bits = {2};\nconstexpr Key last_key = {3:#x}{6};\n"
      "constexpr Key sign = {4:#x}{6}, infinity = {5:#x}{6};\n\n"
      "__device__ __forceinline__ Key key_of(Element element) {{\n  const Key bits = element;\n"
      "  [[maybe_unused]] const Key magnitude = bits & ~sign;\n  const Key key = {7};\n  return {8};\n}}\n",
      element, width == 64 ? "unsigned long long" : "unsigned", width, mask, sign, t.is_floating() ? infinity : 0,
      width == 64 ? "ull" : "u", key, descending ? "~key & last_key" : "key");
}

int64_t key_bytes(DType dtype) { return dtype.bytes() == 8 ? 8 : 4; }

int64_t longest_row(DType dtype) { return dtype.bytes() == 8 ? 2048 : 4096; }

}  // namespace sinter::compiler
