#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reductions, norms and scans of odd sizes beside PyTorch eager and torch.compile: shapes, dims and layouts are drawn
at random, by a seed that is printed. Timed as compare_torch.py times, with its code; the aim is 0.9 of the best peer.

    compare_odd.py --library build/.../benchmarks/libsinter_rows.so [--seed 1] [--out odd.json]
"""
import argparse, contextlib, dataclasses, gc, json, math, os, random, subprocess, sys, time

import torch
import torch.nn.functional as F

import compare_torch as timing

LENGTHS = (3001, 5119, 9973, 50257, 300001)
AIM = 0.9
RANGES = {"softmax": (-8, 8), "log_softmax": (-8, 8), "cross_entropy": (-8, 8), "cumsum": (0, 1)}
TOLERANCE = {"f32": 1e-4, "f16": 4e-3, "bf16": 1.6e-2}
LAST_DIM_ONLY = ("layer_norm", "rms_norm", "cross_entropy")


def mean_var(x, d):
    var, mean = torch.var_mean(x, d)
    return mean, var


PEERS = {
    "sum": lambda d: lambda x: x.sum(d),
    "amax": lambda d: lambda x: x.amax(d),
    "mean_var": lambda d: lambda x: mean_var(x, d),
    "argmax": lambda d: lambda x: x.argmax(d),
    "softmax": lambda d: lambda x: x.softmax(d),
    "log_softmax": lambda d: lambda x: x.log_softmax(d),
    "layer_norm": lambda d: lambda x, w, b: F.layer_norm(x, w.shape, w, b, 1e-5),
    "rms_norm": lambda d: lambda x, w: F.rms_norm(x, w.shape, w, 1e-6),
    "cross_entropy": lambda d: lambda x, t: F.cross_entropy(x, t),
    "cumsum": lambda d: lambda x: x.cumsum(d),
}


@dataclasses.dataclass
class Case:
    op: str
    dtype: str
    shape: tuple
    dim: int
    layout: str = "dense"
    strides: tuple = ()

    @property
    def name(self):
        shape = "x".join(map(str, self.shape))
        return f"{self.op}_{shape}_{self.dtype}_dim{self.dim}" + ("" if self.layout == "dense" else "_" + self.layout)

    def inputs(self):
        """Specs as compare_torch.py reads them."""
        def spec(dtype, shape, strides, low, high):
            return "|".join((dtype, " ".join(map(str, shape)), " ".join(map(str, strides)), f"{low} {high}"))
        low, high = RANGES.get(self.op, (-2, 2))
        specs = [spec(self.dtype, self.shape, self.strides, low, high)]
        weights = {"layer_norm": 2, "rms_norm": 1}.get(self.op, 0)
        specs += [spec(self.dtype, self.shape[-1:], (), -2, 2)] * weights
        if self.op == "cross_entropy":
            specs.append(spec("i64", self.shape[:1], (), 0, self.shape[1] - 1))
        return specs


def draw(seed):
    """Four cases of each op: few long rows, many rows, a middle dim (or a random length), a layout that is not dense."""
    rng = random.Random(seed)

    def odd(low, high):
        return rng.randrange(low | 1, high, 2)

    def many(length):
        return max(3, odd(1 << 24, 1 << 26) // length | 1)
    cases = []
    for op in PEERS:
        def case(shape, dim, **more):
            kinds = ("f32", "bf16") if op == "cumsum" else ("f32", "f16", "bf16")  # a sum of 50257 passes f16's largest
            cases.append(Case(op, rng.choice(kinds), tuple(shape), dim, **more))
        case((rng.choice((1, 2, 3)), rng.choice(LENGTHS)), 1)
        length = rng.choice(LENGTHS)
        case((many(length), length), 1)
        if op in LAST_DIM_ONLY:
            length = odd(129, 20000)
            case((many(length), length), 1)
        else:
            length, inner = rng.choice(LENGTHS[:3]), odd(33, 500)
            case((max(1, many(length * inner)), length, inner), 1)
        length, layout = rng.choice(LENGTHS[:4]), rng.choice(("transposed", "padded", "every_second"))
        rows = many(length)
        strides = {"transposed": (1, rows), "padded": (length + 3, 1), "every_second": (2 * length, 2)}[layout]
        case((rows, length), 1, layout=layout, strides=strides)
    rng.shuffle(cases)  # a run that is cut off has seen all kinds
    return cases


def compiled(case, mode):
    return torch.compile(PEERS[case.op](case.dim), dynamic=False, **({"mode": mode} if mode else {}))


def modes(args):
    return {"compile": None, "autotune": "max-autotune-no-cudagraphs"} if args.autotune else {"compile": None}


def fill_cache(cases, args):
    """What a child does: its share of the peers' compilations, whose results Inductor's disk cache keeps."""
    part, parts = map(int, args.fill.split("/"))
    for case in cases[part::parts]:
        try:
            inputs = [timing.random_tensor(s) for s in case.inputs()]
            for mode in modes(args).values():
                compiled(case, mode)(*inputs)
        except Exception as e:  # the parent tries by itself
            print(f"{case.name}: {e}", file=sys.stderr)
        torch._dynamo.reset()
        torch.cuda.empty_cache()


def fill_cache_in_parallel(args):
    processes = max(1, min(args.processes, os.cpu_count() or 1))
    words = [sys.executable, __file__, "--library", args.library, "--seed", str(args.seed)] + ["--autotune"] * args.autotune
    children = [subprocess.Popen(words + ["--fill", f"{i}/{processes}"], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL) for i in range(processes)]
    deadline = time.monotonic() + args.seconds / 2
    for child in children:
        try:
            child.wait(max(1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()


seconds = {}


@contextlib.contextmanager
def phase(name):
    """Adds up what the script itself spends its time on."""
    begin = time.monotonic()
    yield
    seconds[name] = seconds.get(name, 0) + time.monotonic() - begin


def run_case(case, sinter, args, flush):
    specs = case.inputs()
    row = sinter.add_reduction(case.name, case.op, case.dim, specs)
    torch.manual_seed(1)
    with phase("inputs"):
        inputs = [timing.random_tensor(s) for s in specs]
        torch.cuda.synchronize()
    addresses = sinter.addresses(inputs)
    eager = PEERS[case.op](case.dim)
    with phase("our compilation"):
        got = sinter.outputs(row, addresses)
    with phase("check"):
        error = timing.max_error(got, eager(*[t.double() if t.is_floating_point() else t for t in inputs]))
    contestants = {"ours": lambda: sinter.run(row, addresses), "eager": lambda: eager(*inputs)}
    for name, mode in modes(args).items():
        f = compiled(case, mode)
        contestants[name] = lambda f=f: f(*inputs)
    with phase("peers, from Inductor's cache"):
        for name in list(contestants):
            contestants[name]()
        torch.cuda.synchronize()
    gc.freeze()  # a capture collects garbage: not among all that the compilers left
    with phase("graphs"):
        for name in list(contestants):
            if (graph := timing.graphed(contestants[name])) is not None:
                contestants[name + "_graph"] = graph
    with phase("rounds"):
        ms, _ = timing.measure(contestants, args.rounds, flush)
    gc.unfreeze()
    ours = min(v for k, v in ms.items() if k.startswith("ours"))
    peer, best = min((v, k) for k, v in ms.items() if not k.startswith("ours"))
    moved = sum(t.numel() * t.element_size() for t in [*inputs, *got])
    kernels = int(sinter.lib.sinter_row_explain(row, addresses).decode(errors="replace").split("\n")[0] or 0)
    return {"name": case.name, "bytes": moved, "ms": ms, "ours_ms": ours, "best_peer_ms": peer, "best_peer": best,
            "ratio": peer / ours, "TBps": moved / ours / 1e9, "kernels": kernels, "max_err": error,
            "ok": bool(error <= TOLERANCE[case.dtype])}


def line_of(r):
    return (f"{r['name']:52} ours {r['ours_ms']:8.4f} best peer {r['best_peer_ms']:8.4f} ({r['best_peer']:13}) ratio {r['ratio']:6.2f}"
            f" {r['TBps']:5.2f} TB/s kernels {r['kernels']} err {r['max_err']:.1e}{'' if r['ok'] else ' WRONG'}"
            f"{'' if r['ratio'] >= AIM else ' below'}")


def run_all(cases, args):
    begin = time.monotonic()
    fill_cache_in_parallel(args)
    print(f"seed {args.seed}; peers compiled after {time.monotonic() - begin:.0f} s", flush=True)
    sinter = timing.Sinter(args.library)
    flush = torch.empty(256 << 20, device="cuda", dtype=torch.uint8)
    result = {"seed": args.seed, **timing.environment(args.commit), "rows": []}
    for case in cases:
        if time.monotonic() - begin > args.seconds:
            print(f"out of time: {len(cases) - len(result['rows'])} rows were not measured")
            break
        row = timing.attempt(case.name, sinter, lambda case=case: run_case(case, sinter, args, flush))
        if row is None:
            continue
        result["rows"].append(row)
        with open(args.out, "w") as out:
            json.dump(result, out, indent=1)
        print(line_of(row), flush=True)
    return result


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--out", default="odd.json")
    p.add_argument("--rounds", type=int, default=9)
    p.add_argument("--seconds", type=float, default=170, help="no row starts later")
    p.add_argument("--processes", type=int, default=10, help="that compile the peers beforehand")
    p.add_argument("--autotune", action="store_true", help="max-autotune as well")
    p.add_argument("--rows", default="", help="a part of the names of those to measure")
    p.add_argument("--fill", help=argparse.SUPPRESS)
    p.add_argument("--commit", default=timing.git("rev-parse", "HEAD"))
    args = p.parse_args()
    cases = [c for c in draw(args.seed) if args.rows in c.name]
    if args.fill:
        fill_cache(cases, args)
        return
    rows = run_all(cases, args)["rows"]
    if not rows:
        sys.exit("nothing was measured")
    print("seconds: " + ", ".join(f"{k} {v:.1f}" for k, v in seconds.items()))
    ratios = sorted(r["ratio"] for r in rows)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{len(rows)} rows: ratio least {ratios[0]:.2f}, geometric mean {mean:.2f}, "
          f"{sum(r < AIM for r in ratios)} below {AIM}, {sum(not r['ok'] for r in rows)} wrong")


if __name__ == "__main__":
    main()
