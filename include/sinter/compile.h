// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/explain.h>
#include <sinter/in_place.h>
#include <sinter/tensor.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace sinter {

/// What happens to host code on later calls.
enum class Host : uint8_t {
  rerun,  ///< the function runs on every call and its op calls are matched: host effects happen, nothing is stale
};

/// When extents and numbers become run-time symbols.
enum class Dynamic : uint8_t {
  automatic,  ///< static first; what changes while the structure stays equal is promoted (one recompilation)
  never,      ///< every new value compiles anew
  always,     ///< symbols from the first call
};

/// Where f16 and bf16 results are rounded.
enum class Rounding : uint8_t {
  per_op,      ///< after every op, as eager does: a result never depends on what was fused
  per_kernel,  ///< only where a value is stored
};

/// What may share a kernel.
enum class Fusion : uint8_t { all, vertical, none };

struct CompileOptions {
  std::string name = "function";  ///< in explain(), dumps, errors and kernel names
  Host host = Host::rerun;
  Dynamic dynamic = Dynamic::automatic;
  Rounding rounding = Rounding::per_op;
  Fusion fusion = Fusion::all;
  std::string backend = "sinter";  ///< "sinter" or "reference" (the interpreter, on the CPU)
  int max_entries = 8;             ///< variants of one trace before a fully dynamic one
  bool fullgraph = false;          ///< a graph break is a CompileError
};

/// Counters of a compiled function since it was made.
struct FunctionStats {
  int64_t calls = 0;
  int64_t compilations = 0;  ///< entries made
  int64_t disk_hits = 0;     ///< of those, without code generation
  int64_t breaks = 0;        ///< regions ended before the end of the function
  int64_t launches = 0;      ///< kernels launched
};

namespace capture {
class Function;

/// Runs `body` as one call of a compiled function. Exceptions end the region and propagate.
class Scope {
 public:
  explicit Scope(Function& function);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  /// Ends the last region: live tensors get their data.
  void finish();

 private:
  Function* function_;  ///< nullptr inside another compiled function: the call is inlined
  bool finished_ = false;
};

/// Makes ops run at once outside compiled functions. Idempotent.
void register_eager_recorder();
/// Every translation unit that includes this header sees to it, also in a static build.
inline const bool eager_ready = (register_eager_recorder(), true);

std::shared_ptr<Function> make_function(CompileOptions options, SourceLine line);
FunctionStats stats(const Function& function);
/// Starts collecting what the next call on this thread does; stop() returns it.
void start_explanation(Function& function);
Explanation stop_explanation(Function& function);

/// Stores results of a function: see Compiled::into.
inline void store_results(const Tensor& out, Tensor result) { sinter::into(out, std::move(result)); }
template <class Out, class Results>
  requires requires(const Out& out, const Results& results) {
    out.size();
    results.size();
  }
void store_results(const Out& out, Results results) {
  if (out.size() != results.size())
    throw UserError("[into] " + std::to_string(out.size()) + " buffers for " + std::to_string(results.size()) +
                    " results");
  for (size_t i = 0; i < results.size(); ++i) sinter::into(out[i], std::move(results[i]));
}
}  // namespace capture

/// A compiled function: call it like the original one. Copies share entries; calls from several threads are safe. One
/// that was moved from may only be assigned to or destroyed.
template <class F>
class Compiled {
 public:
  Compiled(F f, CompileOptions options, SourceLine line)
      : f_(std::move(f)), function_(capture::make_function(std::move(options), line)) {}

  template <class... A>
  auto operator()(A&&... args) {
    capture::Scope scope(*function_);
    if constexpr (std::is_void_v<std::invoke_result_t<F&, A...>>) {
      f_(std::forward<A>(args)...);
      scope.finish();
    } else {
      auto result = f_(std::forward<A>(args)...);
      scope.finish();
      return result;
    }
  }

  /// f.into(out)(x) is f(x) with the result in memory of the user's: `out` is a tensor (from_blob() wraps memory of any
  /// allocator) of the result's shape, dtype and device, or a vector of them for a function that returns several. What
  /// the function computes last is computed there, without a copy. Returns `out`.
  template <class Out>
  auto into(Out out) {
    return [this, out = std::move(out)]<class... A>(A&&... args) -> Out {
      capture::Scope scope(*function_);
      capture::store_results(out, f_(std::forward<A>(args)...));
      scope.finish();
      return out;
    };
  }

  /// Calls the function with these arguments and says what ran and why: regions, guards, fusion, kernels, recompiles.
  template <class... A>
  Explanation explain(A&&... args) {
    capture::start_explanation(*function_);
    try {
      (void)(*this)(std::forward<A>(args)...);
    } catch (...) {
      capture::stop_explanation(*function_);
      throw;
    }
    return capture::stop_explanation(*function_);
  }

  FunctionStats stats() const { return capture::stats(*function_); }

 private:
  F f_;
  std::shared_ptr<capture::Function> function_;
};

/// Compiles a function of tensors (parameters and results may be tensors, containers of them, numbers, aggregates).
/// Nothing happens until the first call; the meaning of the program never changes.
template <class F>
Compiled<std::decay_t<F>> compile(F&& f, CompileOptions options = {}, SourceLine line = SourceLine::current()) {
  return {std::forward<F>(f), std::move(options), line};
}

/// Ends the current region here: of what is recorded so far, the values that earlier calls used after this point are
/// computed now, others when something uses them. Outside compile() it does nothing.
void graph_break(SourceLine line = SourceLine::current());

}  // namespace sinter
#pragma GCC visibility pop
