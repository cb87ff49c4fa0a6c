// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/caching_allocator.h"

#include <gtest/gtest.h>
#include <sinter/error.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/device/fake_source.h"

namespace sinter::device {
namespace {

class CachedMemory : public testing::Test {
 protected:
  void TearDown() override {
    allocator.empty();
    EXPECT_EQ(source.used, 0u);
    EXPECT_EQ(source.live_marks, 0);
    EXPECT_EQ(source.wrong_sizes, 0);
    EXPECT_EQ(allocator.stats().reserved, 0u);
  }
  FakeSource source;
  CachingAllocator allocator{source};
};

TEST(SizeClasses, HoldWhatIsAskedWithLittleWaste) {
  size_t previous_index = 0, previous_bytes = 0;
  for (size_t bytes = 1; bytes < size_t{1} << 46; bytes += 1 + bytes / 61) {
    const SizeClass c = size_class(bytes);
    ASSERT_GE(c.bytes, bytes);
    ASSERT_LT(c.index, SizeClass::count);
    ASSERT_EQ(size_class_bytes(c.index), c.bytes);
    ASSERT_EQ(c.bytes % SizeClass::granularity, 0u) << bytes;
    ASSERT_EQ(size_class(c.bytes).index, c.index);
    ASSERT_LE(c.bytes - bytes, std::max<size_t>(64, bytes > size_t{16} << 20 ? bytes / 32 : bytes / 8)) << bytes;
    ASSERT_TRUE(c.index > previous_index || (c.index == previous_index && c.bytes == previous_bytes));
    previous_index = c.index;
    previous_bytes = c.bytes;
  }
  EXPECT_EQ(size_class(0).bytes, 64u);
}

TEST_F(CachedMemory, ReusesOnTheSameStreamWithoutTheDevice) {
  void* a = allocator.allocate(1000, stream(1));
  source.queued[stream(1)] = 5;  // the stream is busy: order is enough
  allocator.release(a, 1000, stream(1));
  EXPECT_EQ(allocator.allocate(1010, stream(1)), a);
  EXPECT_EQ(source.takes, 1);
  allocator.release(a, 1010, stream(1));
}

TEST_F(CachedMemory, TheSteadyStateAsksTheDeviceForNothing) {
  for (int round = 0; round < 100; ++round) {
    void *a = allocator.allocate(5000, nullptr), *b = allocator.allocate(1 << 20, nullptr),
         *c = allocator.allocate(5000, nullptr);
    EXPECT_NE(a, c);
    allocator.release(b, 1 << 20, nullptr);
    allocator.release(a, 5000, nullptr);
    allocator.release(c, 5000, nullptr);
  }
  EXPECT_EQ(allocator.stats().driver_allocations, 3);
}

TEST_F(CachedMemory, AnotherStreamWaitsUntilTheFirstIsDone) {
  void* a = allocator.allocate(1000, stream(1));
  source.queued[stream(1)] = 1;
  allocator.release(a, 1000, stream(1));
  void* b = allocator.allocate(1000, stream(2));
  EXPECT_NE(a, b);  // stream 1 may still write to a
  void* c = allocator.allocate(1000, stream(2));
  EXPECT_NE(a, c);
  source.done[stream(1)] = 1;
  void* d = allocator.allocate(1000, stream(2));
  EXPECT_EQ(a, d);
  EXPECT_EQ(source.waits, 0);
  for (void* p : {b, c, d}) allocator.release(p, 1000, stream(2));
}

TEST_F(CachedMemory, AnIdleStreamGivesAtOnce) {
  void* a = allocator.allocate(1000, stream(1));
  allocator.release(a, 1000, stream(1));
  EXPECT_EQ(allocator.allocate(1000, stream(2)), a);
  allocator.release(a, 1000, stream(2));
}

TEST_F(CachedMemory, AStreamThatCannotBeMarkedKeepsItsBlocks) {
  void* a = allocator.allocate(1000, stream(1));
  allocator.release(a, 1000, stream(1));
  source.can_mark = false;
  void* b = allocator.allocate(1000, stream(2));
  EXPECT_NE(a, b);
  allocator.release(b, 1000, stream(2));
}

TEST_F(CachedMemory, AForgottenStreamLeavesItsBlocksToOthers) {
  void *a = allocator.allocate(1000, stream(1)), *b = allocator.allocate(5000, stream(1));
  source.queued[stream(1)] = 1;
  allocator.release(a, 1000, stream(1));
  allocator.release(b, 5000, stream(1));
  allocator.forget(stream(1));
  allocator.forget(stream(9));
  EXPECT_EQ(source.waits, 0);
  void* c = allocator.allocate(1000, stream(1));  // the handle is another stream's by now
  EXPECT_NE(c, a) << "the old stream still works on it";
  source.done[stream(1)] = 1;
  EXPECT_EQ(allocator.allocate(1000, stream(2)), a);
  EXPECT_EQ(allocator.allocate(5000, stream(3)), b);
  allocator.release(a, 1000, stream(2));
  allocator.release(b, 5000, stream(3));
  allocator.release(c, 1000, stream(1));
}

TEST_F(CachedMemory, MemoryUsedElsewhereWaitsForThatStreamToo) {
  void* a = allocator.allocate(1000, stream(1));
  allocator.record_use(a, stream(2));
  source.queued[stream(2)] = 1;
  allocator.release(a, 1000, stream(1));
  void* b = allocator.allocate(1000, stream(1));
  EXPECT_NE(a, b) << "stream 2 still reads it";
  source.done[stream(2)] = 1;
  void* c = allocator.allocate(1000, stream(1));
  EXPECT_EQ(a, c);
  allocator.release(b, 1000, stream(1));
  allocator.release(c, 1000, stream(1));
  EXPECT_EQ(allocator.allocate(1000, stream(1)), c) << "the other use ended with the release";
  allocator.release(c, 1000, stream(1));
}

TEST_F(CachedMemory, MemoryUsedOnAStreamThatCannotBeMarkedIsGivenBack) {
  void* a = allocator.allocate(1000, stream(1));
  allocator.record_use(a, stream(2));
  source.can_mark = false;
  allocator.release(a, 1000, stream(1));
  void* b = allocator.allocate(1000, stream(1));
  EXPECT_EQ(source.blocks.size(), 1u);  // a went back, which waits; b may have its address
  EXPECT_EQ(source.takes, 2);
  allocator.release(b, 1000, stream(1));
}

TEST_F(CachedMemory, FullDeviceEmptiesTheCacheOnceThenSaysSo) {
  source.capacity = 10 << 20;
  void* a = allocator.allocate(4 << 20, nullptr);
  void* b = allocator.allocate(4 << 20, nullptr);
  allocator.release(a, 4 << 20, nullptr);
  void* c = allocator.allocate(6 << 20, stream(1));  // fits once the cached 4 MiB are given back
  EXPECT_EQ(source.waits, 1);
  try {
    allocator.allocate(8 << 20, nullptr);
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("[allocate] fake:0 is out of memory: 8.00 MiB asked for"), std::string::npos) << text;
    EXPECT_NE(text.find("10.00 MiB in use here"), std::string::npos) << text;
    EXPECT_NE(text.find("nothing is free"), std::string::npos) << text;
    EXPECT_NE(text.find("fix: "), std::string::npos) << text;
  }
  EXPECT_EQ(source.waits, 2);
  allocator.release(b, 4 << 20, nullptr);
  void* d = allocator.allocate(4 << 20, nullptr);  // and it goes on
  EXPECT_EQ(d, b);
  allocator.release(c, 6 << 20, stream(1));
  allocator.release(d, 4 << 20, nullptr);
}

TEST_F(CachedMemory, ImpossibleSizesAreErrors) {
  EXPECT_THROW(allocator.allocate(SIZE_MAX, nullptr), DeviceError);
  EXPECT_THROW(allocator.allocate(size_t{1} << 50, nullptr), DeviceError);
}

TEST_F(CachedMemory, ACapturedStreamHasMemoryOfItsOwn) {
  void* before = allocator.allocate(1000, stream(1));
  allocator.release(before, 1000, stream(1));
  source.captures[stream(1)] = 7;
  void* a = allocator.allocate(1000, stream(1));
  EXPECT_NE(a, before) << "earlier work on the stream may come after a replay";
  allocator.release(a, 1000, stream(1));
  EXPECT_EQ(allocator.allocate(1000, stream(1)), a) << "within the capture memory is reused";
  void* result = allocator.allocate(1000, stream(1));
  allocator.release(a, 1000, stream(1));
  source.captures.clear();

  void* after = allocator.allocate(1000, stream(1));
  EXPECT_EQ(after, before);
  void* more = allocator.allocate(1000, stream(1));
  EXPECT_NE(more, a) << "a replay writes there";
  allocator.release(result, 1000, stream(1));
  void* again = allocator.allocate(1000, stream(1));
  EXPECT_NE(again, result) << "a replay writes there, whether the tensor lives or not";
  for (void* p : {after, more, again}) allocator.release(p, 1000, stream(1));

  source.waits = 0;
  ASSERT_TRUE(source.gone);
  source.gone();
  allocator.empty();
  EXPECT_EQ(source.used, 0u) << "with the graph its memory goes";
}

TEST_F(CachedMemory, AGraphsResultOutlivesTheGraph) {
  source.captures[stream(1)] = 7;
  void* result = allocator.allocate(1000, stream(1));
  source.captures.clear();
  source.gone();
  allocator.release(result, 1000, stream(1));
  EXPECT_EQ(allocator.allocate(1000, stream(1)), result) << "an ordinary block again";
  allocator.release(result, 1000, stream(1));
}

TEST_F(CachedMemory, TheGraphMayOutliveTheAllocator) {
  std::function<void()> gone;
  {
    FakeSource other;
    CachingAllocator short_lived(other);
    other.captures[stream(1)] = 1;
    void* block = short_lived.allocate(100, stream(1));
    other.captures.clear();
    gone = other.gone;
    short_lived.release(block, 100, stream(1));
    gone();
    short_lived.empty();
    EXPECT_EQ(other.used, 0u);
  }
  gone();  // touches nothing that is gone
}

TEST(AllocatorLimits, TheCacheIsGivenBackBeyondItsLimit) {
  FakeSource source;
  CachingAllocator allocator(source, 1 << 20);
  for (size_t size = 1 << 18; size < 1 << 19; size += 1 << 12) {
    void* block = allocator.allocate(size, nullptr);
    allocator.release(block, size, nullptr);
    EXPECT_LE(allocator.stats().reserved, size_t{3} << 19);
  }
}

TEST_F(CachedMemory, CountsWhatIsInUse) {
  void* a = allocator.allocate(1 << 20, nullptr);
  void* b = allocator.allocate(1 << 20, nullptr);
  EXPECT_EQ(allocator.stats().in_use, 2u << 20);
  allocator.release(a, 1 << 20, nullptr);
  EXPECT_EQ(allocator.stats().in_use, 1u << 20);
  EXPECT_EQ(allocator.stats().peak, 2u << 20);
  EXPECT_EQ(allocator.stats().reserved, 2u << 20);
  allocator.release(b, 1 << 20, nullptr);
}

TEST_F(CachedMemory, ThreadsMayShareIt) {
  std::vector<std::thread> threads;
  for (uintptr_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 2000; ++i) {
        const size_t size = 64 + i % 7 * 100;
        auto* block = static_cast<size_t*>(allocator.allocate(size, stream(t)));
        *block = i;
        EXPECT_EQ(*block, i);
        allocator.release(block, size, stream(t));
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(allocator.stats().in_use, 0u);
}

}  // namespace
}  // namespace sinter::device
