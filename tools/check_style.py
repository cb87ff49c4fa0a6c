#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what clang-format does not: licence lines, file and function length, unfinished work, stray white space."""

import argparse
import re
import sys
from pathlib import Path

from source_files import CPP_SUFFIXES, ROOT, project_files

MAX_FILE_LINES = 800
MAX_FUNCTION_LINES = 60
LICENSE_LINE = "SPDX-License-Identifier: Apache-2.0"
HASH_COMMENT = {".py", ".sh", ".cmake", ".in", ".yaml", ".yml"}
HASH_COMMENT_NAMES = {"CMakeLists.txt", "bootstrap", ".clang-format", ".clang-tidy", ".gitignore"}
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK|W" r"IP)\b")
MACHINE_PATH = re.compile(r"(?<![\w/.])/(root|work)/\w")
# Data, and texts that are not ours.
EXEMPT = re.compile(r"^LICENSE$|(^|/)(snapshots|golden)/|\.(png|jpg|svg|json|csv|npy|ppm|bin)$")

OPAQUE = re.compile(  # comments and literals
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
NOT_A_FUNCTION = re.compile(r"\s*(\}|(if|else|for|while|do|switch|case|default|try|catch|namespace|struct|class|union|enum|extern)\b)")


def long_functions(text: str) -> list[tuple[int, int]]:
    """(line, length) of each function body above the limit, by the indentation that clang-format gives: a body closes
    with a lone brace, and starts at the nearest line above that is indented no further."""
    text = OPAQUE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    found = []
    lines = text.split("\n")
    for end, line in enumerate(lines):
        if line.strip() == "}":
            indent = len(line) - len(line.lstrip())
            start = end - 1
            while start > 0 and (not lines[start].strip() or lines[start].startswith("#")
                                 or len(lines[start]) - len(lines[start].lstrip()) > indent):
                start -= 1
            length = end - start + 1
            value = lines[start].rstrip().endswith("=")  # a long literal before the brace that closes a namespace
            if length > MAX_FUNCTION_LINES and not value and not NOT_A_FUNCTION.match(lines[start]):
                found.append((start + 1, length))
    return found


def has_license(path: Path, lines: list[str]) -> bool:
    if path.suffix in CPP_SUFFIXES:
        return lines[:1] == ["// " + LICENSE_LINE]
    if path.suffix in HASH_COMMENT or path.name in HASH_COMMENT_NAMES or (lines and lines[0].startswith("#!")):
        return "# " + LICENSE_LINE in lines[:2]
    return True


def check(path: Path, name: str) -> list[str]:
    if EXEMPT.search(name):
        return []
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return [f"{name}: not UTF-8 text"]
    lines = text.split("\n")
    problems = []
    if not has_license(path, lines):
        problems.append(f"{name}:1: first line must be '{LICENSE_LINE}'")
    if len(lines) - 1 > MAX_FILE_LINES:
        problems.append(f"{name}: {len(lines) - 1} lines, at most {MAX_FILE_LINES}")
    if not text.endswith("\n") or text.endswith("\n\n"):
        problems.append(f"{name}: must end with one newline")
    for number, line in enumerate(lines, 1):
        if word := UNFINISHED.search(line):
            problems.append(f"{name}:{number}: unfinished work: {word.group()}")
        if place := MACHINE_PATH.search(line):
            problems.append(f"{name}:{number}: path of one machine: {place.group()}")
        if line != line.rstrip() and path.suffix != ".md":
            problems.append(f"{name}:{number}: trailing white space")
        if "\t" in line:
            problems.append(f"{name}:{number}: tab")
    if path.suffix in CPP_SUFFIXES:
        problems += [f"{name}:{line}: function of {length} lines, at most {MAX_FUNCTION_LINES}"
                     for line, length in long_functions(text)]
    return problems


def self_test() -> int:
    import tempfile
    license_line = "// " + LICENSE_LINE + "\n"
    body = "  f();\n" * (MAX_FUNCTION_LINES - 1)
    planted = [  # (text, what must be reported, or None)
        (license_line + "int a;\n", None),
        ("int a;\n", "first line"),
        (license_line + "int a;\n" * MAX_FILE_LINES, "at most 800"),
        (license_line + "// TO" + "DO: more\n", "unfinished"),
        (license_line + "// see /ro" + "ot/x\n", "one machine"),
        (license_line + "int a; \n", "trailing"),
        (license_line + "int a;\n\n", "one newline"),
        (license_line + "void g() {\n" + body + "}\n", "function of 61 lines"),
        (license_line + "struct S {\n  int g(int a,\n        int b) {\n" + body.replace("  f", "    f") + "  }\n};\n", "function of 62 lines"),
        (license_line + "void g() {\n" + body[7:] + "}\n", None),
        (license_line + "namespace n {\n" + "int a;\n" * 70 + "}\n", None),
    ]
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "a.cpp"
        for text, expected in planted:
            path.write_text(text)
            problems = check(path, path.name)
            right = not problems if expected is None else len(problems) == 1 and expected in problems[0]
            if not right:
                wrong += 1
                print(f"self-test: expected {expected}, got {problems} for {text[:80]!r}")
    print(f"check_style: self-test of {len(planted)} planted texts, {wrong} judged wrongly")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--self-test", action="store_true", help="check that planted problems are found")
    if parser.parse_args().self_test:
        return self_test()
    files = project_files()
    problems = [problem for path in files for problem in check(path, path.relative_to(ROOT).as_posix())]
    print("\n".join(problems + [f"check_style: {len(files)} files, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
