// SPDX-License-Identifier: Apache-2.0
// Memory-bound tile kernels against STREAM's triad with non-temporal stores on the same threads, in interleaved rounds
// of one process. Bytes are those read and written by definition (no write-allocate).
//
//   bench_stream [rounds]
#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/harness/rounds.h"
#include "benchmarks/harness/triad.h"
#include "codegen/llvm/open.h"
#include "codegen/tile/builder.h"
#include "runtime/device/backend.h"
#include "runtime/device/cpu/machine.h"
#include "runtime/device/cpu/thread_pool.h"

namespace {

using namespace sinter;
using tile_ir::Value;

/// Huge-page memory of the device's allocator, written once.
class Buffer {
 public:
  explicit Buffer(size_t bytes) : bytes_(bytes), p_(device::backend(Device::cpu()).allocate(bytes, nullptr)) {
    for (size_t i = 0; i < bytes / 4; ++i)
      static_cast<uint32_t*>(p_)[i] = 0x3f800000u + static_cast<uint32_t>(i % 1000);
  }
  ~Buffer() { device::backend(Device::cpu()).release(p_, bytes_, nullptr); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(p_);
  }

 private:
  size_t bytes_;
  void* p_;
};

/// A tile kernel, loaded; runs programs on the pool.
class Kernel {
 public:
  explicit Kernel(const tile_ir::Kernel& kernel) {
    const device::Properties machine = device::cpu::machine();
    const auto start = std::chrono::steady_clock::now();
    const auto object = llvm_codegen::compile_through(llvm_codegen::open_backend(SINTER_LLVM_MODULE), kernel,
                                                      {machine.architecture, machine.vector_bits});
    compile_ms_ = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    module_ = device::backend(Device::cpu()).load(object);
    function_ = module_->function(kernel.name);
  }
  void run(int64_t programs, const std::vector<uint64_t>& slots) const {
    device::backend(Device::cpu()).launch(*function_, {.grid = programs}, slots.data(), slots.size(), nullptr);
  }
  double compile_ms() const { return compile_ms_; }

 private:
  std::shared_ptr<device::Module> module_;
  device::Function* function_;
  double compile_ms_ = 0;
};

uint64_t slot(const void* p) { return reinterpret_cast<uint64_t>(p); }
uint64_t slot(float v) { return __builtin_bit_cast(uint32_t, v); }

/// y = a * x + b; one program is `steps` tiles of `lanes`.
tile_ir::Kernel axpb(int lanes, int steps) {
  tile_ir::KernelBuilder b("axpb");
  const int x = b.add_pointer("x", f32, {.alignment = 64});
  const int y = b.add_pointer("y", f32, {.written = true, .alignment = 64});
  const int a = b.add_scalar("a", f32), c = b.add_scalar("b", f32), n = b.add_scalar("n", i64);
  const Value start = b.mul(b.program_id(), b.literal(static_cast<int64_t>(lanes) * steps)), extent = b.parameter(n);
  const Value scale = b.parameter(a), shift = b.parameter(c), fill = b.constant(f32, 0.0);
  const Value end = b.add(start, b.literal(static_cast<int64_t>(lanes) * steps));
  b.for_loop(start, b.min(end, extent), b.literal(lanes), {}, [&](Value i, std::span<const Value>) {
    tile_ir::Access access;
    access.dims = {tile_ir::along(i, 1, extent)};
    const Value v = b.block_load(x, access, {lanes}, 1, fill);
    b.block_store(y, access, b.add(b.mul(v, scale), shift), tile_ir::CachePolicy::streaming);
    return std::vector<Value>{};
  });
  return b.finish();
}

/// u8 [pixels, 3] -> f32 [3, pixels]: (x / 255 - mean) / stddev as x * scale + shift by channel.
tile_ir::Kernel normalise(int lanes, int steps) {
  tile_ir::KernelBuilder b("normalise");
  const int x = b.add_pointer("x", u8, {.alignment = 64});
  const int y = b.add_pointer("y", f32, {.written = true, .alignment = 64});
  const int n = b.add_scalar("pixels", i64);
  const Value pixels = b.parameter(n), start = b.mul(b.program_id(), b.literal(static_cast<int64_t>(lanes) * steps));
  const tile_ir::Type shape = tile_ir::Type::tile(f32, {lanes}, 3);
  const Value channel = b.iota(tile_ir::parts_dim, shape);
  const auto by_channel = [&](float red, float green, float blue) {
    const Value rest = b.select(b.eq(channel, b.constant(i32, 1)), b.constant(f32, green), b.constant(f32, blue));
    return b.select(b.eq(channel, b.constant(i32, 0)), b.constant(f32, red), rest);
  };
  const Value scale = by_channel(0.0171f, 0.0175f, 0.0174f), shift = by_channel(-2.12f, -2.04f, -1.80f);
  const Value end = b.min(b.add(start, b.literal(static_cast<int64_t>(lanes) * steps)), pixels);
  b.for_loop(start, end, b.literal(lanes), {}, [&](Value i, std::span<const Value>) {
    tile_ir::Access hwc, chw;
    hwc.parts = tile_ir::along(0, 1);
    hwc.dims = {tile_ir::along(i, 3, pixels)};
    chw.parts = tile_ir::along(0, pixels);
    chw.dims = {tile_ir::along(i, 1, pixels)};
    const Value v = b.convert(b.block_load(x, hwc, {lanes}, 3, b.constant(u32, 0.0)), f32);
    b.block_store(y, chw, b.add(b.mul(v, scale), shift), tile_ir::CachePolicy::streaming);
    return std::vector<Value>{};
  });
  return b.finish();
}

struct Row {
  std::string name;
  double bytes;
  benchmarks::Case timed;
  double gigabytes() const { return bytes / timed.ns.median(); }
};

void compare(int rounds) {
  constexpr int64_t n = int64_t{64} << 20;
  constexpr int64_t frames = 10, pixels = frames * 1920 * 1080;  // one plane over all frames; fits the buffers
  constexpr int steps = 64;
  const Buffer a(n * 4), b(n * 4), c(n * 4);
  const benchmarks::Triad triad{a.as<float>(), b.as<float>(), c.as<float>()};
  std::vector<Row> rows{
      {"triad, non-temporal", benchmarks::triad_bytes(n), {1, [&] { benchmarks::run_triad(triad, n); }}}};
  std::vector<std::unique_ptr<Kernel>> kernels;
  for (const int lanes : {16, 64}) {
    const Kernel* k = kernels.emplace_back(std::make_unique<Kernel>(axpb(lanes, steps))).get();
    rows.push_back({fmt::format("a*x+b, tiles of {}", lanes), 8.0 * n, {1, [k, lanes, &a, &b] {
                                                                          k->run(
                                                                              n / (lanes * steps),
                                                                              {slot(b.as<float>()), slot(a.as<float>()),
                                                                               slot(2.0f), slot(1.0f), n});
                                                                        }}});
    fmt::print("a*x+b, tiles of {}: compiled in {:.1f} ms\n", lanes, k->compile_ms());
  }
  for (const int lanes : {16, 64}) {
    const Kernel* k = kernels.emplace_back(std::make_unique<Kernel>(normalise(lanes, steps))).get();
    const int64_t programs = (pixels + lanes * steps - 1) / (lanes * steps);
    rows.push_back({fmt::format("u8 HWC -> f32 CHW, tiles of {}", lanes),
                    15.0 * pixels,
                    {1, [k, programs, &a, &b] {
                       k->run(programs, {slot(b.as<uint8_t>()), slot(a.as<float>()), static_cast<uint64_t>(pixels)});
                     }}});
    fmt::print("u8 HWC -> f32 CHW, tiles of {}: compiled in {:.1f} ms\n", lanes, k->compile_ms());
  }
  std::vector<benchmarks::Case*> cases;
  for (Row& r : rows) cases.push_back(&r.timed);
  benchmarks::measure(cases, rounds);
  const device::Properties machine = device::cpu::machine();
  fmt::print("{}, {}, {} threads, {} rounds\n", machine.name, machine.architecture, device::cpu::thread_count(),
             rounds);
  for (const Row& r : rows)
    fmt::print("{:32} {:6.1f} GB/s  {:5.1f} % of the triad\n", r.name, r.gigabytes(),
               100 * r.gigabytes() / rows[0].gigabytes());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    compare(argc > 1 ? std::max(1, std::atoi(argv[1])) : 15);
    return 0;
  } catch (const sinter::Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
