// SPDX-License-Identifier: Apache-2.0
// runner <file>: loads what the consumer saved, with the runtime alone.
#include <sinter/saved.h>
#include <sinter/stream.h>

#include <cstdio>
#include <string>
#include <vector>

namespace sn = sinter;

int main(int argc, char** argv) {
  try {
    (void)sn::load("/nowhere/file.sinter");
    return std::puts("a file that is not there was loaded"), 1;
  } catch (const sn::UserError& error) {
    if (std::string(error.what()).find("cannot be read") == std::string::npos) return std::puts(error.what()), 1;
  }
  if (argc < 2) return 0;
  const sn::Loaded f = sn::load(argv[1]);
  for (const int64_t rows : {2, 3, 500}) {
    const std::vector<float> values(static_cast<size_t>(rows) * 4, 1.5f);
    const std::vector<sn::Tensor> out = f({sn::from<float>(values, {rows, 4})});
    if (out.size() != 1 || sn::to_vector<float>(out[0]) != std::vector<float>(static_cast<size_t>(rows), 25.0f))
      return std::puts("wrong values"), 1;
  }
  std::puts(f.text().c_str());
  return 0;
}
