// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/prelude.h"

#include <cctype>
#include <set>
#include <vector>

#include "codegen/cuda/memory_functions.h"
#include "codegen/cuda/prelude_text.h"

namespace sinter::cuda {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void collect_names(std::string_view text, std::set<std::string_view>& names) {
  for (size_t at = text.find("sn_"); at != std::string_view::npos; at = text.find("sn_", at)) {
    size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (at == 0 || !is_word(text[at - 1])) names.insert(text.substr(at, end - at));
    at = end;
  }
}

}  // namespace

std::string prelude_for(std::string_view body) {
  std::set<std::string_view> names;
  collect_names(body, names);
  std::string memory;
  for (std::string_view name : names) memory += memory_function(name);
  collect_names(memory, names);
  // Parts come in dependency order, so one backward sweep finds everything that is needed.
  const auto parts = prelude_parts();
  std::vector<bool> needed(parts.size());
  for (size_t i = parts.size(); i-- > 0;) {
    needed[i] = names.contains(parts[i].name);
    if (needed[i]) collect_names(parts[i].text, names);
  }
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i)
    if (needed[i]) out += parts[i].text;
  return out + memory;
}

}  // namespace sinter::cuda
