// SPDX-License-Identifier: Apache-2.0
#include <sinter/sinter.h>

#include <cstdio>

namespace sn = sinter;

int main() {
  // A camera's frame, u8 [height, width, 3]; here every pixel has the number of its column in all channels.
  const sn::Tensor columns = sn::to(sn::arange(640), sn::u8);
  const sn::Tensor frame = sn::to(sn::expand(sn::reshape(columns, {1, 640, 1}), {480, 640, 3}) + 0, sn::u8);
  // Two boxes of it: x0, y0, x1, y1 in pixels.
  const sn::Tensor boxes = sn::from<float>({0, 0, 8, 8, 100, 100, 116, 116}, {2, 4});
  const sn::Tensor mean = sn::from<float>({0.5f, 0.25f, 0}), deviation = sn::from<float>({0.5f, 0.25f, 1});

  auto preprocess = sn::compile(
      [&](sn::Tensor f, sn::Tensor b) {
        sn::Tensor x = sn::to(sn::image::crop_resize(f, b, {4, 4}), sn::f32) / 255;
        x = (x - mean) / deviation;  // captured tensors broadcast over the channels
        return sn::to(sn::permute(x, {0, 3, 1, 2}), sn::f16);
      },
      {.name = "preprocess"});

  const sn::Tensor batch = preprocess(frame, boxes);
  std::printf("%s\n", batch.text().c_str());
  const sn::Tensor row = sn::to(sn::select(sn::select(sn::select(batch, 0, 1), 0, 2), 0, 0), sn::f32) * 255;
  for (const float v : sn::to_vector<float>(sn::round(row))) std::printf("%g ", v);
  std::printf("\n");

  const sn::Explanation e = preprocess.explain(frame, boxes);
  std::printf("%d ops, %zu kernel\n", e.regions.at(0).op_count, e.kernels().size());
}
