// SPDX-License-Identifier: Apache-2.0
// What fuse_epilogues gives to a product, and what it leaves where it is: graphs before and after.
#include <gtest/gtest.h>

#include <string>

#include "src/graph/registry.h"
#include "src/ops/ops.h"
#include "src/passes/fuse_epilogues.h"

namespace sinter {
namespace {

/// The graph after the pass, from "%n" of the product on.
std::string fused(const std::string& dtype, const std::string& nodes, const passes::CallFilter& takes = {}) {
  ops::register_all_ops();
  std::string text =
      "graph \"f\" on cpu {\n  %0 T [4,8] = input\n  %1 T [8,5] = input\n  %2 T [5] = input\n" + nodes + "}\n";
  for (size_t at = 0; (at = text.find('T', at)) != std::string::npos;) text.replace(at, 1, dtype);
  const graph::Graph g = graph::parse(text);
  const graph::Graph after =
      passes::fuse_epilogues(g, takes ? takes : [](const graph::Graph&, const graph::Node&) { return true; });
  graph::verify(after);
  const std::string printed = graph::print(after);
  return printed.substr(printed.find("  %3"));
}

std::string product(const std::string& dtype, const std::string& operands, const std::string& epilogue) {
  return "  %3 " + dtype + " [4,5] = gemm(" + operands + ") epilogue=" + epilogue + ", dtype=" + dtype +
         "\n  return %3\n}\n";
}

constexpr const char* plain = "  %3 T [4,5] = gemm(%0, %1) epilogue=none, dtype=T\n";

TEST(Epilogues, ReluOfEveryDtype) {
  for (const std::string t : {"f16", "bf16", "f32"})
    EXPECT_EQ(fused(t, std::string(plain) + "  %4 T [4,5] = relu(%3)\n  return %4\n"), product(t, "%0, %1", "relu"));
}

TEST(Epilogues, GeluByTanhOfHalves) {
  const std::string nodes = std::string(plain) + "  %4 T [4,5] = gelu(%3) approximate=tanh\n  return %4\n";
  EXPECT_EQ(fused("f16", nodes), product("f16", "%0, %1", "gelu_tanh"));
  EXPECT_NE(fused("f32", nodes).find("gelu(%3)"), std::string::npos);
  const std::string exact = std::string(plain) + "  %4 T [4,5] = gelu(%3) approximate=none\n  return %4\n";
  EXPECT_NE(fused("f16", exact).find("gelu(%3)"), std::string::npos);
}

TEST(Epilogues, ARowIsAddedInF32Alone) {
  const std::string nodes =
      std::string(plain) + "  %4 T [4,5] = add(%2, %3) lhs=none, rhs=none\n  %5 T [4,5] = relu(%4)\n  return %5\n";
  EXPECT_EQ(fused("f32", nodes), product("f32", "%0, %1, %2", "relu"));
  EXPECT_NE(fused("f16", nodes).find("add("), std::string::npos);
}

TEST(Epilogues, AValueThatIsReadTwiceStays) {
  const std::string again = std::string(plain) + "  %4 T [4,5] = relu(%3)\n  return %3, %4\n";
  EXPECT_NE(fused("f32", again).find("relu(%3)"), std::string::npos);
}

TEST(Epilogues, WhatNoLibraryTakesStays) {
  const std::string nodes = std::string(plain) + "  %4 T [4,5] = relu(%3)\n  return %4\n";
  const auto refuses = [](const graph::Graph&, const graph::Node&) { return false; };
  EXPECT_EQ(fused("f32", nodes, refuses),
            "  %3 f32 [4,5] = gemm(%0, %1) epilogue=none, dtype=f32\n  %4 f32 [4,5] = relu(%3)\n  return %4\n}\n");
}

}  // namespace
}  // namespace sinter
