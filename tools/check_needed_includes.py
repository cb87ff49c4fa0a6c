#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every file includes, itself or through headers of the project, what it names: the standard library's
names that PROVIDERS lists, and the types that one header of the project defines; functions and aliases of the project
are not seen. Files are compiled in batches (cmake/unity.cmake), where the neighbours' includes would hide what is
missing; with SINTER_UNITY_BUILD=OFF each is compiled by itself. `--self-test` plants violations.
"""

import argparse
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from check_includes import INCLUDE
from source_files import ROOT, cpp_files

# Names of std and the headers of which one is enough.
PROVIDERS = {
    "algorithm": "min max copy copy_n equal transform for_each replace swap_ranges all_of any_of none_of find find_if find_if_not count_if copy_if fill generate sort stable_sort partial_sort"
                 " nth_element lower_bound upper_bound min_element max_element minmax_element reverse rotate unique clamp"
                 " is_sorted binary_search equal_range set_intersection set_union set_difference shuffle mismatch remove_if",
    "array": "array",
    "atomic": "atomic atomic_ref atomic_thread_fence memory_order memory_order_relaxed",
    "bit": "bit_cast bit_width bit_ceil bit_floor countl_zero countr_zero has_single_bit popcount rotl",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "cmath": "isnan isinf isfinite fma sqrt exp2 log2 pow floor ceil trunc nearbyint rint ldexp frexp signbit copysign hypot"
             " atan2 fmod remainder nextafter expm1 log1p cbrt erf erfc lgamma",
    "condition_variable": "condition_variable",
    "cstdint": "uint64_t int64_t uint32_t int32_t uint16_t int16_t uint8_t int8_t uintptr_t",
    "cstdio": "printf fprintf fopen fclose fflush fputs puts snprintf rename",
    "cstdlib": "getenv abort exit malloc aligned_alloc strtod strtol",
    "cstring": "memcpy memset memcmp memmove strlen strcmp",
    "deque": "deque",
    "exception": "exception_ptr current_exception rethrow_exception uncaught_exceptions",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream",
    "functional": "function hash less greater plus multiplies reference_wrapper",
    "iterator": "back_inserter make_move_iterator istreambuf_iterator distance next prev",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "unique_ptr shared_ptr weak_ptr make_unique make_shared enable_shared_from_this static_pointer_cast",
    "mutex": "mutex lock_guard unique_lock scoped_lock call_once once_flag recursive_mutex",
    "new": "align_val_t bad_alloc nothrow",
    "numeric": "accumulate iota inner_product exclusive_scan inclusive_scan partial_sum gcd lcm",
    "optional": "optional nullopt",
    "random": "mt19937 mt19937_64 uniform_int_distribution uniform_real_distribution normal_distribution",
    "set": "set multiset",
    "shared_mutex": "shared_mutex shared_lock",
    "span": "span",
    "sstream": "ostringstream istringstream stringstream",
    "stdexcept": "runtime_error logic_error out_of_range invalid_argument",
    "string": "string to_string stoi stoll stod getline",
    "string_view": "string_view",
    "thread": "thread this_thread",
    "tuple": "tuple tie make_tuple apply",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "pair move forward swap exchange make_pair index_sequence make_index_sequence",
    "variant": "variant visit monostate holds_alternative get_if",
    "vector": "vector",
}
# What a header gives besides, by the standard or in every library at hand.
ALSO = {
    "algorithm": "utility", "array": "utility", "condition_variable": "mutex", "deque": "iterator", "filesystem": "string",
    "fstream": "string", "functional": "utility", "map": "utility iterator", "memory": "utility exception new",
    "optional": "utility", "set": "iterator", "span": "iterator array", "sstream": "string", "string": "string_view iterator",
    "string_view": "iterator", "thread": "chrono", "tuple": "utility", "unordered_map": "utility", "unordered_set": "utility",
    "variant": "utility", "vector": "iterator", "list": "iterator", "fmt/format.h": "string string_view memory vector",
    "gtest/gtest.h": "string vector memory tuple utility", "stdexcept": "string exception", "shared_mutex": "chrono",
    "mutex": "chrono tuple",
}

# Preprocessor lines, names of other projects, names of tests and of entries in lists.
IGNORED = re.compile(r"^\s*#.*|\b(?:llvm|testing)::[\w:]+|\b(?:(?:TYPED_)?TEST\w*|INSTANTIATE_\w+)\([^)]*|\bX\(\w+|(?:\.|->)\w+", re.MULTILINE)
COMMENT_OR_STRING = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
STD_NAME = re.compile(r"\bstd::(?:ranges::)?(\w+)")
DEFINED = re.compile(r"^(?:class|struct|enum(?: class)?) (?:\[\[\w+\]\] )?([A-Z]\w+)(?: final)?(?: : [^;{]+)? \{", re.MULTILINE)
DECLARED = re.compile(r"\b(?:class|struct|enum|using|typename|concept) (?:\[\[\w+\]\] )?([A-Z]\w+)")  # of any kind, and nested ones
WORD = re.compile(r"\b[A-Z]\w+\b")

HEADERS_OF = defaultdict(set)
for header, names in PROVIDERS.items():
    for name in names.split():
        HEADERS_OF[name].add(header)


class Sources:
    """The files, what they include, and what they name."""

    def __init__(self, root: Path, files: list[Path]):
        self.text, self.included, self.closures = {}, {}, {}
        for path in files:
            name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
            self.included[name] = {m.group(2) for m in map(INCLUDE.match, text.splitlines()) if m}
            self.text[name] = IGNORED.sub(" ", COMMENT_OR_STRING.sub(" ", text))

    def file_of(self, header: str) -> str | None:
        return next((f for f in (header, "include/" + header) if f in self.text), None)

    def closure(self, name: str) -> set[str]:
        """Headers that a file includes, and those that the project's among them include."""
        if name not in self.closures:
            seen, rest = set(), [name]
            while rest:
                for header in self.included[rest.pop()] - seen:
                    seen.add(header)
                    if file := self.file_of(header):
                        rest.append(file)
            self.closures[name] = {self.file_of(h) or h for h in seen} | {name}
        return self.closures[name]

    def owners(self) -> dict[str, str]:
        """Types that one header defines, and nobody else."""
        places = defaultdict(set)
        for name, text in self.text.items():
            for defined in DEFINED.findall(text):
                places[defined].add(name)
        return {t: next(iter(p)) for t, p in places.items() if len(p) == 1 and next(iter(p)).endswith(".h")}


def check(root: Path, files: list[Path]) -> list[str]:
    sources, problems = Sources(root, files), []
    owners = sources.owners()
    for name, text in sources.text.items():
        if name.startswith("examples/") or name.endswith(".def"):
            continue
        there = sources.closure(name)
        standard = there | {word for header in there for word in ALSO.get(header, "").split()}
        for used in sorted(set(STD_NAME.findall(text)) & HEADERS_OF.keys()):
            if not HEADERS_OF[used] & standard:
                problems.append(f"{name}: std::{used} needs <{' or '.join(sorted(HEADERS_OF[used]))}>")
        declared = {t for header in there if header in sources.text for t in DECLARED.findall(sources.text[header])}
        for used in sorted(set(WORD.findall(text)) & owners.keys() - declared):
            if owners[used] not in there:
                problems.append(f"{name}: {used} needs {owners[used]}")
    return problems


PLANTED = {  # file -> (text, whether it is a violation)
    "src/a/box.h": ("#include <vector>\nstruct Box {\n  std::vector<int> v;\n};", False),
    "src/a/through.cpp": ('#include "src/a/box.h"\nBox b; std::vector<int> w;', False),
    "src/a/no_header.cpp": ("std::vector<int> w;", True),
    "src/a/no_type.cpp": ("void f() { Box b; }", True),
    "src/a/forward.h": ("struct Box;\nvoid f(const Box&);", False),
    "src/a/comment.cpp": ("// std::vector of Box", False),
    "src/a/text.cpp": ('const char* t = "std::vector<Box>";', False),
    "src/a/raw.cpp": ('const char* t = R"(std::vector<Box>)";', False),
    "src/a/also.cpp": ("#include <mutex>\n#include <memory>\nauto p = std::move(q);", False),
    "src/a/foreign.cpp": ("llvm::Box b;\nTEST(Box, Opens) {}", False),
    "src/a/local.cpp": ("namespace {\nstruct Cart {\n};\n}\nCart c;", False),
}


def self_test() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        for name, (text, _) in PLANTED.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text + "\n")
        found = {problem.split(":")[0] for problem in check(root, [root / name for name in PLANTED])}
    wrong = [name for name, (_, violation) in PLANTED.items() if (name in found) != violation]
    for name in wrong:
        print(f"self-test: {name}: judged wrongly")
    print(f"check_needed_includes: self-test of {len(PLANTED)} planted files, {len(wrong)} judged wrongly")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true", help="check that planted violations are found")
    if parser.parse_args().self_test:
        return self_test()
    files = cpp_files()
    problems = check(ROOT, files)
    print("\n".join(problems + [f"check_needed_includes: {len(files)} files, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
