// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "src/scalar/scalar_ops.h"

namespace sinter::test {

/// One scalar op on one choice of types.
struct ScalarOpCase {
  scalar::ScalarOp op;
  std::vector<DType> types;
  DType attribute, result;
  std::string name() const {
    std::string s(scalar::info(op).name);
    for (const DType t : types) s += "_" + std::string(t.name());
    return s + "_" + std::string(attribute.name());
  }
};

/// Every line of the table on every compute type, with every attribute that it takes.
inline std::vector<ScalarOpCase> scalar_op_cases() {
  using scalar::ScalarRule;
  std::vector<ScalarOpCase> cases;
  for (int k = 0; k < scalar::scalar_op_count; ++k) {
    const auto op = static_cast<scalar::ScalarOp>(k);
    const scalar::ScalarOpInfo& row = scalar::info(op);
    const bool has_attribute =
        row.rule == ScalarRule::convert || row.rule == ScalarRule::bitcast || row.rule == ScalarRule::round_to;
    for (const DType t : {boolean, i32, u32, i64, u64, f32, f64}) {
      std::vector<DType> types(static_cast<size_t>(row.arity), t);
      if (row.rule == ScalarRule::select) types[0] = boolean;
      for (const DType attribute : all_dtypes) {
        if (const auto result = scalar::result_type(op, types, attribute))
          cases.push_back({op, types, attribute, *result});
        if (!has_attribute) break;
      }
    }
  }
  return cases;
}

}  // namespace sinter::test
