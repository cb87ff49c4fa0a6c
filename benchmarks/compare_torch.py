#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sinter's workloads beside PyTorch eager, torch.compile (default, max-autotune) and hand-written Triton kernels.

One process, the same inputs, rounds interleaved over all contestants, the L2 cache flushed before every timed call,
outputs checked against float64; each contestant also under a CUDA graph. First calls, cold and from each side's disk
cache, are measured apart. Needs libsinter_rows.so (target sinter_rows); peers are benchmarks/workloads/<name>.py.

    compare_torch.py --library build/.../benchmarks/libsinter_rows.so --out benchmarks/results/nvidia-h200.json
"""
import argparse, csv, ctypes, datetime, importlib.util, json, math, pathlib, statistics, subprocess, sys, time

import torch
import torch._inductor.config
import triton
import triton.language as tl

HERE = pathlib.Path(__file__).resolve().parent
TORCH = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64, "u8": torch.uint8,
         "i32": torch.int32, "i64": torch.int64, "boolean": torch.bool}
WAYS = ["fusion all", "fusion vertical", "op by op"]


def peers_of(name):
    """The module beside the workload: eager(*tensors) and tolerance; and, where there are any, exact(*tensors) in
    float64, hand_triton(*tensors), peers, {label: f(*tensors) -> function}, and read(*tensors), the bytes read where
    those are not all elements of the arguments."""
    path = HERE / "workloads" / (name.replace("^", "_") + ".py")
    spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def random_tensor(text):
    """Of a spec like "f16|4096 8192|1 4096|-2 2"."""
    kind, shape, strides, limits = text.split("|")
    shape, strides = ([int(v) for v in part.split()] for part in (shape, strides))
    low, high = (float(v) for v in limits.split())
    count = 1 + sum((n - 1) * s for n, s in zip(shape, strides)) if strides else math.prod(shape)
    if kind == "boolean":
        flat = torch.rand(count, device="cuda") < 0.5
    elif TORCH[kind].is_floating_point:
        flat = torch.empty(count, device="cuda", dtype=torch.float32).uniform_(low, high).to(TORCH[kind])
    else:
        flat = torch.randint(int(low), int(high) + 1, (count,), device="cuda", dtype=TORCH[kind])
    return flat.as_strided(shape, strides) if strides else flat.view(shape)


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

    def __init__(self, pointer, kind, shape, strides):
        typestr = {"f32": "<f4", "f16": "<f2", "bf16": "<i2", "u8": "|u1", "boolean": "|b1", "i64": "<i8"}[kind]
        strides = tuple(s * int(typestr[2:]) for s in strides)
        self.__cuda_array_interface__ = {"shape": tuple(shape), "typestr": typestr, "data": (pointer, False),
                                         "strides": strides, "version": 3}


class Sinter:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        for name in ("row_name", "error", "output_type", "output_strides", "row_explain", "row_input", "row_benchmark"):
            getattr(self.lib, "sinter_" + name).restype = ctypes.c_char_p
        self.lib.sinter_output_address.restype = ctypes.c_void_p
        self.rows = {self.lib.sinter_row_name(i).decode(): i for i in range(self.lib.sinter_row_count())}

    def add_reduction(self, name, reduction, dim, inputs):
        """One more row, of a reduction and specs of inputs."""
        row = self.lib.sinter_add_reduction(name.encode(), reduction.encode(), ctypes.c_int64(dim), ";".join(inputs).encode())
        if row < 0:
            raise RuntimeError(self.lib.sinter_error().decode())
        self.rows[name] = row
        return row

    def inputs(self, row):
        count = self.lib.sinter_row_input_count(row)
        return [random_tensor(self.lib.sinter_row_input(row, i).decode()) for i in range(count)]

    def addresses(self, inputs):
        return (ctypes.c_void_p * len(inputs))(*[t.data_ptr() for t in inputs])

    def run(self, row, addresses, way=0):
        """The number of outputs."""
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        count = self.lib.sinter_row_run(row, way, addresses, stream)
        if count < 0:
            raise RuntimeError(self.lib.sinter_error().decode())
        return count

    def outputs(self, row, addresses, way=0):
        return [self.output(i) for i in range(self.run(row, addresses, way))]

    def output(self, i):
        kind, *shape = self.lib.sinter_output_type(i).decode().split()
        strides = map(int, self.lib.sinter_output_strides(i).decode().split())
        output = Output(self.lib.sinter_output_address(i), kind, map(int, shape), strides)
        t = torch.as_tensor(output, device="cuda").clone()
        return t.view(torch.bfloat16) if kind == "bf16" else t

    def benchmark(self, row, addresses):
        text = self.lib.sinter_row_benchmark(row, addresses, 5).decode()
        if not text:
            raise RuntimeError(self.lib.sinter_error().decode())
        return json.loads(text)


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


def first_calls(f, inputs):
    """Seconds of a first call of torch.compile(f): nothing cached, and from Inductor's and Triton's disk caches."""
    seconds = {}
    for kind, off in (("cold", True), ("fill", False), ("disk", False)):
        torch._dynamo.reset()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        with torch._inductor.config.patch(force_disable_caches=off):
            torch.compile(f, dynamic=False)(*inputs)
        torch.cuda.synchronize()
        seconds[kind] = time.perf_counter() - begin
    torch._dynamo.reset()
    return seconds["cold"], seconds["disk"]


def launch_costs():
    x = torch.zeros(32, device="cuda")

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


def max_error(got, expected):
    """Relative to max(1, |y|); infinite where shapes differ."""
    expected = [expected] if torch.is_tensor(expected) else expected
    if [t.shape for t in got] != [t.shape for t in expected]:
        return math.inf
    return max(((g.double() - e).abs() / e.abs().clamp(min=1)).max().item() for g, e in zip(got, expected))


def contestants_of(name, sinter, args, inputs, addresses):
    """Every contestant as a function without arguments, in the order of a round."""
    module, row = peers_of(name), sinter.rows[name]
    f = module.eager
    contestants = {"ours": lambda: sinter.run(row, addresses), "eager": lambda: f(*inputs)}
    if not args.quick:
        contestants["ours_vertical"] = lambda: sinter.run(row, addresses, 1)
        contestants["ours_op_by_op"] = lambda: sinter.run(row, addresses, 2)
        compiled = torch.compile(f, dynamic=False)
        autotuned = torch.compile(f, dynamic=False, mode="max-autotune-no-cudagraphs")
        contestants["compile"] = lambda: compiled(*inputs)
        contestants["autotune"] = lambda: autotuned(*inputs)
    if hasattr(module, "hand_triton"):
        contestants["triton"] = lambda: module.hand_triton(*inputs)
    for label, make in getattr(module, "peers", {}).items():
        contestants[label] = make(*inputs)
    return module, contestants


def run_row(name, sinter, args, flush):
    row = sinter.rows[name]
    torch.manual_seed(1)
    inputs = sinter.inputs(row)
    addresses = sinter.addresses(inputs)
    first = {} if args.quick else {"ours": sinter.benchmark(row, addresses)}
    module = peers_of(name)
    if not args.quick:
        first["compile_cold_s"], first["compile_disk_s"] = first_calls(module.eager, inputs)
    exact = module.exact if hasattr(module, "exact") else lambda *t: module.eager(*[v.double() if v.is_floating_point() else v for v in t])
    got = sinter.outputs(row, addresses)
    error = max_error(got, exact(*inputs))
    ok = error <= module.tolerance
    module, contestants = contestants_of(name, sinter, args, inputs, addresses)
    if "triton" in contestants:  # a peer that is wrong is no peer
        peer = module.hand_triton(*inputs)
        wrong = max_error([peer] if torch.is_tensor(peer) else list(peer), exact(*inputs))
        if wrong > module.tolerance:
            raise RuntimeError(f"the hand-written Triton kernel is off by {wrong}")
        del peer
    for c in list(contestants):
        contestants[c]()
        if (g := graphed(contestants[c])) is not None:
            contestants[c + "_graph"] = g
    ms, samples = measure(contestants, args.rounds, flush)
    read = module.read(*inputs) if hasattr(module, "read") else sum(t.numel() * t.element_size() for t in inputs)
    written = sum(t.numel() * t.element_size() for t in got)
    top = ceiling(read, written, args.rounds, flush)

    def best(*labels):
        times = [ms[k] for label in labels for k in (label, label + "_graph") if k in ms]
        return min(times) if times else None
    peer = min(v for k, v in ms.items() if not k.startswith("ours"))
    ours = best("ours")
    explained = sinter.lib.sinter_row_explain(row, addresses).decode(errors="replace")
    kernels = int(explained.split("\n")[0] or 0)
    for way in first.get("ours", {}).get("ways", []):  # the driver's own count, where a call could be captured
        if way["captured_kernels"] not in (-1, way["launches"]):
            raise RuntimeError(f"{way['name']}: {way['launches']} launches, the driver counts {way['captured_kernels']}")
    return {"name": name, "bytes": read + written, "flops": 0, "ours_ms": ms["ours"], "ours_graph_ms": ms.get("ours_graph"),
            "ours_vertical_ms": best("ours_vertical"), "ours_op_by_op_ms": best("ours_op_by_op"),
            "eager_ms": best("eager", *getattr(module, "peers", {})), "compile_ms": best("compile"), "autotune_ms": best("autotune"),
            "triton_ms": best("triton"), "best_peer_ms": peer, "ratio": peer / ours, "ceiling_ms": top,
            "pct_of_ceiling": 100 * top / ours, "kernels": kernels, "first_calls": first, "max_err": error, "ok": bool(ok),
            "samples": {k: [round(x, 6) for x in v] for k, v in samples.items()}}, explained


def environment(commit):
    """What the figures depend on besides the code."""
    query = "driver_version,clocks.sm,clocks.max.sm,clocks.mem,power.limit,temperature.gpu"
    smi = subprocess.run(["nvidia-smi", "--query-gpu=" + query, "--format=csv,noheader"], capture_output=True, text=True).stdout
    values = [v.strip() for v in smi.split("\n")[0].split(",")] + [""] * 6
    return {"commit": commit, "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "gpu": torch.cuda.get_device_name(), "driver": values[0], "cuda": torch.version.cuda, "torch": torch.__version__,
            "triton": triton.__version__, "python": sys.version.split()[0], "sm_clock": values[1], "sm_clock_max": values[2],
            "memory_clock": values[3], "power_limit": values[4], "temperature": values[5],
            "source_hash": git("rev-parse", "HEAD^{tree}")}


def write_csv(rows, path):
    columns = ["name", "bytes", "kernels", "ours_ms", "ours_graph_ms", "ours_vertical_ms", "ours_op_by_op_ms", "eager_ms",
               "compile_ms", "autotune_ms", "triton_ms", "ceiling_ms", "pct_of_ceiling", "ratio", "max_err", "ok"]
    with open(path, "w", newline="") as out:
        writer = csv.DictWriter(out, columns + ["cold_ms", "disk_ms", "compile_cold_s", "compile_disk_s"], extrasaction="ignore")
        writer.writeheader()
        for r in rows:
            way = r["first_calls"].get("ours", {}).get("ways", [{}])[0]
            first = {k: way.get(k) for k in ("cold_ms", "disk_ms")}
            first |= {k: r["first_calls"].get(k) for k in ("compile_cold_s", "compile_disk_s")}
            writer.writerow(r | first)


def git(*words):
    try:
        return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout.strip()
    except Exception:
        return ""


def picture(result, path):
    """Bars of the time of each contestant relative to the copy ceiling, as SVG."""
    colours = {"ours": "#1f6feb", "triton": "#57606a", "autotune": "#8b949e", "compile": "#b1bac4", "eager": "#d8dee4"}
    bar, gap, left, width = 14, 22, 330, 560
    body, y = [], 40
    for r in result["rows"]:
        body.append(f'<text x="{left - 10}" y="{y + 34}" text-anchor="end" font-size="13">{r["name"]}</text>')
        ours = min(x for x in (r["ours_ms"], r["ours_graph_ms"]) if x)
        for kind, ms in (("ours", ours), *((k, r[k + "_ms"]) for k in ("triton", "autotune", "compile", "eager"))):
            if ms:
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


def save(result, texts, args):
    with open(args.out, "w") as out:
        json.dump(result, out, indent=1)
    picture(result, args.out.replace(".json", ".svg"))
    write_csv(result["rows"], args.out.replace(".json", ".csv"))
    if args.explain:
        with open(args.explain, "w") as out:
            out.write("\n\n".join(texts))


def attempt(name, sinter, run):
    """What run() gives, or None after saying why; nothing of it is left in memory."""
    try:
        return run()
    except Exception as e:
        print(f"{name}: {type(e).__name__} {e}", flush=True)
        return None
    finally:
        torch._dynamo.reset()
        torch.cuda.empty_cache()
        sinter.lib.sinter_release_memory()


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
    result = {"schema": 2, **environment(args.commit),
              "ceilings": {"copy_TBps": 2 * gib / copy / 1e9, "read_TBps": 2 * gib / read_ms / 1e9, "launch_us": raw.value, "graph_launch_us": launch_costs()},
              "tiny_call": {"call_us": call.value, "raw_launch_us": raw.value, "ratio": call.value / raw.value if raw.value else None}, "rows": []}
    texts = []
    for name in sinter.rows:
        if args.rows and name not in args.rows.split(","):
            continue
        if (measured := attempt(name, sinter, lambda: run_row(name, sinter, args, flush))) is None:
            continue
        row, text = measured
        result["rows"].append(row)
        texts.append(text)
        save(result, texts, args)  # a run that is cut off has measured something
        shown = " ".join(f"{k} {row[k + '_ms']:.4f}" for k in ("ours", "ours_graph", "ours_vertical", "ours_op_by_op", "eager", "compile", "autotune", "triton") if row.get(k + "_ms"))
        print(f"{name:36} {shown} ratio {row['ratio']:.3f} ceiling {row['pct_of_ceiling']:.1f}% err {row['max_err']:.1e} {'ok' if row['ok'] else 'WRONG'} kernels {row['kernels']}", flush=True)
        for way in row["first_calls"].get("ours", {}).get("ways", []):
            print(f"    {way['name']:16} cold {way['cold_ms']:.1f} ms, from disk {way['disk_ms']:.1f} ms, host {way['host_us']:.1f} us, launches {way['launches']}, counted {way['captured_kernels']}")
        if "compile_cold_s" in row["first_calls"]:
            print(f"    torch.compile    cold {row['first_calls']['compile_cold_s']:.2f} s, from disk {row['first_calls']['compile_disk_s']:.2f} s")
    print(json.dumps(result["ceilings"]), json.dumps(result["tiny_call"]))
    save(result, texts, args)


if __name__ == "__main__":
    main()
