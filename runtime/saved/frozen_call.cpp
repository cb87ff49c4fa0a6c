// SPDX-License-Identifier: Apache-2.0
#include "runtime/saved/frozen_call.h"

#include <sinter/error.h>

#include <string>

namespace sinter::saved {
namespace {

void require_in_call(bool ok, const char* what) {
  if (!ok) throw CompileError(std::string("frozen call: ") + what);
}

void check_source(const TensorSource& s, bool is_result, int32_t arguments, size_t constants) {
  switch (s.kind) {
    case TensorSource::Kind::argument:
      return require_in_call(s.index >= 0 && s.index < arguments, "unknown argument");
    case TensorSource::Kind::constant:
      return require_in_call(s.index >= 0 && static_cast<size_t>(s.index) < constants, "unknown constant");
    case TensorSource::Kind::output:
      return require_in_call(is_result && s.index >= 0, "an output is no input");
    case TensorSource::Kind::undefined:
      return require_in_call(is_result, "an undefined input");
    case TensorSource::Kind::random_state:
      return require_in_call(!is_result, "the generator's state is no result");
  }
  require_in_call(false, "unknown source");
}

}  // namespace

void fill_symbols(const FrozenCall& call, std::span<const int64_t> key, int64_t first_draw,
                  std::vector<int64_t>& symbols) {
  symbols.assign(call.symbols.begin(), call.symbols.end());
  for (const SymbolSource& s : call.varies)
    symbols[static_cast<size_t>(s.symbol)] = key[static_cast<size_t>(s.argument_word)];
  for (const int32_t symbol : call.draws) symbols[static_cast<size_t>(symbol)] = first_draw++;
}

void check(const FrozenCall& call, size_t constants) {
  check(call.signature);
  for (const TensorSource& s : call.inputs) check_source(s, false, call.signature.arguments, constants);
  for (const TensorSource& s : call.results) check_source(s, true, call.signature.arguments, constants);
  for (const SymbolSource& s : call.varies) {
    require_in_call(s.argument_word >= 0 && static_cast<size_t>(s.argument_word) < call.signature.expected.size(),
                    "unknown word");
    require_in_call(s.symbol >= 0 && static_cast<size_t>(s.symbol) < call.symbols.size(), "unknown symbol");
  }
  for (const int32_t symbol : call.draws)
    require_in_call(symbol >= 0 && static_cast<size_t>(symbol) < call.symbols.size(), "unknown symbol of a draw");
  for (const TensorSource& s : call.inputs)
    require_in_call(s.kind != TensorSource::Kind::random_state || !call.draws.empty(), "a generator without draws");
}

void check_plan(const FrozenCall& call, const exec::Plan& plan) {
  require_in_call(static_cast<size_t>(plan.input_count) == call.inputs.size(), "the plan has other inputs");
  require_in_call(static_cast<size_t>(plan.symbol_count) == call.symbols.size(), "the plan has other symbols");
  for (const TensorSource& s : call.results)
    if (s.kind == TensorSource::Kind::output)
      require_in_call(static_cast<size_t>(s.index) < plan.outputs.size(), "unknown output");
}

}  // namespace sinter::saved
