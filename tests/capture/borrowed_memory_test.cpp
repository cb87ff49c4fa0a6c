// SPDX-License-Identifier: Apache-2.0
// Memory of the program's that is wrapped inside a compiled function and gone before the function ends.
#include <memory>
#include <utility>
#include <vector>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

/// Values that are overwritten when they go.
struct Scratch {
  std::vector<float> values;
  explicit Scratch(std::vector<float> v) : values(std::move(v)) {}
  ~Scratch() {
    for (float& v : values) v = -1000;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  Tensor wrapped() { return from_blob(values.data(), {static_cast<int64_t>(values.size())}, f32); }
};

TEST(BorrowedMemory, IsReadBeforeItsLastHandleIsGone) {
  float step = 0;
  const auto body = [&](Tensor x) {
    ++step;
    Tensor y;
    {
      auto memory = std::make_unique<Scratch>(std::vector<float>{step, 2 * step});
      const Tensor a = memory->wrapped();
      y = x + a * 10;
      // `a` goes before the memory, as declared
    }
    return y * 2;
  };
  auto f = compile(body);
  for (int call = 1; call <= 3; ++call) {
    const auto k = static_cast<float>(call);
    EXPECT_EQ(to_vector<float>(f(from<float>({1, 2}))), (std::vector<float>{2 + 20 * k, 4 + 40 * k}));
  }
  EXPECT_EQ(f.stats().breaks, 3);
}

TEST(BorrowedMemory, TemporariesAreReadAtOnce) {
  auto f = compile([](Tensor x) {
    auto memory = std::make_unique<Scratch>(std::vector<float>{1, 2});
    Tensor y = memory->wrapped() * x;
    memory.reset();
    return y + 1;
  });
  for (int call = 0; call < 3; ++call) EXPECT_EQ(to_vector<float>(f(from<float>({3, 4}))), (std::vector<float>{4, 9}));
}

TEST(BorrowedMemory, OtherHandlesKeepTheRegionGoing) {
  std::vector<float> memory{1, 2};
  auto f = compile([&](Tensor x) {
    Tensor outer;
    {
      const Tensor inner = from_blob(memory.data(), {2}, f32);
      outer = inner;
      x = x + inner;
    }
    x = x * 2;
    EXPECT_EQ(f32, outer.dtype());
    return std::pair(x, outer);
  });
  const auto [y, outer] = f(from<float>({1, 1}));
  EXPECT_EQ(to_vector<float>(y), (std::vector<float>{4, 6}));
  EXPECT_EQ(f.stats().breaks, 0);
}

TEST(BorrowedMemory, WhatOutlivesTheCallEndsNothing) {
  std::vector<float> memory{1, 2};
  auto f = compile([](Tensor x) {
    Tensor y = x * 2;
    x.reset();
    return y + 1;
  });
  for (int call = 0; call < 2; ++call)
    EXPECT_EQ(to_vector<float>(f(from_blob(memory.data(), {2}, f32))), (std::vector<float>{3, 5}));
  auto owning = compile([&](Tensor x) {
    const Tensor a = from_blob(memory.data(), {2}, f32, Device::cpu(), {}, [](void*) {});
    return x + a;
  });
  EXPECT_EQ(to_vector<float>(owning(from<float>({1, 1}))), (std::vector<float>{2, 3}));
  EXPECT_EQ(f.stats().breaks + owning.stats().breaks, 0) << "a deleter says when the memory goes";
}

TEST(BorrowedMemory, UnusedMemoryEndsNothing) {
  std::vector<float> memory{1, 2};
  auto f = compile([&](Tensor x) {
    {
      const Tensor unused = from_blob(memory.data(), {2}, f32);
    }
    return x + 1;
  });
  (void)f(from<float>({1, 1}));
  EXPECT_EQ(f.stats().breaks, 0);
}

TEST(BorrowedMemory, AnExceptionReadsItToo) {
  Tensor escaped;
  auto f = compile([&](Tensor x) {
    auto memory = std::make_unique<Scratch>(std::vector<float>{5, 6});
    const Tensor a = memory->wrapped();
    escaped = x + a;
    if (x.rank() == 1) throw 7;
  });
  EXPECT_THROW(f(from<float>({1, 1})), int);
  EXPECT_EQ(to_vector<float>(escaped), (std::vector<float>{6, 7}));
}

TEST(BorrowedMemory, AFailureLeavesTensorsWithoutData) {
  auto f = compile([](Tensor x, Tensor i) {
    Tensor y;
    {
      auto memory = std::make_unique<Scratch>(std::vector<float>{5, 6});
      const Tensor a = memory->wrapped();
      y = index_select(x + a, 0, i);
    }
    return y;
  });
  EXPECT_EQ(to_vector<float>(f(from<float>({1, 1}), from<int64_t>({1}))), (std::vector<float>{7}));
  const Tensor bad = f(from<float>({1, 1}), from<int64_t>({2}));
  EXPECT_TRUE(contains(refusal<UserError>([&] { (void)to_vector<float>(bad); }), "has no data"));
}

}  // namespace
}  // namespace sinter::test
