// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sinter/error.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "tests/scalar/apply.h"

namespace sinter::scalar {
namespace {

constexpr DType compute_types[] = {boolean, i32, u32, i64, u64, f32, f64};

TEST(Table, NamesAreFoundAndUnique) {
  std::set<std::string_view> names;
  for (int i = 0; i < scalar_op_count; ++i) {
    const auto op = static_cast<ScalarOp>(i);
    EXPECT_TRUE(names.insert(info(op).name).second) << info(op).name;
    EXPECT_EQ(find_scalar_op(info(op).name), op);
  }
  EXPECT_FALSE(find_scalar_op("no such op"));
}

TEST(Table, ComputeTypes) {
  const DType expected[] = {boolean, u32, u32, u32, u64, i32, i32, i32, i64, f32, f32, f32, f64};
  for (size_t i = 0; i < std::size(all_dtypes); ++i) {
    EXPECT_EQ(compute_type(all_dtypes[i]), expected[i]) << all_dtypes[i].name();
    EXPECT_EQ(is_compute_type(all_dtypes[i]), all_dtypes[i] == expected[i]) << all_dtypes[i].name();
  }
}

/// Every combination that result_type accepts evaluates to that type, and every other one throws.
TEST(Table, EvaluateAgreesWithResultType) {
  int accepted = 0;
  for (int i = 0; i < scalar_op_count; ++i) {
    const auto op = static_cast<ScalarOp>(i);
    for (DType first : compute_types)
      for (DType rest : compute_types)
        for (DType attribute : all_dtypes) {
          std::vector<Constant> v(static_cast<size_t>(info(op).arity), constant_int(rest, 1));
          v[0] = constant_int(first, 1);
          std::vector<DType> types;
          for (const Constant& c : v) types.push_back(c.dtype);
          const auto type = result_type(op, types, attribute);
          if (!type) {
            EXPECT_THROW(evaluate(op, v, attribute), CompileError) << info(op).name;
            continue;
          }
          ++accepted;
          EXPECT_EQ(evaluate(op, v, attribute).dtype, *type) << info(op).name << " " << first.name();
        }
  }
  EXPECT_GT(accepted, 1000);
}

TEST(Table, ResultTypes) {
  const auto type = [](ScalarOp op, std::vector<DType> v, DType attribute = f32) {
    return result_type(op, v, attribute);
  };
  EXPECT_EQ(type(ScalarOp::lt, {f64, f64}), boolean);
  EXPECT_EQ(type(ScalarOp::select, {boolean, u64, u64}), u64);
  EXPECT_EQ(type(ScalarOp::convert, {f32}, u8), u32);
  EXPECT_EQ(type(ScalarOp::bitcast, {f32}, i32), i32);
  EXPECT_EQ(type(ScalarOp::round_to, {f32}, bf16), f32);
  EXPECT_FALSE(type(ScalarOp::add, {f32}));
  EXPECT_FALSE(type(ScalarOp::add, {f32, f64}));
  EXPECT_FALSE(type(ScalarOp::add, {f16, f16}));  // no compute type
  EXPECT_FALSE(type(ScalarOp::add, {boolean, boolean}));
  EXPECT_FALSE(type(ScalarOp::div, {i32, i32}));
  EXPECT_FALSE(type(ScalarOp::exp_f64, {f32}));
  EXPECT_FALSE(type(ScalarOp::ex2_approx, {f64}));
  EXPECT_FALSE(type(ScalarOp::select, {i32, f32, f32}));
  EXPECT_FALSE(type(ScalarOp::bitcast, {f32}, i64));
  EXPECT_FALSE(type(ScalarOp::bitcast, {f32}, f16));
  EXPECT_FALSE(type(ScalarOp::round_to, {f32}, i8));
  EXPECT_FALSE(type(ScalarOp::round_to, {f64}, f32));
}

TEST(Constants, HoldTheirValues) {
  EXPECT_EQ(constant_int(i32, -1).bits, 0xffffffffu);  // zero extended
  EXPECT_EQ(constant_int(i64, -1).bits, highest<uint64_t>);
  EXPECT_EQ(constant_int(boolean, 2), constant_bool(true));
  EXPECT_EQ(constant_int(f32, 3), constant_f32(3));
  EXPECT_EQ(constant_int(f64, (int64_t{1} << 53) + 1), constant_f64(0x1p53));
  EXPECT_EQ(constant_of(f32, 0.1), constant_f32(0.1f));
  EXPECT_EQ(constant_of(i32, 1e20), constant_int(i32, highest<int32_t>));
  EXPECT_EQ(constant_of(u32, -3), constant_int(u32, 0));
  EXPECT_EQ(constant_of(boolean, 0.5), constant_bool(true));
  EXPECT_EQ(as_double(constant_f32(0.5f)), 0.5);
  EXPECT_EQ(as_double(constant_int(u64, -1)), 0x1p64);
  EXPECT_EQ(as_int(constant_int(i32, -7)), -7);
  EXPECT_EQ(as_int(constant_int(u32, -7)), int64_t{0xfffffff9});
  EXPECT_EQ(as_int(constant_f64(-2.7)), -2);
  EXPECT_EQ(as_int(constant_bool(true)), 1);
}

TEST(Elements, StoreAndLoadEveryStorageType) {
  for (DType t : all_dtypes)
    for (int64_t v : {0, 1, 2, 100, -1, -100}) {
      if (v < 0 && !t.is_signed()) continue;
      const Constant c = constant_int(compute_type(t), v);
      std::array<unsigned char, 16> memory;
      memory.fill(0xa5);
      store_element(memory.data() + 3, t, c);  // misaligned on purpose
      EXPECT_EQ(load_element(memory.data() + 3, t), c) << t.name() << " " << v;
      EXPECT_EQ(memory[2], 0xa5);
      EXPECT_EQ(memory[static_cast<size_t>(3 + t.bytes())], 0xa5) << t.name();
    }
}

TEST(Elements, AnyNonZeroByteIsTrue) {
  const uint8_t stored = 0x80;
  EXPECT_EQ(load_element(&stored, boolean), constant_bool(true));
}

TEST(Elements, AreStoredFromTheirComputeTypeOnly) {
  float place;
  EXPECT_THROW(store_element(&place, f32, constant_f64(1)), CompileError);
}

}  // namespace
}  // namespace sinter::scalar
