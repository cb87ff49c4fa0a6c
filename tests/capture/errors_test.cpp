// SPDX-License-Identifier: Apache-2.0
// What the user reads when something does not fit.
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& p : parts) EXPECT_TRUE(contains(text, p)) << "no \"" << p << "\" in:\n" << text;
}

TEST(Errors, BroadcastNamesOpShapesAndLine) {
  const Tensor a = counting({2, 3}), b = counting({4});
  const int line = __LINE__ + 1;
  const std::string eager = refusal<UserError>([&] { (void)(a - b); });
  expect_parts(eager, {"[sub]", "[2,3]", "[4]", line_text(__FILE__, line)});
  const int second = __LINE__ + 1;
  auto f = compile([](Tensor x, Tensor y) { return x + 1 - y; }, {.name = "pre"});
  expect_parts(refusal<UserError>([&] { (void)f(a, b); }),
               {"[sub]", "[2,3]", "[4]", line_text(__FILE__, second), "\"pre\""});
}

TEST(Errors, MatchedTracesThrowWithTheSameText) {
  auto f = compile([](Tensor x, Tensor y) { return x - y; }, {.name = "pre"});
  const std::string first = refusal<UserError>([&] { (void)f(counting({2, 3}), counting({4})); });
  (void)f(counting({2, 3}), counting({3}));
  EXPECT_EQ(refusal<UserError>([&] { (void)f(counting({2, 3}), counting({4})); }), first);
}

/// Calls outside of compiled functions share traces, but each error names the line of its own call.
TEST(Errors, CallsOnSeveralLinesNameTheirOwn) {
  const Tensor x = counting({5, 3});
  (void)select(x, 0, 3);
  (void)index_select(x, 0, from<int64_t>({2}));
  const int line = __LINE__ + 1;
  expect_parts(refusal<UserError>([&] { (void)select(x, 0, 5); }), {"[select]", line_text(__FILE__, line)});
  const int second = __LINE__ + 1;
  expect_parts(refusal<UserError>([&] { (void)select(x, 0, 6); }), {"[select]", line_text(__FILE__, second)});
  const int third = __LINE__ + 1;
  EXPECT_EQ(refusal<UserError>([&] { (void)index_select(x, 0, from<int64_t>({7})); }),
            "UserError: [index_select] an index is out of range\n  at " + line_text(__FILE__, third));
}

TEST(Errors, DimsOutOfRange) {
  const Tensor x = counting({2, 3});
  expect_parts(refusal<UserError>([&] { (void)sum(x, {.dims = {2}}); }), {"[sum]", "2"});
  expect_parts(refusal<UserError>([&] { (void)transpose(x, 0, -3); }), {"[transpose]", "-3"});
  expect_parts(refusal<UserError>([&] { (void)select(x, 1, 3); }), {"[select]", "3"});
  expect_parts(refusal<UserError>([&] { (void)x.size(2); }), {"[size]", "2"});
  EXPECT_EQ(x.size(-2), 2);
}

TEST(Errors, UndefinedTensors) {
  expect_parts(refusal<UserError>([] { (void)(Tensor() + 1); }), {"[add]", "undefined"});
  expect_parts(refusal<UserError>([] { (void)Tensor().shape(); }), {"undefined"});
  expect_parts(refusal<UserError>([] { (void)item<float>(Tensor()); }), {"[item]", "undefined"});
  auto f = compile([](Tensor x) { return x + 1; });
  expect_parts(refusal<UserError>([&] { (void)f(Tensor()); }), {"[add]", "undefined"});
}

TEST(Errors, ItemOfManyElements) {
  const int line = __LINE__ + 1;
  expect_parts(refusal<UserError>([] { (void)item<float>(counting({3})); }),
               {"[item]", "f32 [3]", line_text(__FILE__, line)});
  auto f = compile([](Tensor x) { return item<float>(x + 1); });
  expect_parts(refusal<UserError>([&] { (void)f(counting({2})); }), {"[item]", "[2]"});
  EXPECT_EQ(f(counting({1})), 1.0f);
}

TEST(Errors, VectorsOfAnotherDtype) {
  expect_parts(refusal<UserError>([] { (void)to_vector<int32_t>(counting({2})); }), {"[to_vector]", "f32 [2]", "i32"});
}

TEST(Errors, Blobs) {
  alignas(16) float memory[8] = {};
  expect_parts(refusal<UserError>([] { (void)from_blob(nullptr, {2}, f32); }), {"[from_blob]", "null"});
  expect_parts(refusal<UserError>([&] { (void)from_blob(reinterpret_cast<char*>(memory) + 2, {2}, f32); }),
               {"[from_blob]", "multiple of 4"});
  expect_parts(refusal<UserError>([&] { (void)from_blob(memory, {2, 2}, f32, Device::cpu(), {1, 1}); }),
               {"[from_blob]", "overlap"});
  expect_parts(refusal<UserError>([&] { (void)from_blob(memory, {2, 2}, f32, Device::cpu(), {1}); }), {"[from_blob]"});
  expect_parts(refusal<UserError>([&] { (void)from_blob(memory, {-2}, f32); }), {"[from_blob]", "negative"});
  EXPECT_EQ(from_blob(nullptr, {0, 3}, f32).numel(), 0);
  EXPECT_EQ(to_vector<float>(from_blob(memory, {3, 2}, f32, Device::cpu(), {0, 1})).size(), 6u);
}

TEST(Errors, ShapesBeyondAnyMemory) {
  alignas(16) float memory[1] = {};
  const int64_t huge = int64_t{1} << 32;
  expect_parts(refusal<UserError>([&] { (void)from_blob(nullptr, {huge, huge}, f32); }), {"[from_blob]"});
  expect_parts(refusal<UserError>([&] { (void)from_blob(memory, {huge, huge, 3}, f32); }), {"[from_blob]"});
  expect_parts(refusal<UserError>([&] { (void)from<float>({1.0f}, {huge, huge, huge}); }), {"[from]"});
}

TEST(Errors, BlobsThatAreNotAligned) {
  alignas(16) float memory[40];
  for (int i = 0; i < 40; ++i) memory[i] = static_cast<float>(i);
  auto f = compile([](Tensor x) { return x * 2; });
  for (int start = 0; start < 8; ++start) {
    const auto y = to_vector<float>(f(from_blob(memory + start, {32}, f32)));
    for (int i = 0; i < 32; ++i) ASSERT_EQ(y[static_cast<size_t>(i)], static_cast<float>(2 * (start + i)));
  }
  EXPECT_EQ(f.stats().compilations, 1);
}

TEST(Errors, DeletersRunOnceWhenTheLastHandleIsGone) {
  float memory[2] = {1, 2};
  int deleted = 0;
  auto f = compile([](Tensor x) { return std::pair(x + 1, transpose(x, 0, 1)); });
  {
    std::pair<Tensor, Tensor> results;
    {
      const Tensor x = from_blob(memory, {1, 2}, f32, Device::cpu(), {}, [&](void* p) { deleted += p == memory; });
      results = f(x);
    }
    EXPECT_EQ(deleted, 0);  // the view still reads it
  }
  EXPECT_EQ(deleted, 1);
}

TEST(Errors, DeletersMayUseTensors) {
  float memory[2] = {1, 2};
  std::vector<float> seen;
  auto f = compile([&](Tensor x) {
    return x + from_blob(memory, {2}, f32, Device::cpu(), {}, [&](void*) {
             seen = to_vector<float>(full({2}, 3.0, f32) + 1);
             seen.push_back(item<float>(sum(full({4}, 1.0, f32))));
           });
  });
  for (int i = 0; i < 3; ++i) {
    seen.clear();
    EXPECT_EQ(to_vector<float>(f(from<float>({1, 1}))), (std::vector<float>{2, 3}));
    EXPECT_EQ(seen, (std::vector<float>{4, 4, 4}));
  }
}

TEST(Errors, AbsentDevicesSayWhatWasLookedFor) {
  const std::string text = refusal<DeviceError>([] { (void)to(counting({2}), Device::cuda(7)); });
  expect_parts(text, {"cuda"});
  EXPECT_TRUE(contains(text, "libcuda") || contains(text, "device")) << text;
  auto f = compile([](Tensor x) { return x + zeros({2}, f32, Device::cuda(7)); });
  EXPECT_FALSE(refusal<DeviceError>([&] { (void)f(counting({2})); }).empty());
  auto g = compile([](Tensor x) { return x + 1; });
  EXPECT_EQ(to_vector<float>(g(counting({2}))), (std::vector<float>{1, 2}));
}

TEST(Errors, OptionsThatMakeNoSense) {
  auto body = [](Tensor x) { return x; };
  expect_parts(refusal<UserError>([&] { (void)compile(body, {.backend = "fast"}); }), {"\"fast\""});
  expect_parts(refusal<UserError>([&] { (void)compile(body, {.max_entries = 0}); }), {"max_entries"});
}

TEST(Errors, IndicesOutOfRange) {
  auto f = compile([](Tensor x, Tensor i) { return index_select(x, 0, i); });
  const Tensor x = counting({5});
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(to_vector<float>(f(x, from<int64_t>({4, 0}))), (std::vector<float>{4, 0}));
    EXPECT_FALSE(refusal<UserError>([&] { (void)f(x, from<int64_t>({5, 0})); }).empty());
    EXPECT_FALSE(refusal<UserError>([&] { (void)f(x, from<int64_t>({0, -1})); }).empty());
  }
}

}  // namespace
}  // namespace sinter::test
