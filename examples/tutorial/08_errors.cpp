// SPDX-License-Identifier: Apache-2.0
#include <sinter/sinter.h>

#include <cstdio>

namespace sn = sinter;

template <class F>
void show(F f) {
  try {
    f();
  } catch (const sn::UserError& error) {  // also CompileError, DeviceError; sn::Error is all of them
    std::printf("%s\n", error.what());
  }
}

int main() {
  const sn::Tensor image = sn::zeros({4, 4, 3}), scale = sn::zeros({4});
  auto normalise = sn::compile([&](sn::Tensor x) { return x / 255 - scale; }, {.name = "normalise"});
  show([&] { (void)normalise(image); });

  show([&] { (void)sn::sum(image, {.dims = {5}}); });
  show([&] { (void)sn::item<float>(image); });

  // The parts are fields: programs need not read the text.
  try {
    (void)(image - scale);
  } catch (const sn::Error& error) {
    std::printf("op %s at %s\n", error.parts().op.c_str(), error.parts().line.text().c_str());
  }
}
