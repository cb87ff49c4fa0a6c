// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sinter/device.h>
#include <sinter/dims.h>
#include <sinter/dtype.h>
#include <sinter/error.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sinter {
namespace {

TEST(DTypes, NamesRoundTrip) {
  static_assert(sizeof(DType) == 2 && std::is_trivially_copyable_v<DType>);
  for (const DType t : all_dtypes) EXPECT_EQ(DType::parse(t.name()), t) << t.name();
  EXPECT_EQ(DType::parse("f8"), std::nullopt);
  EXPECT_EQ(bf16.name(), "bf16");
  EXPECT_NE(f16, bf16);
}

TEST(DTypes, KindsAndTypes) {
  EXPECT_TRUE(bf16.is_floating() && bf16.is_signed() && !bf16.is_integer());
  EXPECT_TRUE(u8.is_integer() && !u8.is_signed());
  EXPECT_TRUE(!boolean.is_integer() && !boolean.is_floating() && boolean.is_boolean());
  EXPECT_EQ(i64.bytes(), 8);
  EXPECT_EQ(dtype_of<bool>(), boolean);
  EXPECT_EQ(dtype_of<Half>(), f16);
  EXPECT_EQ(dtype_of<BFloat16>(), bf16);
  EXPECT_EQ(dtype_of<double>(), f64);
  EXPECT_EQ(dtype_of<long>(), i64);
  EXPECT_EQ(dtype_of<unsigned char>(), u8);
}

bool same(float a, float b) { return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b); }

/// Floats that hit every rounding case: all exponents, mantissas around each halfway point of both formats.
std::vector<float> hard_floats() {
  std::vector<float> values;
  for (uint32_t exponent = 0; exponent < 256; ++exponent)
    for (uint32_t shift = 0; shift < 23; ++shift)
      for (const uint32_t base : {0u, 1u << shift, 3u << shift, 0x7fffffu & ~((1u << shift) - 1), 0x555555u, 0x2aaaaau})
        for (const int step : {-1, 0, 1})
          for (const uint32_t sign : {0u, 1u << 31})
            values.push_back(
                std::bit_cast<float>(sign | exponent << 23 | ((base + static_cast<uint32_t>(step)) & 0x7fffffu)));
  return values;
}

#if defined(__x86_64__)
#define SINTER_F16C __attribute__((target("f16c,avx")))
SINTER_F16C float widened_by_hardware(uint16_t bits) { return _cvtsh_ss(bits); }
SINTER_F16C uint16_t narrowed_by_hardware(float v) { return _cvtss_sh(v, _MM_FROUND_TO_NEAREST_INT); }

TEST(Half, WidensEveryValueAsTheHardwareDoes) {
  for (uint32_t h = 0; h < 65536; ++h) {
    const auto bits = static_cast<uint16_t>(h);
    const bool signalling = (h & 0x7c00) == 0x7c00 && (h & 0x3ff) != 0 && (h & 0x200) == 0;
    if (signalling) continue;  // the hardware makes them quiet; no result of ours is one
    ASSERT_TRUE(same(f16_bits_to_f32(bits), widened_by_hardware(bits))) << h;
    ASSERT_EQ(f32_to_f16_bits(f16_bits_to_f32(bits)), bits) << h;
  }
}

TEST(Half, NarrowsAsTheHardwareDoes) {
  for (const float v : hard_floats()) {
    ASSERT_EQ(f32_to_f16_bits(v), narrowed_by_hardware(v)) << std::bit_cast<uint32_t>(v);
  }
}
#endif

TEST(BFloat16, NarrowsToTheNearest) {
  for (const float v : hard_floats()) {
    const uint16_t bits = f32_to_bf16_bits(v);
    const float back = bf16_bits_to_f32(bits);
    if (std::isnan(v)) {
      ASSERT_TRUE(std::isnan(back));
      continue;
    }
    const uint32_t x = std::bit_cast<uint32_t>(v);
    const double below = static_cast<double>(std::bit_cast<float>(x & 0xffff0000u));
    if (std::isinf(v)) {
      ASSERT_TRUE(same(back, v));
      continue;
    }
    const uint32_t up = (x & 0xffff0000u) + 0x10000u;
    // Above the largest bf16 the next one would be 2^128.
    const double above = (up & 0x7f800000u) == 0x7f800000u ? std::copysign(std::ldexp(1.0, 128), below)
                                                           : static_cast<double>(std::bit_cast<float>(up));
    const double d = static_cast<double>(v);
    const double to_below = std::fabs(d - below), to_above = std::fabs(above - d);
    const bool take_above = to_above < to_below || (to_above == to_below && (x & 0x10000u) != 0);
    ASSERT_EQ(bits, static_cast<uint16_t>((take_above ? up : x) >> 16)) << x;
  }
}

TEST(DimsList, HoldsUpToEight) {
  Dims d{2, 3, 4};
  EXPECT_EQ(d.size(), 3u);
  EXPECT_EQ(d.product(), 24);
  EXPECT_EQ(Dims{}.product(), 1);
  EXPECT_EQ(d.text(), "[2,3,4]");
  EXPECT_EQ(d, (Dims{2, 3, 4}));
  EXPECT_NE(d, (Dims{2, 3}));
  EXPECT_NE(d, (Dims{2, 3, 5}));
  EXPECT_EQ(d.span().back(), 4);
  for (int i = 0; i < 5; ++i) d.push_back(1);
  EXPECT_THROW(d.push_back(1), UserError);
  EXPECT_THROW((Dims{1, 2, 3, 4, 5, 6, 7, 8, 9}), UserError);
}

TEST(Devices, AreNamed) {
  EXPECT_EQ(Device::cpu().text(), "cpu");
  EXPECT_EQ(Device::cuda(3).text(), "cuda:3");
  EXPECT_EQ(Device(), Device::cpu());
  EXPECT_NE(Device::cuda(0), Device::cuda(1));
}

SourceLine here(SourceLine line = SourceLine::current()) { return line; }

TEST(Errors, SayWhatWhereAndHow) {
  const SourceLine line = here();
  const UserError error({.op = "sub",
                         .what = "cannot broadcast f32 [2,3] with f32 [4]: dim -1 is 3 against 4",
                         .line = line,
                         .context = "tracing \"pre\"",
                         .fix = "give the right side 3 elements or 1"});
  EXPECT_EQ(line.text(), "types_test.cpp:" + std::to_string(line.line));
  EXPECT_EQ(std::string(error.what()),
            "UserError: [sub] cannot broadcast f32 [2,3] with f32 [4]: dim -1 is 3 against 4\n  at " + line.text() +
                ", tracing \"pre\"\n  fix: give the right side 3 elements or 1");
  EXPECT_EQ(error.parts().op, "sub");
  EXPECT_EQ(std::string(DeviceError("gone").what()), "DeviceError: gone");
  EXPECT_THROW(throw CompileError("x"), Error);
  EXPECT_THROW(throw UserError("x"), std::runtime_error);
}

}  // namespace
}  // namespace sinter
