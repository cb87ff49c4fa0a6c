// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>

#include "runtime/device/environment.h"

namespace sinter::compiler {
namespace {

template <class Representation>
void verify_after(const std::string& step, const Representation& made) {
  try {
    verify(made);
  } catch (const CompileError& e) {
    ErrorParts parts = e.parts();
    parts.context = fmt::format("verifying what the step \"{}\" made", step);
    throw CompileError(std::move(parts));
  }
}

}  // namespace

bool is_check_wanted(std::string_view check) {
  return std::ranges::any_of(std::views::split(std::string_view(device::environment().check), ','),
                             [&](auto part) { return std::string_view(part.begin(), part.end()) == check; });
}

void Steps::made(const std::string& step, const graph::Graph& graph) {
  if (verify_) verify_after(step, graph);
  if (dump_.is_wanted()) dump_.write(step, graph::print(graph, true));
}

void Steps::made(const std::string& step, const loop::Program& program) {
  if (verify_) verify_after(step, program);
  if (dump_.is_wanted()) dump_.write(step, loop::print(program));
}

}  // namespace sinter::compiler
