// SPDX-License-Identifier: Apache-2.0
// Every field of the cache key, changed alone: the key must change in exactly that field.
#include "src/compiler/cache_key.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "src/ops/ops.h"

namespace sinter::compiler {
namespace {

/// Everything a key is made of.
struct Subject {
  graph::Graph graph;
  Options options;
  device::Properties device;
};

constexpr std::string_view graph_text = R"(graph "f" on cpu {
  symbols 2, s0 in [2,4096]
  %0 f32 [s0,8] = input
  %1 f16 [8] = input strides=[2], offset=0
  %2 f32 [8] = to(%1) dtype=f32
  %3 f32 [s0,8] = add(%0, %2) lhs=none, rhs=none
  %4 f32 [s0,8] = mul(%3) lhs=none, rhs=2
  %5 f32 [s0] = sum(%4) dims=[1], keepdim=false
  return %4, %5
})";

/// The graph with one piece of its text changed; the text is the key, so whatever it holds is covered.
std::function<void(Subject&)> text(std::string from, std::string to) {
  return [=](Subject& s) {
    std::string t(graph_text);
    const size_t at = t.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    s.graph = graph::parse(t.replace(at, from.size(), to));
  };
}

struct Change {
  const char* field;  ///< the one that must differ
  const char* what;
  std::function<void(Subject&)> apply;
};

const std::vector<Change>& changes() {
  static const std::vector<Change> all{
      {"device", "another kind", [](Subject& s) { s.graph.device = Device::cuda(0); }},
      {"architecture", "another", [](Subject& s) { s.device.architecture = "x86-64-v4"; }},
      {"shared memory", "1000", [](Subject& s) { s.device.shared_bytes_per_block = 1000; }},
      {"vector bits", "512", [](Subject& s) { s.device.vector_bits = 512; }},
      {"processors", "another number", [](Subject& s) { s.device.multiprocessors = 3; }},
      {"backend", "eager", [](Subject& s) { s.options.backend = "eager"; }},
      {"fusion", "none", [](Subject& s) { s.options.fusion = Fusion::none; }},
      {"fusion", "vertical", [](Subject& s) { s.options.fusion = Fusion::vertical; }},
      {"rounding", "per kernel", [](Subject& s) { s.options.rounding = Rounding::per_kernel; }},
      {"math", "fast", [](Subject& s) { s.options.math = Math::fast; }},
      {"aligned", "no", [](Subject& s) { s.options.aligned = false; }},
      {"libraries", "not used", [](Subject& s) { s.options.libraries = false; }},
      {"folds", "forced", [](Subject& s) { s.options.folds = schedule::FoldStrategy::looped; }},
      {"name", "g", [](Subject& s) { s.graph.name = "g"; }},
      {"graph", "range of a symbol", text("s0 in [2,4096]", "s0 in [2,8192]")},
      {"graph", "extent", text("%1 f16 [8] = input strides=[2], offset=0", "%1 f16 [8] = input strides=[3], offset=0")},
      {"graph", "offset", text("offset=0", "offset=1")},
      {"graph", "layout", text(" = input strides=[2], offset=0", " = input")},
      {"graph", "dtype of an input", text("%1 f16 [8]", "%1 bf16 [8]")},
      {"graph", "op", text("= mul(", "= div(")},
      {"graph", "operands", text("add(%0, %2)", "add(%2, %0)")},
      {"graph", "number", text("rhs=2", "rhs=3")},
      {"graph", "side of a number", text("lhs=none, rhs=2", "lhs=2, rhs=none")},
      {"graph", "structural attribute", text("%5 f32 [s0] = sum(%4) dims=[1]", "%5 f32 [8] = sum(%4) dims=[0]")},
      {"graph", "number of results", text("return %4, %5", "return %5")},
      {"graph", "order of results", text("return %4, %5", "return %5, %4")},
  };
  return all;
}

Subject subject() {
  ops::register_all_ops();
  Subject s;
  s.graph = graph::parse(graph_text);
  s.device.architecture = "x86-64-v3";
  return s;
}

std::vector<KeyField> fields(const Subject& s) { return key_fields(s.graph, s.options, s.device); }

/// Names of the fields that differ, in order. The device is printed in the graph's text as well.
std::vector<std::string_view> different(const std::vector<KeyField>& a, const std::vector<KeyField>& b) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) names.push_back(a[i].name);
  return names;
}

TEST(CacheKey, EveryChangeIsSeenAndNamed) {
  const auto before = fields(subject());
  std::set<std::string> keys{key_text(before)};
  for (const Change& c : changes()) {
    Subject s = subject();
    c.apply(s);
    const auto after = fields(s);
    const auto names = different(before, after);
    ASSERT_FALSE(names.empty()) << c.field << ": " << c.what;
    EXPECT_EQ(names[0], c.field) << c.what;
    EXPECT_TRUE(keys.insert(key_text(after)).second) << c.field << ": " << c.what;
  }
}

TEST(CacheKey, EveryFieldIsInTheTable) {
  std::set<std::string_view> covered{"build", "emitter"};  // change with the build itself; see decision 0006
  for (const Change& c : changes()) covered.insert(c.field);
  for (const KeyField& f : fields(subject())) EXPECT_TRUE(covered.contains(f.name)) << f.name;
}

// A new member that can change the code must come into the key: these fail to compile until somebody has looked.
TEST(CacheKey, KnowsEveryMemberOfWhatItIsMadeOf) {
  const auto [fusion, rounding, math, backend, aligned, location, libraries, frozen, folds] = Options{};
  EXPECT_TRUE(libraries);
  EXPECT_EQ(folds, schedule::FoldStrategy::automatic);
  EXPECT_TRUE(location.empty());  // comments only
  EXPECT_TRUE(frozen.empty());    // what is folded is in the graph (src/compiler/folded.h)
  // Reports and limits, not code: name, driver, threads a block, bytes of L2 and memory, copy rate.
  const auto [name, architecture, driver, multiprocessors, threads, shared, l2, memory, vector_bits, copy] =
      device::Properties{};
  EXPECT_GE(threads, 1);
}

TEST(CacheKey, SourceLinesAreNoPartOfIt) {
  Subject s = subject();
  const auto before = fields(s);
  s.options.location = "main.cpp:12";
  for (graph::NodeId i = 0; i < s.graph.size(); ++i) s.graph.node(i).line = {"main.cpp", 12};
  EXPECT_EQ(fields(s), before);
}

}  // namespace
}  // namespace sinter::compiler
