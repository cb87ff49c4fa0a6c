// SPDX-License-Identifier: Apache-2.0
#include "src/ops/refusals.h"

namespace sinter::ops {

void refuse(std::string_view op, SourceLine line, std::string what, std::string fix) {
  throw UserError({.op = std::string(op), .what = std::move(what), .line = line, .context = {}, .fix = std::move(fix)});
}

}  // namespace sinter::ops
