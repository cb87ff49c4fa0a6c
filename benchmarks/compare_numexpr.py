#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sinter's memory-bound CPU rows beside NumExpr, NumPy and OpenCV, and STREAM's triad with non-temporal stores.

One process, the same inputs, the same number of threads for all that have any, rounds interleaved over all contestants,
outputs checked against float64. Every contestant returns a fresh output on every call, from its own allocator: Sinter's
keeps released blocks (as its users get it), NumPy's and OpenCV's large arrays come from the system and go back to it.
`numexpr, out=` shows NumExpr without that cost. Needs libsinter_cpu_rows.so (target sinter_cpu_rows).

    compare_numexpr.py --library build/.../benchmarks/libsinter_cpu_rows.so
"""
import argparse
import ctypes
import json
import math
import statistics
import sys
import time

import numexpr
import numpy

try:
    import cv2
except ImportError:  # its row is left out
    cv2 = None

N = 64 << 20
A, B = numpy.float32(1.5), numpy.float32(0.25)
MEAN = numpy.array([0.485, 0.456, 0.406], numpy.float32)
STD = numpy.array([0.229, 0.224, 0.225], numpy.float32)
# NumExpr has no erf, so it gets the tanh form; float32 constants keep it in float32.
C0, C1, HALF, ONE = (numpy.float32(v) for v in (math.sqrt(2 / math.pi), 0.044715, 0.5, 1))
GELU_TANH = "HALF * (A * x + B) * (ONE + tanh(C0 * ((A * x + B) + C1 * (A * x + B) * (A * x + B) * (A * x + B))))"


class Sinter:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.sinter_row_name.restype = ctypes.c_char_p
        self.lib.sinter_error.restype = ctypes.c_char_p
        self.lib.sinter_row_run.restype = ctypes.c_void_p
        self.rows = {self.lib.sinter_row_name(i).decode(): i for i in range(self.lib.sinter_row_count())}

    def set_threads(self, threads):
        self.threads = threads
        self.lib.sinter_set_threads(threads)

    def triad_alone(self):
        self.lib.sinter_set_threads(1)
        self.lib.sinter_triad()
        self.lib.sinter_set_threads(self.threads)

    def run(self, row, x):
        p = self.lib.sinter_row_run(self.rows[row], ctypes.c_void_p(x.ctypes.data))
        if not p:
            raise RuntimeError(self.lib.sinter_error().decode())
        return p

    def output(self, row, x, shape):
        p = ctypes.cast(self.run(row, x), ctypes.POINTER(ctypes.c_float))
        return numpy.ctypeslib.as_array(p, shape)


def numexpr_contestants(expression, x):
    names = {"x": x, "A": A, "B": B, "C0": C0, "C1": C1, "HALF": HALF, "ONE": ONE}
    out = numpy.empty_like(x)
    assert numexpr.evaluate(expression, {**names, "x": x[:16]}).dtype == numpy.float32
    return {"numexpr": lambda: numexpr.evaluate(expression, names),
            "numexpr, out=": lambda: numexpr.evaluate(expression, names, out=out)}


def opencv_normalise(frames):
    parameters = cv2.dnn.Image2BlobParams()
    parameters.scalefactor = tuple(1 / (255 * float(s)) for s in STD)
    parameters.mean = tuple(255 * float(m) for m in MEAN)
    images = list(frames)
    return lambda: cv2.dnn.blobFromImagesWithParams(images, parameters)


def erf_gelu(v):
    erf = numpy.vectorize(math.erf, otypes=[numpy.float64])
    return 0.5 * v * (1 + erf(v / math.sqrt(2)))


def tanh_gelu(v):
    return 0.5 * v * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))


def linear(v):
    return float(A) * v.astype(numpy.float64) + float(B)


def normalised(v):
    return numpy.moveaxis((v / 255.0 - MEAN.astype(float)) / STD.astype(float), -1, 1)


def rows(sinter):
    """name, input, contestants, float64 function (of a part of the input), goals: ratio to a peer, share of the triad"""
    rng = numpy.random.default_rng(1)
    x = rng.standard_normal(N, numpy.float32)
    ours = lambda row, v: {"sinter": lambda: sinter.run(row, v)}
    axpb = {**ours("axpb", x), **numexpr_contestants("A * x + B", x), "numpy": lambda: A * x + B}
    yield "a*x+b, 64 Mi f32", "axpb", x, axpb, linear, {"numexpr": 3.5, "triad": 80}
    tanh = numexpr_contestants(GELU_TANH, x)
    yield "gelu(a*x+b), tanh form, 64 Mi f32", "gelu_tanh", x, {**ours("gelu_tanh", x), **tanh}, \
        lambda v: tanh_gelu(linear(v)), {"numexpr": 8}
    yield "gelu(a*x+b), erf form; NumExpr's tanh form", "gelu", x, {**ours("gelu", x), **tanh}, \
        lambda v: erf_gelu(linear(v)), {"numexpr": 8}
    frames = rng.integers(0, 256, (8, 1080, 1920, 3), numpy.uint8)
    c = ours("normalise", frames)
    c["numpy"] = lambda: numpy.ascontiguousarray(((frames.astype(numpy.float32) / 255 - MEAN) / STD).transpose(0, 3, 1, 2))
    if cv2 is not None:
        c["opencv"] = opencv_normalise(frames)
    yield "normalise u8 HWC -> f32 CHW, 8 frames of 1080p", "normalise", frames, c, normalised, {"triad": 70}


def check(name, sinter, row, x, contestants, reference):
    """Largest error against float64 on the first part of the input, relative to max(1, |y|)."""
    part = x[:1] if x.ndim == 4 else x[:1 << 16]
    expected = reference(part)
    shape = (x.shape[0], 3, *x.shape[1:3]) if x.ndim == 4 else x.shape
    errors = {}
    for peer, run in contestants.items():
        got = sinter.output(row, x, shape) if peer == "sinter" else run()
        difference = numpy.abs(got[:len(part)].astype(numpy.float64) - expected)
        errors[peer] = float((difference / numpy.maximum(1, numpy.abs(expected))).max())
    if errors["sinter"] > 2e-6:
        sys.exit(f"{name}: wrong by {errors['sinter']}")
    if max(errors.values()) > 1e-3:
        sys.exit(f"{name}: the contestants do not compute the same: {errors}")
    return errors["sinter"]


def measure(contestants, rounds):
    times = {c: [] for c in contestants}
    for run in contestants.values():
        run()
    for _ in range(rounds):
        for c, run in contestants.items():
            begin = time.perf_counter()
            result = run()
            times[c].append(time.perf_counter() - begin)
            del result  # freed outside of the time
    return times


def compare(name, row, x, contestants, reference, goals, sinter, rounds):
    error = check(name, sinter, row, x, contestants, reference)
    times = measure({**contestants, "triad": sinter.lib.sinter_triad, "triad, 1 thread": sinter.triad_alone}, rounds)
    seconds = {c: statistics.median(t) for c, t in times.items()}
    size = x.nbytes + 4 * x.size
    # Round by round: two processors of a virtual machine may share a core in one round and not in the next.
    ratio = {c: statistics.median(a / b for a, b in zip(t, times["sinter"])) for c, t in times.items()}
    result = {"name": name, "bytes": size, "GBps": size / seconds["sinter"] / 1e9,
              "triad_GBps": 12 * N / seconds["triad"] / 1e9, "pct_of_triad": 100 * size / (12 * N) * ratio["triad"],
              "max_error": error, "goals": goals,
              "ms": {c: {"median": 1e3 * seconds[c], "min": 1e3 * min(t)} for c, t in times.items()},
              "ratio": {c: r for c, r in ratio.items() if c != "sinter" and not c.startswith("triad")}}
    result["met"] = all(result["pct_of_triad"] >= g if k == "triad" else result["ratio"][k] >= g for k, g in goals.items())
    return result


def show(r):
    goals = ", ".join(f"{k} {v:g}{'%' if k == 'triad' else 'x'}" for k, v in r["goals"].items())
    print(f"{r['name']:48} {r['GBps']:6.1f} GB/s = {r['pct_of_triad']:5.1f} % of the triad ({r['triad_GBps']:.1f} GB/s)"
          f"   goals {goals}: {'met' if r['met'] else 'MISSED'}")
    for c, t in r["ms"].items():
        ratio = f"{r['ratio'][c]:6.2f}x" if c in r["ratio"] else " " * 7
        print(f"    {c:16} {t['median']:8.2f} ms   min {t['min']:8.2f}   {ratio}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", required=True)
    p.add_argument("--rounds", type=int, default=15)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--rows", default="", help="only rows whose names contain this")
    p.add_argument("--json", action="store_true", help="one line of JSON instead of a table")
    args = p.parse_args()
    sinter = Sinter(args.library)
    sinter.set_threads(args.threads)
    numexpr.set_num_threads(args.threads)
    if cv2 is not None:
        cv2.setNumThreads(args.threads)
    results = []
    for row in rows(sinter):
        if args.rows not in row[0]:
            continue
        results.append(compare(*row, sinter, args.rounds))
        if not args.json:
            show(results[-1])
    if args.json:
        versions = {"numpy": numpy.__version__, "numexpr": numexpr.__version__, "opencv": cv2.__version__ if cv2 else None}
        print(json.dumps({"threads": args.threads, "rounds": args.rounds, "versions": versions, "rows": results}))


if __name__ == "__main__":
    main()
