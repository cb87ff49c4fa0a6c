// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "src/graph/registry.h"
#include "src/ops/ops.h"
#include "tests/ops/build.h"

namespace sinter {
namespace {

class Registry : public testing::Test {
 protected:
  static void SetUpTestSuite() { ops::register_all_ops(); }
};

TEST_F(Registry, EveryOpHasEveryPart) {
  ASSERT_GT(graph::all_ops().size(), 50u);
  for (const graph::OpDef* op : graph::all_ops()) {
    SCOPED_TRACE(op->name);
    EXPECT_GT(op->doc.size(), 8u);
    EXPECT_EQ(op->doc.find('\n'), std::string::npos);
    EXPECT_TRUE(op->infer);
    EXPECT_TRUE(op->lower || op->reduction || op->scan || op->accumulate || op->decompose || op->call);
    EXPECT_TRUE(op->reference);
    ASSERT_TRUE(op->sample);
    EXPECT_TRUE(op->sample(0).has_value());
    EXPECT_TRUE(op->max_operands < 0 || op->min_operands <= op->max_operands);
    EXPECT_EQ(op->op_class == graph::OpClass::creation, op->max_operands == 0);
  }
}

TEST_F(Registry, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const graph::OpDef* op : graph::all_ops()) {
    EXPECT_TRUE(names.insert(op->name).second) << op->name;
    std::set<std::string_view> params;
    for (const graph::Param& p : op->params) EXPECT_TRUE(params.insert(p.name).second) << op->name << " " << p.name;
  }
}

/// Reads attributes by the schema alone, as printers and the matcher do.
struct SchemaReader {
  const graph::Attributes& attributes;
  size_t words = 0, scalars = 0;

  int64_t word() { return words < attributes.words.size() ? attributes.words[words++] : (words = SIZE_MAX / 2, 0); }
  void scalar(bool is_extent) {
    ASSERT_LT(scalars, attributes.scalars.size());
    EXPECT_EQ(attributes.scalars[scalars++].is_extent, is_extent);
  }
  void read(const graph::Param& p) {
    using Kind = graph::ParamKind;
    switch (p.kind) {
      case Kind::number:
        return scalar(false);
      case Kind::extent:
        return scalar(true);
      case Kind::optional_number:
        if (word()) scalar(false);
        return;
      case Kind::extents:
        for (int64_t n = word(); n > 0; --n) scalar(true);
        return;
      case Kind::integers:
        for (int64_t n = word(); n > 0; --n) word();
        return;
      case Kind::enumeration:
        EXPECT_LT(static_cast<size_t>(word()), p.names.size());
        return;
      case Kind::flag:
        EXPECT_LE(static_cast<uint64_t>(word()), 1u);
        return;
      default:
        word();
    }
  }
};

TEST_F(Registry, AttributesFollowTheSchemaExactly) {
  for (const graph::OpDef* op : graph::all_ops()) {
    SCOPED_TRACE(op->name);
    for (int variant = 0; const auto call = op->sample(variant); ++variant) {
      SchemaReader reader{call->attributes};
      for (const graph::Param& p : op->params) reader.read(p);
      ASSERT_EQ(reader.words, call->attributes.words.size()) << "variant " << variant;
      ASSERT_EQ(reader.scalars, call->attributes.scalars.size()) << "variant " << variant;
    }
  }
}

/// How many dtypes an op takes for its first operand, and others of the same dtype: floats only, integers only, all of
/// them.
std::optional<size_t> accepted_dtypes(const graph::OpDef& op) {
  const auto call = op.sample(0);
  using graph::OpClass;
  const bool uniform =
      op.op_class == OpClass::pointwise || op.op_class == OpClass::reduction || op.op_class == OpClass::scan;
  if (!uniform || op.name == "where" || op.name == "masked_fill") return std::nullopt;
  size_t accepted = 0;
  for (const DType t : all_dtypes) {
    std::vector<graph::ValueType> operands = call->operands;
    for (graph::ValueType& operand : operands)
      if (operand.dtype == call->operands[0].dtype) operand.dtype = t;
    try {
      test::one_op(op, operands, call->attributes);
      ++accepted;
    } catch (const UserError&) {  // this dtype is not for this op
    }
  }
  return accepted;
}

TEST_F(Registry, SampledCallsAreLegalAndOfEveryDtype) {
  for (const graph::OpDef* op : graph::all_ops()) {
    SCOPED_TRACE(op->name);
    std::set<std::string_view> dtypes;
    for (int variant = 0; const auto call = op->sample(variant); ++variant) {
      ASSERT_LT(variant, 4000);
      const graph::Graph g = test::one_op(*op, call->operands, call->attributes);
      EXPECT_EQ(g.node(g.size() - 1).results.size(), 1u);
      for (const graph::ValueType& t : call->operands) dtypes.insert(t.dtype.name());
      dtypes.insert(g.node(g.size() - 1).results[0].dtype.name());
      EXPECT_LT(call->low, call->high);
    }
    const bool is_image = op->name.starts_with("image_") && op->name != "image_crop";
    constexpr std::string_view of_floats[] = {"random_uniform", "rand_like", "random_normal", "randn_like", "dropout"};
    const size_t least = op->name == "one_hot"                                        ? 1
                         : op->name == "element_position"                             ? 2  // indices
                         : op->name == "fold_rows"                                    ? 3
                         : op->name == "extreme_key"                                  ? 11
                         : op->name == "accumulate"                                   ? 4
                         : op->name == "bincount"                                     ? 7
                         : op->name == "batch_norm"                                   ? 4
                         : op->name == "from_extent" || op->name.ends_with("_counts") ? 5
                         : std::ranges::count(of_floats, op->name) != 0               ? 5
                         : is_image                                                   ? 4
                                    : accepted_dtypes(*op).value_or(12);
    EXPECT_GE(dtypes.size(), least);
  }
}

TEST_F(Registry, RegisteringTwiceChangesNothing) {
  const size_t before = graph::all_ops().size();
  ops::register_all_ops();
  EXPECT_EQ(graph::all_ops().size(), before);
}

}  // namespace
}  // namespace sinter
