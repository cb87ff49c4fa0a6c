// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codegen/cuda/emitter.h"
#include "codegen/cuda/names.h"

namespace sinter::cuda {
namespace {

constexpr int boundary = 16;  ///< of bulk copies, in memory and in shared memory

int up_to_boundary(int64_t bytes) { return static_cast<int>((bytes + boundary - 1) / boundary * boundary); }

}  // namespace

/// A run lies in shared memory as it does in memory between two boundaries.
void Emitter::reserve(const Instruction& in) {
  const int elements = up_to_boundary(in.run->most * pointer(in).dtype.bytes() + boundary - 1);
  runs_.emplace(in.run->number, StagedRun{&in, kept_bytes_, kept_bytes_ + elements});
  kept_bytes_ += elements + up_to_boundary(8 * in.run->pieces());
}

void Emitter::stage(const Instruction& in) {
  const StagedRun& run = runs_.at(in.run->number);
  const DType t = pointer(in).dtype;
  const std::string from = fresh("from");
  line("const {}* const {} = p{} + {};", storage_name(t), from, in.index, name(in.operands[0]));
  line("unsigned char* const run{} = kept + {} + sn_skew({});", in.run->number, run.elements, from);
  line("sn_stage<{}, {}, {}>(kept + {}, run{}, {}, (int){});", t.bytes(), in.run->piece, in.run->pieces(), run.arrived,
       in.run->number, from, name(in.operands[1]));
}

/// Waits for what the thread reads of a tile; gives the thread's address of its register 0, in shared memory.
std::string Emitter::run_pointer(const Instruction& in, const LinearLayout& l) {
  const tile_ir::Access& a = *in.access;
  const StagedRun& run = runs_.at(a.run);
  const ValueId base = run.stage->operands[0];
  std::string uniform = index(a.dims[0].origin);
  if (a.base.value != base) uniform += fmt::format(" + {} - {}", index(a.base), name(base));
  int last = 0;
  for (int r = 0; r < l.registers(); ++r) last = std::max(last, l.coords(static_cast<uint32_t>(r), 0)[0]);
  const std::string at = fresh("at"), p = fresh("a"), type(storage_name(pointer(in).dtype));
  line("const int {} = (int)({}) + {};", at, uniform, thread_coordinate(l, 0));
  line("sn_await<{}, {}>(kept + {}, {}, {});", run.stage->run->piece, run.stage->run->pieces(), run.arrived, at, last);
  line("const {0}* const {1} = (const {0}*)run{2} + {3};", type, p, a.run, at);
  return p;
}

}  // namespace sinter::cuda
