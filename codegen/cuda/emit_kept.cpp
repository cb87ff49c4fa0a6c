// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "codegen/cuda/emitter.h"

namespace sinter::cuda {
namespace {

constexpr int vector_bytes = 16;

}  // namespace

/// A thread's registers one behind the other, in vectors.
int Emitter::kept_vectors(const Instruction& in) const {
  const int registers = layout(kept_value(in)).registers();
  return registers / static_cast<int>(kept_vector(in, 0).registers.size());
}

tile_ir::VectorAccess Emitter::kept_vector(const Instruction& in, int number) const {
  const auto registers = static_cast<unsigned>(layout(kept_value(in)).registers());
  const int most = vector_bytes / in.dtype.bytes();
  const int count = std::min(most, static_cast<int>(registers & (~registers + 1)));
  tile_ir::VectorAccess v{.offset = number * count, .count = count, .registers = {}};
  for (int j = 0; j < count; ++j) v.registers.push_back({number * count + j});
  return v;
}

/// Where each store and each run begins.
void Emitter::collect_stores(const Region& r) {
  for (const Instruction& in : r.body) {
    for (const Region& inner : in.regions) collect_stores(inner);
    if (in.op == Op::stage) reserve(in);
    if (in.op != Op::keep || !stores_.try_emplace(in.index, kept_bytes_).second) continue;
    const int slot = 32 * k_.kernel.num_warps * layout(kept_value(in)).registers() * in.dtype.bytes();
    kept_bytes_ += (static_cast<int>(in.bits) * slot + vector_bytes - 1) / vector_bytes * vector_bytes;
  }
}

void Emitter::program_memory(const Instruction& in) {
  if (in.op == Op::keep) keep(in);
  if (in.op == Op::recall) recall(in);
  if (in.op == Op::stage) stage(in);
}

/// Threads' vectors are neighbours, so that none waits for another's bank.
std::string Emitter::kept_place(const Instruction& in, int vector) {
  const int threads = 32 * k_.kernel.num_warps, bytes = kept_vector(in, 0).count * in.dtype.bytes();
  const int slot = threads * bytes * kept_vectors(in);
  return fmt::format("kept + ((unsigned){} * {}u + threadIdx.x * {}u + {}u)", name(in.operands[0]), slot, bytes,
                     stores_.at(in.index) + vector * threads * bytes);
}

/// The words of a vector, as they were loaded where they still are.
std::string Emitter::kept_words(const Instruction& in, const tile_ir::VectorAccess& vector) {
  const ValueId v = in.operands[1];
  const auto loaded = loaded_.find(v);
  if (loaded == loaded_.end()) return packed(v, layout(v), vector, in.dtype);
  const auto& of_load = loaded->second.access.vectors;
  for (size_t i = 0; i < of_load.size(); ++i)
    if (of_load[i].registers == vector.registers) return loaded->second.words[i];
  const std::string w = fresh("w");
  line("sn_words<{}> {} = {{}};", vector.count * in.dtype.bytes(), w);
  for (size_t i = 0; i < of_load.size(); ++i)
    for (size_t j = 0; j < of_load[i].registers.size(); ++j)
      for (int r : of_load[i].registers[j])
        if (const auto at = std::ranges::find(vector.registers, std::vector{r}); at != vector.registers.end())
          line("sn_put_raw_{0}({1}.w, {2}, sn_get_raw_{0}({3}.w, {4}));", in.dtype.bytes(), w,
               at - vector.registers.begin(), loaded->second.words[i], j);
  return w;
}

void Emitter::keep(const Instruction& in) {
  for (int i = 0; i < kept_vectors(in); ++i) {
    const tile_ir::VectorAccess vector = kept_vector(in, i);
    const std::string words = kept_words(in, vector);
    line("sn_shared_store<{}>({}, {});", vector.count * in.dtype.bytes(), kept_place(in, i), words);
  }
}

/// Elements are taken out of the words where they are needed, as a load's.
void Emitter::recall(const Instruction& in) {
  Loaded loaded;
  for (int i = 0; i < kept_vectors(in); ++i) {
    const tile_ir::VectorAccess vector = kept_vector(in, i);
    const int bytes = vector.count * in.dtype.bytes();
    loaded.words.push_back(fresh("w"));
    line("const sn_words<{0}> {1} = sn_shared_load<{0}>({2});", bytes, loaded.words.back(), kept_place(in, i));
    loaded.access.vectors.push_back(vector);
  }
  loaded_.emplace(in.results[0], std::move(loaded));
}

}  // namespace sinter::cuda
