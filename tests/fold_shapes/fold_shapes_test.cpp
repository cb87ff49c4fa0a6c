// SPDX-License-Identifier: Apache-2.0
// Every fold over rows and over columns of every small shape, by every strategy: the bits of the reference. Kernels
// know the length, or find it at run time; how many rows there are they always find then.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/backend.h"
#include "src/compiler/compile.h"
#include "src/ops/ops.h"
#include "src/reference/interpret.h"
#include "src/tensor/impl.h"
#include "tests/capture_cuda/emulator.h"
#include "tests/fold_shapes/folds.h"
#include "tests/support/approximations.h"

namespace sinter::test {
namespace {

using reference::Array;
using schedule::FoldStrategy;

struct NamedStrategy {
  FoldStrategy strategy;
  const char* name;
  bool for_cuda;
};
constexpr NamedStrategy strategies[] = {
    {FoldStrategy::automatic, "chosen", false},
    {FoldStrategy::rows_by_programs, "rows by programs", false},
    {FoldStrategy::columns_by_programs, "columns by programs", false},
    {FoldStrategy::looped, "looped", false},
    {FoldStrategy::split, "split", false},
    {FoldStrategy::rows_by_warps, "rows by warps", true},
    {FoldStrategy::rows_by_elements, "rows by elements", true},
    {FoldStrategy::columns_by_warps, "columns by warps", true},
};

/// A kernel: a fold along a dim, by a strategy, of a literal length or (-1) of any.
struct Case {
  const Fold* fold;
  bool columns;
  const NamedStrategy* strategy;
  int64_t length;
  std::shared_ptr<const exec::Executable> executable = nullptr;
  std::string error = "";

  std::string text() const {
    return fmt::format("{} over {}, {}, length {}", fold->name, columns ? "columns" : "rows", strategy->name, length);
  }
  bool serves(int64_t n) const { return length == n || (length < 0 && n > 0); }
};

/// Is it another kernel than one that is there already?
bool is_new(const Fold& fold, const NamedStrategy& s, int64_t length, Device device) {
  if (s.for_cuda && device.is_cpu()) return false;
  if (length == 0 && !fold.of_nothing) return false;
  if (fold.only_approximations_differ && !approximates(device)) return false;
  const bool as_of_unknown = s.strategy == FoldStrategy::looped || s.strategy == FoldStrategy::split;
  if (as_of_unknown) return length < 0 || length > 1024;
  return s.strategy != FoldStrategy::automatic || device.is_cuda();  // the CPU's choice is among the others
}

std::vector<Case> all_cases(Device device) {
  std::vector<int64_t> lengths(std::begin(fold_sizes), std::end(fold_sizes));
  lengths.push_back(-1);
  std::vector<Case> cases;
  for (const Fold& fold : folds())
    for (const bool columns : {false, true})
      for (const NamedStrategy& s : strategies)
        for (const int64_t n : lengths)
          if (is_new(fold, s, n, device)) cases.push_back({&fold, columns, &s, n});
  return cases;
}

void compile_case(Case& c, Device device) try {
  const std::string length = c.length < 0 ? "s1" : std::to_string(c.length);
  graph::Graph g = graph_of(*c.fold, c.columns, {"s0", length});
  g.device = device;
  compiler::Options options;
  options.folds = c.strategy->strategy;
  c.executable = compiler::compile(g, options).executable;
} catch (const std::exception& e) {
  c.error = e.what();
}

void compile_all(std::vector<Case>& cases, Device device) {
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t)
    threads.emplace_back([&] {
      for (size_t i = next++; i < cases.size(); i = next++) compile_case(cases[i], device);
    });
  for (std::thread& t : threads) t.join();
}

Tensor tensor_of(const Array& a, Device device) {
  const Tensor host = tensor::empty(a.shape, a.dtype, Device::cpu());
  std::ranges::copy(a.data, static_cast<std::byte*>(host.data_ptr()));
  return device.is_cpu() ? host : tensor::copy_to_device(host, device);
}

std::vector<Array> run(const exec::Executable& executable, const std::vector<Tensor>& inputs, size_t outputs,
                       const std::vector<int64_t>& symbols) {
  std::vector<tensor::TensorImpl*> in, out;
  for (const Tensor& t : inputs) in.push_back(t.impl());
  std::vector<Tensor> results;
  for (size_t i = 0; i < outputs; ++i) out.push_back(results.emplace_back(Tensor::adopt(tensor::new_impl())).impl());
  executable.run({in, symbols}, out);
  std::vector<Array> arrays;
  for (const Tensor& t : results) {
    arrays.push_back(Array::zeros(t.dtype(), t.shape()));
    if (!arrays.back().data.empty()) tensor::read_elements(*t.impl(), arrays.back().data.data());
  }
  return arrays;
}

/// Runs the cases that serve a length, for every number of rows, and compares.
class FoldShapes : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ops::register_all_ops();
    use_emulator();
  }

  static void check(std::vector<Case> cases, Device device, std::span<const int64_t> numbers_of_rows) {
    const auto begin = std::chrono::steady_clock::now();
    compile_all(cases, device);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    fmt::print("{} kernels compiled in {:.1f} s\n", cases.size(), seconds.count());
    for (const Case& c : cases) ASSERT_EQ(c.error, "") << c.text();
    for (const bool columns : {false, true})
      for (const int64_t n : fold_sizes) {
        std::map<const Fold*, std::vector<Array>> expected;
        for (const int64_t m : numbers_of_rows) check_shape(cases, device, columns, n, m, expected);
      }
  }

 private:
  static void check_shape(const std::vector<Case>& cases, Device device, bool columns, int64_t n, int64_t m,
                          std::map<const Fold*, std::vector<Array>>& expected) {
    const std::vector<Tensor> data{tensor_of(fold_data(m, n, columns), device), tensor_of(fold_targets(m, n), device)};
    for (const Case& c : cases) {
      if (c.columns != columns || !c.serves(n)) continue;
      const std::span<const Tensor> taken = std::span(data).first(c.fold->takes_target ? 2 : 1);
      const std::vector<Tensor> inputs(taken.begin(), taken.end());
      std::vector<Array>& want = expected[c.fold];
      if (want.empty()) want = reference_of(c, n, device);
      const auto got = run(*c.executable, inputs, want.size(), {m, n});
      for (size_t i = 0; i < want.size(); ++i)
        ASSERT_EQ(row_difference(want[i], got[i], row_dim(c)), "")
            << c.text() << ", " << m << " rows of " << n << ", output " << i << " on " << device.text();
    }
  }

  /// Of `fold_rows` rows: the interpreter's results, but what a GPU approximates by its own chosen schedule.
  static std::vector<Array> reference_of(const Case& c, int64_t n, Device device) {
    const graph::Graph g = graph_of(*c.fold, c.columns, {std::to_string(fold_rows), std::to_string(n)});
    std::vector<Array> inputs{fold_data(fold_rows, n, c.columns)};
    if (c.fold->takes_target) inputs.push_back(fold_targets(fold_rows, n));
    if (!c.fold->approximate || !approximates(device)) return reference::interpret(g, inputs);
    Case chosen{c.fold, c.columns, &strategies[0], n};
    compile_case(chosen, device);
    std::vector<Tensor> tensors;
    for (const Array& a : inputs) tensors.push_back(tensor_of(a, device));
    return run(*chosen.executable, tensors, g.outputs().size(), {fold_rows, n});
  }

  static int row_dim(const Case& c) { return c.columns && c.fold->name.starts_with("softmax") ? 1 : 0; }
};

TEST_F(FoldShapes, OnTheCpu) { check(all_cases(Device::cpu()), Device::cpu(), fold_sizes); }

// A GPU runs all of them. The emulator, which compiles each text as C++, runs some: all strategies, lengths and folds,
// but not each with each. Shuffled tests (--gtest_shuffle) see others.
TEST_F(FoldShapes, OnTheGpu) {
  const Device device = Device::cuda(0);
  std::vector<Case> cases = all_cases(device);
  if (approximates(device)) return check(std::move(cases), device, fold_sizes);
  constexpr size_t stride = 43;
  const size_t first = static_cast<size_t>(testing::UnitTest::GetInstance()->random_seed()) % stride;
  std::vector<Case> some;
  for (size_t i = first; i < cases.size(); i += stride) some.push_back(cases[i]);
  constexpr int64_t rows[] = {0, 1, 3, 33};
  check(std::move(some), device, rows);
}

}  // namespace
}  // namespace sinter::test
