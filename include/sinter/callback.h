// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/shared.h>

#include <cstddef>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace sinter {

template <class Signature>
class Callback;

/// A function of the program that the library calls: a lambda, a pointer to a function, a std::function, or nothing.
/// Copies share it. It is what std::function is, without the 0.1 s that <functional> costs each translation unit.
template <class R, class... A>
class Callback<R(A...)> {
 public:
  Callback() noexcept = default;
  Callback(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): no function
  template <class F>
    requires(!std::is_same_v<F, Callback> && std::is_invocable_r_v<R, F&, A...>)
  Callback(F f) {  // NOLINT(google-explicit-constructor): any function
    if constexpr (requires { f == nullptr; })
      if (f == nullptr) return;
    function_ = Shared<F>(new F(std::move(f)));
    call_ = [](void* function, A... arguments) -> R {
      return (*static_cast<F*>(function))(std::forward<A>(arguments)...);
    };
  }

  explicit operator bool() const noexcept { return call_ != nullptr; }
  /// Only of a callback that has a function.
  R operator()(A... arguments) const { return call_(function_.get(), std::forward<A>(arguments)...); }

 private:
  Shared<void> function_;
  R (*call_)(void* function, A... arguments) = nullptr;
};

}  // namespace sinter
#pragma GCC visibility pop
