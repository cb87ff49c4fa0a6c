// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/environment.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "runtime/device/log.h"

namespace sinter::device {
namespace {

std::map<std::string, std::string> variables;

struct Read {
  std::vector<std::string> problems;
  Environment value;
};

Read read(std::map<std::string, std::string> values) {
  variables = std::move(values);
  Read r;
  r.value = read_environment(
      [](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      r.problems);
  return r;
}

TEST(EnvironmentValues, HaveDefaults) {
  const Read r = read({});
  EXPECT_TRUE(r.problems.empty());
  EXPECT_TRUE(r.value.cache);
  EXPECT_EQ(r.value.cache_bytes, uint64_t{4} << 30);
  EXPECT_EQ(r.value.cache_directory, "");
  EXPECT_FALSE(r.value.threads.has_value());
}

TEST(EnvironmentValues, TheCacheFolderHasThreePlaces) {
  EXPECT_EQ(read({{"HOME", "/h"}}).value.cache_directory, "/h/.cache/sinter");
  EXPECT_EQ(read({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}).value.cache_directory, "/x/sinter");
  EXPECT_EQ(read({{"HOME", "/h"}, {"XDG_CACHE_HOME", "relative"}}).value.cache_directory, "/h/.cache/sinter");
  EXPECT_EQ(read({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}, {"SINTER_CACHE_DIR", "/c"}}).value.cache_directory, "/c");
}

TEST(EnvironmentValues, AreTyped) {
  const Read r = read({{"SINTER_CACHE", "0"},
                       {"SINTER_NUM_THREADS", "6"},
                       {"SINTER_CACHE_BYTES", "500M"},
                       {"SINTER_LOG", "fusion,cache"},
                       {"SINTER_DUMP", "/d"},
                       {"SINTER_CHECK", "verify"}});
  EXPECT_TRUE(r.problems.empty());
  EXPECT_FALSE(r.value.cache);
  EXPECT_EQ(r.value.threads, 6);
  EXPECT_EQ(r.value.cache_bytes, uint64_t{500} << 20);
  EXPECT_EQ(r.value.dump, "/d");
  EXPECT_EQ(r.value.check, "verify");
  EXPECT_EQ(read({{"SINTER_CACHE_BYTES", "0"}}).value.cache_bytes, 0u);
  EXPECT_EQ(read({{"SINTER_CACHE_BYTES", "123"}}).value.cache_bytes, 123u);
}

TEST(EnvironmentValues, NonsenseIsNamedAndIgnored) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"SINTER_CACHE", "maybe"},
                                                                      {"SINTER_NUM_THREADS", "-1"},
                                                                      {"SINTER_NUM_THREADS", "4x"},
                                                                      {"SINTER_CACHE_BYTES", "4X"},
                                                                      {"SINTER_CACHE_BYTES", "99999999999T"},
                                                                      {"SINTER_LOG", "fusion,fussion"}}) {
    const Read r = read({{name, value}});
    ASSERT_EQ(r.problems.size(), 1u) << name;
    EXPECT_NE(r.problems[0].find(name), std::string::npos);
    EXPECT_TRUE(r.value.cache);
    EXPECT_FALSE(r.value.threads.has_value());
    EXPECT_EQ(r.value.cache_bytes, uint64_t{4} << 30);
  }
}

TEST(EnvironmentTable, DocumentsEveryVariableOnce) {
  // What read_environment asks for is what the table lists, but for the two names that belong to the system.
  static std::set<std::string> asked;
  std::vector<std::string> problems;
  read_environment(
      [](const char* name) -> const char* {
        asked.insert(name);
        return nullptr;
      },
      problems);
  asked.erase("HOME");
  asked.erase("XDG_CACHE_HOME");
  std::set<std::string> documented;
  for (const EnvironmentVariable& v : environment_variables()) {
    EXPECT_TRUE(documented.insert(std::string(v.name)).second) << v.name;
    EXPECT_GT(v.meaning.size(), 10u);
  }
  EXPECT_EQ(asked, documented);
}

TEST(Log, PrintsOnlyWhatIsAskedFor) {
  set_log_channels("");
  testing::internal::CaptureStderr();
  log(LogChannel::fusion, "nobody asked");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  set_log_channels("cache,fusion");
  EXPECT_TRUE(log_enabled(LogChannel::fusion));
  EXPECT_FALSE(log_enabled(LogChannel::compile));
  testing::internal::CaptureStderr();
  log(LogChannel::fusion, "two ops");
  log(LogChannel::compile, "nobody asked");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "[sinter fusion] two ops\n");
  set_log_channels("all");
  for (size_t i = 0; i < std::size(log_channel_names); ++i) EXPECT_TRUE(log_enabled(static_cast<LogChannel>(i)));
  set_log_channels("");
}

TEST(Log, WarningsAreCountedAndHandedOver) {
  std::string got;
  const auto before = set_warning_handler([&](const std::string& text) { got = text; });
  const int64_t count = warning_count();
  testing::internal::CaptureStderr();
  warn("careful");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(got, "careful");
  EXPECT_EQ(warning_count(), count + 1);
  set_warning_handler([](const std::string&) { throw 1; });
  warn("a handler that throws harms nobody");
  EXPECT_EQ(warning_count(), count + 2);
  set_warning_handler(before);
}

}  // namespace
}  // namespace sinter::device
