// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "tests/fuzz/compare.h"

namespace sinter::fuzz {

/// How often ops, dtypes of their results, layouts of inputs and kinds of graphs came up.
class Coverage {
 public:
  void note(const Case& c);
  std::string text() const;

 private:
  void note_input(const Case& c, size_t input);
  std::map<std::string, int> ops_, dtypes_, layouts_, graphs_;
};

}  // namespace sinter::fuzz
