// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/sinter.h>

#include <functional>
#include <string>
#include <vector>

#include "src/scalar/scalar_ops.h"

namespace sinter::test {

using Tensors = std::vector<Tensor>;
using Program = std::function<Tensors(const Tensors&)>;

/// What a program gives for CPU tensors in one way of running it; results are on the CPU.
struct Outcome {
  std::string way;  ///< "op by op", "interpreter", "cpu", "emulator"
  Tensors results;
};

/// Runs a program op by op, compiled for the interpreter, for the CPU, and for the emulator.
std::vector<Outcome> everywhere(const Program& program, const Tensors& inputs);

/// One-dimensional tensor of a dtype; the numbers go into it as to() converts them from f64 or i64.
Tensor tensor_of(DType dtype, const std::vector<double>& values);
Tensor tensor_of_integers(DType dtype, const std::vector<int64_t>& values);

/// Elements in their compute types; every NaN is the same one.
std::vector<scalar::Constant> elements(const Tensor& t);

/// Expects a dtype and elements of result `i` of each outcome.
void expect_everywhere(const std::vector<Outcome>& runs, size_t i, const Tensor& expected);

}  // namespace sinter::test
