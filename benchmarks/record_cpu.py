#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the CPU benchmarks of a build one after another and records their figures in one file.

    record_cpu.py --build build/release --out benchmarks/results/cpu.json
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", required=True, type=pathlib.Path)
    p.add_argument("--out", default=HERE / "results" / "cpu.json", type=pathlib.Path)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--rounds", type=int, default=15, help="of the comparison")
    p.add_argument("--commit", default=run("git", "-C", HERE, "describe", "--always", "--dirty", "--abbrev=40"))
    args = p.parse_args()
    programs = args.build / "benchmarks"
    result = {"schema": 1, "commit": args.commit, "cpu": processor(), "threads": args.threads,
              "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")}
    result["calls"] = json.loads(run(programs / "bench_calls", "--json"))
    result["first_call"] = json.loads(run(programs / "bench_first_call", "--json"))
    result["reductions"] = json.loads(run(programs / "bench_cpu_reductions", "--json"))
    result["comparison"] = json.loads(run(sys.executable, HERE / "compare_numexpr.py", "--json", "--threads", args.threads,
                                          "--rounds", args.rounds, "--library", programs / "libsinter_cpu_rows.so"))
    args.out.write_text(json.dumps(result, indent=1) + "\n")
    for part in ("calls", "first_call", "reductions"):
        for name, f in result[part].items():
            met = "" if "goal" not in f else f"   goal {f['goal']:g}: {'met' if f['median'] <= f['goal'] else 'MISSED'}"
            print(f"{name:68} {f['median']:9.2f} {f['unit']}{met}")
    for r in result["comparison"]["rows"]:
        ratios = ", ".join(f"{v:.2f}x {k}" for k, v in r["ratio"].items())
        print(f"{r['name']:48} {r['pct_of_triad']:5.1f} % of the triad, {ratios}: {'met' if r['met'] else 'MISSED'}")


if __name__ == "__main__":
    main()
