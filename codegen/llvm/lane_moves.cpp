// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/lane_moves.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace sinter::llvm_codegen {

namespace {

llvm::Value* extract(Builder& b, llvm::Value* chunk, int lane) {
  return lanes_of(chunk) == 1 ? chunk : b.CreateExtractElement(chunk, static_cast<uint64_t>(lane));
}

/// v with a bit inserted at `position`.
int insert_bit(int v, int position, int bit) {
  const int low = v & ((1 << position) - 1);
  return (v >> position << (position + 1)) | (bit << position) | low;
}

/// Exchanges lane bit `lane` with chunk bit `chunk`.
void exchange(Builder& b, Chunks& chunks, int lane, int chunk) {
  const int lanes = lanes_of(chunks[0]), step = 1 << lane;
  std::vector<int> low, high;
  for (int l = 0; l < lanes; ++l) {
    low.push_back(l & step ? lanes + l - step : l);
    high.push_back(l & step ? lanes + l : l + step);
  }
  for (size_t c = 0; c < chunks.size(); ++c) {
    const size_t other = c | (size_t{1} << chunk);
    if (other == c) continue;
    llvm::Value *const x = chunks[c], *const y = chunks[other];
    chunks[c] = shuffle(b, x, y, low);
    chunks[other] = shuffle(b, x, y, high);
  }
}

/// Gathers single lanes, given by their number in the concatenation of `sources`, with as few two-input shuffles as
/// there are sources.
llvm::Value* collect(Builder& b, const Chunks& sources, const std::vector<int>& lanes_wanted) {
  const int lanes = lanes_of(sources[0]);
  llvm::Value* result = nullptr;
  std::vector<int> mask(lanes_wanted.size());
  for (size_t s = 0; s < sources.size(); ++s) {
    bool any = false;
    std::vector<int> have(lanes_wanted.size(), -1);
    for (size_t l = 0; l < lanes_wanted.size(); ++l) {
      if (lanes_wanted[l] / lanes != static_cast<int>(s)) continue;
      have[l] = lanes_wanted[l] % lanes;
      any = true;
    }
    if (!any) continue;
    if (!result) {
      result = shuffle(b, sources[s], have);
      mask = have;
      continue;
    }
    std::vector<int> merged(lanes_wanted.size(), -1);
    for (size_t l = 0; l < merged.size(); ++l) {
      if (mask[l] >= 0) merged[l] = static_cast<int>(l);
      if (have[l] >= 0) merged[l] = static_cast<int>(merged.size()) + have[l];
      mask[l] = std::max(mask[l], have[l]);
    }
    result = shuffle(b, result, sources[s], merged);
  }
  return result;
}

}  // namespace

llvm::Value* shuffle(Builder& b, llvm::Value* chunk, const std::vector<int>& mask) {
  const int lanes = lanes_of(chunk);
  if (mask.size() == 1) return extract(b, chunk, mask[0]);
  if (lanes == 1) return splat(b, chunk, static_cast<int>(mask.size()));
  std::vector<int> identity(static_cast<size_t>(lanes));
  std::iota(identity.begin(), identity.end(), 0);
  return mask == identity ? chunk : b.CreateShuffleVector(chunk, mask);
}

llvm::Value* shuffle(Builder& b, llvm::Value* low, llvm::Value* high, const std::vector<int>& mask) {
  const int lanes = lanes_of(low);
  if (mask.size() == 1) return mask[0] < lanes ? extract(b, low, mask[0]) : extract(b, high, mask[0] - lanes);
  if (lanes > 1) return b.CreateShuffleVector(low, high, mask);
  llvm::Value* result = llvm::PoisonValue::get(vector_of(low->getType(), static_cast<int>(mask.size())));
  for (size_t l = 0; l < mask.size(); ++l) result = b.CreateInsertElement(result, mask[l] ? high : low, l);
  return result;
}

Chunks regroup(Builder& b, const Chunks& chunks, int lanes) {
  Chunks now = chunks;
  while (lanes_of(now[0]) < lanes) {
    std::vector<int> all(static_cast<size_t>(lanes_of(now[0])) * 2);
    std::iota(all.begin(), all.end(), 0);
    Chunks next;
    for (size_t c = 0; c + 1 < now.size(); c += 2) next.push_back(shuffle(b, now[c], now[c + 1], all));
    now = std::move(next);
  }
  if (lanes_of(now[0]) == lanes) return now;
  Chunks next;
  for (llvm::Value* chunk : now) {
    for (int from = 0; from < lanes_of(chunk); from += lanes) {
      std::vector<int> mask(static_cast<size_t>(lanes));
      std::iota(mask.begin(), mask.end(), from);
      next.push_back(shuffle(b, chunk, mask));
    }
  }
  return next;
}

Chunks permute_bits(Builder& b, Chunks chunks, const std::vector<int>& from) {
  const int lane_bits = log2_of(lanes_of(chunks[0]));
  std::vector<int> at(from.size());  // which source bit is at a position now
  std::iota(at.begin(), at.end(), 0);
  const auto wanted_in_lanes = [&](int bit) {
    return std::find(from.begin(), from.begin() + lane_bits, bit) != from.begin() + lane_bits;
  };
  for (int lane = 0; lane < lane_bits; ++lane) {
    if (wanted_in_lanes(at[static_cast<size_t>(lane)])) continue;
    for (size_t position = static_cast<size_t>(lane_bits); position < at.size(); ++position) {
      if (!wanted_in_lanes(at[position])) continue;
      exchange(b, chunks, lane, static_cast<int>(position) - lane_bits);
      std::swap(at[static_cast<size_t>(lane)], at[position]);
      break;
    }
  }
  // What is left permutes lanes inside of every chunk, and chunks.
  const auto source_number = [&](int number, int first, int last) {
    int source = 0;
    for (int i = first; i < last; ++i) {
      const auto p = std::find(at.begin(), at.end(), from[static_cast<size_t>(i)]) - at.begin();
      if (number >> (i - first) & 1) source |= 1 << (p - first);
    }
    return source;
  };
  std::vector<int> mask;
  for (int l = 0; l < 1 << lane_bits; ++l) mask.push_back(source_number(l, 0, lane_bits));
  Chunks result;
  for (size_t c = 0; c < chunks.size(); ++c)
    result.push_back(shuffle(
        b, chunks[static_cast<size_t>(source_number(static_cast<int>(c), lane_bits, static_cast<int>(from.size())))],
        mask));
  return result;
}

Chunks select_bit(Builder& b, const Chunks& chunks, int bit, bool value) {
  const int lanes = lanes_of(chunks[0]), lane_bits = log2_of(lanes);
  Chunks result;
  if (bit >= lane_bits) {
    for (size_t c = 0; c < chunks.size(); ++c)
      if (((c >> (bit - lane_bits)) & 1) == value) result.push_back(chunks[c]);
    return result;
  }
  std::vector<int> mask;
  if (chunks.size() == 1) {
    for (int l = 0; l < lanes / 2; ++l) mask.push_back(insert_bit(l, bit, value));
    return {shuffle(b, chunks[0], mask)};
  }
  for (int l = 0; l < lanes; ++l) mask.push_back(insert_bit(l, bit, value));
  for (size_t c = 0; c < chunks.size(); c += 2) result.push_back(shuffle(b, chunks[c], chunks[c + 1], mask));
  return result;
}

Chunks broadcast_bits(Builder& b, const Chunks& chunks, const std::vector<int>& from, int lanes) {
  const int source_lanes = lanes_of(chunks[0]);
  const auto source_of = [&](int number) {
    int source = 0;
    for (size_t i = 0; i < from.size(); ++i)
      if (from[i] >= 0 && (number >> i & 1)) source |= 1 << from[i];
    return source;
  };
  Chunks result;
  for (int first = 0; first < 1 << from.size(); first += lanes) {
    std::vector<int> mask;
    for (int l = 0; l < lanes; ++l) mask.push_back(source_of(first + l) % source_lanes);
    llvm::Value* chunk = chunks[static_cast<size_t>(source_of(first) / source_lanes)];
    const bool uniform = std::all_of(mask.begin(), mask.end(), [&](int m) { return m == mask[0]; });
    result.push_back(uniform && lanes > 1 ? splat(b, extract(b, chunk, mask[0]), lanes) : shuffle(b, chunk, mask));
  }
  return result;
}

Chunks deinterleave(Builder& b, const Chunks& memory_order) {
  const int n = static_cast<int>(memory_order.size()), lanes = lanes_of(memory_order[0]);
  if (std::has_single_bit(memory_order.size()) && lanes >= n) {  // bits: the low log2(n) ones become the chunk number
    const int bits = log2_of(static_cast<int64_t>(memory_order.size()) * lanes),
              low = log2_of(static_cast<int64_t>(memory_order.size()));
    std::vector<int> from;
    for (int i = 0; i < bits; ++i) from.push_back((i + low) % bits);
    return permute_bits(b, memory_order, from);
  }
  Chunks parts;
  for (int p = 0; p < n; ++p) {
    std::vector<int> wanted;
    for (int l = 0; l < lanes; ++l) wanted.push_back(l * n + p);
    parts.push_back(collect(b, memory_order, wanted));
  }
  return parts;
}

Chunks interleave(Builder& b, const Chunks& parts) {
  const int n = static_cast<int>(parts.size()), lanes = lanes_of(parts[0]);
  if (std::has_single_bit(parts.size()) && lanes >= n) {
    const int bits = log2_of(static_cast<int64_t>(parts.size()) * lanes),
              low = log2_of(static_cast<int64_t>(parts.size()));
    std::vector<int> from;
    for (int i = 0; i < bits; ++i) from.push_back((i + bits - low) % bits);
    return permute_bits(b, parts, from);
  }
  Chunks memory_order;
  for (int v = 0; v < n; ++v) {
    std::vector<int> wanted;
    for (int l = 0; l < lanes; ++l) wanted.push_back((v * lanes + l) % n * lanes + (v * lanes + l) / n);
    memory_order.push_back(collect(b, parts, wanted));
  }
  return memory_order;
}

}  // namespace sinter::llvm_codegen
