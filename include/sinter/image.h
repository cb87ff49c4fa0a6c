// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <cstdint>

// Image ops on u8, f16, bf16 and f32 with channels last: [H,W,C], and [N,H,W,C] where said. Readers sample while they
// read: a resized image that is normalised, permuted and cast is never stored.
//
// Pixel centres are at half coordinates: output pixel d of D reads the source at (d + 0.5) * S / D - 0.5 (PyTorch's
// interpolate with align_corners = false and antialias = false; OpenCV's INTER_LINEAR). `nearest` takes the pixel that
// contains (d + 0.5) * S / D (PyTorch's nearest-exact). Interpolation is in f32; u8 results are rounded half to even.

#pragma GCC visibility push(default)
namespace sinter::image {

enum class Filter : uint8_t { nearest, linear };

/// What a pixel outside the image is.
enum class Border : uint8_t {
  constant,   ///< border_value, converted to the image's dtype
  replicate,  ///< the nearest pixel inside
};

struct Size {
  int64_t height, width;
};

struct Rectangle {
  int64_t top, left, height, width;
};

struct ResizeOptions {
  Filter filter = Filter::linear;
  Border border = Border::replicate;
  double border_value = 0;
};

struct CropResizeOptions {
  Filter filter = Filter::linear;
  Border border = Border::constant;
  double border_value = 0;
};

/// A part of an image of any dtype, [H,W,C] or [N,H,W,C]. It must lie inside (UserError): pad() first for more.
Tensor crop(Operand image, Rectangle part);

/// An image [H,W,C] or [N,H,W,C] at another size.
Tensor resize(Operand image, Size size, ResizeOptions options = {});

/// Parts of a frame [H,W,C], all at one size: [N,h,w,C] of its dtype. `boxes` is f32 [N,4] of x0, y0, x1, y1 in pixels,
/// edges at whole coordinates ([0,0,W,H] is the whole frame). A box is a window: it may have fractions, reach outside
/// the frame, where the border decides, and beside its edges interpolation reads the frame.
Tensor crop_resize(Operand frame, Operand boxes, Size size, CropResizeOptions options = {});

}  // namespace sinter::image
#pragma GCC visibility pop
