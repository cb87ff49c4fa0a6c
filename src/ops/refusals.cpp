// SPDX-License-Identifier: Apache-2.0
#include "src/ops/refusals.h"

namespace sinter::ops {

void refuse(std::string_view op, std::string what, std::string fix, SourceLine line) {
  throw UserError({.op = std::string(op), .what = std::move(what), .line = line, .context = {}, .fix = std::move(fix)});
}

}  // namespace sinter::ops
