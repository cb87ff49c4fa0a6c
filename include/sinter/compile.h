// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/explain.h>
#include <sinter/in_place.h>
#include <sinter/save.h>
#include <sinter/tensor.h>

#include <string>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace sinter {

/// What happens to host code on later calls.
enum class Host : uint8_t {
  rerun,  ///< the function runs on every call and its op calls are matched: host effects happen, nothing is stale
  /// The function runs once for each kind of arguments; later calls are guards and kernels alone. Captured tensors are
  /// those of then (what they hold may change by in-place ops outside), handles that escape are unusable, numbers among
  /// the arguments and extents that the host code read are guarded, and nothing may read an element or write in place
  /// (UserError). SINTER_CHECK=replay says where that matters.
  skip,
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

/// How exact functions and divisions are.
enum class Math : uint8_t {
  accurate,  ///< within 1 ulp unless documented, the same bits on every device
  fast,      ///< what the hardware approximates, within the bounds of docs/accuracy.md; results differ between devices
};

/// What may share a kernel.
enum class Fusion : uint8_t { all, vertical, none };

struct CompileOptions {
  std::string name = "function";  ///< in explain(), dumps, errors and kernel names
  Host host = Host::rerun;
  Dynamic dynamic = Dynamic::automatic;
  Rounding rounding = Rounding::per_op;
  Math math = Math::accurate;
  Fusion fusion = Fusion::all;
  std::string backend = "sinter";  ///< "sinter", "eager", "reference" or a registered one: backend.h
  int max_entries = 8;             ///< variants of one trace before a fully dynamic one
  bool fullgraph = false;          ///< a graph break is a CompileError
  /// False: matrix products and convolutions are generated kernels too, slower, with the same bits on every device.
  bool libraries = true;
};

/// What compiling took, in milliseconds, summed over a function's entries.
struct CompileTimes {
  double passes_ms = 0;   ///< from the graph to tile programs
  double text_ms = 0;     ///< writing CUDA C or LLVM's input
  double machine_ms = 0;  ///< NVRTC or LLVM
  double load_ms = 0;     ///< giving the code to the device; reading and writing the disk cache
  double total_ms() const { return passes_ms + text_ms + machine_ms + load_ms; }
};

/// Counters of a compiled function since it was made.
struct FunctionStats {
  int64_t calls = 0;
  int64_t compilations = 0;  ///< entries made
  int64_t disk_hits = 0;     ///< of those, without code generation
  int64_t breaks = 0;        ///< regions ended before the end of the function
  int64_t launches = 0;      ///< kernels launched
  int64_t warnings = 0;      ///< about this function (sinter/warnings.h)
  CompileTimes compile;
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

Shared<Function> make_function(CompileOptions options, SourceLine line);
FunctionStats stats(const Function& function);
const CompileOptions& options(const Function& function);
SourceLine line(const Function& function);
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
      : f_(std::move(f)), host_(options.host), function_(capture::make_function(std::move(options), line)) {}

  template <class... A>
  std::decay_t<std::invoke_result_t<F&, A...>> operator()(A&&... args) {
    if (host_ == Host::skip && !capture::is_recording()) return call_frozen(std::forward<A>(args)...);
    return call_again(std::forward<A>(args)...);
  }

  /// f.into(out)(x) is f(x) with the result in memory of the user's: `out` is a tensor (from_blob() wraps memory of any
  /// allocator) of the result's shape, dtype and device, or a vector of them for a function that returns several. What
  /// the function computes last is computed there, without a copy (with Host::skip it is copied there). Returns `out`.
  template <class Out>
  auto into(Out out) {
    return [this, out = std::move(out)]<class... A>(A&&... args) -> Out {
      if (host_ == Host::skip && !capture::is_recording()) {
        capture::store_results(out, call_frozen(std::forward<A>(args)...));
        return out;
      }
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
  const F& function() const { return f_; }
  const CompileOptions& options() const { return capture::options(*function_); }
  SourceLine line() const { return capture::line(*function_); }  ///< where it was compiled

  /// Writes a file that load() reads, with code for the call with these arguments, or for several calls `with(...)`
  /// arguments each; see SaveOptions. The function runs once a call, as with Host::skip; nothing is computed. Captured
  /// tensors and numbers are stored as they are now; no host code is. UserError, naming the line, if a call has a graph
  /// break, or if the file cannot be written.
  template <class... A>
  void save(const SaveOptions& to, A&&... args) {
    save_calls(to, std::forward<A>(args)...);
  }
  template <class Path, class... A>
    requires std::is_convertible_v<const Path&, std::string>
  void save(const Path& path, A&&... args) {
    save_calls({.path = path}, std::forward<A>(args)...);
  }

 private:
  template <class... A>
  std::decay_t<std::invoke_result_t<F&, A...>> call_again(A&&... args) {
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

  template <class... A>
  std::decay_t<std::invoke_result_t<F&, A...>> call_frozen(A&&... args) {
    using R = std::decay_t<std::invoke_result_t<F&, A...>>;
    if constexpr (std::is_void_v<R>) {
      capture::refuse_types(*function_, "Host::skip would never run a function without a result again");
    } else if constexpr (!structure::is_known<R> || !(structure::is_known<A> && ...)) {
      capture::refuse_types(*function_, nullptr);
    } else {
      capture::ArgumentLeaves leaves;
      capture::collect<R>(leaves, args...);
      const capture::Found found = capture::find_frozen(*function_, leaves);
      if (found.call != nullptr) {
        if (found.replay) capture::replay<R>(f_, *function_, *found.call, leaves, std::forward<A>(args)...);
        return capture::result_of<R>(*function_, *found.call, leaves);
      }
      if (!found.may_freeze) return call_again(std::forward<A>(args)...);
      return capture::freeze<R>(f_, *function_, leaves, std::forward<A>(args)...);
    }
  }

  template <class... A>
  void save_calls(const SaveOptions& to, A&&... args) {
    capture::SavedCalls calls(*function_, to);
    if constexpr (sizeof...(A) > 0 && (capture::is_arguments<std::decay_t<A>> && ...))
      (capture::save_call_with(f_, *function_, calls, std::forward<A>(args)), ...);
    else
      capture::save_call(f_, *function_, calls, std::forward<A>(args)...);
    calls.write();
  }

  F f_;
  Host host_;
  Shared<capture::Function> function_;
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
