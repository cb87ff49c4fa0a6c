// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/provider.h"

#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "runtime/exec/library/builtin.h"

namespace sinter::exec {
namespace {

std::vector<std::unique_ptr<Provider>> builtin_providers() {
  std::vector<std::unique_ptr<Provider>> all = cuda_providers();
  if (auto p = make_onednn_convolution_provider()) all.push_back(std::move(p));
  if (auto p = make_onednn_provider()) all.push_back(std::move(p));
  all.push_back(make_host_sort_provider());
  all.push_back(make_host_fold_provider());
  return all;
}

struct Registry {
  std::shared_mutex mutex;
  std::vector<std::unique_ptr<Provider>> all = builtin_providers();
};

Registry& registry() {
  static auto* r = new Registry;
  return *r;
}

}  // namespace

double CallNumber::as_double() const {
  if (!floating) return static_cast<double>(bits);
  double v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

void register_provider(std::unique_ptr<Provider> provider) {
  Registry& r = registry();
  const std::unique_lock lock(r.mutex);
  r.all.push_back(std::move(provider));
}

std::vector<const Provider*> providers() {
  Registry& r = registry();
  const std::shared_lock lock(r.mutex);
  std::vector<const Provider*> list;
  for (const auto& p : r.all) list.push_back(p.get());
  return list;
}

const Provider* find_provider(std::string_view name, std::string_view op, Device device) {
  for (const Provider* p : providers())
    if (p->name() == name && p->serves(op, device)) return p;
  return nullptr;
}

}  // namespace sinter::exec
