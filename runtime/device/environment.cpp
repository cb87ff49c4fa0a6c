// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/environment.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>

#include "runtime/device/log.h"

namespace sinter::device {

namespace {

constexpr uint64_t default_cache_bytes = uint64_t{4} << 30;

constexpr std::array variables = {
    EnvironmentVariable{"SINTER_LOG", "list", "",
                        "what to print on stderr, separated by commas: recompiles, fusion, cache, compile, memory, "
                        "warnings, or all"},
    EnvironmentVariable{"SINTER_DUMP", "path", "",
                        "folder for what each compiled function went through: graphs, loops, tile programs, generated "
                        "text; also where a text goes that a compiler refused"},
    EnvironmentVariable{"SINTER_CACHE", "bool", "1", "0 turns the disk cache off"},
    EnvironmentVariable{"SINTER_CACHE_DIR", "path", "$XDG_CACHE_HOME/sinter, else ~/.cache/sinter",
                        "folder of the disk cache"},
    EnvironmentVariable{"SINTER_CACHE_BYTES", "bytes", "4G",
                        "size of the disk cache at which the entries longest unused are deleted; 0 is no limit"},
    EnvironmentVariable{"SINTER_CHECK", "list", "",
                        "slow self-checks, separated by commas; verify: the verifier of every representation after "
                        "every step; replay: the host code that Host::skip skips runs on every call, and a warning "
                        "says what it does differently"},
    EnvironmentVariable{"SINTER_NUM_THREADS", "int", "processors of the process",
                        "threads that CPU kernels run on; set_num_threads() overrides it"},
    EnvironmentVariable{"SINTER_NVRTC", "path", "libnvrtc.so.13, libnvrtc.so.12 as the loader finds them",
                        "the NVRTC library to use"},
    EnvironmentVariable{"SINTER_CUDA_DRIVER", "path", "libcuda.so.1", "the CUDA driver library to use"},
};

/// One value being read; keeps the parsers below to one line a variable.
struct Reader {
  const char* (*get)(const char*);
  std::vector<std::string>& problems;

  std::string text(const char* name) const {
    const char* value = get(name);
    return value ? value : "";
  }
  void refuse(const char* name, const std::string& value, const char* expected) const {
    problems.push_back(fmt::format("{}={} is not {}; it is ignored", name, value, expected));
  }
  bool boolean(const char* name, bool otherwise) const {
    const std::string value = text(name);
    if (value.empty()) return otherwise;
    if (value == "1" || value == "on" || value == "true" || value == "yes") return true;
    if (value == "0" || value == "off" || value == "false" || value == "no") return false;
    refuse(name, value, "0 or 1");
    return otherwise;
  }
  std::optional<int> positive(const char* name) const {
    const std::string value = text(name);
    if (value.empty()) return std::nullopt;
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc() && end == value.data() + value.size() && number > 0) return number;
    refuse(name, value, "a positive integer");
    return std::nullopt;
  }
  uint64_t bytes(const char* name, uint64_t otherwise) const {
    const std::string value = text(name);
    if (value.empty()) return otherwise;
    uint64_t number = 0;
    const char* last = value.data() + value.size();
    auto [end, error] = std::from_chars(value.data(), last, number);
    int shift = 0;
    if (error == std::errc() && end + 1 == last) {
      const size_t unit = std::string_view("KMGT").find(*end);
      if (unit != std::string_view::npos) {
        shift = 10 * (static_cast<int>(unit) + 1);
        ++end;
      }
    }
    if (error == std::errc() && end == last && number << shift >> shift == number) return number << shift;
    refuse(name, value, "a number of bytes such as 500M or 4G");
    return otherwise;
  }
};

std::string cache_directory(const Reader& reader) {
  if (std::string chosen = reader.text("SINTER_CACHE_DIR"); !chosen.empty()) return chosen;
  if (std::string base = reader.text("XDG_CACHE_HOME"); !base.empty() && base[0] == '/') return base + "/sinter";
  if (std::string home = reader.text("HOME"); !home.empty()) return home + "/.cache/sinter";
  return {};
}

}  // namespace

std::span<const EnvironmentVariable> environment_variables() { return variables; }

Environment read_environment(const char* (*get)(const char*), std::vector<std::string>& problems) {
  const Reader reader{get, problems};
  Environment e;
  e.log = reader.text("SINTER_LOG");
  e.dump = reader.text("SINTER_DUMP");
  e.cache = reader.boolean("SINTER_CACHE", true);
  e.cache_directory = cache_directory(reader);
  e.cache_bytes = reader.bytes("SINTER_CACHE_BYTES", default_cache_bytes);
  e.check = reader.text("SINTER_CHECK");
  e.threads = reader.positive("SINTER_NUM_THREADS");
  e.nvrtc = reader.text("SINTER_NVRTC");
  e.cuda_driver = reader.text("SINTER_CUDA_DRIVER");
  for (const std::string& name : unknown_log_channels(e.log)) reader.refuse("SINTER_LOG", name, "a channel of the log");
  return e;
}

const Environment& environment() {
  struct Loaded {
    std::vector<std::string> problems;
    Environment value = read_environment([](const char* name) -> const char* { return std::getenv(name); }, problems);
  };
  static const Loaded loaded;
  // Only now: a warning is logged, and the log asks for the environment.
  static std::atomic<bool> reported{false};
  if (!loaded.problems.empty() && !reported.exchange(true))
    for (const std::string& text : loaded.problems) warn(text);
  return loaded.value;
}

}  // namespace sinter::device
