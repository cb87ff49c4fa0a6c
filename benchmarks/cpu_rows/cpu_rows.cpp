// SPDX-License-Identifier: Apache-2.0
// Memory-bound CPU rows behind a C interface, for benchmarks/compare_numexpr.py: it owns the inputs and passes their
// addresses; outputs are fresh tensors of the public API.
#include <sinter/sinter.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/harness/triad.h"

namespace {

using namespace sinter;

struct Row {
  const char* name;
  DType dtype;  ///< of the only input
  Dims shape;
  std::function<Tensor(const Tensor&)> call;
};

template <class F>
Row row(const char* name, DType dtype, Dims shape, F f) {
  auto compiled = compile(std::move(f), {.name = name});
  return {name, dtype, shape, [compiled](const Tensor& x) mutable { return compiled(x); }};
}

constexpr int64_t elements = int64_t{64} << 20;
constexpr float a = 1.5f, b = 0.25f;

std::vector<Row> make_rows() {
  const Tensor mean = from<float>({0.485f, 0.456f, 0.406f}), deviation = from<float>({0.229f, 0.224f, 0.225f});
  std::vector<Row> r;
  r.push_back(row("axpb", f32, {elements}, [](const Tensor& x) { return a * x + b; }));
  r.push_back(row("gelu", f32, {elements}, [](const Tensor& x) { return gelu(a * x + b); }));
  r.push_back(row("gelu_tanh", f32, {elements},
                  [](const Tensor& x) { return gelu(a * x + b, {.approximate = Approximate::tanh}); }));
  r.push_back(row("normalise", u8, {8, 1080, 1920, 3}, [mean, deviation](const Tensor& x) {
    return permute((to(x, f32) / 255 - mean) / deviation, {0, 3, 1, 2});
  }));
  return r;
}

std::vector<Row>& rows() {
  static std::vector<Row> r = make_rows();
  return r;
}

std::string last_error;
Tensor last_output;

}  // namespace

extern "C" {

const char* sinter_error() { return last_error.c_str(); }

int sinter_row_count() { return static_cast<int>(rows().size()); }

const char* sinter_row_name(int row) { return rows()[static_cast<size_t>(row)].name; }

void sinter_set_threads(int threads) { set_num_threads(threads); }

/// Runs a row; returns the address of its output, valid until the next call, or null (sinter_error).
void* sinter_row_run(int row, void* input) {
  try {
    last_output.reset();  // as a caller's variable that is assigned anew
    const Row& r = rows()[static_cast<size_t>(row)];
    last_output = r.call(from_blob(input, r.shape, r.dtype));
    return last_output.data_ptr();
  } catch (const std::exception& e) {
    last_error = e.what();
    return nullptr;
  }
}

/// One run of the triad over as many elements as the f32 rows have, on the threads that are set.
void sinter_triad() {
  static const std::vector<Tensor> arrays = [] {
    std::vector<Tensor> t;
    for (int i = 0; i < 3; ++i) t.push_back(full({elements}, i, f32));
    return t;
  }();
  const auto at = [](int i) { return static_cast<float*>(arrays[static_cast<size_t>(i)].data_ptr()); };
  benchmarks::run_triad({at(0), at(1), at(2)}, elements);
}

}  // extern "C"
