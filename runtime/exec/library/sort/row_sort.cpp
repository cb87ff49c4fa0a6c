// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/sort/row_sort.h"

namespace sinter::exec {

bool is_row_sort(std::string_view op) { return op == "argsort" || op == "topk"; }

RowSort row_sort_of(const CallDescription& call) {
  const CallTensor& x = call.operands.at(0);
  RowSort s;
  s.dtype = x.dtype;
  s.descending = call.words.at(0) != 0;
  if (x.shape.empty()) return s;
  s.length = x.shape.back();
  s.kept = call.results.at(0).shape.back();
  for (size_t d = 0; d + 1 < x.shape.size(); ++d) s.rows *= x.shape[d];
  return s;
}

SortKey::SortKey(DType dtype, bool descending)
    : mask_(~uint64_t{0} >> (64 - dtype.bytes() * 8)),
      sign_(uint64_t{1} << (dtype.bytes() * 8 - 1)),
      infinity_(dtype == f16    ? 0x7c00
                : dtype == bf16 ? 0x7f80
                : dtype == f32  ? 0x7f800000
                                : 0x7ff0000000000000),
      flipped_(dtype.is_integer() && dtype.is_signed() ? sign_ : 0),
      complement_(descending ? ~uint64_t{0} : 0),
      floating_(dtype.is_floating()) {}

}  // namespace sinter::exec
