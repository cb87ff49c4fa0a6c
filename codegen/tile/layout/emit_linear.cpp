// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/emit_linear.h"

#include <fmt/format.h>

#include <bit>

namespace sinter::tile_ir {
namespace {

/// (name & mask) * (factor << shift), or the same shifted right for a negative shift. Bit i of the mask goes to the
/// bits of factor moved by i + shift.
struct Term {
  uint32_t mask = 0;
  uint32_t factor = 1;  // odd
  int shift = 0;
  int covered = 0;

  uint32_t column(int bit) const {
    int by = bit + shift;
    return by >= 0 ? factor << by : factor >> -by;
  }
};

/// The widest term of a pattern: all bits whose column contains the factor at their place, as long as the products of
/// different bits do not carry into each other.
Term widest_term(const std::vector<uint32_t>& columns, uint32_t factor, int shift) {
  Term term{0, factor, shift, 0};
  uint32_t taken = 0;
  for (int bit = 0; bit < static_cast<int>(columns.size()); ++bit) {
    int top = bit + shift + std::bit_width(factor) - 1;
    if (bit + shift < 0 || top > 31) continue;
    uint32_t column = term.column(bit);
    if ((columns[static_cast<size_t>(bit)] & column) != column || (taken & column) != 0) continue;
    taken |= column;
    term.mask |= uint32_t{1} << bit;
    term.covered += std::popcount(factor);
  }
  return term;
}

/// The term that covers the most entries. Factors come from the columns themselves: all their bits (a multiplication)
/// or one (a shift); a multiplication has to beat a shift.
Term best_term(const std::vector<uint32_t>& columns) {
  Term best;
  for (int bit = 0; bit < static_cast<int>(columns.size()); ++bit) {
    uint32_t column = columns[static_cast<size_t>(bit)];
    for (uint32_t rest = column; rest != 0; rest &= rest - 1) {
      Term term = widest_term(columns, 1, std::countr_zero(rest) - bit);
      if (term.covered > best.covered) best = term;
    }
    if (std::popcount(column) < 2) continue;
    int low = std::countr_zero(column);
    Term term = widest_term(columns, column >> low, low - bit);
    if (term.covered > best.covered) best = term;
  }
  return best;
}

std::string term_text(std::string_view name, const Term& term, uint32_t all_bits) {
  // A right shift drops the bits below it, a mask the others: name >> 3 needs no mask if bits 3 and up all take part.
  uint32_t dropped = term.shift < 0 ? all_bits & ((uint32_t{1} << -term.shift) - 1) : 0;
  uint32_t kept = all_bits & ~dropped;
  std::string text = term.mask == kept ? std::string(name) : fmt::format("({} & {})", name, term.mask);
  if (term.factor != 1) {
    if (term.shift >= 0) return fmt::format("({} * {})", text, term.factor << term.shift);
    return fmt::format("(({} >> {}) * {})", text, -term.shift, term.factor);
  }
  if (term.shift > 0) return fmt::format("({} << {})", text, term.shift);
  if (term.shift < 0) return fmt::format("({} >> {})", text, -term.shift);
  return text;
}

}  // namespace

LinearText emit_linear(std::span<const LinearInput> inputs) {
  LinearText result;
  std::vector<std::string> terms;
  bool disjoint = true;
  for (const LinearInput& input : inputs) {
    std::vector<uint32_t> left(input.columns.begin(), input.columns.end());
    uint32_t all_bits = left.size() >= 32 ? ~uint32_t{0} : (uint32_t{1} << left.size()) - 1;
    for (Term term = best_term(left); term.covered > 0; term = best_term(left)) {
      uint32_t bits = 0;
      for (uint32_t mask = term.mask; mask != 0; mask &= mask - 1) {
        int bit = std::countr_zero(mask);
        left[static_cast<size_t>(bit)] ^= term.column(bit);
        bits |= term.column(bit);
      }
      disjoint = disjoint && (result.bits & bits) == 0;
      result.bits |= bits;
      terms.push_back(term_text(input.name, term, all_bits));
    }
  }
  if (terms.empty()) return {"0", 0};
  result.text = fmt::format("{}", fmt::join(terms, disjoint ? " + " : " ^ "));
  if (terms.size() > 1) result.text = fmt::format("({})", result.text);
  return result;
}

LinearText emit_thread_function(const ThreadFunction& function, std::string_view lane, std::string_view warp) {
  LinearInput inputs[] = {{lane, function.lane}, {warp, function.warp}};
  return emit_linear(inputs);
}

std::string with_constant(const LinearText& thread, uint32_t constant) {
  if (thread.bits == 0) return fmt::format("{}", constant);
  if (constant == 0) return thread.text;
  return fmt::format("({} {} {})", thread.text, (thread.bits & constant) == 0 ? '+' : '^', constant);
}

LinearText emit_thread_coordinate(const LinearLayout& layout, int dim, std::string_view lane, std::string_view warp) {
  ThreadFunction function;
  for (BitGroup group : {BitGroup::lane, BitGroup::warp}) {
    for (int bit = 0; bit < layout.bits(group); ++bit) {
      auto coordinate = static_cast<uint32_t>(layout.basis(group, bit)[static_cast<size_t>(dim)]);
      (group == BitGroup::lane ? function.lane : function.warp).push_back(coordinate);
    }
  }
  return emit_thread_function(function, lane, warp);
}

}  // namespace sinter::tile_ir
