// SPDX-License-Identifier: Apache-2.0
// In-place ops on CUDA: programs with the values of PyTorch, kernels that read what they write, and DLPack's streams.
#include <fmt/format.h>
#include <sinter/dlpack.h>

#include <exception>
#include <optional>

#include "tests/capture/in_place_program.h"
#include "tests/capture_cuda/emulator.h"

namespace sinter::test {
namespace {

class InPlaceOnCuda : public testing::Test {
 protected:
  static void SetUpTestSuite() { use_emulator(); }
  static bool on_gpu() { return std::getenv("SINTER_TEST_GPU") != nullptr; }
  const Device device = Device::cuda(0);
};

TEST_F(InPlaceOnCuda, GivesTheValuesOfPyTorch) {
  const auto programs = read_programs(fmt::format("{}/tests/golden/in_place.txt", SINTER_SOURCE_DIR));
  for (size_t i = 0; i < programs.size(); i += on_gpu() ? 1 : 40) {  // the emulator compiles every kernel with g++
    const InPlaceProgram& p = programs[i];
    Variables variables;
    std::vector<std::string> none;
    auto body = compile([&] {
      for (const std::string& line : p.body) run_line(line, variables, none, device);
    });
    std::vector<std::string> failures;
    try {
      failures = run_program(p, [&] { body(); }, variables, device);
    } catch (const std::exception& e) {
      failures = {e.what()};
    }
    EXPECT_TRUE(failures.empty()) << program_text(p, failures);
  }
}

TEST_F(InPlaceOnCuda, UpdatesOfUnalignedAndStridedParts) {
  const int64_t n = 10007;
  std::vector<float> expected;
  for (int64_t i = 0; i < n; ++i) expected.push_back(static_cast<float>(i));
  const Tensor x = to(from<float>(expected, Dims{n}), device);
  auto f = compile([](const Tensor& t) {
    const Tensor part = slice(t, 0, 3, -5), odd = slice(t, 0, 1, std::nullopt, 2);
    part += 1;
    odd *= 2;
    copy_(slice(t, 0, 1, 1001), slice(t, 0, 0, 1000));
  });
  for (int call = 0; call < 2; ++call) {
    f(x);
    for (int64_t i = 3; i < n - 5; ++i) expected[static_cast<size_t>(i)] += 1;
    for (int64_t i = 1; i < n; i += 2) expected[static_cast<size_t>(i)] *= 2;
    for (int64_t i = 1000; i > 0; --i) expected[static_cast<size_t>(i)] = expected[static_cast<size_t>(i - 1)];
    EXPECT_EQ(to_vector<float>(x), expected);
  }
}

TEST_F(InPlaceOnCuda, AScalarThatEveryElementReads) {
  auto f = compile([](const Tensor& x, const Tensor& c) {
    Tensor y = x + c;
    c += 1;
    return y;
  });
  const Tensor x = zeros({1 << 16}, f32, device), c = to(from<float>({3}, Dims{}), device);
  for (int call = 0; call < 2; ++call) {
    const auto y = to_vector<float>(f(x, c));
    EXPECT_EQ(y, std::vector<float>(y.size(), static_cast<float>(3 + call)));
  }
  EXPECT_EQ(item<float>(c), 5);
}

TEST_F(InPlaceOnCuda, ACopyOnTheDeviceOfASmallTensorFollowsItsContents) {
  const Tensor x = to(from<float>({1, 2}), device), small = clone(from<float>({10, 20}));
  auto f = compile([](const Tensor& a, const Tensor& b) { return a + b; });
  EXPECT_EQ(to_vector<float>(f(x, small)), (std::vector<float>{11, 22}));
  small += 1;
  EXPECT_EQ(to_vector<float>(f(x, small)), (std::vector<float>{12, 23}));
  EXPECT_TRUE(contains(refusal<UserError>([&] { small += x; }), "with values on"));
}

TEST_F(InPlaceOnCuda, DlpackOrdersStreams) {
  const Stream producer = Stream::create(device), consumer = Stream::create(device);
  Tensor x;
  {
    const StreamGuard guard(producer);
    x = ones({1 << 12}, f32, device) * 3;
  }
  for (const bool same : {false, true}) {
    const StreamGuard guard(producer);
    const Stream& stream = same ? producer : consumer;
    DLManagedTensorVersioned* m = to_dlpack(x, {.stream = reinterpret_cast<int64_t>(stream.native())});
    const StreamGuard there(stream);
    const Tensor y = from_dlpack(m);
    EXPECT_EQ(y.device(), device);
    EXPECT_EQ(y.data_ptr(), x.data_ptr());
    EXPECT_EQ(item<float>(sum(y, {})), 3 << 12);
  }
  for (const std::optional<int64_t> stream :
       {std::optional<int64_t>(), std::optional<int64_t>(1), std::optional<int64_t>(-1)})
    EXPECT_EQ(from_dlpack(to_dlpack_legacy(x, {.stream = stream})).numel(), 1 << 12);
  EXPECT_TRUE(contains(refusal<UserError>([&] { to_dlpack(x, {.stream = 0}); }), "stream 0"));
}

}  // namespace
}  // namespace sinter::test
