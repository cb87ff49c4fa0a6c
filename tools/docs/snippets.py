# SPDX-License-Identifier: Apache-2.0
"""Makes one program of the C++ blocks of a page, to compile and run: `snippets.py README.md out.cpp`.

A block with a main() is a program of its own. What another block takes from its surroundings stands in a comment
before it, which no reader of the page sees:

    <!-- given
    int n = 3;
    -->
    ```cpp
    use(n);
    ```
"""
import re
import sys
from pathlib import Path

BLOCK = re.compile(r"(?:^<!-- given\n(?P<given>.*?)^-->\n+)?^```cpp\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
HEAD = """// Made from {page} by tools/docs/snippets.py.
{includes}#include <sinter/sinter.h>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace sn = sinter;
"""


INCLUDE = re.compile(r"^#include [^\n]*$", re.MULTILINE)


def includes(blocks):
    return "".join(f"{line}\n" for line in sorted({line for block in blocks for line in INCLUDE.findall(block["code"])}))


def function(page, text, number, block):
    line = text.count("\n", 0, block.start("code")) + 1
    code = f'#line {line} "{page}"\n' + INCLUDE.sub("", block["code"])
    if "int main()" in code:
        return f"namespace snippet_{number} {{\n" + code.replace("int main()", "void run()") + "}\n"
    return f"namespace snippet_{number} {{\nvoid run() {{\n{block['given'] or ''}{code}}}\n}}\n"


def program(page, text):
    blocks = list(BLOCK.finditer(text))
    if not blocks:
        sys.exit(f"{page}: no C++ block")
    functions = [function(page, text, number, block) for number, block in enumerate(blocks)]
    calls = "".join(f'  std::puts("-- {page}, C++ block {number}");\n  snippet_{number}::run();\n'
                    for number in range(len(blocks)))
    return HEAD.format(page=page, includes=includes(blocks)) + "\n".join(functions) + f"\nint main() {{\n{calls}}}\n"


if __name__ == "__main__":
    source, result = Path(sys.argv[1]), Path(sys.argv[2])
    result.write_text(program(source.name, source.read_text(encoding="utf-8")), encoding="utf-8")
