// SPDX-License-Identifier: Apache-2.0
// docs/accuracy.md has a row for every transcendental op.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "src/graph/registry.h"
#include "src/ops/ops.h"
#include "tests/support/platform_functions.h"

namespace sinter {
namespace {

TEST(Accuracy, EveryTranscendentalOpHasARow) {
  std::ifstream file(SINTER_SOURCE_DIR "/docs/accuracy.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  ASSERT_GT(page.size(), 1000u);
  ops::register_all_ops();
  int count = 0;
  for (const graph::OpDef* op : graph::all_ops()) {
    if (!test::calls_platform(*op)) continue;
    ++count;
    EXPECT_NE(page.find(fmt::format("\n| `{}` |", op->name)), std::string::npos)
        << op->name << ": add its measurement, or what it is composed of, to tools/math/accuracy.txt";
  }
  EXPECT_GE(count, 28);
}

}  // namespace
}  // namespace sinter
