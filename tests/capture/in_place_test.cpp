// SPDX-License-Identifier: Apache-2.0
// In-place ops: whose memory changes, when, and what is refused. Values of many programs: in_place_golden_test.cpp.
#include <functional>
#include <thread>

#include "src/tensor/impl.h"
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

using Floats = std::vector<float>;

/// Runs `f` op by op and compiled; what it says of the modes must be the same.
void in_both_modes(const std::function<void()>& f) {
  {
    SCOPED_TRACE("eager");
    f();
  }
  SCOPED_TRACE("compiled");
  auto compiled = compile(f);
  for (int call = 0; call < 3; ++call) compiled();
}

TEST(InPlace, WritesToTheArgumentAndItsViews) {
  auto f = compile([](const Tensor& x) {
    const Tensor row = select(x, 0, 1);
    row += 10;
    mul_(x, 2);
    return row;
  });
  for (int call = 0; call < 3; ++call) {
    const Tensor x = counting({2, 3}), outside = select(x, 1, 0);
    const void* address = x.data_ptr();
    const uint64_t version = x.impl()->storage->version.load();
    const Tensor row = f(x);
    EXPECT_EQ(f32_values(x), (Floats{0, 2, 4, 26, 28, 30}));
    EXPECT_EQ(f32_values(row), (Floats{26, 28, 30}));
    EXPECT_EQ(f32_values(outside), (Floats{0, 26}));
    EXPECT_EQ(x.data_ptr(), address);
    EXPECT_EQ(row.data_ptr(), static_cast<float*>(x.data_ptr()) + 3);
    EXPECT_GT(x.impl()->storage->version.load(), version);
  }
}

TEST(InPlace, ReadsWhatWasThereBefore) {
  // pytorch#198101: a view that was read before the write keeps its value; pad copies (pytorch#177631).
  auto f = compile([](const Tensor& x) {
    const Tensor y = view(x, i32) * 2, padded = pad(x, {0, 0});
    assign(slice(x, 1, 1, 3), 2);
    return std::vector<Tensor>{y, padded};
  });
  const Tensor x = counting({2, 4});
  const auto before = to_vector<int32_t>(view(x, i32) * 2);
  const auto results = f(x);
  EXPECT_EQ(to_vector<int32_t>(results[0]), before);
  EXPECT_EQ(f32_values(results[1]), (Floats{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(f32_values(x), (Floats{0, 2, 2, 3, 4, 2, 2, 7}));
}

TEST(InPlace, OverlappingValueAndDestination) {
  in_both_modes([] {
    const Tensor x = counting({6}) * 1;
    copy_(slice(x, 0, 1), slice(x, 0, 0, -1));
    EXPECT_EQ(f32_values(x), (Floats{0, 0, 1, 2, 3, 4}));
    add_(x, flip(x, {0}));
    EXPECT_EQ(f32_values(x), (Floats{4, 3, 3, 3, 3, 4}));
    x += x;
    EXPECT_EQ(f32_values(x), (Floats{8, 6, 6, 6, 6, 8}));
  });
  const Tensor x = counting({6}), head = slice(x, 0, 0, -1), tail = slice(x, 0, 1);
  auto f = compile([](const Tensor& a, const Tensor& b) { copy_(a, b); });
  f(tail, head);  // two arguments that overlap
  EXPECT_EQ(f32_values(x), (Floats{0, 0, 1, 2, 3, 4}));
  const Tensor y = counting({5}), z = counting({5}) + 10;
  f(y, z);  // and two that do not
  EXPECT_EQ(f32_values(y), f32_values(z));
}

TEST(InPlace, ArgumentsThatOverlapAreReadAgain) {
  auto f = compile([](const Tensor& a, const Tensor& b) {
    const Tensor before = b * 1;
    a += 10;
    return std::vector<Tensor>{before, b * 1};
  });
  const Tensor x = counting({4});
  const auto r = f(slice(x, 0, 0, 3), slice(x, 0, 1));
  EXPECT_EQ(f32_values(r[0]), (Floats{1, 2, 3}));
  EXPECT_EQ(f32_values(r[1]), (Floats{11, 12, 3}));
  const auto apart = f(counting({3}), counting({3}));
  EXPECT_EQ(f32_values(apart[1]), (Floats{0, 1, 2}));
  auto whole = compile(
      [](const Tensor& a, const Tensor& b) {
        a += 1;
        return b * 1;
      },
      {.fullgraph = true});
  EXPECT_EQ(f32_values(whole(counting({2}), counting({2}))), (Floats{0, 1}));
  EXPECT_TRUE(contains(refusal<CompileError>([&] { whole(slice(x, 0, 0, 2), slice(x, 0, 1, 3)); }), "overlaps"));
}

TEST(InPlace, TwoArgumentsChangePlaces) {
  auto swap = compile([](const Tensor& a, const Tensor& b) {
    const Tensor t = clone(a);
    copy_(a, b);
    copy_(b, t);
  });
  const Tensor a = counting({1000}), b = counting({1000}) * 3;
  const Floats was_a = f32_values(a), was_b = f32_values(b);
  swap(a, b);
  EXPECT_EQ(f32_values(a), was_b);
  EXPECT_EQ(f32_values(b), was_a);
}

TEST(InPlace, AScalarThatEveryElementReads) {  // Fuser#2664
  auto f = compile([](const Tensor& x, const Tensor& c) {
    Tensor y = x + c;
    c += 1;
    return y;
  });
  const Tensor x = zeros({1 << 16}), c = clone(from<float>({3}, Dims{}));
  for (int call = 0; call < 3; ++call) {
    const Floats y = f32_values(f(x, c));
    EXPECT_EQ(y, Floats(y.size(), static_cast<float>(3 + call)));
  }
  EXPECT_EQ(item<float>(c), 6);
}

TEST(InPlace, TheHostReadsWhatWasWritten) {
  in_both_modes([] {
    const Tensor x = clone(counting({3}));
    x += 1;
    EXPECT_EQ(item<float>(select(x, 0, 2)), 3);
    mul_(x, 2);
    EXPECT_EQ(f32_values(x), (Floats{2, 4, 6}));
    zero_(select(x, 0, 0));
    EXPECT_EQ(static_cast<const float*>(x.data_ptr())[0], 0);
  });
  const Tensor x = counting({3});
  auto f = compile([](const Tensor& t) {
    t += 1;
    return item<float>(select(t, 0, 0)) + f32_values(t)[1] + static_cast<const float*>(t.data_ptr())[2];
  });
  EXPECT_EQ(f(x), 6);
  EXPECT_EQ(f(x), 9);
}

TEST(InPlace, AcrossBreaks) {
  auto f = compile([](const Tensor& x) {
    const Tensor y = relu(x), part = slice(y, 0, 1, 3), other = slice(y, 0, 2);
    graph_break();
    part += 10;  // of a value that the break kept
    graph_break();
    other *= 2;
    return std::vector<Tensor>{y, part};
  });
  for (int call = 0; call < 3; ++call) {
    const auto r = f(counting({4}));
    EXPECT_EQ(f32_values(r[0]), (Floats{0, 11, 24, 6}));
    EXPECT_EQ(f32_values(r[1]), (Floats{11, 24}));
  }
}

TEST(InPlace, KeptValuesAreReadBeforeTheirInputsChange) {
  auto f = compile([](const Tensor& x) {
    Tensor y = x * 3;
    graph_break();  // y is kept
    x += 1;
    graph_break();
    return y;
  });
  for (int call = 0; call < 3; ++call) {
    const Tensor x = counting({3});
    EXPECT_EQ(f32_values(f(x)), (Floats{0, 3, 6}));
    EXPECT_EQ(f32_values(x), (Floats{1, 2, 3}));
  }
}

TEST(InPlace, HappensThoughTheFunctionThrows) {
  const Tensor x = counting({3});
  auto f = compile([&] {
    x += 1;
    throw std::runtime_error("after the write");
  });
  EXPECT_THROW(f(), std::runtime_error);
  EXPECT_EQ(f32_values(x), (Floats{1, 2, 3}));
}

TEST(InPlace, ResultsThatShareMemory) {
  auto f = compile([](const Tensor& x) {
    const Tensor y = x * 2;
    return std::vector<Tensor>{y, transpose(y, 0, 1), select(y, 0, 1)};
  });
  const auto r = f(counting({2, 3}));
  r[0] += 1;
  EXPECT_EQ(f32_values(r[1]), (Floats{1, 7, 3, 9, 5, 11}));
  zero_(r[1]);
  EXPECT_EQ(f32_values(r[2]), (Floats{0, 0, 0}));
}

TEST(InPlace, UserMemory) {
  std::vector<float> memory{0, 1, 2, 3, 4, 5};
  const Tensor reversed = from_blob(memory.data() + 5, {3}, f32, Device::cpu(), {-2});
  in_both_modes([&] { reversed += 1; });
  EXPECT_EQ(memory, (std::vector<float>{0, 5, 2, 7, 4, 9}));
  assign(slice(reversed, 0, 1), from<float>({20, 30}));
  EXPECT_EQ(memory, (std::vector<float>{0, 30, 2, 20, 4, 9}));
  const Tensor again = from_blob(memory.data(), {6}, f32);  // the same memory by another name
  auto f = compile([](const Tensor& a, const Tensor& b) {
    a += 100;
    return sum(b, {});
  });
  EXPECT_EQ(item<float>(f(again, reversed)), 359);
}

TEST(InPlace, DtypesOfResults) {
  const Tensor i = to(counting({2}), i32), h = to(counting({2}), f16), b = counting({2}) > 0;
  add_(i, true);
  add_(h, counting({2}));  // f32 becomes f16
  EXPECT_EQ(to_vector<int32_t>(i), (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(f32_values(to(h, f32)), (Floats{0, 2}));
  EXPECT_TRUE(contains(refusal<UserError>([&] { add_(i, 0.5); }), "does not become i32 in place"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { i /= 2; }), "does not become i32 in place"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { add_(b, 1); }), "does not become boolean in place"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { fill_(to(i, u8), 300); }), "does not fit into u8"));
  copy_(i, from<float>({2.9f, -1.5f}));  // copies convert
  EXPECT_EQ(to_vector<int32_t>(i), (std::vector<int32_t>{2, -1}));
}

TEST(InPlace, RefusedDestinations) {
  const Tensor x = clone(counting({3}));
  in_both_modes([&] {
    EXPECT_TRUE(contains(refusal<UserError>([&] { add_(expand(x, {2, 3}), 1); }), "share memory"));
    EXPECT_TRUE(contains(refusal<UserError>([&] { zero_(unfold(x, 0, 2, 1)); }), "share memory"));
    EXPECT_TRUE(contains(refusal<UserError>([&] { add_(x, zeros({2, 3})); }), "does not broadcast"));
    EXPECT_TRUE(contains(refusal<UserError>([&] { copy_(x, zeros({2})); }), "does not broadcast"));
    EXPECT_TRUE(contains(refusal<UserError>([&] { copy_(x, zeros({1, 3})); }), "does not broadcast"));
    EXPECT_TRUE(contains(refusal<UserError>([&] { into(x, zeros({1})); }), "the buffer is"));
    EXPECT_TRUE(contains(refusal<UserError>([&] { fill_(Tensor(), 1); }), "undefined"));
    add_(expand(x, {1, 3}), 1);  // nothing is repeated
    add_(unfold(x, 0, 2, 2), 1);
    x -= 1;
    add_(slice(x, 0, 0, 2), -1);
  });
  EXPECT_EQ(f32_values(x), (Floats{0, 1, 2}));
}

TEST(InPlace, ARowOfAnExpandedTensor) {
  const Tensor x = clone(counting({3}));
  add_(select(expand(x, {2, 3}), 0, 1), 1);
  EXPECT_EQ(f32_values(x), (Floats{1, 2, 3}));
  auto f = compile([](const Tensor& t) { add_(select(expand(t, {2, 3}), 0, 1), 1); });
  EXPECT_TRUE(contains(refusal<UserError>([&] { f(x); }), "share memory"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { f(expand(select(x, 0, 0), {3})); }), "share memory"));
  EXPECT_EQ(f32_values(x), (Floats{1, 2, 3}));
}

TEST(InPlace, RefusedOnAnotherThread) {
  auto f = compile([](const Tensor& x) {
    const Tensor y = x + 1;
    std::string message;
    std::thread([&] { message = refusal<UserError>([&] { y += 1; }); }).join();
    return message;
  });
  EXPECT_TRUE(contains(f(counting({2})), "another thread"));
}

TEST(InPlace, NumbersAndShapesChangeFromCallToCall) {
  auto f = compile([](const Tensor& x, int64_t start, float value) {
    assign(slice(x, 0, start, start + 2), value);
    x *= value;
  });
  for (int call = 0; call < 6; ++call) {
    const Tensor x = counting({8 + call});
    f(x, call % 3 + 1, static_cast<float>(call));
    Floats expected;
    for (int i = 0; i < 8 + call; ++i)
      expected.push_back(static_cast<float>((i == call % 3 + 1 || i == call % 3 + 2 ? call : i) * call));
    EXPECT_EQ(f32_values(x), expected) << call;
  }
}

TEST(InPlace, AnOptimiserStepIsOneKernel) {
  auto step = compile([](const Tensor& w, const Tensor& velocity, const Tensor& gradient) {
    velocity *= 0.5;
    velocity += gradient;
    w -= velocity * 0.25;
  });
  const Tensor w = ones({1000}) * 8, velocity = ones({1000}) * 4, gradient = ones({1000}) * 2;
  const Explanation e = step.explain(w, velocity, gradient);
  EXPECT_EQ(f32_values(velocity), Floats(1000, 4));
  EXPECT_EQ(f32_values(w), Floats(1000, 7));
  EXPECT_EQ(e.kernels().size(), 1u) << e.text();
}

TEST(InPlace, EmptyAndZeroDimensional) {
  in_both_modes([] {
    const Tensor none = zeros({0, 3}), one = clone(from<float>({2}, Dims{}));
    none += 1;
    fill_(none, 3);
    one *= 4;
    copy_(one, one + 1);
    EXPECT_EQ(none.numel(), 0);
    EXPECT_EQ(item<float>(one), 9);
  });
}

TEST(Into, ComputesInTheBuffer) {
  std::vector<float> memory(1000, -1);
  const Tensor out = from_blob(memory.data(), {1000}, f32), x = counting({1000});
  auto f = compile([](const Tensor& t) { return relu(t + 1) * 2; });
  const Tensor result = f.into(out)(x);
  EXPECT_EQ(result.data_ptr(), memory.data());
  EXPECT_EQ(memory[999], 2000);
  EXPECT_EQ(f32_values(f(x)), memory);
  const Explanation e = f.explain(x);
  (void)e;
  auto writes = compile([&](const Tensor& t) { into(out, sigmoid(t) + 1); });
  const Explanation in_place = writes.explain(x);
  EXPECT_EQ(in_place.regions.at(0).kernels.size(), 1u);
  EXPECT_EQ(in_place.regions.at(0).stored, 0);
  EXPECT_TRUE(contains(refusal<UserError>([&] { f.into(out)(counting({999})); }), "the buffer is f32 [1000]"));
}

TEST(Into, OfSeveralResults) {
  auto f = compile([](const Tensor& x) { return std::vector<Tensor>{x + 1, x * 2}; });
  const std::vector<Tensor> out{zeros({3}), zeros({3})};
  f.into(out)(counting({3}));
  EXPECT_EQ(f32_values(out[0]), (Floats{1, 2, 3}));
  EXPECT_EQ(f32_values(out[1]), (Floats{0, 2, 4}));
}

TEST(Into, RefusesWhatDoesNotFit) {
  auto f = compile([](const Tensor& x) { return x + 1; });
  const Tensor x = counting({3}), row = zeros({3});
  const auto refused = [&](const Tensor& out) { return refusal<UserError>([&] { f.into(out)(x); }); };
  for (int call = 0; call < 2; ++call) {
    EXPECT_TRUE(contains(refused(zeros({3}, f16)), "the buffer is f16 [3], the value f32 [3]"));
    EXPECT_TRUE(contains(refused(zeros({1, 3})), "the buffer is f32 [1,3], the value f32 [3]"));
    EXPECT_TRUE(contains(refused(zeros({1})), "the buffer is f32 [1], the value f32 [3]"));
    EXPECT_TRUE(contains(refused(expand(zeros({1}), {3})), "share memory"));
    EXPECT_TRUE(contains(refused(Tensor()), "undefined"));
    f.into(row)(x);
    EXPECT_EQ(f32_values(row), (Floats{1, 2, 3}));
  }
  auto two = compile([](const Tensor& t) { return std::vector<Tensor>{t, t}; });
  EXPECT_TRUE(contains(refusal<UserError>([&] { two.into(std::vector<Tensor>{row})(x); }), "1 buffers for 2 results"));
}

TEST(Into, ABufferThatOverlapsTheArgument) {
  auto f = compile([](const Tensor& x) { return x * 2 + flip(x, {0}); });
  for (int call = 0; call < 2; ++call) {
    const Tensor memory = counting({6}) * 1;
    f.into(slice(memory, 0, 1))(slice(memory, 0, 0, -1));
    EXPECT_EQ(f32_values(memory), (Floats{0, 4, 5, 6, 7, 8}));
    const Tensor whole = counting({3}) * 1;
    f.into(whole)(whole);
    EXPECT_EQ(f32_values(whole), (Floats{2, 3, 4}));
  }
}

TEST(InPlace, OneTensorAsTwoArguments) {
  auto f = compile([](const Tensor& a, const Tensor& b) {
    a += 10;
    return b * 1;
  });
  for (int call = 0; call < 2; ++call) {
    const Tensor x = counting({2}) * 1, y = counting({2}) * 1;
    EXPECT_EQ(f32_values(f(x, x)), (Floats{10, 11}));
    EXPECT_EQ(f32_values(f(x, y)), (Floats{0, 1}));
    EXPECT_EQ(f32_values(f(x, view(x, f32))), (Floats{30, 31})) << "two handles of one memory";
  }
}

TEST(InPlace, RandomNumbers) {
  manual_seed(11);
  const Floats drawn = f32_values(rand({4})), later = f32_values(rand({4}));
  auto f = compile([](const Tensor& x) {
    update_(x, [](const Tensor& t) { return rand_like(t); });
    return x + rand({4});
  });
  const auto expect_draws = [&](const std::function<Tensor(const Tensor&)>& run) {
    manual_seed(11);
    const Tensor x = zeros({4});
    const Floats sums = f32_values(run(x));
    EXPECT_EQ(f32_values(x), drawn);
    for (size_t i = 0; i < drawn.size(); ++i) EXPECT_EQ(sums[i], drawn[i] + later[i]);
    EXPECT_NE(f32_values(rand({4})), drawn) << "the sequence goes on";
  };
  for (int call = 0; call < 3; ++call) expect_draws([&](const Tensor& x) { return f(x); });
  expect_draws([](const Tensor& x) {  // at once
    update_(x, [](const Tensor& t) { return rand_like(t); });
    return x + rand({4});
  });
}

TEST(InPlace, AnErrorBetweenWritesLeavesTheEarlierOnes) {
  const Tensor x = counting({2}) * 1, y = counting({2}) * 1;
  auto f = compile([](const Tensor& a, const Tensor& b) {
    a += 1;
    select(b, 0, 0) += a;  // [2] does not become []
    b += 1;
  });
  for (int call = 1; call < 3; ++call) {
    EXPECT_TRUE(contains(refusal<UserError>([&] { f(x, y); }), "does not broadcast"));
    EXPECT_EQ(f32_values(x), (Floats{static_cast<float>(call), static_cast<float>(call + 1)}));
    EXPECT_EQ(f32_values(y), (Floats{0, 1}));
  }
}

}  // namespace
}  // namespace sinter::test
