#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every block of README.md is covered by a test.

    readme.py --check                 each block is one of the kinds below
    readme.py --projects <folder>     writes a project of each ```cmake block, in order: <folder>/0/CMakeLists.txt, ...
    readme.py --install-command       prints the command of the ```sh blocks that installs
    readme.py --self-test

```cpp      compiled and run by test_readme (tools/docs/snippets.py)
```cmake    configured and built by test_readme_blocks (tests/install/readme_blocks)
```sh       commands that .ci/run or test_readme_blocks run; those of a GPU are what ./bootstrap knows
```         what a program prints: readme's own, which test_tutorial runs, or lines of the tutorial's
"""
import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import snippets
import tutorial

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(?P<kind>[a-z]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
NEEDS_A_GPU = {"./bootstrap gpu"}
PLACE = re.compile(r"[\w/]+\.cpp:\d+")
# What the snippets of CMake stand in.
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES CXX)
add_executable(app main.cpp)
"""


def page():
    return (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(text, kind):
    return [match["text"] for match in BLOCK.finditer(text) if match["kind"] == kind]


def commands(block):
    """Each command of a shell block, without comments; `a && b` are two."""
    lines = (line.split("  #")[0].strip() for line in block.splitlines())
    return [command.strip() for line in lines if line for command in line.split("&&")]


def run_by_ci():
    return {line.strip() for line in (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()}


def is_install(command):
    return command.startswith("cmake ")


def shell_problems(text, run):
    known = re.findall(r"^  (\w+) ", (ROOT / "bootstrap").read_text(encoding="utf-8"), re.MULTILINE)
    for block in blocks(text, "sh"):
        for command in commands(block):
            on_gpu = command in NEEDS_A_GPU and command.split()[1] in known
            if not (command in run or on_gpu or is_install(command)):
                yield f"no test runs `{command}`"


def output_problems(text):
    printed = set()
    for chapter in tutorial.PAGES.glob("[0-9]*.md"):
        if output := tutorial.OUTPUT.search(chapter.read_text(encoding="utf-8")):
            printed |= {PLACE.sub("...", line).strip() for line in output[1].splitlines()}
    own = tutorial.README_OUTPUT.search(text)
    for block in blocks(text, ""):
        if own is not None and block == own[1]:
            continue
        for line in block.splitlines():
            if PLACE.sub("...", line).strip() not in printed:
                yield f"no tested program prints `{line.strip()}`"


def problems_of(text, run):
    problems = [f"no test covers a block of the kind `{match['kind']}`" for match in BLOCK.finditer(text)
                if match["kind"] not in ("cpp", "cmake", "sh", "")]
    if len(list(snippets.BLOCK.finditer(text))) != len(blocks(text, "cpp")):
        problems.append("tools/docs/snippets.py does not see every C++ block")
    if text.count("\n```") != 2 * len(list(BLOCK.finditer(text))):
        problems.append("a block has no end")
    problems += shell_problems(text, run)
    problems += output_problems(text)
    return [f"README.md: {problem}" for problem in problems]


def write_projects(folder):
    for number, block in enumerate(blocks(page(), "cmake")):
        project = folder / str(number)
        project.mkdir(parents=True)
        (project / "CMakeLists.txt").write_text(PROJECT + block, encoding="utf-8")


def install_command():
    found = [line for block in blocks(page(), "sh") for line in block.splitlines() if is_install(line)]
    if len(found) != 1:
        sys.exit("README.md: expected one command that installs")
    return found[0]


def self_test():
    sample = "\n```sh\n./bootstrap test    # tests\n```\n\n```cpp\nint x;\n```\n"
    cases = [(sample, 0), (sample + "\n```sh\n./bootstrap dance\n```\n", 1), (sample + "\n```python\nx\n```\n", 1),
             (sample + "\n```\nprinted by nothing\n```\n", 1), (sample + "\n```sh\nls\n", 1)]
    wrong = [text for text, count in cases if len(problems_of(text, {"./bootstrap test"})) != count]
    return [f"self-test: {text!r}" for text in wrong]


def main():
    parser = argparse.ArgumentParser()
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true")
    what.add_argument("--projects", type=Path)
    what.add_argument("--install-command", action="store_true")
    what.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.projects:
        return write_projects(arguments.projects)
    if arguments.install_command:
        return print(install_command())
    problems = self_test() if arguments.self_test else problems_of(page(), run_by_ci())
    print("\n".join(problems) or f"readme: {len(list(BLOCK.finditer(page())))} blocks, each covered by a test")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
