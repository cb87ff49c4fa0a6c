// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/device.h>
#include <sinter/dims.h>
#include <sinter/dtype.h>
#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <optional>

// Tensors from numbers. Inside a compiled function they cost nothing: readers compute the elements.

#pragma GCC visibility push(default)
namespace sinter {

/// Every element is `value`. Without a dtype, a bool gives boolean, an integer i64, a floating number f32. Throws
/// UserError if the dtype does not hold the value, or for a negative extent.
Tensor full(const Dims& shape, Operand value, std::optional<DType> dtype = std::nullopt, Device device = Device::cpu());
Tensor zeros(const Dims& shape, DType dtype = f32, Device device = Device::cpu(),
             SourceLine line = SourceLine::current());
Tensor ones(const Dims& shape, DType dtype = f32, Device device = Device::cpu(),
            SourceLine line = SourceLine::current());

struct ArangeOptions {
  std::optional<DType> dtype = std::nullopt;  ///< i64 if all numbers are integers, else f32
  Device device = Device::cpu();
};
/// start, start + step, ... before end: ceil((end - start) / step) elements. Integers are computed in i64, floats in
/// the compute type of the dtype as start + i * step. Throws UserError for step 0, or one that leads away from end.
Tensor arange(Operand start, Operand end, Operand step, ArangeOptions options = {});
Tensor arange(Operand start, Operand end, ArangeOptions options = {});
Tensor arange(Operand end, ArangeOptions options = {});

}  // namespace sinter
#pragma GCC visibility pop
