// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/user_ops.h"

#include <mutex>
#include <set>

namespace sinter::device {
namespace {

struct Launched {
  std::mutex mutex;
  std::set<std::string> names;
};

Launched& launched() {
  static auto* l = new Launched;
  return *l;
}

}  // namespace

void note_user_op(const std::string& name) {
  const std::scoped_lock lock(launched().mutex);
  launched().names.insert(name);
}

std::string launched_user_ops() {
  const std::scoped_lock lock(launched().mutex);
  std::string all;
  for (const std::string& name : launched().names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

}  // namespace sinter::device
