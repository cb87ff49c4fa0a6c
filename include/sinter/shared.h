// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#pragma GCC visibility push(default)
namespace sinter {

namespace shared {
/// Counts the handles to an object, and knows how to destroy it.
struct Owner;
/// One handle's count; if there is no memory for it the object is destroyed and std::bad_alloc thrown.
Owner* own(void* object, void (*destroy)(void* object));
void retain(Owner* owner) noexcept;
void release(Owner* owner) noexcept;  ///< the last one destroys the object
}  // namespace shared

/// A counted handle, empty or to an object that goes with the last handle; safe to copy from any thread. It is what
/// std::shared_ptr is, without the 0.12 s that <memory> costs each translation unit.
template <class T>
class Shared {
 public:
  Shared() noexcept = default;
  Shared(std::nullptr_t) noexcept {}  // NOLINT(google-explicit-constructor): as for any pointer
  /// Takes what `new` made.
  template <class U>
  explicit Shared(U* object)
      : object_(object), owner_(shared::own(object, [](void* o) { delete static_cast<U*>(o); })) {}
  Shared(const Shared& o) noexcept : object_(o.object_), owner_(o.owner_) {
    if (owner_) shared::retain(owner_);
  }
  Shared(Shared&& o) noexcept : object_(std::exchange(o.object_, nullptr)), owner_(std::exchange(o.owner_, nullptr)) {}
  /// A handle to a base, to const or to void.
  template <class U>
  Shared(Shared<U> o) noexcept  // NOLINT(google-explicit-constructor): as U* is a T*
      : object_(std::exchange(o.object_, nullptr)), owner_(std::exchange(o.owner_, nullptr)) {}
  Shared& operator=(Shared o) noexcept {
    std::swap(object_, o.object_);
    std::swap(owner_, o.owner_);
    return *this;
  }
  ~Shared() {
    if (owner_) shared::release(owner_);
  }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  template <class U = T>
  U& operator*() const noexcept {
    return *object_;
  }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  template <class U>
  friend class Shared;

  T* object_ = nullptr;
  shared::Owner* owner_ = nullptr;
};

}  // namespace sinter
#pragma GCC visibility pop
