// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sinter::graph {

/// Code of the user's that the library calls in the middle of its own work: a registered backend, a custom op's shape
/// rule or launch function. While an object of this class lives, ops on this thread run at once, as they do outside of
/// compile(), whatever is recorded or run around it.
///
/// `whose` identifies the code and `name` is how errors call it. Entering the same code twice on one thread is a
/// UserError: it would call itself for ever.
class UserCode {
 public:
  UserCode(const void* whose, std::string name);
  ~UserCode();
  UserCode(const UserCode&) = delete;
  UserCode& operator=(const UserCode&) = delete;

 private:
  const void* whose_;
  std::string name_;
  UserCode* outer_;
  void* suspended_;  ///< what `suspend` gave
};

/// How recording is interrupted on a thread and taken up again; set once by the capture layer.
struct UserCodeHooks {
  void* (*suspend)() = nullptr;
  void (*resume)(void* suspended) noexcept = nullptr;
};
UserCodeHooks& user_code_hooks();

}  // namespace sinter::graph
