// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/compile.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace sinter {

struct BenchmarkOptions {
  std::vector<Fusion> fusions = {Fusion::all, Fusion::vertical, Fusion::none};  ///< the first is the one of interest
  int rounds = 51;      ///< of steady calls; the ways take turns in each
  double seconds = 10;  ///< after which no further round begins
};

/// Of the rounds, in microseconds.
struct Spread {
  double median = 0, p10 = 0, p90 = 0;
};

/// One way to run the function.
struct BenchmarkWay {
  std::string name;           ///< "fusion all", "fusion vertical", "op by op"
  double cold_ms = 0;         ///< the first call: record, compile with nothing cached, load, run, wait
  double disk_ms = -1;        ///< the same where the disk cache has the code; -1 without a disk cache
  CompileTimes cold_compile;  ///< what compiling took of the cold call; the rest is recording, running and waiting
  Spread device;              ///< of one call: CUDA by events around it, with the L2 cache flushed before; CPU by clock
  Spread host;                ///< until a call returns; on the CPU that is the same
  int64_t launches = 0;       ///< kernels a call launches, as the executable says
  int64_t captured = -1;      ///< the same as the driver counts it in a captured call; -1: it could not be captured
  double of_copy = 0;         ///< time of a copy of as many bytes over the time of the call
};

/// What benchmark() measured. Fields for programs, text() for people.
struct BenchmarkResult {
  std::string name;      ///< of the function
  std::string location;  ///< where it was compiled
  std::string device;    ///< "cuda:0 NVIDIA H200 (sm_90a)"
  std::string build;     ///< of this library
  std::string why_not_captured;
  int64_t argument_bytes = 0;  ///< of distinct elements of the tensors among the arguments
  int64_t result_bytes = 0;    ///< of the results that are no views of arguments
  Spread copy;                 ///< a copy that reads half of these bytes and writes half, in the same rounds
  std::vector<BenchmarkWay> ways;

  std::string text() const;
};

namespace benchmarking {

/// A function compiled anew, bound to its arguments.
struct Candidate {
  std::function<void()> run;
  std::function<std::vector<Tensor>()> results;  ///< runs it as well
  std::function<FunctionStats()> stats;
};
using Make = std::function<Candidate(const CompileOptions& options)>;
BenchmarkResult measure(const Make& make, const std::vector<Tensor>& arguments, const CompileOptions& options,
                        const BenchmarkOptions& how, SourceLine line);

/// Appends the tensors in a value: a tensor, a range, a tuple or pair, an optional of such.
template <class T>
void collect(const T& value, std::vector<Tensor>& tensors) {
  if constexpr (std::same_as<T, Tensor>) {
    if (value.defined()) tensors.push_back(value);
  } else if constexpr (std::ranges::range<T>) {
    for (const auto& v : value) collect(v, tensors);
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    std::apply([&](const auto&... v) { (collect(v, tensors), ...); }, value);
  } else if constexpr (requires {
                         value.has_value();
                         *value;
                       }) {
    if (value.has_value()) collect(*value, tensors);
  }
}

template <class T>
inline constexpr bool is_compiled = false;
template <class F>
inline constexpr bool is_compiled<Compiled<F>> = true;
/// A call's first argument, if it has any, is no set of options.
template <class... A>
concept Arguments =
    !std::same_as<std::remove_cvref_t<std::tuple_element_t<0, std::tuple<A..., void*>>>, BenchmarkOptions>;

}  // namespace benchmarking

/// Measures a function of tensors on these arguments: its first call with nothing cached and with the code on disk, and
/// steady calls, for each way to fuse it, beside a copy of as many bytes. The function runs some hundred times; it is
/// compiled anew, so `f` keeps its entries and counters. Nothing else may use the device meanwhile.
///
///     std::puts(sn::benchmark(pre, frame, boxes).text().c_str());
template <class F, class... A>
BenchmarkResult benchmark(const Compiled<F>& f, const BenchmarkOptions& how, A&&... args) {
  std::vector<Tensor> arguments;
  (benchmarking::collect(args, arguments), ...);
  const auto make = [&](const CompileOptions& options) {
    auto compiled = std::make_shared<Compiled<F>>(f.function(), options, f.line());
    return benchmarking::Candidate{[compiled, &args...] { (void)(*compiled)(args...); },
                                   [compiled, &args...] {
                                     std::vector<Tensor> results;
                                     if constexpr (std::is_void_v<std::invoke_result_t<const F&, A&...>>)
                                       (*compiled)(args...);
                                     else
                                       benchmarking::collect((*compiled)(args...), results);
                                     return results;
                                   },
                                   [compiled] { return compiled->stats(); }};
  };
  return benchmarking::measure(make, arguments, f.options(), how, f.line());
}
template <class F, class... A>
  requires benchmarking::Arguments<A...>
BenchmarkResult benchmark(const Compiled<F>& f, A&&... args) {
  return benchmark(f, BenchmarkOptions{}, std::forward<A>(args)...);
}
/// The same for a function that is not compiled yet.
template <class F, class... A>
  requires(!benchmarking::is_compiled<F>)
BenchmarkResult benchmark(const F& f, A&&... args) {
  return benchmark(compile(f, {.name = "function"}), BenchmarkOptions{}, std::forward<A>(args)...);
}

}  // namespace sinter
#pragma GCC visibility pop
