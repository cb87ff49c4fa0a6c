// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/dump.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "runtime/device/environment.h"
#include "runtime/device/log.h"

namespace sinter::compiler {

Dump::Dump(const std::string& name) {
  const std::string& root = device::environment().dump;
  if (root.empty()) return;
  std::error_code error;
  // The first number that is free: create_directory says whether it made one.
  for (int n = 1; n < 100000; ++n) {
    folder_ = fmt::format("{}/{}.{}", root, name.empty() ? "graph" : name, n);
    std::filesystem::create_directories(root, error);
    if (std::filesystem::create_directory(folder_, error)) return;
    if (error) break;
  }
  device::warn(fmt::format("SINTER_DUMP: cannot write to {}: {}", root, error.message()));
  folder_.clear();
}

void Dump::write(const std::string& step, const std::string& text) {
  if (folder_.empty()) return;
  const bool named = step.find('.') != std::string::npos;
  std::ofstream out(fmt::format("{}/{:02}_{}{}", folder_, number_++, step, named ? "" : ".txt"));
  out << (text == last_ ? "(unchanged)\n" : text);
  last_ = text;
}

}  // namespace sinter::compiler
