// SPDX-License-Identifier: Apache-2.0
// SINTER_CHECK=verify: what a step made wrong is found after that step.
#include "src/compiler/steps.h"

#include <gtest/gtest.h>

#include <string>

#include "src/ops/ops.h"

namespace sinter::compiler {
namespace {

graph::Graph sound_graph() {
  ops::register_all_ops();
  return graph::parse(R"(graph "f" on cpu {
  symbols 0
  %0 f32 [8] = input
  %1 f32 [8] = relu(%0)
  return %1
})");
}

/// The text of the CompileError, "" without one.
template <class Made>
std::string found(bool verify, const char* step, const Made& made) {
  try {
    Steps("f", verify).made(step, made);
  } catch (const CompileError& e) {
    return e.what();
  }
  return {};
}

TEST(Steps, ADamagedGraphIsFoundAfterItsStep) {
  graph::Graph g = sound_graph();
  EXPECT_EQ(found(true, "decompose", g), "");
  g.node(1).results[0].dtype = i32;
  const std::string text = found(true, "decompose", g);
  EXPECT_NE(text.find("\"decompose\""), std::string::npos) << text;
  EXPECT_EQ(found(false, "decompose", g), "");
}

TEST(Steps, ADamagedProgramIsFoundAfterItsStep) {
  loop::Program p;
  p.name = "f";
  EXPECT_EQ(found(true, "loops", p), "");
  loop::Buffer& b = p.buffers.emplace_back();
  b.shape = {graph::Expr(8)};  // and no stride
  const std::string text = found(true, "loops", p);
  EXPECT_NE(text.find("\"loops\""), std::string::npos) << text;
  EXPECT_EQ(found(false, "loops", p), "");
}

}  // namespace
}  // namespace sinter::compiler
