#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every include follows the arrows between folders, and that public headers export what they declare.

    include <- runtime/device <- src/tensor <- src/scalar <- src/graph <- src/loop <- src/reference
            <- src/ops <- src/passes <- src/lower <- codegen <- src/compiler <- src/capture

A folder may include itself and what ALLOWED lists for it. `--self-test` plants violations and expects each to be found.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

from source_files import CPP_SUFFIXES, ROOT, cpp_files

RUNTIME = ["include", "runtime/device", "src/tensor"]
GRAPH = RUNTIME + ["src/scalar", "src/graph"]
LOWERING = GRAPH + ["src/loop", "src/ops", "src/reference", "src/passes", "src/lower"]
CODEGEN = ["codegen/tile", "codegen/schedule", "codegen/cuda", "codegen/llvm"]
# Tile programs and what prints them know neither graphs nor loops.
TILE = RUNTIME + ["src/scalar", "codegen/tile"]
EVERYTHING = LOWERING + CODEGEN + ["runtime/exec", "runtime/cache", "runtime/saved", "src/compiler", "src/capture"]

ALLOWED = {
    "include": [],
    "runtime/device": ["include"],
    "src/tensor": ["include", "runtime/device"],
    "src/scalar": RUNTIME,
    "src/graph": RUNTIME + ["src/scalar"],
    "src/loop": GRAPH,
    "src/reference": GRAPH + ["src/loop"],
    "src/ops": GRAPH + ["src/loop", "src/reference"],  # an op's definition holds its reference
    "src/passes": GRAPH + ["src/loop", "src/ops", "src/reference"],
    "src/lower": LOWERING,
    "codegen/tile": TILE,
    "codegen/schedule": LOWERING + ["codegen/tile"],
    "codegen/cuda": TILE,
    "codegen/llvm": TILE,
    "runtime/exec": RUNTIME,
    "runtime/cache": RUNTIME,
    "runtime/saved": RUNTIME + ["runtime/exec", "runtime/cache"],
    "src/compiler": LOWERING + CODEGEN + ["runtime/exec", "runtime/cache", "runtime/saved"],
    "src/capture": EVERYTHING,
    "examples": ["include"],
    "benchmarks": EVERYTHING,
    "tests": EVERYTHING + ["benchmarks"],
    "tools": EVERYTHING + ["tests"],
}

# Headers of other projects, and the only folders that may name them.
FOREIGN = [
    (re.compile(r"^(cuda|cuda_runtime|nvrtc|cublasLt|cudnn)(_\w+)?\.h$"), re.compile(r"(^|/)cuda(/|$)|^(tests|benchmarks|examples)/")),
    (re.compile(r"^oneapi/"), re.compile(r"/onednn/|^tests/|^benchmarks/")),
    (re.compile(r"^llvm(-c)?/"), re.compile(r"^codegen/llvm/|^tests/")),
    (re.compile(r"^(fmt|nlohmann)/"), re.compile(r"^(?!include/)")),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def folder_of(path: str) -> str | None:
    return next((folder for folder in ALLOWED if path.startswith(folder + "/")), None)


def check_line(root: Path, source: str, quote: str, target: str) -> str | None:
    """What is wrong with `source` including `target`, or None."""
    for header, places in FOREIGN:
        if header.match(target):
            return None if places.search(source) else "this folder may not use that library"
    if quote == "<":
        if not target.startswith("sinter/"):
            return "a project header is included with quotes" if folder_of(target) else None
        target = "include/" + target
    elif source.startswith("examples/") and ((root / source).parent / target).is_file():
        return None  # an example stands alone, like a user's program
    elif target.startswith("include/"):
        return "public headers are included as <sinter/...>"
    to_folder = folder_of(target)
    if to_folder is None:
        return "a quoted include starts at the repository root"
    if not (root / target).is_file():
        return "no such file"
    from_folder = folder_of(source)
    if from_folder is None or to_folder == from_folder or to_folder in ALLOWED[from_folder]:
        return None
    return f"{from_folder} may not include {to_folder}"


def check_exported(source: str, text: str) -> list[str]:
    """Everything is compiled with hidden symbols; a public header exports what it declares."""
    if not source.startswith("include/") or "namespace sinter {" not in text:
        return []
    if re.search(r"#pragma GCC visibility push\(default\)\nnamespace sinter \{\n.*\n\}  // namespace sinter\n#pragma GCC visibility pop\n",
                 text, re.DOTALL):
        return []
    return [f"{source}: `namespace sinter` must stand between #pragma GCC visibility push(default) and pop"]


def check(root: Path, files: list[Path]) -> list[str]:
    problems = []
    for path in files:
        source = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        problems += check_exported(source, text)
        for number, line in enumerate(text.splitlines(), 1):
            if found := INCLUDE.match(line):
                quote, target = found.groups()
                if problem := check_line(root, source, quote, target):
                    problems.append(f"{source}:{number}: {line.strip()}: {problem}")
    return problems


EXPORTED = "#pragma GCC visibility push(default)\nnamespace sinter {\nint f();\n}  // namespace sinter\n#pragma GCC visibility pop"

PLANTED = {  # file -> (text, whether it is a violation)
    "src/graph/a.h": ('#include "src/loop/a.h"', True),
    "src/loop/a.h": ('#include "src/graph/a.h"', False),
    "src/ops/a.h": ('#include "src/passes/a.h"', True),
    "src/passes/a.h": ('#include "src/ops/a.h"', False),
    "src/reference/a.h": ('#include "src/ops/a.h"', True),
    "codegen/cuda/a.h": ('#include "src/graph/a.h"', True),
    "codegen/tile/a.h": ('#include "src/loop/a.h"', True),
    "codegen/schedule/a.h": ('#include "src/loop/a.h"', False),
    "runtime/exec/a.h": ('#include "src/scalar/a.h"', True),
    "runtime/cache/a.h": ('#include <sinter/a.h>', False),
    "runtime/device/a.h": ('#include "src/tensor/a.h"', True),
    "runtime/device/cuda/a.h": ("#include <cuda.h>", False),
    "src/tensor/a.h": ("#include <cuda.h>", True),
    "examples/c.cpp": ("#include <cuda.h>", False),
    "src/scalar/a.h": ("#include <llvm/IR/Module.h>", True),
    "codegen/llvm/a.h": ("#include <llvm/IR/Module.h>", False),
    "include/sinter/a.h": ("#include <fmt/format.h>", True),
    "include/sinter/b.h": ('#include "src/tensor/a.h"', True),
    "include/sinter/c.h": (EXPORTED, False),
    "include/sinter/d.h": (EXPORTED.replace("#pragma GCC visibility pop", ""), True),
    "src/lower/a.h": ('#include "a.h"', True),
    "src/compiler/a.h": ('#include "runtime/cache/a.h"', False),
    "src/compiler/b.h": ('#include "src/compiler/missing.h"', True),
    "src/compiler/c.h": ("#include <src/graph/a.h>", True),
    "src/capture/a.h": ("#include <vector>", False),
    "examples/b.cpp": ('#include "b.h"', False),
    "examples/b.h": ("#include <sinter/a.h>", False),
    "examples/a.cpp": ('#include "src/tensor/a.h"', True),
    "tests/x/a.cpp": ('#include "src/capture/a.h"', False),
}


def self_test() -> int:
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        for name, (line, _) in PLANTED.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(line + "\n")
        files = [root / name for name in PLANTED if Path(name).suffix in CPP_SUFFIXES]
        found = {problem.split(":")[0] for problem in check(root, files)}
        wrong = [name for name, (_, violation) in PLANTED.items() if (name in found) != violation]
    for name in wrong:
        print(f"self-test: {name}: {PLANTED[name][0]}: judged wrongly")
    print(f"check_includes: self-test of {len(PLANTED)} planted files, {len(wrong)} judged wrongly")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true", help="check that planted violations are found")
    if parser.parse_args().self_test:
        return self_test()
    files = cpp_files()
    problems = check(ROOT, files)
    print("\n".join(problems + [f"check_includes: {len(files)} files, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
