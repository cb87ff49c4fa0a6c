// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace sinter::compiler {

/// Which of the kernels of a sort on CUDA, of which the first elements of each row are kept. Rows that fit into a
/// block's shared memory are sorted by one kernel; longer ones a byte of the keys at a time, least significant first:
/// tiles count their digits, the counts are summed over the tiles, and each tile, sorted by the digit, goes to its
/// places.
enum class SortKernel : uint8_t { row, count, sum, move };

/// One of the kernels, for one dtype and order. Each is complete by itself.
struct SortText {
  SortKernel kernel = SortKernel::row;
  DType dtype;
  bool descending = false;
  int threads = 256;
  int items = 16;  ///< of a thread

  std::string entry() const;
  std::string text() const;
  int64_t tile() const { return int64_t{threads} * items; }
};

/// Key, key_bits, last_key and key_of(): the order-preserving map of elements to unsigned integers, as exec::SortKey.
std::string sort_key_text(DType dtype, bool descending);

/// sum_up_to(): sums over the threads of a block, of which there are `threads`.
inline constexpr std::string_view block_sum_text = R"(
// Each thread's value becomes the sum of those up to it.
__device__ __forceinline__ unsigned sum_up_to(unsigned* sums, unsigned value) {
  const int t = threadIdx.x;
  sums[t] = value;
  __syncthreads();
  for (int step = 1; step < threads; step *= 2) {
    const unsigned before = t >= step ? sums[t - step] : 0;
    __syncthreads();
    sums[t] += before;
    __syncthreads();
  }
  return sums[t];
}
)";

/// Bytes of a key in memory between the passes.
int64_t key_bytes(DType dtype);
/// The most elements of a row that one block sorts.
int64_t longest_row(DType dtype);

}  // namespace sinter::compiler
