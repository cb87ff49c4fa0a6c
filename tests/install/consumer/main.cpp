// SPDX-License-Identifier: Apache-2.0
// consumer <file>: compiles and runs functions, and saves one to `file` where there is a code generator.
#include <sinter/sinter.h>

#include <cstdio>
#include <string>
#include <vector>

namespace sn = sinter;

namespace {

int fail(const char* what) { return std::puts(what), 1; }

int save(const std::string& path, const sn::Tensor& x) {
  const sn::Tensor weights = sn::from<float>({1, 2, 3, 4});
  auto op = sn::compile([&](sn::Tensor t) { return sn::sum(sn::relu(t + 1) * weights, {.dims = {1}}); },
                        {.name = "weighted", .dynamic = sn::Dynamic::always});
  try {
    op.save(path, x);
  } catch (const sn::UserError& error) {
    if (std::string(error.what()).find("no code generator") == std::string::npos) throw;
    std::puts("no code generator: nothing saved");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  auto op = sn::compile([](sn::Tensor x) { return sn::relu(x + 1) * 2; });
  const sn::Tensor x = sn::from<float>({-3, -1, 0, 2.5f});
  if (sn::to_vector<float>(op(x)) != std::vector<float>{0, 0, 2, 7}) return fail("wrong values");
  if (op.explain(x).kernels().size() > 1) return fail("not one kernel");
  try {
    (void)(x + sn::from<float>({1, 2, 3}));
    return fail("no error for shapes that do not broadcast");
  } catch (const sn::UserError& error) {
    if (std::string(error.what()).find("main.cpp") == std::string::npos) return fail("the error names no line");
  }
  return argc > 1 ? save(argv[1], sn::from<float>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 4})) : 0;
}
