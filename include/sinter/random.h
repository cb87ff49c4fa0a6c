// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/device.h>
#include <sinter/dims.h>
#include <sinter/dtype.h>
#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <cstdint>
#include <optional>

// Random numbers: Philox 4x32-10, keyed by a seed, the number of the call and the element's place in its result.
//
// Each call takes the next number of its device's sequence when it is made, also if nothing uses its result. So a
// program draws the same numbers on every device, eager or compiled, however it is fused and broken into regions, and
// where a value is computed twice it is the same value. Threads share a device's sequence: the order of their calls is
// theirs. Work that was captured into a CUDA graph draws on with each replay; the sequence of the device continues
// behind it. Streams that draw while such a graph runs must be ordered by the caller.

#pragma GCC visibility push(default)
namespace sinter {

/// The seed before manual_seed().
inline constexpr uint64_t default_seed = 67280421310721;

/// Begins the sequences of all devices anew, graphs captured before included. Not while a stream is captured
/// (UserError).
void manual_seed(uint64_t seed, SourceLine line = SourceLine::current());

/// Where a device's sequence stands: offset calls after its beginning.
struct RandomState {
  uint64_t seed = default_seed;
  uint64_t offset = 0;
  friend bool operator==(const RandomState&, const RandomState&) = default;
};
/// Waits for the current stream.
RandomState random_state(Device device = Device::cpu());
void set_random_state(const RandomState& state, Device device = Device::cpu(), SourceLine line = SourceLine::current());

/// Uniform in [0, 1): multiples of 2^-24 for f32, 2^-53 for f64, 2^-11 for f16 and 2^-8 for bf16, each equally likely,
/// so that none rounds to 1. Throws UserError for other dtypes.
Tensor rand(const Dims& shape, DType dtype = f32, Device device = Device::cpu(),
            SourceLine line = SourceLine::current());
/// Uniform in [low, high): fma(rand, high - low, low) in the compute type; what rounds to high is low. Throws
/// UserError unless low <= high and both and their distance are finite in the dtype.
Tensor uniform(Operand low, Operand high, const Dims& shape, DType dtype = f32, Device device = Device::cpu());

/// Normal with mean 0 and standard deviation 1 (Box and Muller: sqrt(-2 log u) cos(2 pi v), elements in pairs), f16 and
/// bf16 rounded from f32, where no value is beyond 6.8. In f64 the logarithm and the cosine are the platform's.
Tensor randn(const Dims& shape, DType dtype = f32, Device device = Device::cpu(),
             SourceLine line = SourceLine::current());
/// fma(randn, std, mean) in the compute type. Throws UserError for a negative std.
Tensor normal(Operand mean, Operand std, const Dims& shape, DType dtype = f32, Device device = Device::cpu());

/// Integers in [low, high), in any dtype: the high half of a random 64-bit word times high - low, so that no value is
/// more likely than another by more than (high - low) / 2^64. Throws UserError if low >= high, or if an integer dtype
/// does not hold low and high - 1, a floating one not every integer between them.
Tensor randint(int64_t low, int64_t high, const Dims& shape, DType dtype = i64, Device device = Device::cpu(),
               SourceLine line = SourceLine::current());
Tensor randint(int64_t high, const Dims& shape, DType dtype = i64, Device device = Device::cpu(),
               SourceLine line = SourceLine::current());

/// The same with the shape and, unless one is given, the dtype of x, on its device; elements of x are not read.
Tensor rand_like(Operand x, std::optional<DType> dtype = std::nullopt);
Tensor randn_like(Operand x, std::optional<DType> dtype = std::nullopt);
Tensor randint_like(Operand x, int64_t low, int64_t high, std::optional<DType> dtype = std::nullopt);

/// 1 with the probability that the element of p says, else 0, in the dtype of p, which must be floating. Compared with
/// uniform numbers of 24 bits (f64: 53), so a probability of 1 and more is always 1, one of 0 and less or NaN always 0.
Tensor bernoulli(Operand p);
/// 1 with probability p, else 0, in the shape and dtype of x. Throws UserError unless 0 <= p <= 1.
Tensor bernoulli(Operand x, double p);

/// Each element times 0 with probability p, else times 1 / (1 - p); x itself if not training or p is 0, without a draw.
/// As in PyTorch NaN and infinities become NaN where they are dropped. Throws UserError unless 0 <= p <= 1 and x is
/// floating.
Tensor dropout(Operand x, double p = 0.5, bool training = true);

}  // namespace sinter
#pragma GCC visibility pop
