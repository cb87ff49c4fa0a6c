// SPDX-License-Identifier: Apache-2.0
// A backend of one's own: it counts the ops of every graph that it is given, prints the graph, and hands it on to the
// code generator. Another one could hand it to another library, or change it first.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sinter/backend.h>
#include <sinter/sinter.h>

#include <exception>
#include <map>
#include <string>

namespace sn = sinter;

namespace {

sn::GraphFunction count_ops(const sn::RecordedGraph& graph) {
  std::map<std::string, int> counts;
  for (const sn::RecordedOp& op : graph.ops) ++counts[op.name];
  fmt::print("{}", graph.text());
  for (const auto& [op, count] : counts) fmt::print("{:3} x {}\n", count, op);
  return sn::compile_graph(graph);
}

}  // namespace

int main() try {
  sn::register_backend("counting", count_ops);
  auto f = sn::compile([](const sn::Tensor& x) { return sn::relu(x * 2 - 3) * 2 + sn::sum(x); },
                       {.name = "chain", .backend = "counting"});
  const sn::Tensor x = sn::arange(5, {.dtype = sn::f32});
  fmt::print("{}\n", sn::to_vector<float>(f(x)));
  fmt::print("{}\n", sn::to_vector<float>(f(x)));  // the same graph: not compiled again
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
