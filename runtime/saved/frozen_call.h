// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/exec/executable.h"
#include "runtime/saved/signature.h"

namespace sinter::saved {

/// Where an input of the plan or a result of the call comes from.
struct TensorSource {
  enum class Kind : uint8_t {
    argument,      ///< of the call
    constant,      ///< what the host code captured or made
    output,        ///< of the plan (results only)
    undefined,     ///< an undefined tensor (results only)
    random_state,  ///< the generator's, of the device where the call runs (inputs only)
  };
  Kind kind = Kind::undefined;
  int32_t index = -1;
  bool dense = false;  ///< an argument that the plan reads as row-major, whatever its strides are
  friend bool operator==(const TensorSource&, const TensorSource&) = default;
};

/// A word of the arguments' key that is a symbol of the plan.
struct SymbolSource {
  int32_t argument_word = 0, symbol = 0;
  friend bool operator==(const SymbolSource&, const SymbolSource&) = default;
};

/// A call of a function whose host code ran once: which arguments it takes, and how a plan's inputs, symbols and
/// outputs are arguments and results. Plain data, the same for Host::skip and for saved files.
struct FrozenCall {
  Signature signature;
  std::vector<TensorSource> inputs;
  std::vector<TensorSource> results;
  std::vector<int64_t> symbols;      ///< of the plan, as recorded
  std::vector<SymbolSource> varies;  ///< those that a call sets
  std::vector<int32_t> draws;        ///< symbols that are places of random draws, in the order of the program
  friend bool operator==(const FrozenCall&, const FrozenCall&) = default;
};

/// The symbols of a call with this key, whose first draw has the place `first_draw`.
void fill_symbols(const FrozenCall& call, std::span<const int64_t> key, int64_t first_draw,
                  std::vector<int64_t>& symbols);

/// CompileError if the parts do not fit together. `constants`: how many there are.
void check(const FrozenCall& call, size_t constants);
/// Does the plan take what the call gives?
void check_plan(const FrozenCall& call, const exec::Plan& plan);

}  // namespace sinter::saved
