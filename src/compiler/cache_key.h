// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/backend.h"
#include "src/compiler/compile.h"

namespace sinter::compiler {

/// One thing that can change the code.
struct KeyField {
  std::string_view name;
  std::string value;
  friend bool operator==(const KeyField&, const KeyField&) = default;
};

/// Everything that can change the code of a graph: the build of the compiler, the device, the options, the libraries
/// that its calls may go to, the graph.
std::vector<KeyField> key_fields(const graph::Graph& graph, const Options& options, const device::Properties& device);
/// The key of the memory table and of graph entries on disk: name, length and value of each field, so that equal texts
/// are equal fields.
std::string key_text(const std::vector<KeyField>& fields);

}  // namespace sinter::compiler
