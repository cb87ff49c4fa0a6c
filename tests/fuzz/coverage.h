// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tests/fuzz/compare.h"

namespace sinter::fuzz {

/// How often ops, dtypes of their results, layouts of inputs, views and kinds of graphs came up.
class Coverage {
 public:
  void note(const Case& c);
  std::string text() const;
  /// As lines that add() reads: how processes tell each other.
  std::string lines() const;
  void add(std::string_view lines);

 private:
  void note_input(const Case& c, size_t input);
  using Counts = std::map<std::string, int>;
  Counts ops_, dtypes_, layouts_, views_, graphs_;
};

}  // namespace sinter::fuzz
