// SPDX-License-Identifier: Apache-2.0
// What the emulator refuses, and that it computes what a GPU would.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sinter/error.h>

#include <mutex>
#include <numeric>
#include <utility>

#include "tests/simt/backend.h"
#include "tests/simt/host_text.h"

namespace sinter::simt {
namespace {

/// The hooks as the prelude of generated text calls them.
constexpr std::string_view helpers = R"(
template <class T> T get(const T* p) { T v; sinter_host_load(&v, p, sizeof v); return v; }
template <class T> T get_rw(const T* p) { T v; sinter_host_load_rw(&v, p, sizeof v); return v; }
template <class T> void put(T* p, T v) { sinter_host_store(p, &v, sizeof v); }
template <class T> T get_shared(const unsigned char* p) { T v; sinter_host_shared_load(&v, p, sizeof v); return v; }
template <class T> void put_shared(unsigned char* p, T v) { sinter_host_shared_store(p, &v, sizeof v); }
)";

class Emulator : public ::testing::Test {
 protected:
  static device::Backend& gpu() {
    static std::once_flag once;
    std::call_once(once, install);
    return device::backend(Device::cuda(0));
  }

  /// 64 ints, 0 to 63.
  void SetUp() override {
    x_ = static_cast<int*>(gpu().allocate(sizeof(int) * 64, nullptr));
    count();
  }
  void count() {
    std::vector<int> numbers(64);
    std::iota(numbers.begin(), numbers.end(), 0);
    gpu().copy_from_host(x_, numbers.data(), sizeof(int) * 64, nullptr);
  }
  void TearDown() override {
    gpu().release(x_, sizeof(int) * 64, nullptr);
    vary_order();
  }

  /// Runs a body with `int* x` and 1 kB of shared memory.
  void run(std::string_view body, int threads = 64, int64_t grid = 1, int cluster = 1) {
    const std::string text = fmt::format(
        "{}extern \"C\" __global__ void __cluster_dims__({}) __launch_bounds__({}) k(int* x) {{\n"
        "  alignas(16) __shared__ unsigned char shared[1024];\n  const int i = threadIdx.x;\n{}\n}}\n",
        helpers, cluster, threads, body);
    const auto module = gpu().load(std::as_bytes(std::span(text)));
    const uint64_t slots[] = {reinterpret_cast<uint64_t>(x_)};
    gpu().launch(*module->function("k"), {.grid = grid, .threads = threads}, slots, 1, nullptr);
  }

  std::vector<int> numbers() {
    std::vector<int> v(64);
    gpu().copy_to_host(v.data(), x_, sizeof(int) * 64, nullptr);
    return v;
  }

  /// The body is refused in every order, with these words.
  void refused(std::string_view body, const std::string& words, int64_t grid = 1, int cluster = 1) {
    for (Order order : {Order::forward, Order::reverse, Order::random}) {
      set_order(order, 3);
      try {
        run(body, 64, grid, cluster);
        ADD_FAILURE() << "accepted: " << body;
      } catch (const DeviceError& e) {
        EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
      }
    }
  }

  int* x_ = nullptr;
};

TEST_F(Emulator, RunsThreadsThroughBarriers) {
  for (Order order : {Order::forward, Order::reverse, Order::random}) {
    count();
    set_order(order, 9);
    run("put_shared(shared + 4 * i, get_rw(x + i)); __syncthreads(); put(x + i, get_shared<int>(shared + 4 * (63 - "
        "i)));");
    for (int i = 0; i < 64; ++i) EXPECT_EQ(numbers()[static_cast<size_t>(i)], 63 - i);
  }
}

TEST_F(Emulator, ShufflesWithinWarps) {
  run("const unsigned v = get_rw(x + i); const unsigned a = __shfl_xor_sync(0xffffffffu, v, 1), "
      "b = __shfl_sync(0xffffffffu, v, 5); put(x + i, (int)(1000 * a + b));");
  for (int i = 0; i < 64; ++i) EXPECT_EQ(numbers()[static_cast<size_t>(i)], 1000 * (i ^ 1) + i / 32 * 32 + 5);
}

TEST_F(Emulator, WarpBarriersOrderWarps) {
  run("put_shared(shared + 4 * i, i); __syncwarp(); put(x + i, get_shared<int>(shared + 4 * (i ^ 31)));");
  EXPECT_EQ(numbers()[33], 33 ^ 31);
  refused("put_shared(shared + 4 * i, i); __syncwarp(); put(x + i, get_shared<int>(shared + 4 * (i ^ 32)));",
          "shared byte");
  refused(
      "put_shared(shared + 4 * i, i); __shfl_xor_sync(0xffffffffu, 0u, 1); "
      "put(x + i, get_shared<int>(shared + 4 * (i ^ 1)));",
      "no barrier between");  // a shuffle orders no memory
}

TEST_F(Emulator, AtomicsSeeEachOther) {
  run("if (atomicCAS((unsigned long long*)x, 1ull << 32, 7ull) == 1ull << 32) put(x + 2, i + 100);");
  EXPECT_EQ(numbers()[0], 7);
  EXPECT_GE(numbers()[2], 100);
}

TEST_F(Emulator, RefusesBarriersThatNotAllReach) {
  refused("if (i < 63) __syncthreads();", "wait for each other in vain");
  refused("if (i < 32) {\n__syncthreads();\n} else {\n__syncthreads();\n}", "__syncthreads in line");
  refused("if (i % 2) __syncwarp();", "wait for each other in vain");
  refused("if (i < 7) __shfl_xor_sync(0xffffffffu, 0u, 1);", "wait for each other in vain");
  refused("if (i % 2) __syncwarp(); else __shfl_xor_sync(0xffffffffu, 0u, 1);", "different places");
  refused("__shfl_xor_sync(0xffu, 0u, 1);", "a shuffle of the lanes 0xff");
  refused("__shfl_sync(0xffffffffu, 0u, 32);", "from lane 32");
}

TEST_F(Emulator, RefusesRacesOnSharedMemory) {
  refused("put_shared(shared + 4 * i, i); put(x + i, get_shared<int>(shared + 4 * (63 - i)));", "shared byte");
  refused("put_shared(shared, i);", "both write shared byte");
  refused(
      "put_shared(shared + 4 * i, i); __syncthreads(); get_shared<int>(shared + 4 * (63 - i)); "
      "put_shared(shared + 4 * i, 0);",
      "no barrier between");
  refused("put_shared(shared + 4 * i, i); __syncthreads(); get_shared<int>(shared); if (i == 5) put_shared(shared, 0);",
          "no barrier between");
  refused("get_shared<int>(shared + 4 * i);", "which nobody wrote");
}

TEST_F(Emulator, RefusesPlacesOutsideOfSharedMemory) {
  refused("if (i == 9) put_shared(shared + 1024, i);", "at shared offset 1024 of 1024");
  refused("if (i == 9) put_shared(shared + 2, i);", "misaligned shared offset 2");
}

TEST_F(Emulator, RefusesPlacesOutsideOfMemory) {
  refused("get_rw(x + 64);", "at offset 256 of an allocation of 256");
  refused("if (i == 63) get_rw((long long*)(x + 63));", "misaligned address");
  refused("if (i == 0) put((char*)x - 1, 'a');", "a store of 1 bytes");
  refused("get_rw((int*)64);", "outside of all memory");
}

TEST_F(Emulator, RefusesTwoThreadsStoringToOnePlace) {
  refused("if (i > 61) put(x, i);", "two threads of a launch store at offset 0");
  refused("if (i == 3) { put(x + 3, 1); get(x + 3); }", "a read-only load at offset 12");
  run("put(x + i, 1); put(x + i, 2);");  // one thread may
  EXPECT_EQ(numbers()[0], 2);
}

TEST_F(Emulator, SharedMemoryStartsPoisonedInEveryBlock) {
  run("put_shared(shared + 4 * i, 5); __syncthreads(); if (blockIdx.x == 2) put(x + i, get_shared<int>(shared + 4 * "
      "i));",
      64, 3);
  EXPECT_EQ(numbers()[7], 5);
  refused("if (blockIdx.x == 0) put_shared(shared + 4 * i, 5); else get_shared<int>(shared + 4 * i);",
          "which nobody wrote", 2);
}

constexpr std::string_view meet = "sinter_host_cluster_arrive(); sinter_host_cluster_wait();";

TEST_F(Emulator, BlocksOfAClusterReadEachOther) {
  const std::string body = fmt::format(
      "const int b = blockIdx.x; put_shared(shared + 4 * i, 100 * b + i); {0}\n"
      "int v; sinter_host_cluster_load(&v, shared + 4 * (63 - i), 4, (b + 1) % 4); {0}\nif (b == 2) put(x + i, v);",
      meet);
  for (Order order : {Order::forward, Order::reverse, Order::random}) {
    set_order(order, 9);
    run(body, 64, 4, 4);
    for (int i = 0; i < 64; ++i) EXPECT_EQ(numbers()[static_cast<size_t>(i)], 300 + 63 - i);
  }
}

TEST_F(Emulator, RefusesRacesInClusters) {
  const auto body = [](std::string_view before, std::string_view after) {
    return fmt::format(
        "put_shared(shared + 4 * i, i); {}\nint v; sinter_host_cluster_load(&v, shared, 4, (blockIdx.x + 1) % 2); {}",
        before, after);
  };
  refused(body("__syncthreads();", meet), "another block read", 2, 2);
  refused(body(meet, ""), "end", 2, 2);
  refused(body(meet, "put_shared(shared + 4 * i, 0);" + std::string(meet)), "another block reading", 2, 2);
  refused("sinter_host_cluster_wait();", "without having arrived", 2, 2);
  refused("sinter_host_cluster_arrive(); sinter_host_cluster_arrive();", "barrier twice", 2, 2);
  refused(fmt::format("if (blockIdx.x == 0) {{ {} }}", meet), "wait for each other in vain", 2, 2);
  refused(body(meet, meet), "of a cluster of 1", 1, 1);
  refused("", "3 blocks in clusters of 2", 3, 2);
}

/// 64 ints come to the front of the shared memory; the word is behind them.
std::string copied(std::string_view ready, std::string_view wait, std::string_view use) {
  return fmt::format(
      "unsigned char* const word = shared + 512;\n"
      "if (i == 0) {{ {} sinter_host_bulk_copy(shared, x, 256, word); }}\n__syncthreads();\n{}\n{}",
      ready, wait, use);
}

TEST_F(Emulator, CopiesBesideTheThreads) {
  const std::string body = copied("sinter_host_expect(word);", "sinter_host_await(word);",
                                  "const int v = get_shared<int>(shared + 4 * (63 - i)); __syncthreads();\n"
                                  "put_shared(shared + 4 * i, v + 100); put(x + i, get_shared<int>(shared + 4 * i));");
  for (Order order : {Order::forward, Order::reverse, Order::random}) {
    count();
    set_order(order, 9);
    run(body);
    for (int i = 0; i < 64; ++i) EXPECT_EQ(numbers()[static_cast<size_t>(i)], 163 - i);
  }
}

TEST_F(Emulator, RefusesCopiesThatNobodyWaitedFor) {
  const std::string_view ready = "sinter_host_expect(word);", wait = "sinter_host_await(word);";
  const std::string_view use = "get_shared<int>(shared + 4 * i);";
  refused(copied(ready, "", use), "for whose copy it did not wait");
  refused(copied(ready, "if (i != 9) sinter_host_await(word);", use), "thread 9 reads shared byte 36, for whose copy");
  refused(copied(ready, "if (i > 31) sinter_host_await(word);", "if (i < 32) put_shared(shared + 4 * i, i);"),
          "for whose copy it did not wait");
  refused(copied(ready, "", ""), "nobody waited for the copy");
  refused(copied("", wait, use), "is not ready for a copy");
  refused(copied("sinter_host_expect(word); sinter_host_expect(word);", wait, use), "made ready twice");
  refused(copied("sinter_host_expect(word); sinter_host_bulk_copy(shared, x, 16, word);", wait, use),
          "is not ready for a copy");
  refused("if (i == 0) sinter_host_expect(shared); __syncthreads(); sinter_host_await(shared);", "nobody asked for");
  refused(
      "if (i == 0) { sinter_host_expect(shared + 512); sinter_host_bulk_copy(shared, x, 256, shared + 512); } "
      "if (i == 9) sinter_host_await(shared + 512);",
      "shared byte");
  const auto copy = [](std::string_view arguments) {
    return fmt::format("if (i == 0) {{ sinter_host_expect(shared + 512); sinter_host_bulk_copy({}, shared + 512); }}",
                       arguments);
  };
  refused(copy("shared, x + 1, 32"), "misaligned");
  refused(copy("shared + 8, x, 32"), "to shared offset 8");
  refused(copy("shared, x, 24"), "a bulk copy of 24 bytes");
  refused(copy("shared, x + 60, 32"), "of an allocation of 256");
  refused(copy("shared + 1008, x, 32"), "to shared offset 1008 of 1024");
  refused(
      "put_shared(shared + 4 * i, i); if (i == 0) { sinter_host_expect(shared + 512); "
      "sinter_host_bulk_copy(shared, x, 256, shared + 512); }",
      "shared byte");
}

TEST_F(Emulator, RefusesWrongLaunches) {
  const std::string text = "extern \"C\" __global__ void __launch_bounds__(32) k(int* x) {}\n";
  const auto module = gpu().load(std::as_bytes(std::span(text)));
  EXPECT_THROW(module->function("other"), CompileError);
  device::Function* f = module->function("k");
  const uint64_t slots[] = {reinterpret_cast<uint64_t>(x_), 0};
  EXPECT_THROW(gpu().launch(*f, {.grid = 1, .threads = 32}, slots, 2, nullptr), DeviceError);
  EXPECT_THROW(gpu().launch(*f, {.grid = 1, .threads = 33}, slots, 1, nullptr), DeviceError);
  EXPECT_NO_THROW(gpu().launch(*f, {.grid = 0, .threads = 32}, slots, 1, nullptr));
  EXPECT_EQ(text_of(*f), text);
  const std::string broken = "extern \"C\" __global__ void __launch_bounds__(32) k(int* x) { nonsense }\n";
  const auto bad = gpu().load(std::as_bytes(std::span(broken)));
  EXPECT_THROW(gpu().launch(*bad->function("k"), {.grid = 1, .threads = 32}, slots, 1, nullptr), CompileError);
}

TEST_F(Emulator, NewMemoryIsPoisonedAndExact) {
  auto* p = static_cast<unsigned char*>(gpu().allocate(5, nullptr));
  unsigned char bytes[5];
  gpu().copy_to_host(bytes, p, 5, nullptr);
  for (unsigned char b : bytes) EXPECT_EQ(b, 0xcb);
  gpu().release(p, 5, nullptr);
  int* const kept = std::exchange(x_, reinterpret_cast<int*>(p));
  EXPECT_THROW(run("get_rw((unsigned char*)x);"), DeviceError);  // released
  x_ = kept;
}

TEST_F(Emulator, CapturesAndReplays) {
  const std::string text = std::string(helpers) +
                           "extern \"C\" __global__ void __launch_bounds__(64) k(int* x) {\n"
                           "  put(x + threadIdx.x, get_rw(x + threadIdx.x) + 1);\n}\n";
  const auto module = gpu().load(std::as_bytes(std::span(text)));
  const uint64_t slots[] = {reinterpret_cast<uint64_t>(x_)};
  device::StreamHandle stream = gpu().create_stream();
  gpu().begin_capture(stream);
  EXPECT_TRUE(gpu().is_capturing(stream));
  gpu().launch(*module->function("k"), {.grid = 1, .threads = 64}, slots, 1, stream);
  device::GraphHandle graph = gpu().end_capture(stream);
  EXPECT_EQ(numbers()[0], 0);
  for (int i = 0; i < 3; ++i) gpu().launch_graph(graph, stream);
  EXPECT_EQ(numbers()[0], 3);
  gpu().destroy_graph(graph);
  gpu().destroy_stream(stream);
  EXPECT_THROW(gpu().begin_capture(nullptr), DeviceError);
}

TEST(HostText, FindsEntryAndSharedMemory) {
  const std::string text =
      "// k\nextern \"C\" __global__ void __launch_bounds__(128) some_name(\n    float* p) {\n"
      "  alignas(16) __shared__ unsigned char shared[4096];\n}";
  EXPECT_EQ(entry_of(text), "some_name");
  EXPECT_EQ(shared_bytes_of(text), 4096u);
  EXPECT_THROW(entry_of("int x;"), CompileError);
}

}  // namespace
}  // namespace sinter::simt
