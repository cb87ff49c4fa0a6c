#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps docs/tutorial and its programs together.

Chapter docs/tutorial/NN-name.md shows examples/tutorial/NN_name.cpp, without the licence line, in its first C++ block, and
what that prints in the text block after the words "It prints". `...` there stands for any text within a line.

    tutorial.py --check             pages hold the programs' text, and the index lists them
    tutorial.py --update            copies the programs into the pages
    tutorial.py --run <folder>      runs the built programs and compares what they print, README.md's sample too
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES, PROGRAMS = ROOT / "docs/tutorial", ROOT / "examples/tutorial"
CODE = re.compile(r"(?<=^```cpp\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
README_OUTPUT = re.compile(r"prints \(here on a machine without a GPU\):\n\n```\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MACHINE = re.compile(r"(?<=cpu )[^\n%\[{c][^\n]*|(?<=compiled in )\d+ ms|(?<=grid )\d+")  # what differs between machines
OUTPUT = re.compile(r"^It prints[^\n]*:\n\n```\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def program_text(program):
    return program.read_text(encoding="utf-8").split("\n", 1)[1].lstrip("\n")


def chapters():
    """Pairs of page and program; problems where one has no other."""
    programs = sorted(PROGRAMS.glob("*.cpp"))
    pages = [PAGES / (p.stem.replace("_", "-") + ".md") for p in programs]
    problems = [f"{page.relative_to(ROOT)}: missing" for page in pages if not page.exists()]
    problems += [f"{page.relative_to(ROOT)}: has no program" for page in sorted(PAGES.glob("[0-9]*.md")) if page not in pages]
    return [pair for pair in zip(pages, programs) if pair[0].exists()], problems


def check():
    pairs, problems = chapters()
    index = (PAGES / "README.md").read_text(encoding="utf-8")
    for page, program in pairs:
        name = page.relative_to(ROOT)
        text = page.read_text(encoding="utf-8")
        code = CODE.search(text)
        if f"({page.name})" not in index:
            problems.append(f"docs/tutorial/README.md: does not list {page.name}")
        if code is None or code.group() != program_text(program):
            problems.append(f"{name}: is not the text of {program.relative_to(ROOT)}: run tools/docs/tutorial.py --update")
        if OUTPUT.search(text) is None:
            problems.append(f"{name}: does not say what its program prints")
    return problems, f"{len(pairs)} chapters"


def update():
    pairs, problems = chapters()
    for page, program in pairs:
        text = page.read_text(encoding="utf-8")
        page.write_text(CODE.sub(lambda _: program_text(program), text, count=1), encoding="utf-8")
    return problems, f"{len(pairs)} chapters updated"


def matches(expected, printed):
    pattern = "".join(".*" if part == "..." else re.escape(part) for part in re.split(r"(\.\.\.)", expected))
    return re.fullmatch(pattern, printed) is not None


def run_program(program):
    with tempfile.TemporaryDirectory() as scratch:
        return subprocess.run([program], cwd=scratch, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                              env=dict(os.environ, SINTER_CACHE="0", CUDA_VISIBLE_DEVICES=""))


def check_readme(folder):
    output = README_OUTPUT.search((ROOT / "README.md").read_text(encoding="utf-8"))
    printed = run_program(folder / "readme").stdout
    if output is None or MACHINE.sub("...", output[1]).strip() != MACHINE.sub("...", printed).strip():
        return [f"README.md: its sample prints\n{printed}"]
    return []


def run(folder):
    pairs, problems = chapters()
    problems += check_readme(folder)
    for page, program in pairs:
        output = OUTPUT.search(page.read_text(encoding="utf-8"))
        if output is None:
            problems.append(f"{page.name}: does not say what its program prints")
            continue
        ran = run_program(folder / ("tutorial_" + program.stem))
        if ran.returncode != 0 or not matches(output[1], ran.stdout):
            problems.append(f"{page.name}: the program ended with {ran.returncode} and printed\n{ran.stdout}-- and not\n{output[1]}")
    return problems, f"{len(pairs)} programs run"


def self_test():
    cases = [("a ... c\n", "a b c\n", True), ("a ... c\n", "a b\n c\n", False), ("a.b\n", "a+b\n", False), ("a\n", "a\nb\n", False)]
    wrong = [case for case in cases if matches(*case[:2]) != case[2]]
    return [f"self-test: {case}" for case in wrong], f"self-test of {len(cases)} outputs"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true")
    what.add_argument("--update", action="store_true")
    what.add_argument("--run", metavar="FOLDER")
    what.add_argument("--self-test", action="store_true")
    chosen = parser.parse_args()
    if chosen.run:
        problems, done = run(Path(chosen.run).resolve())
    else:
        problems, done = check() if chosen.check else update() if chosen.update else self_test()
    print("\n".join(problems + [f"tutorial: {done}, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
