// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_text/samples.h"

#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace sinter::cuda::testing {
namespace {

tile_ir::Kernel read(const std::string& file) {
  std::ifstream in(SINTER_SOURCE_DIR "/tests/" + file + ".tile");
  if (!in) throw std::runtime_error("no kernel " + file);
  std::stringstream s;
  s << in.rdbuf();
  return tile_ir::parse(s.str());
}

Argument number(int64_t v) { return {.bytes = {}, .number = static_cast<uint64_t>(v)}; }

/// Numbers of both signs that every dtype holds exactly, no two neighbours alike.
Argument array(DType t, int64_t n) {
  Argument a{.bytes = std::vector<unsigned char>(static_cast<size_t>(n * t.bytes())), .number = 0, .is_array = true};
  std::mt19937_64 random(static_cast<uint64_t>(n));
  const DType compute = scalar::compute_type(t);
  for (int64_t i = 0; i < n; ++i) {
    double v = static_cast<double>(random() % 121);
    if (t.is_floating()) v = v / 8 - 7;
    if (t.is_signed() && !t.is_floating()) v -= 60;
    if (t == boolean) v = static_cast<double>(random() % 2);
    scalar::store_element(a.bytes.data() + i * t.bytes(), t, scalar::constant_of(compute, v));
  }
  return a;
}

/// What the kernel is to fill: bytes that no result consists of.
Argument output(DType t, int64_t n) {
  return {.bytes = std::vector<unsigned char>(static_cast<size_t>(n * t.bytes()), 0x7b), .number = 0, .is_array = true};
}

Argument zeros(DType t, int64_t n) {
  return {.bytes = std::vector<unsigned char>(static_cast<size_t>(n * t.bytes())), .number = 0, .is_array = true};
}

struct Extents {
  int64_t rows, columns;
};

Argument indices(int64_t n, int64_t below) {
  Argument a = zeros(i32, n);
  for (int64_t i = 0; i < n; ++i)
    scalar::store_element(a.bytes.data() + 4 * i, i32, scalar::constant_int(i32, (i * 37 + 11) % (below + 5) - 2));
  return a;
}

/// Collects samples; a name says which file holds the kernel.
struct Collector {
  std::vector<Sample> all;
  void operator()(const std::string& name, int64_t grid, std::vector<std::vector<Argument>> calls) {
    const bool ours = name != "softmax" && name != "transpose" && name != "grid_sum" && name != "kept_rows";
    all.push_back({name, read((ours ? "cuda_text/kernels/" : "tile/") + name), grid, std::move(calls)});
  }
};

void add_layouts_and_folds(Collector& add) {
  add("relu_f16", 2,
      {{array(f16, 4096), output(f16, 4096), number(4096)}, {array(f16, 2051), output(f16, 2051), number(2051)}});
  add("relu_f16_even", 2, {{array(f16, 2504), output(f16, 2504), number(2504)}});
  add("hwc_to_chw", 2, {{array(u8, 3 * 1000), output(f16, 3 * 1000), number(1000)}});
  {
    std::vector<std::vector<Argument>> calls;
    for (const auto& [rows, columns] : {Extents{29, 51}, {32, 64}, {0, 51}, {29, 0}})
      calls.push_back({array(bf16, rows * columns), array(f32, columns), array(f32, rows), output(bf16, rows * columns),
                       number(rows), number(columns)});
    add("scale_columns", 1, calls);
  }
  for (const DType t : {f32, f16, u8}) {
    std::vector<std::vector<Argument>> calls;
    for (const auto& [rows, columns] : {Extents{112, 48}, {64, 64}, {0, 48}, {112, 0}})
      calls.push_back({array(t, rows * columns), output(t, rows * columns), number(rows), number(columns)});
    add("transpose_" + std::string(t.name()), 2, calls);
  }
  add("row_sum", 2, {{array(f16, 2 * 2600), output(f32, 2), number(2600)}, {array(f16, 0), output(f32, 2), number(0)}});
  {
    // A column too many is out of the array only in its last row, so every group of rows must be the last one once.
    std::vector<std::vector<Argument>> calls;
    std::vector<int64_t> heights{0, 65, 1000};
    for (const int64_t far : {0, 256, 512, 768})  // the last row is in each of a thread's loads once
      for (const int64_t near : {0, 1, 2, 3}) heights.push_back(far + near + 1);
    for (const int64_t rows : heights)
      calls.push_back({array(f32, rows * 36), output(f32, 36), number(rows), number(36)});
    add("column_sum", 3, calls);
  }
  {
    // The last row ends in each of a thread's stores once.
    std::vector<std::vector<Argument>> calls;
    for (const int64_t n : {0, 1030, 1094, 1158, 1222, 1286, 1350, 1414, 1478})
      calls.push_back({array(f32, 2 * n), output(f32, 2 * n), number(n)});
    add("scan_rows", 2, calls);
  }
  add("chunk_loop", 1, {{array(f32, 4 * 1024), output(f32, 2), number(4)}});
  {
    std::vector<std::vector<Argument>> calls;
    for (const int64_t n : {2050, 2600, 3072})
      calls.push_back({array(f32, 2 * 4 * n), output(f32, 8), output(f32, 8), output(f32, 24), output(f32, 24),
                       zeros(u32, 2), number(n)});
    add("grid_sum", 6, calls);
  }
  add("normalise", 2, {{array(f32, 8 * 512), output(f32, 8 * 512)}});
  add("take", 2,
      {{array(u8, 90), indices(200, 90), output(f32, 200), zeros(u64, 1), number(90), number(200)},
       {array(u8, 90), zeros(i32, 200), output(f32, 200), zeros(u64, 1), number(90), number(200)}});
  add("put", 1, {{array(f32, 256), output(f16, 511)}});
  {
    std::vector<std::vector<Argument>> calls;
    for (const auto& [rows, columns] : {Extents{40, 44}, {0, 44}, {40, 0}, {1, 1}})
      calls.push_back(
          {array(f32, rows * columns), output(f32, 64 * 64), number(rows), number(columns), number(-3), number(-5)});
    add("pad", 1, calls);
  }
}

void add_memory_of_programs(Collector& add) {
  add("kept_rows", 2, {{array(f16, 2 * 2600), output(f32, 2 * 2600), number(2600)}});
  {
    std::vector<std::vector<Argument>> calls;
    for (const int64_t n : {0, 1, 13, 1025, 2601, 5000})
      calls.push_back({array(f16, 3 * n), output(f32, 3 * n), number(n)});
    add("staged_rows", 3, calls);
  }
  add("cluster_rows", 8, {{array(f16, 2 * 13000), output(f32, 2 * 13000), number(13000)}});
}

void add_types_and_control(Collector& add) {
  add("integers", 1, {{array(i64, 512), array(i32, 512), output(i64, 512), output(i8, 512)}});
  add("doubles", 1, {{array(f64, 300), output(f64, 1), number(300)}, {array(f64, 0), output(f64, 1), number(0)}});
  add("compare", 2, {{array(i16, 1500), array(i16, 1500), array(boolean, 1500), output(boolean, 1500), number(1500)}});
  add("tables", 2,
      {{array(i64, 1500), zeros(i64, 8), zeros(u32, 8), number(1500)},
       {array(i64, 3), array(i64, 8), array(u32, 8), number(3)}});
  add("shuffle_dims", 1, {{array(f16, 1024), output(f16, 1024)}});
  add("branches", 4, {{array(f32, 4 * 512), output(f32, 4 * 512), number(2)}});
  add("backwards", 1, {{array(i16, 4096), output(i16, 4096), number(200)}});
  add("in_place", 2, {{array(f32, 1003), number(1003)}});
  add("channel_mean", 1, {{array(u8, 3 * 201), output(f32, 201), output(i16, 3 * 201), number(201)}});
  add("softmax", 2,
      {{array(f32, 2 * 1000), output(f32, 2 * 1000), number(1000)}, {array(f32, 0), output(f32, 0), number(0)}});
  {
    std::vector<std::vector<Argument>> calls;
    for (const auto& [rows, columns] :
         {Extents{37, 20}, {0, 20}, {37, 0}, {1, 3}, {3, 20}, {5, 20}, {7, 20}, {9, 20}, {11, 20}, {13, 20}, {15, 20}})
      calls.push_back({array(f32, rows * columns), output(f32, rows * columns), number(rows), number(columns)});
    add("transpose", 6, calls);
  }
}

}  // namespace

std::vector<Sample> samples() {
  Collector add;
  add_layouts_and_folds(add);
  add_memory_of_programs(add);
  add_types_and_control(add);
  return std::move(add.all);
}

}  // namespace sinter::cuda::testing
