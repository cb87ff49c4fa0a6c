#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every file reaches, through its own includes, what it names: the header of each name of the standard
library in STANDARD, and of each type that one project header defines. Batches of files (SINTER_UNITY_BUILD) compile
without, until their order changes. `--self-test` plants violations and expects each to be found.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

from source_files import ROOT, cpp_files

STANDARD = {  # header -> names, of which a file with any must reach the header
    "algorithm": "sort stable_sort find find_if find_if_not count count_if all_of any_of none_of clamp transform reverse rotate "
                 "lower_bound upper_bound binary_search max_element min_element minmax minmax_element unique remove_if "
                 "partition stable_partition shuffle search replace is_sorted nth_element partial_sort next_permutation",
    "array": "array to_array",
    "atomic": "atomic atomic_ref atomic_thread_fence",
    "bit": "bit_cast bit_width popcount countr_zero countl_zero has_single_bit bit_ceil bit_floor",
    "charconv": "from_chars to_chars",
    "cmath": "fma sqrt exp log log2 pow isnan isinf isfinite signbit floor ceil trunc nearbyint ldexp frexp copysign",
    "condition_variable": "condition_variable",
    "cstring": "memcpy memset memcmp memmove strlen strcmp strerror",
    "deque": "deque",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream fstream",
    "functional": "function reference_wrapper hash",
    "limits": "numeric_limits",
    "map": "map multimap",
    "memory": "shared_ptr unique_ptr weak_ptr make_shared make_unique enable_shared_from_this",
    "mutex": "mutex lock_guard unique_lock scoped_lock once_flag call_once recursive_mutex",
    "numeric": "accumulate iota gcd lcm",
    "optional": "optional nullopt",
    "random": "mt19937 mt19937_64 uniform_int_distribution uniform_real_distribution normal_distribution",
    "set": "set multiset",
    "shared_mutex": "shared_mutex shared_lock",
    "span": "span",
    "sstream": "istringstream ostringstream stringstream",
    "string": "string to_string stoi stoll",
    "string_view": "string_view",
    "thread": "thread jthread",
    "tuple": "tuple make_tuple tie",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "variant": "variant holds_alternative get_if monostate",
    "vector": "vector",
}
# What a header is known to bring, as far as every implementation does.
BRINGS = {"string": ["string_view"], "map": ["tuple"], "fstream": ["string"], "sstream": ["string"], "fmt/format.h": ["string"],
          "filesystem": ["string"], "gtest/gtest.h": ["string", "vector", "memory", "tuple", "map", "set", "functional"]}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
# Comments, literals, names of tests and of other projects.
OPAQUE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|\b(?:(?:TYPED_|INSTANTIATE_)?TEST\w*)\(\w+(?:, \w+)?|\bllvm::\w+',
                    re.DOTALL)
DEFINED = re.compile(r"^\s*(?:template\s*<[^\n]*>\s*)?(?:(?:class|struct|enum class|enum)\s+([A-Z]\w+)(?=\s*(?:final\s*)?[:{])|using\s+([A-Z]\w+)\s*=)",
                     re.MULTILINE)
DECLARED = re.compile(r"\b(?:class|struct|enum class|typename|using)\s+(?:\w+::)*([A-Z]\w+)")
WORD = re.compile(r"(?<![\w.>])((?:\w+::)*)(\w+)")
RANGES = re.compile(r"range|view|^(size|begin|end|data|empty|subrange|dangling|advance|next|prev|equal_to|less|greater)$")
HEADER_OF = {name: header for header, names in STANDARD.items() for name in names.split()}


class Files:
    def __init__(self, root: Path, paths: list[Path]):
        self.text, self.includes, self.closures = {}, {}, {}
        for path in paths:
            text = path.read_text(encoding="utf-8")
            name = path.relative_to(root).as_posix()
            found = INCLUDE.findall(text)
            self.includes[name] = ["include/" + i if i.startswith("sinter/") else i for i in found]
            self.text[name] = OPAQUE.sub(" ", INCLUDE.sub("", text))
        homes = {}
        for name, text in self.text.items():
            if name.endswith(".h"):
                for found in DEFINED.finditer(text):
                    homes.setdefault(found[1] or found[2], set()).add(name)
        self.home = {t: next(iter(where)) for t, where in homes.items() if len(where) == 1}

    def closure(self, name: str) -> set[str]:
        if name not in self.closures:
            reached, todo = set(), [name]
            while todo:
                at = todo.pop()
                if at in reached:
                    continue
                reached.add(at)
                beside = [Path(name).parent.joinpath(i).as_posix() for i in self.includes.get(at, [])]
                todo += self.includes.get(at, []) + BRINGS.get(at, []) + [i for i in beside if i in self.text]
            self.closures[name] = reached
        return self.closures[name]

    def missing(self, name: str) -> list[str]:
        """Headers that `name` does not reach, each with the word that wants it."""
        reached, wanted = self.closure(name), {}
        declared = {t for at in reached for t in DECLARED.findall(self.text.get(at, ""))}
        for scope, word in WORD.findall(self.text[name]):
            if scope.startswith("std::"):
                inner = scope[5:].split("::")[0]
                header = HEADER_OF.get(inner or word)
                if inner == "ranges":  # most of what stands there are algorithms
                    header = None if RANGES.search(word) else "algorithm"
            else:
                header = None if word in declared else self.home.get(word)
            if header and header not in reached:
                wanted.setdefault(header, scope + word)
        return [f"{name}: {word} needs {header}" for header, word in sorted(wanted.items())]


def check(root: Path, paths: list[Path]) -> list[str]:
    files = Files(root, paths)
    return [problem for name in files.text if not name.startswith(("tools/", "examples/")) for problem in files.missing(name)]


PLANTED = {  # file -> (text, whether it is a violation)
    "src/a/shape.h": ("#include <vector>\nstruct Shape {\n  std::vector<int> dims;\n};\n", False),
    "src/a/bare.h": ("std::vector<int> f();\n", True),
    "src/a/uses.cpp": ('#include "src/a/shape.h"\nstd::vector<int> f(Shape s) { return s.dims; }\n', False),
    "src/a/misses.cpp": ("int f(const Shape& s);\n", True),
    "src/a/forward.cpp": ("struct Shape;\nint f(const Shape& s);\n", False),
    "src/a/comment.cpp": ('// Shape and std::string\nconst char* f() { return "std::string"; }\n', False),
    "src/a/text.cpp": ("#include <string>\nstd::string_view f(std::string s);\n", False),
    "src/a/ranges.cpp": ("void f(int* b, int* e) { std::ranges::sort(b, e); }\n", True),
}


def self_test() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        for name, (text, _) in PLANTED.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        found = {problem.split(":")[0] for problem in check(root, [root / name for name in PLANTED])}
    wrong = [name for name, (_, violation) in PLANTED.items() if (name in found) != violation]
    print("\n".join([f"self-test: {name}: judged wrongly" for name in wrong] +
                    [f"check_reach: self-test of {len(PLANTED)} planted files, {len(wrong)} judged wrongly"]))
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true", help="check that planted violations are found")
    if parser.parse_args().self_test:
        return self_test()
    paths = [path for path in cpp_files() if path.suffix != ".def"]
    problems = check(ROOT, paths)
    print("\n".join(problems + [f"check_reach: {len(paths)} files, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
