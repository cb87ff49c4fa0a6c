// SPDX-License-Identifier: Apache-2.0
#include "src/graph/needed_nodes.h"

#include <gtest/gtest.h>

#include "tests/graph/test_ops.h"

namespace sinter::graph {
namespace {

TEST(NeededNodes, AreWhatTheOutputsDependOn) {
  Graph g;
  const Value x = g.add_input({f32, {3}}), y = g.add_input({f32, {3}});
  const NodeId first = g.add(test_ops().add, {x, x}, {});
  const NodeId unused = g.add(test_ops().add, {{first, 0}, y}, {});
  const NodeId last = g.add(test_ops().add, {{first, 0}, x}, {});
  (void)unused;
  EXPECT_EQ(needed_nodes(g), std::vector<bool>(5, false)) << "no outputs";
  g.add_output({last, 0});
  EXPECT_EQ(needed_nodes(g), (std::vector<bool>{true, false, true, false, true}));
}

}  // namespace
}  // namespace sinter::graph
