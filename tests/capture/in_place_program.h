// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/capture/support.h"

namespace sinter::test {

/// A program of views and in-place ops as tools/golden/in_place.py writes it: lines before `begin` and after `end` run
/// op by op, those between are the body.
struct InPlaceProgram {
  std::string name;
  std::vector<std::string> before, body, after;
};

/// All programs of a golden file.
std::vector<InPlaceProgram> read_programs(const std::string& file);

using Variables = std::map<std::string, Tensor>;

/// Runs one line; inputs are made on `device`, `check` lines add to `failures`.
void run_line(const std::string& line, Variables& variables, std::vector<std::string>& failures,
              Device device = Device::cpu());

/// Runs a program with the body given to `run_body`, which calls its argument.
template <class RunBody>
std::vector<std::string> run_program(const InPlaceProgram& p, const RunBody& run_body, Variables& variables,
                                     Device device = Device::cpu()) {
  std::vector<std::string> failures;
  variables.clear();
  for (const std::string& line : p.before) run_line(line, variables, failures, device);
  run_body();
  for (const std::string& line : p.after) run_line(line, variables, failures);
  variables.clear();
  return failures;
}

/// Its lines, and what failed.
std::string program_text(const InPlaceProgram& p, const std::vector<std::string>& failures);

}  // namespace sinter::test
