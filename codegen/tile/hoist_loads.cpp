// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/hoist_loads.h"

#include <algorithm>
#include <iterator>

namespace sinter::tile_ir {
namespace {

class Hoister {
 public:
  Hoister(Kernel& kernel, const std::function<int64_t(const Instruction&)>& words, int64_t most_words)
      : kernel_(kernel), words_(words), most_words_(most_words), wanted_(static_cast<size_t>(kernel.value_count)) {}

  void region(Region& r) {
    auto& body = r.body;
    for (auto first = body.begin(); first != body.end();) {
      const auto last = std::find_if(first, body.end(), [](const Instruction& in) { return !in.regions.empty(); });
      between_regions(first, last);
      if (last == body.end()) break;
      for (Region& inner : last->regions) region(inner);
      first = std::next(last);
    }
  }

 private:
  using Iterator = std::vector<Instruction>::iterator;

  void between_regions(Iterator first, Iterator last) {
    int64_t held = 0;
    for (auto it = first; it != last; ++it)
      if (is_load(*it)) held += words_(*it);
    const auto is_reduce = [](const Instruction& in) { return in.op == Op::reduce; };
    segment(first, held > most_words_ ? std::find_if(first, last, is_reduce) : last);
  }

  /// One that is worth to be early. Those of a run wait for it, and are sent for already.
  static bool is_load(const Instruction& in) { return in.op == Op::block_load && in.access->run < 0; }

  bool may_be_written(const Instruction& in) const {
    const Parameter& p = kernel_.parameters[static_cast<size_t>(in.index)];
    return p.written || !p.no_alias;
  }

  void want(const IndexOperand& o) {
    if (!o.is_literal()) wanted_[static_cast<size_t>(o.value)] = true;
  }
  void want(const Instruction& load) {
    for (ValueId v : load.operands) wanted_[static_cast<size_t>(v)] = true;
    const Access& a = *load.access;
    auto dim = [&](const AccessDim& d) {
      want(d.origin);
      want(d.stride);
      if (d.masked) want(d.extent);
    };
    want(a.base);
    dim(a.parts);
    for (const AccessDim& d : a.dims) dim(d);
    if (a.row_masked) want(a.row_extent);
  }

  /// Between two region-carrying instructions. Addresses are scalars and depend on scalars only, so that what moves is
  /// closed: from the last instruction up, whatever a moved one reads moves too.
  void segment(Iterator first, Iterator last) {
    const auto writes = [](const Instruction& in) {  // after an arrival, what other programs wrote is read
      return in.op == Op::block_store || in.op == Op::scatter || in.op == Op::arrive;
    };
    const auto first_write = std::find_if(first, last, writes);
    std::vector<bool> moves(static_cast<size_t>(last - first));
    for (auto it = last; it != first;) {
      --it;
      const bool load = is_load(*it) && (it < first_write || !may_be_written(*it));
      const bool address = it->results.size() == 1 && wanted_[static_cast<size_t>(it->results[0])];
      const bool stage = it->op == Op::stage;
      if (!load && !stage && !address) continue;
      moves[static_cast<size_t>(it - first)] = true;
      if (load)
        want(*it);
      else
        for (ValueId v : it->operands) wanted_[static_cast<size_t>(v)] = true;
    }
    std::vector<Instruction> front, rest;
    for (auto it = first; it != last; ++it)
      (moves[static_cast<size_t>(it - first)] ? front : rest).push_back(std::move(*it));
    std::ranges::move(rest, std::ranges::move(front, first).out);
  }

  Kernel& kernel_;
  const std::function<int64_t(const Instruction&)>& words_;
  const int64_t most_words_;
  std::vector<bool> wanted_;
};

}  // namespace

void hoist_loads(Kernel& kernel, const std::function<int64_t(const Instruction&)>& words, int64_t most_words) {
  Hoister(kernel, words, most_words).region(kernel.body);
}

}  // namespace sinter::tile_ir
