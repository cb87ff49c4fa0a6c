// SPDX-License-Identifier: Apache-2.0
// The sample of README.md.
#include <sinter/sinter.h>

#include <cstdio>

// clang-format off: ten lines, as README.md shows them
namespace sn = sinter;
int main() {
  sn::Tensor frame = sn::full({1080, 1920, 3}, 128, sn::u8, sn::Device::best());
  sn::Tensor boxes = sn::to(sn::from<float>({0, 0, 640, 640, 9, 5, 429, 690}, {2, 4}), sn::Device::best());
  auto pre = sn::compile([](sn::Tensor f, sn::Tensor b) {
    sn::Tensor x = sn::to(sn::image::crop_resize(f, b, {224, 224}), sn::f32) / 255;
    return sn::to(sn::permute((x - 0.45f) / 0.22f, {0, 3, 1, 2}), sn::f16); }, {.name = "pre"});
  sn::Tensor batch = pre(frame, boxes);         // f16 [2,3,224,224]; one kernel
  std::puts(pre.explain(frame, boxes).text().c_str()); }
