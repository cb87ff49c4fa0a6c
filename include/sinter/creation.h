// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/device.h>
#include <sinter/dims.h>
#include <sinter/dtype.h>
#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <optional>
#include <vector>

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

/// Elements that will be written before they are read. PyTorch leaves them undefined; here they are zeros, which cost
/// nothing where a compiled function reads them, so that no program depends on what memory held before.
Tensor empty(const Dims& shape, DType dtype = f32, Device device = Device::cpu(),
             SourceLine line = SourceLine::current());

/// The same with the shape and, unless one is given, the dtype of x, on its device; the result is row-major whatever
/// the strides of x. Elements of x are not read.
Tensor full_like(Operand x, Operand value, std::optional<DType> dtype = std::nullopt);
Tensor zeros_like(Operand x, std::optional<DType> dtype = std::nullopt);
Tensor ones_like(Operand x, std::optional<DType> dtype = std::nullopt);
Tensor empty_like(Operand x, std::optional<DType> dtype = std::nullopt);

/// Ones on the main diagonal of a matrix of zeros; as many columns as rows unless given.
Tensor eye(int64_t rows, std::optional<int64_t> columns = std::nullopt, DType dtype = f32,
           Device device = Device::cpu(), SourceLine line = SourceLine::current());

/// `steps` numbers at equal distances from start to end, both included, with the bits of PyTorch's CPU kernels where
/// these use fma (x86 with AVX2 and later): step = (end - start) / (steps - 1); the first half is fma(i, step, start),
/// the second fma(-(steps - 1 - i), step, end). bf16 is computed in f32, f16 as well and without fma, integers in f64
/// and truncated. One step gives start. Throws UserError for boolean, negative steps, and numbers that the dtype does
/// not hold.
Tensor linspace(Operand start, Operand end, int64_t steps, DType dtype = f32, Device device = Device::cpu());

/// Which way the first two tensors of a meshgrid() run.
enum class MeshIndexing : uint8_t {
  ij,  ///< tensor i along dim i
  xy,  ///< the first along dim 1, the second along dim 0
};
/// One tensor for each of up to 8 tensors of one dim (0-d counts as [1]) and one dtype: its elements along its dim,
/// repeated along all others. The results are views.
std::vector<Tensor> meshgrid(std::vector<Tensor> axes, MeshIndexing indexing = MeshIndexing::ij,
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
