// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "runtime/device/environment.h"
#include "tools/docs/pages.h"

namespace sinter::docs {

std::string environment_page() {
  std::string page =
      "# Environment variables\n\n"
      "Made by `./bootstrap docs` from the table in `runtime/device/environment.cpp`, the only place that reads the\n"
      "environment; do not edit. Variables are read once, when first needed. A value that cannot be read is named in "
      "a\n"
      "warning and ignored.\n\n"
      "| variable | type | default | meaning |\n|---|---|---|---|\n";
  for (const device::EnvironmentVariable& v : device::environment_variables())
    page += fmt::format("| `{}` | {} | {} | {} |\n", v.name, v.type,
                        v.default_value.empty() ? "empty" : v.default_value, v.meaning);
  return page;
}

}  // namespace sinter::docs
