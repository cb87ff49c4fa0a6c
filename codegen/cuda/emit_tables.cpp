// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/emitter.h"

namespace sinter::cuda {

/// Where each table begins.
void Emitter::collect_tables(const Region& r) {
  for (const Instruction& in : r.body) {
    for (const Region& inner : in.regions) collect_tables(inner);
    if (in.op != Op::scatter || in.table == 0) continue;
    const int bytes = in.table * pointer(in).dtype.bytes();
    if (tables_.try_emplace(in.index, Table{kept_bytes_, in.table, bytes}).second)
      kept_bytes_ += (bytes + 15) / 16 * 16;
  }
}

void Emitter::clear_tables() {
  for (const auto& [pointer, t] : tables_) line("sn_table_clear(kept + {}, {}u);", t.begin, t.bytes);
  if (!tables_.empty()) line("__syncthreads();");
}

void Emitter::add_tables() {
  if (!tables_.empty()) line("__syncthreads();");
  for (const auto& [pointer, t] : tables_) line("sn_table_add(p{}, kept + {}, {}u);", pointer, t.begin, t.elements);
}

}  // namespace sinter::cuda
