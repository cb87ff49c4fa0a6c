// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/structure.h>
#include <sinter/tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace sinter {

/// Where a saved function goes, and what it has code for.
struct SaveOptions {
  std::string path;
  /// "cpu" (this machine's level), "x86-64-v3", "x86-64-v4", "cuda" (this GPU), "sm_80", "sm_86", "sm_87", "sm_89",
  /// "sm_90a", "sm_100", "sm_120". Empty: the device of the arguments. CUDA code needs NVRTC, but no GPU.
  std::vector<std::string> targets = {};
  bool source = true;  ///< with CUDA targets: CUDA C as well, for GPUs without code, where NVRTC is found
};

/// The arguments of one call, where several are saved: `op.save(path, with(x8), with(x16))`.
template <class... A>
struct Arguments {
  std::tuple<A...> values;
};
template <class... A>
Arguments<A...> with(A&&... args) {
  return {std::tuple<A...>(std::forward<A>(args)...)};
}

namespace capture {
class Function;
struct Frozen;
struct CaptureState;
class SavedCalls;

/// A list of pointers or numbers that is on the stack as long as it is short. (No std::vector: whoever includes this
/// would pay for its instances.)
template <class T, size_t n>
class Few {
 public:
  Few() {}  // NOLINT(modernize-use-equals-default): the array stays without values
  ~Few() {
    if (data_ != few_.data()) delete[] data_;
  }
  Few(const Few&) = delete;
  Few& operator=(const Few&) = delete;
  void push_back(T v) {
    if (size_ == capacity_) grow();
    data_[size_++] = v;
  }
  std::span<const T> all() const { return {data_, size_}; }

 private:
  void grow() {
    T* larger = new T[2 * capacity_];
    for (size_t i = 0; i < size_; ++i) larger[i] = data_[i];
    if (data_ != few_.data()) delete[] data_;
    data_ = larger;
    capacity_ *= 2;
  }

  std::array<T, n> few_;
  T* data_ = few_.data();
  size_t size_ = 0, capacity_ = n;
};

/// The tensors and host values of a call's arguments.
struct ArgumentLeaves {
  void operator()(const Tensor& t) {
    words.push_back(t.defined());
    if (t.defined()) tensors.push_back(&t);
  }
  void operator()(int64_t word) { words.push_back(word); }
  Few<const Tensor*, 16> tensors;  ///< the defined ones
  Few<int64_t, 16> words;
};
/// Those of a result that is being filled in.
struct ResultLeaves {
  void operator()(Tensor& t) { tensors.push_back(&t); }
  void operator()(const Tensor&) {}
  void operator()(int64_t word) { words.push_back(word); }
  Few<Tensor*, 8> tensors;
  Few<int64_t, 8> words;
};
struct ResetTensors {
  void operator()(Tensor& t) { t.reset(); }
  void operator()(int64_t) {}
};

/// Distinguishes calls whose arguments or result are of other types.
template <class... T>
inline constexpr char type_mark = 0;

/// Is this thread recording a compiled function?
bool is_recording();
[[noreturn]] void refuse_types(const Function& function, const char* what);

/// What find_frozen() found: the call whose guards hold, or nullptr; whether to run the host code again beside it
/// (SINTER_CHECK=replay); whether another call may be frozen.
struct Found {
  const Frozen* call = nullptr;
  bool replay = false;
  bool may_freeze = true;
};
Found find_frozen(Function& function, const ArgumentLeaves& arguments);
void run_frozen(Function& function, const Frozen& call, const ArgumentLeaves& arguments,
                std::span<Tensor* const> results);
/// The result as it was captured, without its tensors.
const void* prototype_of(const Frozen& call);

/// One run of the host code whose op calls are recorded, to be frozen, saved or compared. The arguments' tensors are
/// placeholders meanwhile; what the host code keeps of them and of what it computes is unusable afterwards.
class Capture {
 public:
  enum class Purpose : uint8_t { call, save, check };
  /// `arguments` must outlive it.
  Capture(Function& function, const ArgumentLeaves& arguments, Purpose purpose);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  void operator()(Tensor& argument);  ///< puts a placeholder in the place of the next defined argument
  void operator()(int64_t) {}

  /// Computes the results, and keeps the call with `prototype` as its result but for tensors.
  void finish(std::span<Tensor* const> results, std::shared_ptr<const void> prototype);
  void finish_saving(std::span<Tensor* const> results, SavedCalls& to);
  /// Warns of everything that is not as in `call`.
  void compare(const Frozen& call, std::span<Tensor* const> results, std::span<const int64_t> words,
               std::span<const int64_t> captured_words);

 private:
  std::unique_ptr<CaptureState> state_;
};

/// The calls that go to one file.
class SavedCalls {
 public:
  SavedCalls(Function& function, SaveOptions options);
  ~SavedCalls();
  SavedCalls(const SavedCalls&) = delete;
  SavedCalls& operator=(const SavedCalls&) = delete;
  void write();

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

template <class R, class F, class... A>
R call_captured(F& f, Capture& capture, A&&... args) {
  std::tuple<std::decay_t<A>...> copies{args...};
  structure::walk(copies, capture);
  return std::apply([&]<class... C>(C&... copy) -> R { return f(static_cast<A&&>(copy)...); }, copies);
}

template <class R, class... A>
void collect(ArgumentLeaves& leaves, const A&... args) {
  leaves(static_cast<int64_t>(reinterpret_cast<intptr_t>(&type_mark<R, A...>)));
  (structure::walk(args, leaves), ...);
}

template <class R>
R result_of(Function& function, const Frozen& call, const ArgumentLeaves& arguments) {
  if constexpr (std::is_same_v<R, Tensor>) {
    R result;
    Tensor* const results[] = {&result};
    run_frozen(function, call, arguments, results);
    return result;
  } else {
    R result = *static_cast<const R*>(prototype_of(call));
    ResultLeaves leaves;
    structure::walk(result, leaves);
    run_frozen(function, call, arguments, leaves.tensors.all());
    return result;
  }
}

template <class R, class F, class... A>
void replay(F& f, Function& function, const Frozen& call, const ArgumentLeaves& arguments, A&&... args) {
  Capture capture(function, arguments, Capture::Purpose::check);
  R result = call_captured<R>(f, capture, std::forward<A>(args)...);
  ResultLeaves now, captured;
  structure::walk(result, now);
  structure::walk(*static_cast<const R*>(prototype_of(call)), captured);
  capture.compare(call, now.tensors.all(), now.words.all(), captured.words.all());
}

template <class R, class F, class... A>
R freeze(F& f, Function& function, const ArgumentLeaves& arguments, A&&... args) {
  Capture capture(function, arguments, Capture::Purpose::call);
  R result = call_captured<R>(f, capture, std::forward<A>(args)...);
  ResultLeaves leaves;
  structure::walk(result, leaves);
  auto prototype = std::make_shared<R>(result);
  ResetTensors reset;
  structure::walk(*prototype, reset);
  capture.finish(leaves.tensors.all(), std::move(prototype));
  return result;
}

template <class F, class... A>
void save_call(F& f, Function& function, SavedCalls& to, A&&... args) {
  using R = std::decay_t<std::invoke_result_t<F&, A...>>;
  if constexpr (std::is_void_v<R>) {
    refuse_types(function, "a function without a result has nothing to save");
  } else if constexpr (!structure::is_known<R> || !(structure::is_known<A> && ...)) {
    refuse_types(function, nullptr);
  } else {
    ArgumentLeaves arguments;
    collect<R>(arguments, args...);
    Capture capture(function, arguments, Capture::Purpose::save);
    R result = call_captured<R>(f, capture, std::forward<A>(args)...);
    ResultLeaves leaves;
    structure::walk(result, leaves);
    capture.finish_saving(leaves.tensors.all(), to);
  }
}
template <class F, class... A>
void save_call_with(F& f, Function& function, SavedCalls& to, Arguments<A...> arguments) {
  std::apply([&](auto&... a) { save_call(f, function, to, static_cast<A&&>(a)...); }, arguments.values);
}

template <class T>
inline constexpr bool is_arguments = false;
template <class... A>
inline constexpr bool is_arguments<Arguments<A...>> = true;

}  // namespace capture
}  // namespace sinter
#pragma GCC visibility pop
