// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::device {

/// Every environment variable Sinter reads, with its value. Nothing else in the library calls getenv for its own
/// settings. `environment_variables()` documents them; adding one means a member here and a row there.
struct Environment {
  std::string log;              ///< SINTER_LOG
  std::string dump;             ///< SINTER_DUMP; empty: nothing is written
  bool cache = true;            ///< SINTER_CACHE
  std::string cache_directory;  ///< SINTER_CACHE_DIR or its default; empty: no place for one
  uint64_t cache_bytes = 0;     ///< SINTER_CACHE_BYTES
  std::string check;            ///< SINTER_CHECK
  std::optional<int> threads;   ///< SINTER_NUM_THREADS
  std::string nvrtc;            ///< SINTER_NVRTC
  std::string cuda_driver;      ///< SINTER_CUDA_DRIVER
};

/// A row of the documentation.
struct EnvironmentVariable {
  std::string_view name;
  std::string_view type;  ///< "path", "list", "bool", "bytes", "int"
  std::string_view default_value;
  std::string_view meaning;
};

/// All variables, in the order of the documentation.
std::span<const EnvironmentVariable> environment_variables();

/// The process's environment, read on first use. A value that cannot be understood is as if it were unset, with a
/// warning that names it.
const Environment& environment();

/// Reads an environment: `get(name)` answers like getenv. Each value that makes no sense adds a sentence to `problems`.
Environment read_environment(const char* (*get)(const char* name), std::vector<std::string>& problems);

}  // namespace sinter::device
