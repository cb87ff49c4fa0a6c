// SPDX-License-Identifier: Apache-2.0
// Which types of arguments and results are known, and what a walk over one visits.
#include <sinter/structure.h>

#include <array>
#include <functional>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

struct Settings {
  float scale = 1;
  bool flag = false;
  Dims dims = {};
  DType dtype;
};
struct Named {
  std::string name;
  Tensor tensor;
  std::optional<Tensor> maybe;
  Settings settings;
  std::array<Tensor, 2> both;
};
struct WithArray {
  float matrix[9];
};
struct WithTensors {
  Tensor tensors[3];
};
struct WithPointer {
  Tensor tensor;
  int* pointer;
};
struct Nine {
  int a, b, c, d, e, f, g, h, i;
};
class WithPrivate {
 public:
  int number() const { return number_; }

 private:
  int number_ = 0;
};
struct Empty {};
enum class Kind { first, second };

static_assert(structure::field_count<Settings>() == 4 && structure::field_count<Named>() == 5);
static_assert(structure::field_count<WithArray>() == 0 && structure::field_count<WithTensors>() == 0);
static_assert(structure::field_count<Nine>() == 0);
static_assert(structure::is_known<Named> && structure::is_known<const std::vector<Named>&>);
static_assert(structure::is_known<std::tuple<int, Kind, std::pair<Tensor, double>, std::vector<bool>>>);
static_assert(!structure::is_known<WithArray> && !structure::is_known<WithTensors> &&
              !structure::is_known<WithPointer>);
static_assert(!structure::is_known<Nine> && !structure::is_known<WithPrivate> && !structure::is_known<Empty>);
static_assert(!structure::is_known<const char*> && !structure::is_known<std::function<void()>>);
static_assert(!structure::is_known<long double> && !structure::is_known<std::vector<WithPointer>>);

/// Tensors by their number of elements, host values as they are.
struct Visitor {
  void operator()(const Tensor& t) { seen.push_back(t.defined() ? "t" + std::to_string(t.numel()) : "t"); }
  void operator()(int64_t word) { seen.push_back(std::to_string(word)); }
  std::vector<std::string> seen;
};

TEST(Structure, AWalkVisitsInOrder) {
  const Named named{"ab", counting({1}), counting({2}), {0, true, {7, 8}, u8}, {counting({3}), Tensor()}};
  Visitor v;
  structure::walk(named, v);
  const std::string kind = std::to_string(static_cast<int>(u8.kind()));
  EXPECT_EQ(v.seen, (std::vector<std::string>{"2", "97", "98", "t1", "1", "t2", "0", "1", "2", "7", "8", kind, "8",
                                              "t3", "t"}));
}

TEST(Structure, LengthsAndAbsenceAreWords) {
  std::tuple<std::vector<int>, std::optional<double>, std::vector<bool>> value{{5, 6}, std::nullopt, {true, false}};
  Visitor v;
  structure::walk(value, v);
  EXPECT_EQ(v.seen, (std::vector<std::string>{"2", "5", "6", "0", "2", "1", "0"}));
}

}  // namespace
}  // namespace sinter::test
