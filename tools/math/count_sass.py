# SPDX-License-Identifier: Apache-2.0
"""Counts the machine instructions of each kernel that print_cuda writes.

count_sass.py <file.cu> [arch]; needs nvcc and nvdisasm on the PATH. Instructions of the arithmetic alone are counted:
the loads of parameters, the store, address setup and exit are not. `alu` are those of the half-rate integer and
comparison pipe; `branch` are control instructions (their targets' out-of-line code is counted under `total`).
"""
import collections
import re
import subprocess
import sys
import tempfile

NOT_ARITHMETIC = {"EXIT", "NOP", "STG", "LDC", "ULDC", "S2R", "BPT"}
CONSTANT = {"MOV", "HFMA2", "UMOV"}  # a register loaded with a constant: once a thread, not once an element
ALU = {"FMNMX", "FSEL", "FSETP", "ISETP", "SEL", "LOP3", "IADD3", "LEA", "SHF", "PRMT", "IMNMX", "VIMNMX", "IABS", "FSET"}
BRANCH = {"BRA", "BSSY", "BSYNC", "CALL", "RET", "WARPSYNC"}


def main():
    source, arch = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "sm_90a"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as cubin:
        subprocess.run(["nvcc", "-cubin", f"-arch={arch}", "--fmad=false", "-o", cubin.name, source], check=True)
        text = subprocess.run(["nvdisasm", "-c", cubin.name], check=True, capture_output=True, text=True).stdout
    kernel, counts = None, collections.OrderedDict()
    for line in text.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.(\w+)", line)
        if section:
            kernel = section.group(1)
            counts[kernel] = collections.Counter()
        found = re.search(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\d+ )?([A-Z0-9]+)", line)
        if kernel and found:
            counts[kernel][found.group(1)] += 1
    for name, ops in reversed(counts.items()):
        ops["BRA"] -= 1  # the kernel ends with a branch to itself
        ops = collections.Counter({k: v for k, v in ops.items() if v > 0 and k not in NOT_ARITHMETIC})
        constants = sum(ops.pop(k, 0) for k in CONSTANT)
        total = sum(ops.values())
        detail = " ".join(f"{k}:{v}" for k, v in sorted(ops.items(), key=lambda kv: -kv[1]))
        print(f"{name:14} total {total:3} (+{constants} constants) alu {sum(ops[k] for k in ALU):2} branch {sum(ops[k] for k in BRANCH):2}   {detail}")


if __name__ == "__main__":
    main()
