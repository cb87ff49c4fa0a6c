// SPDX-License-Identifier: Apache-2.0
// The program's own allocator: who gave a block takes it back, and only what must is held.
#include <gtest/gtest.h>
#include <sinter/allocator.h>
#include <sinter/error.h>
#include <sinter/stream.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "runtime/device/device_allocator.h"
#include "runtime/device/log.h"
#include "tests/device/fake_source.h"

namespace sinter::device {
namespace {

/// A program's pool: counts, and notices blocks that come back wrongly.
struct Pool {
  std::map<void*, std::tuple<size_t, void*>> blocks;
  std::vector<size_t> asked;
  size_t capacity = SIZE_MAX;
  int wrong = 0;
  bool throws = false;

  Allocator functions() {
    return {.allocate = [this](size_t bytes, void* s) -> void* {
              asked.push_back(bytes);
              if (throws) throw std::runtime_error("the pool is closed");
              if (bytes > capacity) return nullptr;
              capacity -= bytes;
              void* block = std::aligned_alloc(64, bytes);
              blocks[block] = {bytes, s};
              return block;
            },
            .release =
                [this](void* memory, size_t bytes, void* s) {
                  const auto found = blocks.find(memory);
                  if (found == blocks.end() || found->second != std::tuple(bytes, s)) ++wrong;
                  capacity += bytes;
                  blocks.erase(memory);
                  std::free(memory);
                }};
  }
};

class UserMemory : public testing::Test {
 protected:
  void TearDown() override {
    memory.empty();
    EXPECT_TRUE(pool.blocks.empty());
    EXPECT_EQ(pool.wrong, 0);
    EXPECT_EQ(source.used, 0u);
    EXPECT_EQ(source.live_marks, 0);
    EXPECT_EQ(memory.stats().reserved, 0u);
    EXPECT_EQ(memory.stats().in_use, 0u);
  }
  std::string failure(size_t bytes) {
    try {
      memory.allocate(bytes, nullptr);
    } catch (const DeviceError& error) {
      return error.what();
    }
    return "nothing was thrown";
  }
  FakeSource source;
  Pool pool;
  DeviceAllocator memory{source};
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(UserMemory, ComesFromAndGoesToThePool) {
  memory.set_user_allocator(pool.functions());
  void *a = memory.allocate(1000, stream(1)), *b = memory.allocate(0, stream(2));
  EXPECT_EQ(pool.asked, (std::vector<size_t>{1024, 64})) << "whole units of 64 bytes";
  EXPECT_EQ(memory.stats().in_use, 1088u);
  source.queued[stream(1)] = 1;  // the pool orders by streams itself
  memory.release(a, 1000, stream(1));
  memory.release(b, 0, stream(2));
  EXPECT_TRUE(pool.blocks.empty()) << "nothing is cached";
  EXPECT_EQ(memory.stats().peak, 1088u);
  EXPECT_EQ(source.takes, 0);
  EXPECT_EQ(source.waits, 0);
}

TEST_F(UserMemory, BlocksGoBackToWhoGaveThem) {
  Pool second;
  void* cached = memory.allocate(1000, nullptr);
  memory.set_user_allocator(pool.functions());
  void* a = memory.allocate(1000, nullptr);
  memory.set_user_allocator(second.functions());
  void* b = memory.allocate(1000, nullptr);
  memory.set_user_allocator({});
  void* again = memory.allocate(1000, nullptr);
  memory.release(cached, 1000, nullptr);
  EXPECT_EQ(second.blocks.size(), 1u);
  memory.release(b, 1000, nullptr);
  EXPECT_TRUE(second.blocks.empty());
  EXPECT_EQ(pool.blocks.size(), 1u);
  memory.release(a, 1000, nullptr);
  memory.release(again, 1000, nullptr);
  EXPECT_EQ(memory.allocate(1000, nullptr), again) << "the cache is as it was";
  memory.release(again, 1000, nullptr);
  EXPECT_EQ(second.wrong, 0);
}

TEST_F(UserMemory, NoMemoryIsAnErrorWithTheBytes) {
  memory.set_user_allocator(pool.functions());
  pool.capacity = 500;
  const std::string none = failure(12345);
  EXPECT_SAYS(none, "DeviceError: [allocate] fake:0: the program's allocator gave no memory: 12345 bytes asked for");
  EXPECT_SAYS(none, "it returned a null pointer");
  EXPECT_SAYS(none, "\n  fix: ");
  pool.throws = true;
  EXPECT_SAYS(failure(10), "it threw: the pool is closed");
  memory.set_user_allocator({.allocate = [](size_t, void*) -> void* { throw 1; }, .release = [](auto...) {}});
  EXPECT_SAYS(failure(10), "it threw: an exception of an unknown type");
  memory.set_user_allocator({});
}

TEST_F(UserMemory, AllocatorsThatBreakThePromiseAreNamed) {
  alignas(64) static char bytes[256];
  int released = 0;
  const auto release = [&](void*, size_t, void*) { ++released; };
  memory.set_user_allocator({.allocate = [](size_t, void*) -> void* { return bytes + 8; }, .release = release});
  EXPECT_SAYS(failure(10), "which is not aligned to 64");
  EXPECT_EQ(released, 1);
  memory.set_user_allocator({.allocate = [](size_t, void*) -> void* { return bytes; }, .release = release});
  void* a = memory.allocate(10, nullptr);
  EXPECT_SAYS(failure(10), "twice; it is still in use");
  const int64_t warnings = warning_count();
  const auto handler = set_warning_handler([](const std::string&) {});
  memory.release(a, 10, nullptr);
  EXPECT_EQ(released, 2);
  memory.set_user_allocator(
      {.allocate = [](size_t, void*) -> void* { return bytes; }, .release = [](auto...) { throw 1; }});
  memory.release(memory.allocate(10, nullptr), 10, nullptr);
  EXPECT_EQ(warning_count(), warnings + 1);
  set_warning_handler(handler);
}

TEST_F(UserMemory, WhatAnotherStreamUsesWaitsForIt) {
  memory.set_user_allocator(pool.functions());
  void* a = memory.allocate(1000, stream(1));
  memory.record_use(a, stream(2));
  source.queued[stream(2)] = 1;
  memory.release(a, 1000, stream(1));
  EXPECT_TRUE(pool.blocks.contains(a));
  void* b = memory.allocate(64, stream(1));
  EXPECT_TRUE(pool.blocks.contains(a)) << "stream 2 is not done";
  source.done[stream(2)] = 1;
  void* c = memory.allocate(64, stream(1));
  EXPECT_EQ(pool.blocks.size(), 2u);
  memory.release(b, 64, stream(1));
  memory.release(c, 64, stream(1));
  EXPECT_EQ(source.waits, 0);
}

TEST_F(UserMemory, OfACaptureStaysWhileTheGraphLives) {
  memory.set_user_allocator(pool.functions());
  source.captures[stream(1)] = 7;
  void* a = memory.allocate(1000, stream(1));
  memory.release(a, 1000, stream(1));
  EXPECT_EQ(memory.allocate(1010, stream(1)), a) << "reused within the capture";
  void* result = memory.allocate(64, stream(1));
  memory.release(a, 1010, stream(1));
  source.captures.clear();
  memory.empty();
  EXPECT_TRUE(pool.blocks.contains(a)) << "a replay writes there";
  source.gone();
  memory.release(result, 64, stream(1));
  EXPECT_FALSE(pool.blocks.contains(result)) << "an ordinary block again";
  EXPECT_TRUE(pool.blocks.contains(a)) << "a replay may still run, on any stream";
  const int waits = source.waits;
  memory.empty();
  EXPECT_GT(source.waits, waits);
  EXPECT_TRUE(pool.blocks.empty());
}

TEST_F(UserMemory, HeldBlocksGoBackBeforeItIsAnError) {
  memory.set_user_allocator(pool.functions());
  pool.capacity = 1024;
  void* a = memory.allocate(1000, stream(1));
  memory.record_use(a, stream(2));
  source.queued[stream(2)] = 1;
  memory.release(a, 1000, stream(1));
  void* b = memory.allocate(1000, stream(1));
  EXPECT_EQ(pool.asked.size(), 3u);
  memory.release(b, 1000, stream(1));
}

TEST_F(UserMemory, ThreadsMayShareIt) {
  std::atomic<int> live{0}, given{0};
  const Allocator functions{.allocate =
                                [&](size_t bytes, void*) {
                                  ++live;
                                  ++given;
                                  return std::aligned_alloc(64, bytes);
                                },
                            .release =
                                [&](void* block, size_t, void*) {
                                  --live;
                                  std::free(block);
                                }};
  memory.set_user_allocator(functions);
  std::vector<std::thread> threads;
  for (uintptr_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 1000; ++i) {
        if (t == 0 && i % 10 == 9) memory.set_user_allocator(i % 20 == 9 ? Allocator{} : functions);
        void* block = memory.allocate(100, stream(t));
        memory.release(block, 100, stream(t));
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(live, 0);
  EXPECT_GT(given, 0);
}

TEST(SetAllocator, ServesTheCpu) {
  Pool pool;
  EXPECT_THROW(set_allocator(Device::cpu(), {}), UserError);
  EXPECT_THROW(set_allocator(Device::cpu(), {.allocate = pool.functions().allocate, .release = {}}), UserError);
  set_allocator(Device::cpu(), pool.functions());
  Backend& cpu = backend(Device::cpu());
  void* block = cpu.allocate(100, nullptr);
  reset_allocator(Device::cpu());
  EXPECT_TRUE(pool.blocks.contains(block));
  cpu.release(block, 100, nullptr);
  EXPECT_TRUE(pool.blocks.empty());
  EXPECT_EQ(pool.wrong, 0);
}

}  // namespace
}  // namespace sinter::device
