// SPDX-License-Identifier: Apache-2.0
// SINTER_CHECK=replay names what skipped host code would do differently, and changes no result.
#include <cstdlib>
#include <functional>

#include "runtime/device/log.h"
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

/// Before anything of the library reads its environment.
[[gnu::constructor(101)]] void ask_for_replay() { setenv("SINTER_CHECK", "verify,replay", 1); }

class Replay : public testing::Test {
 protected:
  void SetUp() override {
    before_ = device::set_warning_handler([this](const std::string& text) { warnings += text + "\n"; });
  }
  void TearDown() override { device::set_warning_handler(before_); }
  /// The warnings since the last call.
  std::string take() { return std::exchange(warnings, {}); }

  std::string warnings;

 private:
  std::function<void(const std::string&)> before_;
};

constexpr CompileOptions skip{.name = "checked", .host = Host::skip};
std::vector<float> floats(const Tensor& t) { return to_vector<float>(t); }

TEST_F(Replay, EqualHostCodeIsSilent) {
  int runs = 0;
  const Tensor w = counting({3});
  auto f = compile([&](Tensor x) { return ++runs, std::pair(x * w + 1, x); }, skip);
  for (int i = 0; i < 3; ++i) f(counting({3}));
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(take(), "");
}

TEST_F(Replay, HostCodeThatIsCheckedDrawsNothing) {
  auto f = compile([](Tensor x) { return x + rand({3}) - dropout(x, 0.5); }, skip);
  const auto eager = [](const Tensor& x) { return x + rand({3}) - dropout(x, 0.5); };
  const Tensor x = counting({3});
  std::vector<std::vector<float>> want, got;
  manual_seed(4);
  for (int i = 0; i < 3; ++i) want.push_back(floats(eager(x)));
  manual_seed(4);
  for (int i = 0; i < 3; ++i) got.push_back(floats(f(x)));
  EXPECT_EQ(got, want);
  EXPECT_EQ(random_state(), (RandomState{4, 6}));
  EXPECT_EQ(take(), "");
}

TEST_F(Replay, NumbersOpsAndTensors) {
  float number = 2;
  bool other = false;
  Tensor w = from<float>({1, 1});
  int line = 0;
  auto f = compile(
      [&](Tensor x) {
        line = __LINE__ + 1;
        Tensor y = x * number;
        if (other) y = relu(y);
        return y + w;
      },
      skip);
  const Tensor x = counting({2});
  const std::vector<float> first = floats(f(x));
  EXPECT_EQ(take(), "");
  number = 4;
  EXPECT_EQ(floats(f(x)), first);
  const std::string changed = take();
  EXPECT_TRUE(contains(changed, "a number of [mul] " + line_text(__FILE__, line) + " was 2, now 4")) << changed;
  number = 2;
  w = from<float>({1, 2});
  EXPECT_EQ(floats(f(x)), first);
  const std::string elements = take();
  EXPECT_TRUE(contains(elements, "an operand of [add]") && contains(elements, "has other elements")) << elements;
  w = from<float>({1, 1});
  other = true;
  EXPECT_EQ(floats(f(x)), first);
  const std::string op = take();
  EXPECT_TRUE(contains(op, "op 1 was [add]") && contains(op, "now [relu] " + line_text(__FILE__, line + 1))) << op;
  other = false;
  f(x);
  EXPECT_EQ(take(), "");
}

TEST_F(Replay, Results) {
  bool swapped = false;
  int count = 1;
  auto f = compile(
      [&](Tensor x) {
        Tensor a = x + 1, b = x + 2;
        return std::tuple(swapped ? b : a, swapped ? a : b, swapped ? a : x, count);
      },
      skip);
  f(counting({2}));
  count = 2;
  EXPECT_EQ(std::get<3>(f(counting({2}))), 1);
  EXPECT_TRUE(contains(take(), "numbers or lengths"));
  count = 1;
  swapped = true;
  EXPECT_EQ(floats(std::get<0>(f(counting({2})))), (std::vector<float>{1, 2}));
  const std::string results = take();
  EXPECT_TRUE(contains(results, "result 0 comes from elsewhere")) << results;
  EXPECT_TRUE(contains(results, "result 2 comes from elsewhere")) << results;
}

}  // namespace
}  // namespace sinter::test
