// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sinter::compiler {

/// Numbered files of one compilation under SINTER_DUMP/<name>.<n>/; does nothing where the variable is not set. A step
/// that changed nothing is written as "(unchanged)".
class Dump {
 public:
  explicit Dump(const std::string& name);
  bool is_wanted() const { return !folder_.empty(); }
  void write(const std::string& step, const std::string& text);

 private:
  std::string folder_, last_;
  int number_ = 0;
};

}  // namespace sinter::compiler
