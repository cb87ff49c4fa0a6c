// SPDX-License-Identifier: Apache-2.0
// DLPack both ways. The structs are written out here by themselves, as a consumer has them.
#include <sinter/dlpack.h>

#include <bit>
#include <memory>

#include "tests/capture/support.h"

struct DLTensorAsConsumersHaveIt {
  void* data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensorAsConsumersHaveIt dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  uint64_t flags;
  DLTensorAsConsumersHaveIt dl_tensor;
};

namespace sinter::test {
namespace {

/// A foreign array of i32 0, 1, 2, ...; counts how often it was deleted.
struct Foreign {
  std::vector<int32_t> data{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::vector<int64_t> shape{2, 3}, strides{6, 2};
  int deleted = 0;
  DLManagedTensorVersioned versioned{1, 0,      this, [](auto* m) { ++static_cast<Foreign*>(m->manager_ctx)->deleted; },
                                     0, array()};
  DLManagedTensor legacy{array(), this, [](auto* m) { ++static_cast<Foreign*>(m->manager_ctx)->deleted; }};

  DLTensorAsConsumersHaveIt array() { return {data.data(), 1, 0, 2, 0, 32, 1, shape.data(), strides.data(), 4}; }
};

TEST(Dlpack, ExportSharesTheMemory) {
  for (const DType t : all_dtypes) {
    const Tensor x = to(counting({2, 3}), t), y = transpose(x, 0, 1);
    DLManagedTensorVersioned* m = to_dlpack(y);
    EXPECT_EQ(m->major, 1u);
    EXPECT_EQ(m->flags, 0u);
    EXPECT_EQ(m->dl_tensor.data, x.data_ptr());
    EXPECT_EQ(m->dl_tensor.device_type, 1);
    EXPECT_EQ(m->dl_tensor.ndim, 2);
    EXPECT_EQ(m->dl_tensor.bits, 8 * t.bytes());
    EXPECT_EQ(m->dl_tensor.lanes, 1);
    EXPECT_EQ(m->dl_tensor.code, t.is_boolean() ? 6 : t == bf16 ? 4 : t.is_floating() ? 2 : t.is_signed() ? 0 : 1);
    EXPECT_EQ(std::vector<int64_t>(m->dl_tensor.shape, m->dl_tensor.shape + 2), (std::vector<int64_t>{3, 2}));
    EXPECT_EQ(std::vector<int64_t>(m->dl_tensor.strides, m->dl_tensor.strides + 2), (std::vector<int64_t>{1, 3}));
    const Tensor back = from_dlpack(m);
    EXPECT_EQ(back.dtype(), t);
    EXPECT_EQ(back.data_ptr(), x.data_ptr());
    EXPECT_EQ(to_vector<float>(to(back, f32)), to_vector<float>(to(y, f32)));
    fill_(x, 1);
    EXPECT_EQ(to_vector<float>(to(back, f32)), (std::vector<float>(6, 1)));
  }
}

TEST(Dlpack, TheMemoryLivesUntilTheDeleterRan) {
  DLManagedTensor* m = nullptr;
  {
    const Tensor x = counting({1000});
    m = to_dlpack_legacy(slice(x, 0, 10));
  }
  const Tensor other = zeros({1000}) + 5;  // would get the memory if it was free
  const auto* data = reinterpret_cast<const float*>(static_cast<char*>(m->dl_tensor.data) + m->dl_tensor.byte_offset);
  EXPECT_EQ(data[0], 10);
  EXPECT_EQ(data[989], 999);
  m->deleter(m);
}

TEST(Dlpack, ImportSharesTheMemoryAndDeletesOnce) {
  for (const bool versioned : {false, true}) {
    Foreign foreign;
    {
      Tensor x = versioned ? from_dlpack(&foreign.versioned) : from_dlpack(&foreign.legacy);
      EXPECT_EQ(to_vector<int32_t>(x), (std::vector<int32_t>{1, 3, 5, 7, 9, 11}));
      const Tensor view = select(x, 0, 1);
      x.reset();
      EXPECT_EQ(foreign.deleted, 0);
      view += 100;
      EXPECT_EQ(to_vector<int32_t>(view), (std::vector<int32_t>{107, 109, 111}));
    }
    EXPECT_EQ(foreign.deleted, 1);
    EXPECT_EQ(foreign.data[7], 107);
  }
}

TEST(Dlpack, NoStridesNoDeleterNoElements) {
  Foreign foreign;
  foreign.versioned.dl_tensor.strides = nullptr;
  foreign.versioned.deleter = nullptr;
  EXPECT_EQ(to_vector<int32_t>(from_dlpack(&foreign.versioned)), (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
  foreign.strides = {-6, -2};  // from the last element
  foreign.legacy.dl_tensor.byte_offset = 11 * 4;
  EXPECT_EQ(to_vector<int32_t>(from_dlpack(&foreign.legacy)), (std::vector<int32_t>{11, 9, 7, 5, 3, 1}));
  foreign.shape = {0, 3};
  foreign.legacy.dl_tensor.data = nullptr;
  EXPECT_EQ(from_dlpack(&foreign.legacy).numel(), 0);
  foreign.legacy.dl_tensor = foreign.array();
  foreign.legacy.dl_tensor.ndim = 0;
  EXPECT_EQ(item<int32_t>(from_dlpack(&foreign.legacy)), 1);
  const Tensor scalar = from<float>({2}, Dims{});
  EXPECT_EQ(item<float>(from_dlpack(to_dlpack(scalar))), 2);
}

TEST(Dlpack, ReadOnlyMemoryIsNotWritten) {
  Foreign foreign;
  foreign.versioned.flags = 1;
  const Tensor x = from_dlpack(&foreign.versioned);
  EXPECT_TRUE(contains(refusal<UserError>([&] { x += 1; }), "read-only"));
  auto f = compile([](const Tensor& t) { zero_(select(t, 0, 0)); });
  EXPECT_TRUE(contains(refusal<UserError>([&] { f(x); }), "read-only"));
  EXPECT_EQ(foreign.data[1], 1);
  EXPECT_EQ(to_vector<int32_t>(x * 2)[0], 2);
  EXPECT_TRUE(contains(refusal<UserError>([&] { to_dlpack_legacy(x); }), "read-only"));
  DLManagedTensorVersioned* again = to_dlpack(select(x, 0, 1));
  EXPECT_EQ(again->flags, 1u);
  again->deleter(again);
}

TEST(Dlpack, WhatDoesNotFitStaysTheCallers) {
  Foreign f;
  const auto expect_refused = [&](const std::string& why) {
    EXPECT_TRUE(contains(refusal<UserError>([&] { from_dlpack(&f.versioned); }), why)) << why;
    EXPECT_EQ(f.deleted, 0);
    f.versioned.dl_tensor = f.array();
  };
  f.versioned.dl_tensor.code = 5;
  expect_refused("type code 5");
  f.versioned.dl_tensor.lanes = 4;
  expect_refused("4 lanes");
  f.versioned.dl_tensor.code = 2;
  f.versioned.dl_tensor.bits = 8;
  expect_refused("of 8 bits");
  f.versioned.dl_tensor.device_type = 10;
  expect_refused("device type 10");
  f.versioned.dl_tensor.ndim = 9;
  expect_refused("9 dims");
  f.versioned.dl_tensor.byte_offset = 2;
  expect_refused("[from_dlpack]");
  f.strides = {2, 1};
  expect_refused("overlap");
  f.versioned.major = 2;
  expect_refused("version 2.0");
  EXPECT_TRUE(contains(refusal<UserError>([] { from_dlpack(static_cast<DLManagedTensor*>(nullptr)); }), "null"));
  EXPECT_TRUE(contains(refusal<UserError>([] { to_dlpack(Tensor()); }), "undefined"));
  const Tensor x = counting({2});
  EXPECT_TRUE(contains(refusal<UserError>([&] { to_dlpack(x, {.stream = 1}); }), "stream 1"));
  DLManagedTensorVersioned* m = to_dlpack(x, {.stream = -1});
  m->deleter(m);
}

TEST(Dlpack, ExportEndsARegion) {
  auto f = compile([](const Tensor& x) {
    x += 1;
    const Tensor y = x * 2;
    DLManagedTensorVersioned* m = to_dlpack(y);
    const float first = static_cast<float*>(m->dl_tensor.data)[0];
    static_cast<float*>(m->dl_tensor.data)[1] = 50;
    m->deleter(m);
    DLManagedTensorVersioned* argument = to_dlpack(x);
    const float written = static_cast<float*>(argument->dl_tensor.data)[0];
    argument->deleter(argument);
    return std::pair<Tensor, float>(y + 1, first + written);
  });
  for (int call = 0; call < 2; ++call) {
    const auto [y, sum] = f(counting({2}));
    EXPECT_EQ(sum, 3);
    EXPECT_EQ(to_vector<float>(y), (std::vector<float>{3, 51}));
  }
  EXPECT_EQ(f.stats().breaks, 2);
}

}  // namespace
}  // namespace sinter::test
