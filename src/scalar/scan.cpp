// SPDX-License-Identifier: Apache-2.0
#include "src/scalar/scan.h"

#include "src/scalar/fold.h"

namespace sinter::scalar {

Constant scan_identity(ScanKind kind, DType type) {
  switch (kind) {
    case ScanKind::sum:
      return reduction_padding(ReduceKind::sum, type);
    case ScanKind::prod:
      return reduction_padding(ReduceKind::prod, type);
    case ScanKind::amin:
    case ScanKind::argmin:
      return reduction_padding(ReduceKind::amin, type);
    case ScanKind::amax:
    case ScanKind::argmax:
    case ScanKind::logaddexp:
      break;
  }
  return reduction_padding(ReduceKind::amax, type);
}

}  // namespace sinter::scalar
