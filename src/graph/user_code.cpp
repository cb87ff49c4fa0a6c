// SPDX-License-Identifier: Apache-2.0
#include "src/graph/user_code.h"

#include <sinter/error.h>

#include <utility>

namespace sinter::graph {
namespace {

thread_local UserCode* innermost = nullptr;

}  // namespace

UserCodeHooks& user_code_hooks() {
  static UserCodeHooks hooks;
  return hooks;
}

UserCode::UserCode(const void* whose, std::string name) : whose_(whose), name_(std::move(name)), outer_(innermost) {
  for (const UserCode* c = outer_; c != nullptr; c = c->outer_)
    if (c->whose_ == whose)
      throw UserError(
          {name_, "its own code uses it again, which would never end", {}, {}, "compute it another way there"});
  suspended_ = user_code_hooks().suspend != nullptr ? user_code_hooks().suspend() : nullptr;
  innermost = this;
}

UserCode::~UserCode() {
  innermost = outer_;
  if (user_code_hooks().resume != nullptr) user_code_hooks().resume(suspended_);
}

}  // namespace sinter::graph
