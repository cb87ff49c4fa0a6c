// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/activations.h>
#include <sinter/bitwise.h>
#include <sinter/callback.h>
#include <sinter/operand.h>
#include <sinter/pointwise.h>
#include <sinter/tensor.h>

// Writing to tensors. What a tensor is a view of changes with it, and so does every other view of that memory, as in
// PyTorch; a function that was compiled writes to its arguments, and to tensors that it captured, when it returns or
// when something reads them. All return (a handle of) the tensor that was written.
//
// UserError for a destination by which elements overlap (an expanded tensor, and inside a compiled function any view of
// one), and for a value that does not broadcast to the destination's shape: a destination never grows.

#pragma GCC visibility push(default)
namespace sinter {

/// The elements of `destination`, mostly a view (`assign(slice(x, 0, 1, 3), y)` is x[1:3] = y), become `value`, a
/// number or a tensor: broadcast, and converted as to() converts. What is read is what was there before, also where
/// value and destination overlap (unlike in PyTorch, where that is undefined). A number that an integer dtype does not
/// hold is a UserError.
Tensor assign(Operand destination, Operand value);
/// The same under PyTorch's names.
Tensor copy_(Operand x, Operand value);
Tensor fill_(Operand x, Operand value);
Tensor zero_(Operand x);

/// `value`, of the shape, dtype and device of `out`, in the memory of `out`. A value that is used nowhere else is
/// computed there, without a copy; compile(f).into(out)(x) does this with the result of a function. For buffers of the
/// user's own allocator: from_blob().
Tensor into(Operand out, Operand value);

/// A copy in memory of its own: row-major, or channels-last if x is.
Tensor clone(Operand x);

/// op_(x, ...): x becomes op(x, ...), for each pointwise op whose result has the shape of x. The result is converted to
/// the dtype of x; a floating one for an integer x, and any but a boolean one for a boolean x, is a UserError.
#define SINTER_IN_PLACE_0(op) Tensor op##_(Operand x);
#define SINTER_IN_PLACE_1(op) Tensor op##_(Operand x, Operand y);
#define SINTER_IN_PLACE_2(op) Tensor op##_(Operand x, Operand y, Operand z);
#include <sinter/in_place_ops.def>

/// x becomes f(x) by the same rules: for ops with options, and for several ops at once.
Tensor update_(Operand x, const Callback<Tensor(const Tensor&)>& f);

/// add_(x, y) and the like: what x shares its memory with changes as well. `x = x + y` gives x memory of its own.
Tensor operator+=(const Tensor& x, Operand y);
Tensor operator-=(const Tensor& x, Operand y);
Tensor operator*=(const Tensor& x, Operand y);
Tensor operator/=(const Tensor& x, Operand y);
Tensor operator&=(const Tensor& x, Operand y);
Tensor operator|=(const Tensor& x, Operand y);
Tensor operator^=(const Tensor& x, Operand y);

}  // namespace sinter
#pragma GCC visibility pop
