#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sinter's rows beside PyTorch eager, torch.compile (default, max-autotune), each also under a CUDA graph.

One process, the same inputs, rounds interleaved over all contestants, the L2 cache flushed before every timed call,
outputs checked against float64. Needs libsinter_rows.so (target sinter_rows).

    compare_torch.py --library build/.../benchmarks/libsinter_rows.so --out benchmarks/results/nvidia-h200.json
"""
import argparse, ctypes, datetime, json, math, statistics, subprocess, sys

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

TORCH = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "u8": torch.uint8}
MEAN = [0.485, 0.456, 0.406]
STD = [0.229, 0.224, 0.225]
N64M = 1 << 26


def normal(*shape, dtype):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


def frames():
    return torch.randint(0, 256, (32, 1080, 1920, 3), device="cuda", dtype=torch.uint8)


CONSTANTS = {}


def stats(dtype):
    """Mean and deviation, made once: a peer must not pay for a copy from the host on every call."""
    if dtype not in CONSTANTS:
        CONSTANTS[dtype] = [torch.tensor(v, device="cuda", dtype=dtype) for v in (MEAN, STD)]
    return CONSTANTS[dtype]


def preproc(x, dtype=torch.float32):
    mean, std = stats(dtype)
    y = ((x.to(dtype) / 255 - mean) / std).permute(0, 3, 1, 2)
    return y.to(torch.float16, memory_format=torch.contiguous_format) if dtype == torch.float32 else y


def resize(x, dtype=torch.float32):
    mean, std = stats(dtype)
    y = F.interpolate(x.permute(0, 3, 1, 2).to(dtype), size=(224, 224), mode="bilinear", align_corners=False)
    y = ((y / 255 - mean.view(1, 3, 1, 1)) / std.view(1, 3, 1, 1)).clamp(-3, 3)
    return y.to(torch.float16, memory_format=torch.contiguous_format) if dtype == torch.float32 else y


def chain20(a, b):
    for _ in range(10):
        a = torch.sigmoid(a * 1.01 + b) - 0.5
    return a


def to_nhwc(x):
    y = (x * 0.5).permute(0, 2, 3, 1)
    return y.to(torch.bfloat16, memory_format=torch.contiguous_format) if x.dtype == torch.float32 else y


def layer_inputs(n=4096):
    """Weights such that the product is of the size of its inputs, where gelu is not yet the identity."""
    return [normal(n, n, dtype=torch.bfloat16), normal(n, n, dtype=torch.bfloat16) / math.sqrt(n), normal(n, dtype=torch.bfloat16)]


# name -> (inputs, function, the same in float64, absolute error allowed relative to max(1, |y|))
ROWS = {
    "pointwise_relu_f32_64M": (lambda: [normal(N64M, dtype=torch.float32)], lambda x: torch.relu(x + 1) * 2, None, 1e-6),
    "pointwise_relu_f16_64M": (lambda: [normal(N64M, dtype=torch.float16)], lambda x: torch.relu(x + 1) * 2, None, 2e-3),
    "preproc_u8hwc_to_f16chw_32x1080p": (lambda: [frames()], preproc, lambda x: preproc(x, torch.float64), 1e-3),
    "transpose_add_8192_f16": (lambda: [normal(8192, 8192, dtype=torch.float16) for _ in range(2)], lambda x, y: x.t() + y, None, 1e-3),
    "nchw_f32_to_nhwc_bf16_scale": (lambda: [normal(64, 256, 56, 56, dtype=torch.float32)], to_nhwc, None, 8e-3),
    "swiglu_8192x14336_bf16": (lambda: [normal(8192, 14336, dtype=torch.bfloat16) for _ in range(2)], lambda a, b: F.silu(a) * b, None, 1.6e-2),
    "chain20_16k_f32": (lambda: [normal(16384, dtype=torch.float32) for _ in range(2)], chain20, None, 1e-5),
    "sum_all_f32_64M": (lambda: [normal(N64M, dtype=torch.float32)], lambda x: (x * x).sum(), None, 1e-5),
    "colsum_65536x4096_bf16": (lambda: [normal(65536, 4096, dtype=torch.bfloat16)], lambda x: x.sum(0), None, 4e-3),
    "mm_bias_gelu_4096_bf16": (layer_inputs, lambda x, w, b: F.gelu(F.linear(x, w, b), approximate="tanh"), None, 1.6e-2),
    "preproc_resize224_norm_32x1080p": (lambda: [frames()], resize, lambda x: resize(x, torch.float64), 2e-3),
}


@triton.jit
def mix_kernel(src, dst, R: tl.constexpr, W: tl.constexpr, BLOCK: tl.constexpr):
    """Reads R and writes W blocks a program: a copy with the row's read:write mix."""
    pid = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    v = tl.zeros([BLOCK], tl.int32)
    for r in tl.static_range(R):
        v += tl.load(src + (pid * R + r) * BLOCK + lanes)
    for w in tl.static_range(W):
        tl.store(dst + (pid * W + w) * BLOCK + lanes, v + w)
    if W == 0:  # never true, but only a read can tell
        tl.store(dst + lanes, v, mask=v < 0)


class Output:
    """Device memory that sinter owns, for torch.as_tensor."""

    def __init__(self, pointer, kind, shape):
        typestr = {"f32": "<f4", "f16": "<f2", "bf16": "<i2", "u8": "|u1"}[kind]
        self.__cuda_array_interface__ = {"shape": tuple(shape), "typestr": typestr, "data": (pointer, False), "version": 3}


class Sinter:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.sinter_row_name.restype = ctypes.c_char_p
        self.lib.sinter_error.restype = ctypes.c_char_p
        self.lib.sinter_row_run.restype = ctypes.c_void_p
        self.lib.sinter_output_type.restype = ctypes.c_char_p
        self.lib.sinter_row_explain.restype = ctypes.c_char_p
        self.rows = {self.lib.sinter_row_name(i).decode(): i for i in range(self.lib.sinter_row_count())}

    def addresses(self, inputs):
        return (ctypes.c_void_p * len(inputs))(*[t.data_ptr() for t in inputs])

    def run(self, row, addresses):
        p = self.lib.sinter_row_run(row, addresses, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        if not p:
            raise RuntimeError(self.lib.sinter_error().decode())
        return p

    def output(self, row, addresses):
        p = self.run(row, addresses)
        kind, *shape = self.lib.sinter_output_type().decode().split()
        t = torch.as_tensor(Output(p, kind, map(int, shape)), device="cuda").clone()
        return t.view(torch.bfloat16) if kind == "bf16" else t


def graphed(f):
    """f under a CUDA graph; None where it cannot be captured."""
    try:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                f()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            keep = f()
        graph.keep = keep
        return graph.replay
    except Exception as e:  # reported as missing
        print("  no graph:", str(e).splitlines()[0][:120], file=sys.stderr)
        return None


def measure(contestants, rounds, flush):
    times = {name: [] for name in contestants}
    for f in contestants.values():
        for _ in range(3):
            f()
    torch.cuda.synchronize()
    for _ in range(rounds):
        pending = []
        for _ in range(6):  # the host gets ahead, so that no contestant waits for its own enqueueing
            flush.zero_()
        for name, f in contestants.items():
            flush.zero_()
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            f()
            end.record()
            pending.append((name, begin, end))
        torch.cuda.synchronize()
        for name, begin, end in pending:
            times[name].append(begin.elapsed_time(end))
    return {name: statistics.median(t) for name, t in times.items()}, times


def launch_costs():
    x = torch.zeros(32, device="cuda")
    import time

    def host(f, n=2000):
        torch.cuda.synchronize()
        t = time.perf_counter()
        for _ in range(n):
            f()
        t = (time.perf_counter() - t) / n * 1e6
        torch.cuda.synchronize()
        return t
    g = graphed(lambda: x.add_(1))
    return host(g)


def ceiling(read, written, rounds, flush):
    """Milliseconds of the best of some copy kernels that read and write as many bytes."""
    gcd = math.gcd(read // 4096, written // 4096) or 1
    r, w = read // 4096 // gcd, written // 4096 // gcd
    while r > 8 or w > 8:
        r, w = max(1, (r + 1) // 2), max(1, (w + 1) // 2)
    copies, scale = {}, {}
    for block, warps in ((512, 4), (1024, 4), (1024, 8), (2048, 8), (4096, 8)):
        programs = max(1, (read + written) // (4 * block * (r + w)))
        src = torch.ones(programs * r * block, device="cuda", dtype=torch.int32)
        dst = torch.empty(max(programs * w, 1) * block, device="cuda", dtype=torch.int32)
        copies[block, warps] = lambda a=(src, dst, programs, block, warps): mix_kernel[(a[2],)](a[0], a[1], R=r, W=w, BLOCK=a[3], num_warps=a[4])
        scale[block, warps] = (read + written) / (4 * block * (r + w) * programs)
    ms, _ = measure(copies, rounds, flush)
    return min(ms[c] * scale[c] for c in copies)


def run_row(name, sinter, args, flush):
    make, f, f64, tolerance = ROWS[name]
    torch.manual_seed(1)
    inputs = make()
    row = sinter.rows[name]
    addresses = sinter.addresses(inputs)
    expected = f64(*inputs) if f64 else f(*[t.double() for t in inputs])
    got = sinter.output(row, addresses)
    error = ((got.double() - expected).abs() / expected.abs().clamp(min=1)).max().item()
    ok = got.shape == expected.shape and error <= tolerance
    del expected
    torch._dynamo.reset()
    contestants = {"ours": lambda: sinter.run(row, addresses), "eager": lambda: f(*inputs)}
    if not args.quick:
        compiled = torch.compile(f, dynamic=False)
        autotuned = torch.compile(f, dynamic=False, mode="max-autotune-no-cudagraphs")
        contestants["compile"] = lambda: compiled(*inputs)
        contestants["autotune"] = lambda: autotuned(*inputs)
    for c in list(contestants):
        contestants[c]()
        if (g := graphed(contestants[c])) is not None:
            contestants[c + "_graph"] = g
    ms, samples = measure(contestants, args.rounds, flush)
    read = sum(t.numel() * t.element_size() for t in inputs)
    written = got.numel() * got.element_size()
    top = ceiling(read, written, args.rounds, flush)
    peer = min(v for k, v in ms.items() if not k.startswith("ours"))
    ours = min(v for k, v in ms.items() if k.startswith("ours"))
    explained = sinter.lib.sinter_row_explain(row, addresses).decode(errors="replace")
    return {"name": name, "bytes": read + written, "flops": 0, "ours_ms": ms["ours"], "ours_graph_ms": ms.get("ours_graph"),
            "eager_ms": min(ms["eager"], ms.get("eager_graph", 1e9)), "compile_ms": min(ms.get("compile", 1e9), ms.get("compile_graph", 1e9)),
            "autotune_ms": min(ms.get("autotune", 1e9), ms.get("autotune_graph", 1e9)), "best_peer_ms": peer,
            "ratio": peer / ours, "ceiling_ms": top, "pct_of_ceiling": 100 * top / ours, "kernels": int(explained.split("\n")[0] or 0),
            "max_err": error, "ok": bool(ok), "samples": {k: [round(x, 6) for x in v] for k, v in samples.items()}}, explained


def git(*words):
    try:
        return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout.strip()
    except Exception:
        return ""


def picture(result, path):
    """Bars of the time of each contestant relative to the copy ceiling, as SVG."""
    colours = {"ours": "#1f6feb", "autotune": "#8b949e", "compile": "#b1bac4", "eager": "#d8dee4"}
    bar, gap, left, width = 14, 22, 330, 560
    body, y = [], 40
    for r in result["rows"]:
        body.append(f'<text x="{left - 10}" y="{y + 34}" text-anchor="end" font-size="13">{r["name"]}</text>')
        ours = min(x for x in (r["ours_ms"], r["ours_graph_ms"]) if x)
        for kind, ms in (("ours", ours), ("autotune", r["autotune_ms"]), ("compile", r["compile_ms"]), ("eager", r["eager_ms"])):
            if ms < 1e8:
                share = min(1.1, r["ceiling_ms"] / ms)
                body.append(f'<rect x="{left}" y="{y}" width="{share * width:.1f}" height="{bar}" fill="{colours[kind]}"/>'
                            f'<text x="{left + share * width + 6:.1f}" y="{y + 11}" font-size="11">{kind} {ms * 1000:.1f} us</text>')
            y += bar
        y += gap
    line = f'<line x1="{left + width}" x2="{left + width}" y1="30" y2="{y}" stroke="#cf222e" stroke-dasharray="4"/>'
    head = f'<text x="{left}" y="22" font-size="13">share of the copy ceiling (red), {result["gpu"]}, {result["date"]}</text>'
    with open(path, "w") as out:
        out.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="1080" height="{y + 10}" font-family="sans-serif">'
                  f'<rect width="100%" height="100%" fill="white"/>{head}{line}{"".join(body)}</svg>\n')


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", required=True)
    p.add_argument("--out", default="benchmarks/results/nvidia-h200.json")
    p.add_argument("--explain", help="file for explain() and kernel texts")
    p.add_argument("--rounds", type=int, default=51)
    p.add_argument("--rows", default="", help="comma-separated; all if empty")
    p.add_argument("--quick", action="store_true", help="eager only")
    p.add_argument("--commit", default=git("rev-parse", "HEAD"))
    args = p.parse_args()
    sinter = Sinter(args.library)
    flush = torch.empty(256 << 20, device="cuda", dtype=torch.uint8)
    gib = 1 << 30
    copy, read = ceiling(gib, gib, 21, flush), 0
    src = torch.ones(gib // 2, device="cuda", dtype=torch.float32)
    read_ms = measure({"sum": lambda: src.sum()}, 21, flush)[0]["sum"]
    call, raw = ctypes.c_double(), ctypes.c_double()
    sinter.lib.sinter_tiny_call(ctypes.byref(call), ctypes.byref(raw))
    del src
    result = {"schema": 1, "commit": args.commit, "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
              "gpu": torch.cuda.get_device_name(), "driver": subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip(),
              "cuda": torch.version.cuda, "torch": torch.__version__, "source_hash": git("rev-parse", "HEAD^{tree}"),
              "ceilings": {"copy_TBps": 2 * gib / copy / 1e9, "read_TBps": 2 * gib / read_ms / 1e9, "launch_us": raw.value, "graph_launch_us": launch_costs()},
              "tiny_call": {"call_us": call.value, "raw_launch_us": raw.value, "ratio": call.value / raw.value if raw.value else None}, "rows": []}
    texts = []
    for name in ROWS:
        if args.rows and name not in args.rows.split(","):
            continue
        try:
            row, text = run_row(name, sinter, args, flush)
        except Exception as e:
            print(f"{name}: {e}", flush=True)
            continue
        result["rows"].append(row)
        texts.append(text)
        print(f"{name:36} ours {row['ours_ms']:.4f} graph {row['ours_graph_ms'] or 0:.4f} eager {row['eager_ms']:.4f} compile {row['compile_ms']:.4f} "
              f"autotune {row['autotune_ms']:.4f} ratio {row['ratio']:.3f} ceiling {row['pct_of_ceiling']:.1f}% err {row['max_err']:.1e} {'ok' if row['ok'] else 'WRONG'} kernels {row['kernels']}", flush=True)
    print(json.dumps(result["ceilings"]), json.dumps(result["tiny_call"]))
    with open(args.out, "w") as out:
        json.dump(result, out, indent=1)
    picture(result, args.out.replace(".json", ".svg"))
    if args.explain:
        with open(args.explain, "w") as out:
            out.write("\n\n".join(texts))


if __name__ == "__main__":
    main()
