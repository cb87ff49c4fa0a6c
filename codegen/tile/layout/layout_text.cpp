// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "codegen/tile/layout/linear_layout.h"

namespace sinter::tile_ir {
namespace {

constexpr std::string_view group_names[bit_groups] = {"reg", "lane", "warp", "block"};

/// The smallest power-of-two tile around the basis vectors. Its rank is that of the vectors, or zero without any.
TileShape smallest_tile(const LayoutBases& bases, int vector_rank) {
  TileShape shape;
  shape.rank = vector_rank;
  for (const auto& group : bases) {
    for (const TileCoords& vector : group) {
      for (size_t d = 0; d < static_cast<size_t>(vector_rank); ++d) {
        uint32_t size = std::bit_ceil(static_cast<uint32_t>(vector[d]) + 1);
        shape.dims[d] = std::max(shape.dims[d], static_cast<int32_t>(size));
      }
    }
  }
  return shape;
}

class LayoutParser {
 public:
  explicit LayoutParser(std::string_view text) : text_(text) {}

  LinearLayout layout() {
    expect('{');
    if (!accept('}')) {
      do field();
      while (accept(';'));
      expect('}');
    }
    if (peek() != '\0') fail("the end");
    TileShape shape = shape_ ? *shape_ : smallest_tile(bases_, std::max(vector_rank_, 0));
    if (vector_rank_ >= 0 && vector_rank_ != shape.rank) fail(fmt::format("a tile of rank {}", vector_rank_));
    return LinearLayout(TileShape::of({shape.dims.data(), static_cast<size_t>(shape.rank)}, parts_), bases_);
  }

 private:
  void field() {
    std::string_view key = word();
    expect(':');
    for (size_t g = 0; g < bit_groups; ++g) {
      if (key == group_names[g]) return vectors(bases_[g]);
    }
    if (key == "tile") return tile();
    if (key != "parts") fail("reg, lane, warp, block, tile or parts");
    parts_ = number();
  }

  void vectors(std::vector<TileCoords>& group) {
    if (!group.empty()) fail("each group once");
    do {
      expect('[');
      TileCoords vector{};
      int rank = 0;
      if (!accept(']')) {
        do {
          if (rank == max_tile_dims) fail("at most 4 coordinates");
          vector[static_cast<size_t>(rank++)] = number();
        } while (accept(','));
        expect(']');
      }
      if (vector_rank_ >= 0 && rank != vector_rank_) fail(fmt::format("{} coordinates", vector_rank_));
      vector_rank_ = rank;
      group.push_back(vector);
    } while (accept(','));
  }

  void tile() {
    std::vector<int32_t> dims;
    do dims.push_back(number());
    while (accept('x'));
    shape_ = TileShape::of(dims);
  }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}'", c));
  }
  std::string_view word() {
    peek();
    size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= 'a' && text_[at_] <= 'z') ++at_;
    return text_.substr(begin, at_ - begin);
  }
  int32_t number() {
    peek();
    int32_t value = 0;
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("a number");
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }
  [[noreturn]] void fail(std::string_view expected) {
    throw CompileError(fmt::format("layout text, column {}: expected {}, in: {}", at_ + 1, expected, text_));
  }

  std::string_view text_;
  size_t at_ = 0;
  LayoutBases bases_;
  int vector_rank_ = -1;  // unknown until the first vector
  std::optional<TileShape> shape_;
  int parts_ = 1;
};

std::string vector_text(const TileCoords& vector, int rank) {
  return fmt::format("[{}]", fmt::join(vector.begin(), vector.begin() + rank, ","));
}

}  // namespace

std::string to_string(const LinearLayout& layout) {
  std::vector<std::string> fields;
  LayoutBases bases = layout.bases();
  for (size_t g = 0; g < bit_groups; ++g) {
    std::vector<std::string> vectors;
    for (const TileCoords& vector : bases[g]) vectors.push_back(vector_text(vector, layout.rank()));
    if (!vectors.empty()) fields.push_back(fmt::format("{}: {}", group_names[g], fmt::join(vectors, ",")));
  }
  TileShape implied = smallest_tile(bases, layout.map().inputs() > 0 ? layout.rank() : 0);
  implied.parts = layout.parts();
  if (implied != layout.shape()) {
    const TileCoords& dims = layout.shape().dims;
    fields.push_back(fmt::format("tile: {}", fmt::join(dims.begin(), dims.begin() + layout.rank(), "x")));
  }
  if (layout.parts() != 1) fields.push_back(fmt::format("parts: {}", layout.parts()));
  return fmt::format("{{{}}}", fmt::join(fields, "; "));
}

LinearLayout parse_layout(std::string_view text) { return LayoutParser(text).layout(); }

}  // namespace sinter::tile_ir
