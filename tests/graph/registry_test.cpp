// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sinter/error.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include "tests/graph/test_ops.h"

namespace sinter::graph {
namespace {

TEST(Registry, FindsWhatWasRegistered) {
  const OpDef& op = test_ops().split;
  EXPECT_EQ(find_op("split"), &op);
  EXPECT_EQ(find_op("spli"), nullptr);
  OpDef twice;
  twice.name = "split";
  EXPECT_THROW(register_op(twice), CompileError);
  EXPECT_THROW(register_op(OpDef{}), CompileError);
}

TEST(Registry, KeepsTheTextsOfAnOp) {
  const OpDef* op = nullptr;
  {
    const std::string name = "temporary_name_longer_than_a_small_string", enumerator = "another_long_enumerator_name";
    OpDef d;
    d.name = name;
    d.params = {{std::string_view(name).substr(0, 9), ParamKind::enumeration, {enumerator}}};
    op = &register_op(d);
  }
  EXPECT_EQ(op->name, "temporary_name_longer_than_a_small_string");
  EXPECT_EQ(op->params[0].name, "temporary");
  EXPECT_EQ(op->params[0].names[0], "another_long_enumerator_name");
}

/// Spans and addresses handed out stay good while other threads register.
TEST(Registry, GrowsUnderReaders) {
  test_ops();
  const auto before = all_ops();
  const std::vector<const OpDef*> copy(before.begin(), before.end());
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop)
      for (const OpDef* op : all_ops()) ASSERT_EQ(find_op(op->name), op);
  });
  for (int i = 0; i < 600; ++i) {
    OpDef d;
    const std::string name = "grown_" + std::to_string(i);
    d.name = name;
    register_op(d);
  }
  stop = true;
  reader.join();
  EXPECT_EQ(std::vector<const OpDef*>(before.begin(), before.end()), copy);
  EXPECT_EQ(all_ops().size(), copy.size() + 600);
  EXPECT_EQ(all_ops().back()->name, "grown_599");
  EXPECT_TRUE(std::equal(copy.begin(), copy.end(), all_ops().begin()));
}

}  // namespace
}  // namespace sinter::graph
