// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/einsum.h>
#include <sinter/pointwise.h>
#include <sinter/reductions.h>
#include <sinter/views.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "src/ops/promotion.h"
#include "src/ops/refusals.h"

namespace sinter {
namespace {

/// Letters, and '.' for all dims of an ellipsis; later '0', '1', ... for each of them.
struct Specification {
  std::vector<std::string> operands;
  std::optional<std::string> result;
};

constexpr std::string_view op_name = "einsum";

[[noreturn]] void refuse(SourceLine line, std::string what, std::string fix = {}) {
  ops::refuse(op_name, line, std::move(what), std::move(fix));
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// One operand's letters, "..." as '.'.
std::string labels_of(std::string_view text, SourceLine line) {
  std::string labels;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    const bool ellipsis = text.substr(i, 3) == "...";
    if (!ellipsis && !is_letter(text[i]))
      refuse(line, fmt::format("'{}' in '{}'", text[i], text), "name dims by letters, and others by one '...'");
    if (ellipsis && labels.find('.') != std::string::npos)
      refuse(line, fmt::format("two '...' in '{}'", text), "one stands for all dims without a letter");
    labels += ellipsis ? '.' : text[i];
    if (ellipsis) i += 2;
  }
  return labels;
}

Specification parse(std::string_view text, SourceLine line) {
  Specification s;
  const size_t arrow = text.find("->");
  if (arrow != std::string_view::npos) s.result = labels_of(text.substr(arrow + 2), line);
  std::string_view left = text.substr(0, arrow);
  for (size_t comma = left.find(','); comma != std::string_view::npos; comma = left.find(',')) {
    s.operands.push_back(labels_of(left.substr(0, comma), line));
    left.remove_prefix(comma + 1);
  }
  s.operands.push_back(labels_of(left, line));
  return s;
}

/// Replaces '.' by a label for each of the last `dims` of `most` dims that broadcast.
void expand_ellipsis(std::string& labels, size_t dims, size_t most) {
  const size_t at = labels.find('.');
  if (at == std::string::npos) return;
  std::string each;
  for (size_t d = most - dims; d < most; ++d) each += static_cast<char>('0' + d);
  labels.replace(at, 1, each);
}

/// Gives the dims of ellipses labels of their own, which end alike.
void label_all_dims(Specification& s, const std::vector<Tensor>& operands, SourceLine line) {
  if (s.operands.size() != operands.size())
    refuse(line, fmt::format("{} operands are named, {} given", s.operands.size(), operands.size()));
  size_t most = 0;
  std::vector<size_t> unnamed;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string& labels = s.operands[i];
    const auto rank = static_cast<size_t>(operands[i].rank());
    const bool ellipsis = labels.find('.') != std::string::npos;
    const size_t letters = labels.size() - (ellipsis ? 1 : 0);
    if (letters > rank || (!ellipsis && letters < rank))
      refuse(line, fmt::format("{} letters for operand {} of shape {}", letters, i, operands[i].shape().text()),
             "name each dim, or put '...' for the others");
    unnamed.push_back(rank - letters);
    most = std::max(most, ellipsis ? rank - letters : 0);
  }
  for (size_t i = 0; i < operands.size(); ++i) expand_ellipsis(s.operands[i], unnamed[i], most);
  if (s.result) {
    expand_ellipsis(*s.result, most, most);
    return;
  }
  std::map<char, int> uses;
  for (const std::string& labels : s.operands)
    for (char c : labels) ++uses[c];
  s.result.emplace();
  for (const auto& [c, count] : uses)  // digits come before letters
    if (count == 1 || !is_letter(c)) *s.result += c;
}

/// The result's labels, then those that are summed over.
std::string all_labels(const Specification& s, SourceLine line) {
  std::string all;
  for (char c : *s.result) {
    if (all.find(c) != std::string::npos) refuse(line, fmt::format("the result names '{}' twice", c));
    const bool known =
        std::ranges::any_of(s.operands, [c](const std::string& o) { return o.find(c) != std::string::npos; });
    if (!known) refuse(line, fmt::format("the result names '{}', which no operand has", c));
    all += c;
  }
  for (const std::string& labels : s.operands)
    for (char c : labels)
      if (all.find(c) == std::string::npos) all += c;
  if (all.size() > Dims::max_size)
    refuse(line, fmt::format("{} different dims", all.size()), "contract fewer operands at a time");
  return all;
}

void check_extents(const Specification& s, const std::vector<Tensor>& operands, SourceLine line) {
  std::map<char, int64_t> extents;
  for (size_t i = 0; i < operands.size(); ++i)
    for (size_t d = 0; d < s.operands[i].size(); ++d) {
      const char c = s.operands[i][d];
      const int64_t extent = operands[i].shape()[d];
      const auto [known, is_new] = extents.try_emplace(c, extent);
      if (!is_new && known->second == 1) known->second = extent;
      if (extent != 1 && extent != known->second)
        refuse(line, fmt::format("dim '{}' is {} and {}", c, known->second, extent),
               "give both operands the same extent there, or one of them 1");
    }
}

/// The operand with one dim for each of all labels.
Tensor aligned(Tensor x, std::string labels, const std::string& all, SourceLine line) {
  for (size_t i = 0; i < labels.size(); ++i) {
    const size_t again = labels.find(labels[i], i + 1);
    if (again == std::string::npos) continue;
    const char c = labels[i];
    x = diagonal(Operand(std::move(x), line.file, line.line), 0, static_cast<int64_t>(i), static_cast<int64_t>(again));
    labels.erase(again, 1);
    labels.erase(i, 1);
    labels += c;
    i = static_cast<size_t>(-1);  // from the start
  }
  Dims order;
  for (char c : all)
    if (const size_t d = labels.find(c); d != std::string::npos) order.push_back(static_cast<int64_t>(d));
  if (!std::ranges::is_sorted(order)) x = permute(Operand(std::move(x), line.file, line.line), order);
  for (size_t d = 0; d < all.size(); ++d)
    if (labels.find(all[d]) == std::string::npos)
      x = unsqueeze(Operand(std::move(x), line.file, line.line), static_cast<int64_t>(d));
  return x;
}

DType common_dtype(const std::vector<Tensor>& operands, SourceLine line) {
  DType common = operands[0].dtype();
  for (const Tensor& t : operands) {
    const auto both = ops::promote(common, t.dtype());
    if (!both)
      refuse(line, fmt::format("cannot promote {}, {}", common.name(), t.dtype().name()), "cast one with to(t, dtype)");
    common = *both;
  }
  return common;
}

}  // namespace

Tensor einsum(std::string_view specification, std::vector<Tensor> operands, SourceLine line) {
  Specification s = parse(specification, line);
  for (const Tensor& t : operands)
    if (!t.defined()) refuse(line, "an operand is an undefined tensor", "give it a value first");
  label_all_dims(s, operands, line);
  check_extents(s, operands, line);
  const std::string all = all_labels(s, line);
  const DType dtype = common_dtype(operands, line);
  const DType operating = dtype == f16 || dtype == bf16 ? f32 : dtype;
  Tensor product;
  for (size_t i = 0; i < operands.size(); ++i) {
    Tensor x = aligned(std::move(operands[i]), s.operands[i], all, line);
    if (x.dtype() != operating) x = to(Operand(std::move(x), line.file, line.line), operating);
    product = i == 0
                  ? std::move(x)
                  : mul(Operand(std::move(product), line.file, line.line), Operand(std::move(x), line.file, line.line));
  }
  Dims summed;
  for (size_t d = s.result->size(); d < all.size(); ++d) summed.push_back(static_cast<int64_t>(d));
  if (!summed.empty()) product = sum(Operand(std::move(product), line.file, line.line), {.dims = summed});
  return product.dtype() == dtype ? product : to(Operand(std::move(product), line.file, line.line), dtype);
}

}  // namespace sinter
