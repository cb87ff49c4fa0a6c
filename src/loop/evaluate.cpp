// SPDX-License-Identifier: Apache-2.0
#include "src/loop/evaluate.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "src/loop/canonical_fold.h"
#include "src/loop/dependence.h"
#include "src/loop/scan_combine.h"

namespace sinter::loop {
namespace {

using scalar::Constant;

/// Constant extents and strides of a buffer, and its memory.
struct Memory {
  DType dtype;
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;
  HostMemory host;
  std::vector<std::byte> storage;  ///< of a temporary
  std::vector<bool> written;       ///< of a temporary
};

using Symbols = std::span<const int64_t>;

int64_t uniform(Expr e, Symbols symbols) {
  return graph::evaluate(e, [&](Expr leaf) { return symbols[static_cast<size_t>(leaf.id())]; });
}

/// One nest: for every outer point, each instruction in turn for all inner points at once: those of the reduction axes,
/// or of the axis that scans go along.
class NestEvaluator {
 public:
  NestEvaluator(const Program& program, const Nest& nest, std::vector<Memory>& memory, Symbols symbols)
      : program_(program), nest_(nest), memory_(memory), symbols_(symbols) {
    inner_axes_ = reduction_axes(nest);
    if (const auto axis = scan_axis(nest)) inner_axes_ |= AxisSet{1} << *axis;
    for (AxisSet a : axis_dependence(nest)) inner_.push_back((a & inner_axes_) != 0);
    for (size_t a = 0; a < nest.axes.size(); ++a) {
      extents_.push_back(uniform(nest.axes[a].extent, symbols));
      (is_inner_axis(a) ? inner_count_ : outer_count_) *= extents_.back();
    }
  }

  void run() {
    values_.resize(nest_.body.size());
    for (int64_t outer = 0; outer < outer_count_; ++outer) {
      for (size_t i = 0; i < nest_.body.size(); ++i) instruction(static_cast<ValueId>(i), outer);
      for (const Store& s : nest_.stores) store(s, outer);
    }
  }

 private:
  size_t count(bool inner) const { return inner ? static_cast<size_t>(inner_count_) : 1; }

  bool is_inner_axis(size_t axis) const { return (inner_axes_ >> axis & 1) != 0; }

  /// Row-major digits of the outer and of the inner point.
  std::vector<int64_t> point(int64_t outer, size_t inner) const {
    std::vector<int64_t> p(extents_.size());
    auto rest = static_cast<int64_t>(inner);
    for (size_t i = p.size(); i-- > 0;) {
      if (extents_[i] == 0) continue;  // a fold of nothing is stored too
      int64_t& from = is_inner_axis(i) ? rest : outer;
      p[i] = from % extents_[i];
      from /= extents_[i];
    }
    return p;
  }

  const Constant& value(ValueId id, size_t inner) const {
    const auto& v = values_[static_cast<size_t>(id)];
    return v[inner_[static_cast<size_t>(id)] ? inner : 0];
  }

  int64_t index(Expr e, const std::vector<int64_t>& p, size_t inner) const {
    return graph::evaluate(e, [&](Expr leaf) -> int64_t {
      const auto id = static_cast<size_t>(leaf.id());
      if (leaf.kind() == Expr::Kind::axis) return p[id];
      if (leaf.kind() == Expr::Kind::value) return scalar::as_int(value(leaf.id(), inner));
      return symbols_[id];
    });
  }

  std::byte* element(int buffer, const std::vector<Expr>& at, const std::vector<int64_t>& p, size_t inner, bool store) {
    Memory& m = memory_[static_cast<size_t>(buffer)];
    int64_t address = m.offset;
    for (size_t d = 0; d < at.size(); ++d) {
      const int64_t i = index(at[d], p, inner);
      if (i < 0 || i >= m.shape[d])
        throw CompileError(fmt::format("internal: loop program {}: b{}[{}]: dim {} has extent {}, index {} = {}",
                                       program_.name, buffer, at[d].text(), d, m.shape[d], at[d].text(), i));
      address += i * m.strides[d];
    }
    if (address < 0 || address >= m.host.elements)
      throw CompileError(fmt::format("internal: loop program {}: b{}: element {} of {}", program_.name, buffer, address,
                                     m.host.elements));
    if (!m.written.empty()) {
      if (!store && !m.written[static_cast<size_t>(address)])
        throw CompileError(fmt::format("internal: loop program {}: b{}: element {} is read but was not written",
                                       program_.name, buffer, address));
      m.written[static_cast<size_t>(address)] = true;
    }
    return static_cast<std::byte*>(m.host.data) + address * m.dtype.bytes();
  }

  Constant number(const Instruction& in) const {
    const int64_t bits = symbols_[static_cast<size_t>(in.id)];
    const Constant given{program_.number_types[static_cast<size_t>(in.id)], static_cast<uint64_t>(bits)};
    return scalar::evaluate(ScalarOp::convert, {{given}}, in.type);
  }

  Constant checked_index(const Instruction& in, const std::vector<int64_t>& p, size_t inner) {
    const int64_t bound = index(in.index[0], p, inner);
    int64_t i = scalar::as_int(value(in.operands[0], inner));
    if (in.mode == IndexMode::clamp) {
      i = std::max<int64_t>(std::min(i, bound - 1), 0);
    } else {
      if (i < 0) i += bound;
      if (i < 0 || i >= bound) throw UserError(program_.messages[static_cast<size_t>(in.id)]);
    }
    return scalar::constant_int(i64, i);
  }

  Constant compute(const Instruction& in, int64_t outer, size_t inner) {
    const std::vector<int64_t> p = point(outer, inner);
    switch (in.kind) {
      case InstructionKind::constant:
        return {in.type, in.bits};
      case InstructionKind::number:
        return number(in);
      case InstructionKind::index_value:
        return scalar::constant_int(in.type, index(in.index[0], p, inner));
      case InstructionKind::to_index:
        return checked_index(in, p, inner);
      case InstructionKind::load:
        if (in.operands[0] >= 0 && value(in.operands[0], inner).bits == 0) return value(in.operands[1], inner);
        return scalar::load_element(element(in.id, in.index, p, inner, false), in.attribute);
      default:
        break;
    }
    std::array<Constant, 3> operands{};
    const auto arity = static_cast<size_t>(scalar::info(in.op).arity);
    for (size_t i = 0; i < arity; ++i) operands[i] = value(in.operands[i], inner);
    return scalar::evaluate(in.op, {operands.data(), arity}, in.attribute);
  }

  void instruction(ValueId id, int64_t outer) {
    const Instruction& in = nest_.body[id];
    const bool inner = inner_[static_cast<size_t>(id)];
    auto& result = values_[static_cast<size_t>(id)];
    result.clear();
    if (in.kind == InstructionKind::reduce) {
      std::vector<Constant> elements;
      for (size_t i = 0; i < count(true); ++i) elements.push_back(value(in.operands[0], i));
      result.push_back(canonical_fold(static_cast<ReduceKind>(in.id), in.type, elements));
      return;
    }
    if (in.kind == InstructionKind::scan) return scan(in, result);
    // What no reduction element needs is not computed for the none there are.
    for (size_t i = 0; i < count(inner); ++i) result.push_back(compute(in, outer, i));
  }

  void scan(const Instruction& in, std::vector<Constant>& result) const {
    const ScanCombine combine = scan_combine(static_cast<ScanKind>(in.id), nest_.body[in.operands[0]].type);
    std::vector<std::vector<Constant>> sequences(combine.types.size());
    for (size_t k = 0; k < sequences.size(); ++k)
      for (size_t i = 0; i < count(true); ++i) sequences[k].push_back(value(in.operands[k], i));
    if (count(true) > 0) canonical_scan(combine, sequences);
    result = std::move(sequences.back());
  }

  void store(const Store& s, int64_t outer) {
    AxisSet at = 0;
    for (Expr e : s.index)
      visit_leaves(e, [&](Expr leaf) { at |= leaf.kind() == Expr::Kind::axis ? AxisSet{1} << leaf.id() : 0; });
    if (s.fold) return accumulate(s, outer);
    const bool inner = inner_[static_cast<size_t>(s.value)] || (at & inner_axes_) != 0;
    for (size_t i = 0; i < count(inner); ++i)
      scalar::store_element(element(s.buffer, s.index, point(outer, i), i, true),
                            memory_[static_cast<size_t>(s.buffer)].dtype, value(s.value, i));
  }

  void accumulate(const Store& s, int64_t outer) {
    std::byte* const at = element(s.buffer, s.index, point(outer, 0), 0, false);
    const DType t = memory_[static_cast<size_t>(s.buffer)].dtype;
    const Constant both[] = {scalar::load_element(at, t), value(s.value, 0)};
    scalar::store_element(at, t, scalar::evaluate(scalar::fold_op(*s.fold), both));
  }

  const Program& program_;
  const Nest& nest_;
  std::vector<Memory>& memory_;
  Symbols symbols_;
  AxisSet inner_axes_ = 0;
  std::vector<bool> inner_;
  std::vector<int64_t> extents_;
  int64_t outer_count_ = 1, inner_count_ = 1;
  std::vector<std::vector<Constant>> values_;
};

Memory memory_of(const Buffer& b, std::span<const HostMemory> inputs, std::span<const HostMemory> outputs,
                 Symbols symbols) {
  Memory m{b.dtype, {}, {}, uniform(b.offset, symbols), {}, {}, {}};
  int64_t elements = 1;
  for (size_t d = 0; d < b.shape.size(); ++d) {
    m.shape.push_back(uniform(b.shape[d], symbols));
    m.strides.push_back(uniform(b.strides[d], symbols));
    elements *= m.shape.back();
  }
  if (b.role != BufferRole::temporary) {
    m.host = (b.role == BufferRole::input ? inputs : outputs)[static_cast<size_t>(b.position)];
    return m;
  }
  m.storage.resize(static_cast<size_t>(elements * b.dtype.bytes()));
  m.written.resize(static_cast<size_t>(elements));
  m.host = {m.storage.data(), elements};
  return m;
}

CallMemory memory_of(const CallTensor& t, std::vector<Memory>& memory, Symbols symbols) {
  Memory& m = memory[static_cast<size_t>(t.buffer)];
  CallMemory c{m.dtype, {}, {}, nullptr};
  int64_t first = uniform(t.offset, symbols), lowest = first, highest = first;
  bool empty = false;
  for (size_t d = 0; d < t.shape.size(); ++d) {
    c.shape.push_back(uniform(t.shape[d], symbols));
    c.strides.push_back(uniform(t.strides[d], symbols));
    empty = empty || c.shape.back() == 0;
    const int64_t reach = (c.shape.back() - 1) * c.strides.back();
    (reach < 0 ? lowest : highest) += reach;
  }
  if (!empty && (lowest < 0 || highest >= m.host.elements))
    throw CompileError(fmt::format("internal: a call reaches elements {} to {} of b{}, which has {}", lowest, highest,
                                   t.buffer, m.host.elements));
  c.data = static_cast<std::byte*>(m.host.data) + first * m.dtype.bytes();
  return c;
}

void evaluate_call(const Program& program, const Call& call, std::vector<Memory>& memory, Symbols symbols,
                   const CallEvaluator& evaluator) {
  if (!evaluator) throw CompileError(fmt::format("internal: loop program {} has calls", program.name));
  std::vector<CallMemory> operands, results;
  for (const CallTensor& t : call.operands) operands.push_back(memory_of(t, memory, symbols));
  for (const CallTensor& t : call.results) {
    results.push_back(memory_of(t, memory, symbols));
    std::vector<bool>& written = memory[static_cast<size_t>(t.buffer)].written;
    written.assign(written.size(), true);
  }
  evaluator(call, operands, results, symbols);
}

}  // namespace

void evaluate(const Program& program, std::span<const HostMemory> inputs, std::span<const HostMemory> outputs,
              Symbols symbols, const CallEvaluator& call) {
  std::vector<Memory> memory;
  for (const Buffer& b : program.buffers) memory.push_back(memory_of(b, inputs, outputs, symbols));
  for (const Group& g : program.groups) {
    for (const Nest& n : g.nests) NestEvaluator(program, n, memory, symbols).run();
    if (g.call) evaluate_call(program, *g.call, memory, symbols, call);
  }
}

}  // namespace sinter::loop
