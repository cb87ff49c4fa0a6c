// SPDX-License-Identifier: Apache-2.0
// What is saved and loaded again gives the bits of the function, for whatever arguments it takes.
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "tests/saved/saved_file.h"

namespace sinter::test {
namespace {

#ifdef SINTER_WITH_LLVM

std::vector<float> floats(const Tensor& t) { return to_vector<float>(t); }

TEST(Save, AChain) {
  const SavedFile file;
  auto op = compile([](Tensor x) { return relu(x + 1) * 2; }, {.name = "chain"});
  op.save(file.path(), counting({3, 5}) - 7);
  EXPECT_EQ(op.stats().launches, 0) << "saving computes nothing";
  const Loaded f = load(file.path());
  const Tensor x = counting({3, 5}) - 4;
  const std::vector<Tensor> out = f({x});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].shape(), (Dims{3, 5}));
  EXPECT_EQ(bits<float>(out[0]), bits<float>(op(x)));
  EXPECT_TRUE(f.runs_on(Device::cpu())) << f.why_not(Device::cpu());
  EXPECT_TRUE(contains(f.text(), "chain")) << f.text();
}

TEST(Save, ABareNameIsAFileOfTheCurrentFolder) {
  const SavedFile file;
  const std::filesystem::path before = std::filesystem::current_path(), path = file.path();
  std::filesystem::current_path(path.parent_path());
  auto op = compile([](Tensor x) { return x + 1; });
  op.save(path.filename().string(), counting({3}));
  std::filesystem::current_path(before);
  EXPECT_EQ(floats(load(file.path())({counting({3})})[0]), (std::vector<float>{1, 2, 3}));
}

TEST(Save, LibrariesStayUnusedWhereTheFunctionUsesNone) {
  const SavedFile with, without;
  for (const bool libraries : {true, false}) {
    auto op = compile([](Tensor x, Tensor y) { return matmul(x, y); }, {.libraries = libraries});
    const std::string path = (libraries ? with : without).path();
    op.save(path, counting({64, 64}), counting({64, 64}));
    const auto calls = op.explain(counting({64, 64}), counting({64, 64})).library_calls();
    std::ifstream in(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    EXPECT_EQ(contains(bytes, "onednn_matmul"), !calls.empty());
    EXPECT_TRUE(libraries || calls.empty());
  }
}

TEST(Save, StructuredResultsAreAFlatList) {
  struct Pair {
    Tensor sum;
    std::optional<Tensor> product;
  };
  const SavedFile file;
  auto op = compile([](const std::array<Tensor, 2>& x, bool both) {
    return std::tuple(x[0], Pair{x[0] + x[1], both ? std::optional(x[0] * x[1]) : std::nullopt}, Tensor());
  });
  const Tensor a = counting({4}), b = a + 1;
  op.save(file.path(), std::array{a, b}, true);
  const std::vector<Tensor> out = load(file.path())({a, b});
  ASSERT_EQ(out.size(), 4u);
  EXPECT_EQ(out[0].impl(), a.impl()) << "a returned argument is itself";
  EXPECT_EQ(floats(out[1]), (std::vector<float>{1, 3, 5, 7}));
  EXPECT_EQ(floats(out[2]), (std::vector<float>{0, 2, 6, 12}));
  EXPECT_FALSE(out[3].defined());
}

TEST(Save, CapturedTensorsAreInTheFile) {
  const SavedFile file;
  {
    std::vector<float> memory{1, 2, 3, 4, 5, 6};
    const Tensor user = from_blob(memory.data(), {2, 3}, f32);
    const Tensor owned = counting({3, 2}) * 10;
    const Tensor turned = transpose(owned, 0, 1), reversed = flip(owned, {0}), wide = expand(owned, {4, 3, 2});
    auto op = compile([&](Tensor x) {
      return std::tuple((x + user) * turned, sum(reversed * wide) + from<float>({0.5f}), user, turned);
    });
    op.save(file.path(), counting({2, 3}));
    const auto want = op(counting({2, 3}));
    const auto got = load(file.path())({counting({2, 3})});
    ASSERT_EQ(got.size(), 4u);
    EXPECT_EQ(bits<float>(got[0]), bits<float>(std::get<0>(want)));
    EXPECT_EQ(bits<float>(got[1]), bits<float>(std::get<1>(want)));
    memory.assign(6, 99.0f);
  }
  const auto got = load(file.path())({counting({2, 3})});
  EXPECT_EQ(floats(got[2]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(floats(got[3]), (std::vector<float>{0, 20, 40, 10, 30, 50}));
}

TEST(Save, ViewsOfArgumentsAlias) {
  const SavedFile file;
  auto op = compile([](Tensor x) { return select(transpose(x, 0, 1), 0, 2); });
  op.save(file.path(), counting({4, 6}));
  const Tensor x = counting({4, 6});
  const Tensor y = load(file.path())({x})[0];
  EXPECT_EQ(y.data_ptr(), static_cast<float*>(x.data_ptr()) + 2);
  EXPECT_EQ(floats(y), (std::vector<float>{2, 8, 14, 20}));
}

TEST(Save, DynamicCallsTakeAnyExtents) {
  const SavedFile file;
  auto op = compile([](Tensor x, Tensor y) { return sum(x * y + 1, {.dims = {1}}); }, {.dynamic = Dynamic::always});
  op.save(file.path(), counting({3, 7}), counting({7}));
  const Loaded f = load(file.path());
  for (const int64_t n : {2, 3, 100})
    for (const int64_t m : {2, 7, 1030}) {
      const Tensor x = counting({n, m}), y = counting({m});
      EXPECT_EQ(bits<float>(f({x, y})[0]), bits<float>(op(x, y))) << n << " " << m;
    }
  const std::string different = refusal<UserError>([&] { f({counting({3, 7}), counting({8})}); });
  EXPECT_TRUE(contains(different, "7, not 8") || contains(different, "8, not 7")) << different;
  const std::string one = refusal<UserError>([&] { f({counting({1, 7}), counting({7})}); });
  EXPECT_TRUE(contains(one, "argument 0: dim 0 is 1, not from 2")) << one;
}

TEST(Save, SymbolsThatEarlierCallsMadeAreKept) {
  const SavedFile file;
  auto op = compile([](Tensor x) { return x * 0.5f - 3; });
  op(counting({5, 4}));
  op(counting({6, 4}));
  op.save(file.path(), counting({7, 4}));
  const Loaded f = load(file.path());
  EXPECT_EQ(floats(f({counting({2, 4})})[0]), floats(op(counting({2, 4}))));
  const std::string fixed = refusal<UserError>([&] { f({counting({5, 3})}); });
  EXPECT_TRUE(contains(fixed, "argument 0: dim 1 is 3, not 4")) << fixed;
}

TEST(Save, ExtentsThatHostCodeReadAreFixed) {
  const SavedFile file;
  auto op = compile(
      [](Tensor x, Tensor y) {
        const Tensor z = x + 1;
        return std::pair(z * static_cast<float>(z.size(1)), y * static_cast<float>(y.rank()));
      },
      {.dynamic = Dynamic::always});
  op.save(file.path(), counting({3, 4}), counting({5}));
  const Loaded f = load(file.path());
  EXPECT_EQ(floats(f({counting({6, 4}), counting({9})})[0]), floats(op(counting({6, 4}), counting({9})).first));
  const std::string read = refusal<UserError>([&] { f({counting({3, 5}), counting({5})}); });
  EXPECT_TRUE(contains(read, "dim 1 of [add] save_test.cpp")) << read;
  EXPECT_TRUE(contains(read, "5, not 4")) << read;
}

TEST(Save, SeveralCallsInOneFile) {
  const SavedFile file;
  auto op = compile([](Tensor x, float scale) { return x * scale; });
  op.save(file.path(), with(counting({4}), 2.0f), with(counting({4}), 2.0f), with(to(counting({2, 2}), i32), 3.0f));
  const Loaded f = load(file.path());
  EXPECT_EQ(f.call_count(), 2u);
  EXPECT_EQ(floats(f({counting({4})})[0]), (std::vector<float>{0, 2, 4, 6}));
  EXPECT_EQ(floats(f({to(counting({2, 2}), i32)})[0]), (std::vector<float>{0, 3, 6, 9}));
  const std::string refused = refusal<UserError>([&] { f({counting({5})}); });
  EXPECT_TRUE(contains(refused, "call 0: (f32 [4]): argument 0: dim 0 is 5, not 4")) << refused;
  EXPECT_TRUE(contains(refused, "call 1: (i32 [2,2]): argument 0: f32 [5]")) << refused;
  const std::string twice =
      refusal<UserError>([&] { op.save(file.path(), with(counting({4}), 2.0f), with(counting({4}), 3.0f)); });
  EXPECT_TRUE(contains(twice, "two calls take the same tensors")) << twice;
}

TEST(Save, StridesAndMisalignedArguments) {
  const SavedFile file;
  auto op = compile([](Tensor x) { return exp(x * 0.125f); });
  const Tensor whole = counting({9, 8});
  op.save(file.path(), with(transpose(whole, 0, 1)), with(slice(whole, 0, 0, 8)));
  const Loaded f = load(file.path());
  for (const Tensor& x : {transpose(whole, 0, 1), slice(whole, 0, 1, 9)})
    EXPECT_EQ(bits<float>(f({x})[0]), bits<float>(op(x)));
  std::vector<float> memory(65, 2.0f);
  const Tensor odd = from_blob(memory.data() + 1, {8, 8}, f32);
  EXPECT_EQ(bits<float>(f({odd})[0]), bits<float>(op(odd)));
  const std::string strides = refusal<UserError>([&] { f({slice(counting({8, 16}), 1, 0, 16, 2)}); });
  EXPECT_TRUE(contains(strides, "argument 0: ")) << strides;
}

TEST(Save, EmptyTensorsAndNoArguments) {
  const SavedFile file;
  auto op = compile([] { return std::pair(arange(4) * 2, full({0, 3}, 1.0)); });
  op.save(file.path());
  const auto out = load(file.path())({});
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(to_vector<int64_t>(out[0]), (std::vector<int64_t>{0, 2, 4, 6}));
  EXPECT_EQ(out[1].shape(), (Dims{0, 3}));
}

TEST(Save, IndexErrorsKeepTheirLine) {
  const SavedFile file;
  auto op = compile([](Tensor x, Tensor i) { return index_select(x, 0, i); });
  const int line = __LINE__ - 1;
  op.save(file.path(), counting({4}), from<int64_t>({1, 2}));
  const Loaded f = load(file.path());
  EXPECT_EQ(floats(f({counting({4}), from<int64_t>({3, 0})})[0]), (std::vector<float>{3, 0}));
  const std::string bad = refusal<UserError>([&] { f({counting({4}), from<int64_t>({1, 4})}); });
  EXPECT_TRUE(contains(bad, line_text(__FILE__, line))) << bad;
}

TEST(Save, BreaksAndValuesOnTheHostAreRefused) {
  const SavedFile file;
  int line = 0;
  const auto refused = [&](auto&& body) {
    auto op = compile(body);
    return refusal<UserError>([&] { op.save(file.path(), counting({4})); });
  };
  const std::string read = refused([&](Tensor x) {
    line = __LINE__ + 1;
    return item<float>(sum(x)) > 0 ? x + 1 : x - 1;
  });
  EXPECT_TRUE(contains(read, "[item]") && contains(read, line_text(__FILE__, line))) << read;
  const std::string argument = refused([&](Tensor x) {
    line = __LINE__ + 1;
    return to_vector<float>(x)[0] > 0 ? x + 1 : x - 1;
  });
  EXPECT_TRUE(contains(argument, "[to_vector]") && contains(argument, line_text(__FILE__, line))) << argument;
  const std::string broken = refused([&](Tensor x) {
    const Tensor y = x + 1;
    line = __LINE__ + 1;
    graph_break();
    return y * 2;
  });
  EXPECT_TRUE(contains(broken, "[graph_break] a graph break")) << broken;
  EXPECT_TRUE(contains(broken, line_text(__FILE__, line))) << broken;
  EXPECT_EQ(file.bytes(), "") << "a refused function writes no file";
}

TEST(Save, TargetsAreNamed) {
  const SavedFile file;
  auto op = compile([](Tensor x) { return x + 1; });
  const std::string unknown =
      refusal<UserError>([&] { op.save({.path = file.path(), .targets = {"sm_10"}}, counting({4})); });
  EXPECT_TRUE(contains(unknown, "unknown target \"sm_10\"") && contains(unknown, "sm_90a")) << unknown;
  const std::string folder = refusal<UserError>([&] { op.save("/dev/null/file", counting({4})); });
  EXPECT_TRUE(contains(folder, "/dev/null")) << folder;
}

TEST(Save, OtherBackendsAreRefused) {
  auto op = compile([](Tensor x) { return x + 1; }, {.backend = "reference"});
  EXPECT_TRUE(contains(refusal<UserError>([&] { op.save("unused", counting({4})); }), "backend \"reference\""));
}

TEST(Save, FunctionsOfOtherTypesAreRefused) {
  auto op = compile([](Tensor x, const int* n) { return x + *n; });
  const int n = 3;
  EXPECT_TRUE(contains(refusal<UserError>([&] { op.save("unused", counting({4}), &n); }), "tensors, numbers"));
}

#endif

}  // namespace
}  // namespace sinter::test
