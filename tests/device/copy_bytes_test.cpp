// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/copy_bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "runtime/device/backend.h"

namespace sinter::device {
namespace {

std::vector<uint32_t> counting(size_t bytes) {
  std::vector<uint32_t> v((bytes + 3) / 4 + 1);
  std::iota(v.begin(), v.end(), 1);
  return v;
}

// Around the sizes at which all threads take part, and at which a part ends.
TEST(CopyBytes, CopiesEveryByteAndNoOther) {
  constexpr size_t mib = size_t{1} << 20;
  for (size_t bytes : {size_t{0}, size_t{1}, 4 * mib - 1, 4 * mib, 4 * mib + 1, 5 * mib + 13}) {
    const std::vector<uint32_t> from = counting(bytes);
    std::vector<uint32_t> to(from.size(), 0);
    cpu::copy_bytes(to.data(), from.data(), bytes);
    EXPECT_EQ(std::memcmp(to.data(), from.data(), bytes), 0) << bytes;
    const auto* behind = reinterpret_cast<const unsigned char*>(to.data()) + bytes;
    EXPECT_EQ(*behind, 0) << bytes;
  }
}

TEST(CopyBytes, RangesMayOverlap) {
  constexpr size_t bytes = size_t{6} << 20, shift = 4096;
  for (bool forward : {true, false}) {
    std::vector<uint32_t> v = counting(bytes + shift);
    auto* first = reinterpret_cast<char*>(v.data());
    std::vector<char> expected(first + (forward ? 0 : shift), first + (forward ? 0 : shift) + bytes);
    cpu::copy_bytes(first + (forward ? shift : 0), first + (forward ? 0 : shift), bytes);
    EXPECT_EQ(std::memcmp(first + (forward ? shift : 0), expected.data(), bytes), 0) << forward;
  }
}

TEST(CapturedKernels, CopiesAreNotCounted) {
  Backend& cpu = backend(Device::cpu());
  EXPECT_EQ(cpu.captured_kernels(nullptr), -1);
  const StreamHandle stream = cpu.create_stream();
  EXPECT_EQ(cpu.captured_kernels(stream), -1);
  int from = 3, to = 0;
  cpu.begin_capture(stream);
  cpu.copy(&to, &from, sizeof to, stream);
  EXPECT_EQ(cpu.captured_kernels(stream), 0);
  GraphHandle graph = cpu.end_capture(stream);
  EXPECT_EQ(to, 0);
  cpu.launch_graph(graph, stream);
  EXPECT_EQ(to, 3);
  cpu.destroy_graph(graph);
  cpu.destroy_stream(stream);
}

}  // namespace
}  // namespace sinter::device
