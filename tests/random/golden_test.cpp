// SPDX-License-Identifier: Apache-2.0
// Numbers that another implementation drew (tools/golden/random_numbers.py): they stay the same from version to
// version.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

Tensor draw(const std::string& op, DType dtype) {
  if (op == "uniform") return rand({9}, dtype);
  if (op == "normal") return randn({9}, dtype);
  return randint(-500, 500, {9}, dtype);
}

TEST(RandomGolden, NumbersAreThose) {
  std::ifstream file(SINTER_SOURCE_DIR "/tests/golden/random_numbers.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    std::istringstream words(line);
    std::string op, name, word;
    RandomState state;
    words >> op >> name >> state.seed >> state.offset;
    DType dtype = f32;
    for (const DType t : all_dtypes)
      if (t.name() == name) dtype = t;
    set_random_state(state);
    const std::vector<double> got = to_vector<double>(to(draw(op, dtype), f64));
    for (const double v : got) {
      words >> word;
      const double expected = std::strtod(word.c_str(), nullptr);
      // The angle is rounded to 24 bits, which a value near a zero of the cosine shows.
      const double allowed = op != "normal" ? 0 : dtype == f64 ? 1e-14 : 3e-6;
      EXPECT_NEAR(v, expected, allowed) << line;
    }
  }
  EXPECT_EQ(lines, 28);
}

}  // namespace
}  // namespace sinter::test
