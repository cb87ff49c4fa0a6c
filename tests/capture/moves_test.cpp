// SPDX-License-Identifier: Apache-2.0
// Calls that move, pad, create and count elements against PyTorch's results (tests/golden/moves.txt), bit for bit: at
// once, compiled, and on operands of every kind of layout.
#include <algorithm>
#include <functional>
#include <memory>
#include <sstream>

#include "tests/capture/moves_calls.h"
#include "tests/capture/support.h"
#include "tests/ops/golden.h"

namespace sinter::test {
namespace {

struct Expected {
  std::string name;
  bool refused = false;
  std::vector<std::vector<std::string>> results;  ///< dtype, extents, elements
};

const std::vector<Expected>& goldens() {
  static const auto list = [] {
    std::vector<Expected> cases;
    for (const auto& words : golden::read("moves")) {
      Expected e{words[0], words.size() > 1 && words[1] == "-", {}};
      for (size_t i = 1; i < words.size() && !e.refused; ++i)
        if (words[i] == "|")
          e.results.emplace_back();
        else
          e.results.back().push_back(words[i]);
      cases.push_back(std::move(e));
    }
    return cases;
  }();
  return list;
}

std::vector<std::byte> bytes_of(const Tensor& t) {
  std::vector<std::byte> bytes(static_cast<size_t>(t.numel() * t.dtype().bytes()));
  copy_to_host(t, bytes.data(), t.dtype(), {});
  return bytes;
}

uint64_t element(const std::vector<std::byte>& bytes, DType dtype, size_t i) {
  uint64_t bits = 0;
  const auto size = static_cast<size_t>(dtype.bytes());
  std::memcpy(&bits, bytes.data() + i * size, size);
  return bits;
}

void expect_golden(const Tensor& got, const std::vector<std::string>& words) {
  ASSERT_EQ(got.dtype().name(), words[0]);
  ASSERT_EQ(got.shape(), Dims(std::span<const int64_t>(golden::integers(words[1]))));
  ASSERT_EQ(static_cast<size_t>(got.numel()), words.size() - 2);
  const auto bytes = bytes_of(got);
  for (size_t i = 0; i + 2 < words.size(); ++i)
    ASSERT_TRUE(golden::close(got.dtype(), golden::bits(words[i + 2]), element(bytes, got.dtype(), i), 0))
        << "element " << i << " is " << std::hex << element(bytes, got.dtype(), i) << ", expected " << words[i + 2];
}

using MovesCall = std::function<std::vector<Tensor>(const std::string&)>;

/// Checks the cases that `chosen` takes; all by default.
void expect_goldens(
    const MovesCall& call,
    const std::function<bool(const std::string&, size_t)>& chosen = [](auto&, size_t) { return true; }) {
  for (size_t position = 0; position < goldens().size(); ++position) {
    const Expected& e = goldens()[position];
    if (!chosen(e.name, position)) continue;
    SCOPED_TRACE(e.name);
    try {
      const std::vector<Tensor> results = call(e.name);
      for (const Tensor& t : results) (void)bytes_of(t);  // reports indices out of range
      EXPECT_FALSE(e.refused) << "not refused";
      if (e.refused) continue;
      ASSERT_EQ(results.size(), e.results.size());
      for (size_t i = 0; i < results.size(); ++i) expect_golden(results[i], e.results[i]);
    } catch (const UserError& error) {
      EXPECT_TRUE(e.refused) << error.what();
      EXPECT_TRUE(contains(error.what(), "moves_calls.cpp:")) << error.what();
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Moves, GiveWhatPyTorchGives) {
  const MoveInputs inputs = move_inputs();
  expect_goldens([&](const std::string& name) { return move_call(name, inputs); });
}

/// The same elements in memory of its own with other strides.
Tensor relaid(const Tensor& t, const Dims& strides, int64_t offset) {
  const Dims shape = t.shape();
  const auto size = static_cast<size_t>(t.dtype().bytes());
  int64_t reach = offset;
  for (size_t d = 0; d < shape.size(); ++d) reach += std::max<int64_t>(strides[d] * (shape[d] - 1), 0);
  auto memory = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(reach + 1) * size, std::byte{0xee});
  const auto bytes = bytes_of(t);
  for (int64_t i = 0; i < t.numel(); ++i) {
    int64_t at = offset, rest = i;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) at += rest % shape[d] * strides[d];
    std::memcpy(memory->data() + static_cast<size_t>(at) * size, bytes.data() + static_cast<size_t>(i) * size, size);
  }
  void* first = memory->data() + static_cast<size_t>(offset) * size;
  return from_blob(first, shape, t.dtype(), Device::cpu(), strides, [memory](void*) {});
}

Tensor columns_first(const Tensor& t) {
  Dims strides = t.shape();
  int64_t step = 1;
  for (size_t d = 0; d < strides.size(); ++d) step *= std::exchange(strides[d], step);
  return relaid(t, strides, 0);
}

Tensor in_a_larger_one(const Tensor& t) {
  Dims strides = t.shape();
  int64_t step = 2;
  for (size_t d = strides.size(); d-- > 0;) step *= std::exchange(strides[d], step) + 3;
  return relaid(t, strides, 5);
}

Tensor backwards(const Tensor& t) {
  Dims strides = t.shape();
  int64_t step = -1, offset = 0;
  for (size_t d = strides.size(); d-- > 0;) {
    const int64_t extent = std::exchange(strides[d], step);
    offset -= step * std::max<int64_t>(extent - 1, 0);
    step *= std::max<int64_t>(extent, 1);
  }
  return relaid(t, strides, offset);
}

MoveInputs each(MoveInputs in, Tensor (*relay)(const Tensor&)) {
  for (Tensor* t : {&in.x, &in.m, &in.v, &in.s, &in.logic, &in.bytes}) *t = relay(*t);
  return in;
}

bool reads_inputs(const std::string& name) {
  const std::string others[] = {"linspace", "view:", "eye", "one_hot", "arange"};
  return std::ranges::none_of(others, [&](const std::string& head) { return name.starts_with(head); });
}

/// Folds of a few layouts only: their kernels take long to compile.
bool is_slow(const std::string& name) {
  return (name.starts_with("any") || name.starts_with("all") || name.starts_with("count")) && !name.ends_with(":-1");
}

TEST(Moves, OfEveryLayout) {
  const MoveInputs layouts[] = {each(move_inputs(), columns_first), each(move_inputs(), in_a_larger_one),
                                each(move_inputs(), backwards)};
  for (const MoveInputs& inputs : layouts) EXPECT_FALSE(inputs.x.is_contiguous());
  for (size_t i = 0; i < std::size(layouts); ++i)
    expect_goldens([&](const std::string& name) { return move_call(name, layouts[i]); },
                   [i](const std::string& name, size_t position) {
                     return reads_inputs(name) && !is_slow(name) && position % 3 == i;
                   });
}

TEST(Moves, Compiled) {
  for (const Dynamic dynamic : {Dynamic::never, Dynamic::always}) {
    auto f = compile([](const std::string& name, const MoveInputs& in) { return move_call(name, in); },
                     {.dynamic = dynamic, .max_entries = 1000});
    const MoveInputs inputs = move_inputs();
    expect_goldens(
        [&](const std::string& name) { return f(name, inputs); },
        [dynamic](const std::string&, size_t position) { return position % 2 == (dynamic == Dynamic::never ? 0 : 1); });
  }
}

/// Operands that are computed in the same kernel.
TEST(Moves, FusedWithWhatComputesTheirOperands) {
  auto f = compile([](const std::string& name, const MoveInputs& in) {
    MoveInputs shifted = in;
    for (Tensor* t : {&shifted.x, &shifted.m, &shifted.v, &shifted.s}) *t = (*t + 3) - 3;
    return move_call(name, shifted);
  });
  const MoveInputs inputs = move_inputs();
  expect_goldens([&](const std::string& name) { return f(name, inputs); },
                 [](const std::string& name, size_t) { return reads_inputs(name); });
}

/// Every element of an expanded tensor is one in memory: the same results as of a copy.
TEST(Moves, OfExpandedTensors) {
  MoveInputs expanded = move_inputs();
  expanded.x = expand(select(select(expanded.x, 0, 1), 0, 1), {2, 3, 4});
  expanded.m = expand(narrow(expanded.m, 1, 3, 1), {5, 7});
  expanded.v = expand(expanded.s, {10});
  MoveInputs copies = expanded;
  for (Tensor* t : {&copies.x, &copies.m, &copies.v}) *t = *t + 0;
  EXPECT_EQ(expanded.x.strides()[0], 0);
  EXPECT_NE(copies.x.strides()[0], 0);
  int compared = 0;
  for (const Expected& e : goldens()) {
    if (e.refused || !reads_inputs(e.name)) continue;
    SCOPED_TRACE(e.name);
    const auto expected = move_call(e.name, copies), got = move_call(e.name, expanded);
    ASSERT_EQ(expected.size(), got.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(expected[i].shape(), got[i].shape());
      ASSERT_EQ(bytes_of(expected[i]), bytes_of(got[i]));
      ++compared;
    }
  }
  EXPECT_GT(compared, 200);
}

}  // namespace
}  // namespace sinter::test
