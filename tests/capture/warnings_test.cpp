// SPDX-License-Identifier: Apache-2.0
// What compiled functions tell their users: warnings, and the log that SINTER_LOG asks for.
#include <sinter/warnings.h>

#include <string>
#include <vector>

#include "runtime/device/log.h"
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

class Warnings : public testing::Test {
 protected:
  void SetUp() override {
    before_ = set_warning_handler([this](const std::string& text) { got.push_back(text); });
  }
  void TearDown() override { set_warning_handler(before_); }
  std::vector<std::string> got;

 private:
  WarningHandler before_;
};

TEST_F(Warnings, AFullRegionWarnsOnce) {
  // Ranks are no symbols: each is a structure of its own, and shapes of one rank differ in extents.
  auto f = compile([](const Tensor& x) { return x + 1; }, {.name = "grows", .max_entries = 2});
  const int64_t counted = warning_count();
  (void)f(counting({2, 3}));
  (void)f(counting({2, 3, 4}));
  EXPECT_TRUE(got.empty());
  (void)f(counting({5, 3}));  // the third
  ASSERT_EQ(got.size(), 1u);
  for (const char* part : {"\"grows\"", "warnings_test.cpp", "max_entries", "was 2, now 5"})
    EXPECT_TRUE(contains(got[0], part)) << got[0];
  EXPECT_EQ(warning_count(), counted + 1);
  EXPECT_EQ(f.stats().warnings, 1);
  for (const int64_t n : {6, 7, 8}) (void)f(counting({n, 9}));
  EXPECT_EQ(got.size(), 1u);
}

TEST_F(Warnings, NeverDynamicSaysThatItCompilesOn) {
  auto f =
      compile([](const Tensor& x) { return x + 1; }, {.name = "static", .dynamic = Dynamic::never, .max_entries = 2});
  for (const int64_t n : {2, 3, 4, 5, 6}) (void)f(counting({n}));
  ASSERT_EQ(got.size(), 1u);
  EXPECT_TRUE(contains(got[0], "Dynamic::never")) << got[0];
  EXPECT_EQ(f.stats().compilations, 5);
}

TEST_F(Warnings, FewShapesWarnNobody) {
  auto f = compile([](const Tensor& x) { return x + 1; });
  for (const int64_t n : {2, 3, 4, 5, 6}) (void)f(counting({n}));
  EXPECT_TRUE(got.empty()) << got[0];
  EXPECT_EQ(f.stats().warnings, 0);
}

/// What is printed while `channels` are on.
template <class Run>
std::string logged(const char* channels, const Run& run) {
  device::set_log_channels(channels);
  testing::internal::CaptureStderr();
  run();
  const std::string text = testing::internal::GetCapturedStderr();
  device::set_log_channels("");
  return text;
}

TEST(LogChannels, RecompilesAreLoggedWithTheirReason) {
  auto f = compile([](const Tensor& x) { return x * 2; }, {.name = "again"});
  EXPECT_EQ(logged("recompiles", [&] { (void)f(counting({2, 3})); }), "");
  const std::string text = logged("recompiles", [&] { (void)f(counting({5, 3})); });
  for (const char* part : {"[sinter recompiles] ", "\"again\"", "warnings_test.cpp", "call 2", "was 2, now 5"})
    EXPECT_TRUE(contains(text, part)) << text;
  EXPECT_EQ(logged("recompiles", [&] { (void)f(counting({6, 3})); }), "");
}

TEST(LogChannels, FusionSaysWhatSharesAKernelAndWhy) {
  // Numbers that no other test has: what is compiled already is not decided again.
  auto f = compile([](const Tensor& x) { return (x + 41.75) * 3.625; }, {.name = "logged_fusion"});
  const std::string text = logged("fusion", [&] { (void)f(counting({2, 3})); });
  for (const char* part : {"[sinter fusion] logged_fusion_0: kernel %1 %2", "is stored: output"})
    EXPECT_TRUE(contains(text, part)) << text;
}

}  // namespace
}  // namespace sinter::test
