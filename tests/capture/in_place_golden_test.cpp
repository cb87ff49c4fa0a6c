// SPDX-License-Identifier: Apache-2.0
// Random programs of views and in-place ops give what PyTorch gives, op by op and compiled, also on later calls, and
// their results alias as in PyTorch.
#include <fmt/format.h>

#include "tests/capture/in_place_program.h"

namespace sinter::test {
namespace {

std::vector<InPlaceProgram> golden() {
  return read_programs(fmt::format("{}/tests/golden/in_place.txt", SINTER_SOURCE_DIR));
}

/// Each program three times, its body run by `compile`d code of these options.
void expect_golden(const CompileOptions& options) {
  const std::vector<InPlaceProgram> programs = golden();
  ASSERT_GT(programs.size(), 100u);
  for (const InPlaceProgram& p : programs) {
    Variables variables;
    std::vector<std::string> none;
    auto body = compile(
        [&] {
          for (const std::string& line : p.body) run_line(line, variables, none);
        },
        options);
    for (int call = 0; call < 3; ++call) {
      std::vector<std::string> failures;
      try {
        failures = run_program(p, [&] { body(); }, variables);
      } catch (const std::exception& e) {
        failures = {e.what()};
      }
      EXPECT_TRUE(failures.empty()) << "call " << call << ", " << program_text(p, failures);
      if (!failures.empty()) break;
    }
  }
}

TEST(InPlaceGolden, OpByOp) {
  for (const InPlaceProgram& p : golden()) {
    Variables variables;
    std::vector<std::string> none;
    const auto failures = run_program(
        p,
        [&] {
          for (const std::string& line : p.body) run_line(line, variables, none);
        },
        variables);
    EXPECT_TRUE(failures.empty()) << program_text(p, failures);
  }
}

TEST(InPlaceGolden, Compiled) { expect_golden({.name = "compiled"}); }
TEST(InPlaceGolden, WithoutFusion) { expect_golden({.name = "unfused", .fusion = Fusion::none}); }
TEST(InPlaceGolden, Symbolic) { expect_golden({.name = "symbolic", .dynamic = Dynamic::always}); }
TEST(InPlaceGolden, Interpreted) { expect_golden({.name = "interpreted", .backend = "reference"}); }

}  // namespace
}  // namespace sinter::test
