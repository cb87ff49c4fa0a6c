// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/sinter.h>

#include <string>
#include <vector>

namespace sinter::test {

/// What the cases of tests/golden/moves.txt read; tools/golden/moves.py makes the same.
struct MoveInputs {
  Tensor x;      ///< f32 [2,3,4], 0 to 23
  Tensor m;      ///< f32 [5,7], 0 to 34
  Tensor v;      ///< f32 [10], 0 to 9
  Tensor s;      ///< f32 [], 7
  Tensor e;      ///< f32 [0,3]
  Tensor logic;  ///< f32 [3,3] with zeros, NaN and infinity
  Tensor bytes;  ///< u8 [2,3]
};
MoveInputs move_inputs();

/// The call that a case names ("roll:1,-5:1,2"), on these inputs.
std::vector<Tensor> move_call(const std::string& name, const MoveInputs& inputs);

}  // namespace sinter::test
