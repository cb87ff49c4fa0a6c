// SPDX-License-Identifier: Apache-2.0
#include "tests/kinds/everywhere.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/simt/backend.h"

namespace sinter::test {
namespace {

Tensors moved(const Tensors& tensors, Device device) {
  Tensors result;
  for (const Tensor& t : tensors) result.push_back(to(t, device));
  return result;
}

Tensors compiled(const Program& program, const Tensors& inputs, const std::string& backend) {
  auto f = compile([&](const Tensors& x) { return program(x); }, {.backend = backend});
  return f(inputs);
}

}  // namespace

std::vector<Outcome> everywhere(const Program& program, const Tensors& inputs) {
  static const bool emulated = (simt::install(), true);
  (void)emulated;
  return {{"op by op", program(inputs)},
          {"interpreter", compiled(program, inputs, "reference")},
          {"cpu", compiled(program, inputs, "sinter")},
          {"emulator", moved(compiled(program, moved(inputs, Device::cuda(0)), "sinter"), Device::cpu())}};
}

Tensor tensor_of(DType dtype, const std::vector<double>& values) {
  return to(from(values, {static_cast<int64_t>(values.size())}), dtype);
}

Tensor tensor_of_integers(DType dtype, const std::vector<int64_t>& values) {
  return to(from(values, {static_cast<int64_t>(values.size())}), dtype);
}

std::vector<scalar::Constant> elements(const Tensor& t) {
  std::vector<std::byte> bytes(static_cast<size_t>(t.numel() * t.dtype().bytes()));
  copy_to_host(t, bytes.data(), t.dtype(), SourceLine::current());
  std::vector<scalar::Constant> list;
  for (int64_t i = 0; i < t.numel(); ++i) {
    list.push_back(scalar::load_element(bytes.data() + i * t.dtype().bytes(), t.dtype()));
    if (std::isnan(scalar::as_double(list.back())))
      list.back() = scalar::constant_of(list.back().dtype, std::numeric_limits<double>::quiet_NaN());
  }
  return list;
}

void expect_everywhere(const std::vector<Outcome>& runs, size_t i, const Tensor& expected) {
  const auto right = elements(expected);
  for (const Outcome& run : runs) {
    SCOPED_TRACE(run.way);
    const Tensor& result = run.results.at(i);
    ASSERT_EQ(result.dtype(), expected.dtype()) << result.dtype().name() << " for " << expected.dtype().name();
    ASSERT_EQ(result.shape(), expected.shape());
    const auto got = elements(result);
    for (size_t k = 0; k < got.size(); ++k)
      EXPECT_EQ(got[k], right[k]) << "result " << i << ", element " << k << ": " << scalar::as_double(got[k]) << " for "
                                  << scalar::as_double(right[k]);
  }
}

}  // namespace sinter::test
