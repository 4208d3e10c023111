"""Measures how long one decoding step of a language model takes, by batch size.

    python harness/models/measure.py gemma-3-270m --out harness/models/measured/gemma-3-270m-MACHINE.json

The time of a step does not depend on the values of the weights, so they are random: nothing is
downloaded. The model has the shape of shapes.json: embedding, layers of grouped-query attention
with rotary positions and a gated feed-forward part, and the head. Each sequence of the batch has
--context tokens in its cache, of which layers with a window read the last ones. A step feeds one
token for each sequence, appends to the cache, and ends with logits; sampling is not in it.

On a GPU weights are bfloat16 and the step is a CUDA graph, as servers run it; on a processor they
are float32 unless --dtype says otherwise. A time is the median of --repeats steps; for each batch
size the ends of the middle 80% are written, too. A size that does not fit into memory
ends the table there. The output is a table that configurations of gcdbench take under "times".

Needs PyTorch (pip install torch).
"""

import argparse
import json
import os
import platform
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def shape_named(name):
    """The shape with a name, from shapes.json."""
    with open(os.path.join(HERE, "shapes.json"), encoding="utf-8") as f:
        shapes = {s["name"]: s for s in json.load(f)}
    if name not in shapes:
        sys.exit(f"measure.py: unknown model {name!r}; known are {', '.join(sorted(shapes))}")
    return shapes[name]


def cached(shape, layer, context):
    """How many tokens of the cache a layer reads: all, or those of its window."""
    if shape["window"] and (layer + 1) % shape["global_every"]:
        return min(context, shape["window"])
    return context


def quantiles(times):
    """Median, and the ends of the middle 80%, of a list of times."""
    s = sorted(times)
    n = len(s)
    return s[n // 2], s[n // 10], s[n - 1 - n // 10]


class Model:
    """A decoder of random weights for one batch size."""

    def __init__(self, torch, shape, batch, context, device, dtype):
        self.torch, self.shape, self.batch, self.context = torch, shape, batch, context
        make = lambda *size: torch.randn(*size, device=device, dtype=dtype) * 0.02
        h, hd = shape["hidden"], shape["head_dim"]
        q, kv = shape["heads"] * hd, shape["kv_heads"] * hd
        self.embedding = make(shape["vocabulary"], h)
        self.head = self.embedding if shape["tied"] else make(shape["vocabulary"], h)
        self.layers = []
        for i in range(shape["layers"]):
            n = cached(shape, i, context) + 1
            self.layers.append(
                {
                    "qkv": make(q + 2 * kv, h),
                    "bias": make(q + 2 * kv) if shape["qkv_bias"] else None,
                    "out": make(h, q),
                    "gate_up": make(2 * shape["intermediate"], h),
                    "down": make(h, shape["intermediate"]),
                    "norms": [make(h) for _ in range(shape["norms_per_layer"])],
                    "qk": [make(hd), make(hd)] if shape["qk_norm"] else None,
                    "k": make(batch, shape["kv_heads"], n, hd),
                    "v": make(batch, shape["kv_heads"], n, hd),
                }
            )
        self.last = make(h)
        angles = context / 10000 ** (torch.arange(0, hd, 2, device=device) / hd)
        self.cos = torch.cat([angles.cos()] * 2).to(dtype)
        self.sin = torch.cat([angles.sin()] * 2).to(dtype)
        self.tokens = torch.randint(0, shape["vocabulary"], (batch,), device=device)

    def norm(self, x, weight):
        return self.torch.nn.functional.rms_norm(x, weight.shape, weight)

    def rotate(self, x):
        a, b = x.chunk(2, dim=-1)
        return x * self.cos + self.torch.cat([-b, a], dim=-1) * self.sin

    def attend(self, x, layer):
        f, s = self.torch.nn.functional, self.shape
        hd, heads, kv = s["head_dim"], s["heads"], s["kv_heads"]
        parts = f.linear(x, layer["qkv"], layer["bias"]).split([heads * hd, kv * hd, kv * hd], dim=-1)
        q, k, v = (p.view(self.batch, -1, 1, hd) for p in parts)
        if layer["qk"]:
            q, k = self.norm(q, layer["qk"][0]), self.norm(k, layer["qk"][1])
        layer["k"][:, :, -1:] = self.rotate(k)
        layer["v"][:, :, -1:] = v
        # The heads that share keys are rows of one query, so that the cache is read once.
        q = self.rotate(q).view(self.batch, kv, heads // kv, hd)
        y = f.scaled_dot_product_attention(q, layer["k"], layer["v"])
        return f.linear(y.reshape(self.batch, heads * hd), layer["out"])

    def step(self):
        f = self.torch.nn.functional
        x = self.embedding[self.tokens]
        for layer in self.layers:
            norms = layer["norms"]
            y = self.attend(self.norm(x, norms[0]), layer)
            x = x + (self.norm(y, norms[2]) if len(norms) > 2 else y)
            gate, up = f.linear(self.norm(x, norms[1]), layer["gate_up"]).chunk(2, dim=-1)
            y = f.linear(f.silu(gate) * up, layer["down"])
            x = x + (self.norm(y, norms[3]) if len(norms) > 2 else y)
        return f.linear(self.norm(x, self.last), self.head)


def stepping(torch, model, cuda):
    """The model's step as servers run it, warm: on a GPU as a CUDA graph. It returns the logits."""
    step = model.step
    for _ in range(3):
        step()
    if not cuda:
        return step
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        logits = step()

    def replay():
        graph.replay()
        return logits

    for _ in range(3):
        replay()
    return replay


def time_steps(torch, model, device, args):
    """Times of steps in ms, at most for so many seconds."""
    cuda = device == "cuda"
    sync = torch.cuda.synchronize if cuda else lambda: None
    step = stepping(torch, model, cuda)
    sync()
    clock = time.process_time if args.clock == "processor" else time.perf_counter
    times, end = [], time.perf_counter() + args.seconds
    while len(times) < args.repeats and (len(times) < 5 or time.perf_counter() < end):
        begin = clock()
        step()
        sync()
        times.append(1e3 * (clock() - begin))
    return times


def measure(torch, shape, args, device, dtype):
    """The entries of the table: batch size, median ms, middle 80%."""
    entries = []
    for batch in args.batch:
        try:
            with torch.inference_mode():
                model = Model(torch, shape, batch, args.context, device, dtype)
                times = time_steps(torch, model, device, args)
        except (torch.OutOfMemoryError, RuntimeError) as e:
            if "memory" not in str(e):
                raise
            print(f"batch {batch} does not fit into memory; the table ends before", file=sys.stderr)
            break
        finally:
            model = None
        median, low, high = quantiles(times)
        entries.append({"batch": batch, "ms": round(median, 4), "low": round(low, 4), "high": round(high, 4), "steps": len(times)})
        print(f"batch {batch:4d}: {median:.3f} ms ({low:.3f} to {high:.3f}, {len(times)} steps)", file=sys.stderr)
    return entries


def processor():
    """The processor's name."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            return next(line.split(":", 1)[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", help="a name of shapes.json")
    p.add_argument("--out", required=True, help="the table, as JSON")
    p.add_argument("--batch", type=int, nargs="+", default=[1, 2, 4, 8, 16, 32, 64, 128, 256])
    p.add_argument("--context", type=int, default=512, help="tokens in the cache of each sequence")
    p.add_argument("--device", choices=["auto", "cuda", "cpu"], default="auto")
    p.add_argument("--dtype", choices=["auto", "bfloat16", "float32"], default="auto")
    p.add_argument("--repeats", type=int, default=200)
    p.add_argument("--seconds", type=float, default=20, help="most seconds for a batch size; 5 steps at least")
    p.add_argument("--threads", type=int, default=0, help="of a processor; 0 for PyTorch's choice")
    p.add_argument(
        "--clock",
        choices=["wall", "processor"],
        default="wall",
        help="processor: the processor time of one thread, for a machine that others use meanwhile",
    )
    p.add_argument("--note", default="", help="what else a reader should know, such as load on the machine")
    args = p.parse_args(argv)
    shape = shape_named(args.model)
    import torch

    device = args.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if args.clock == "processor":
        if device != "cpu":
            p.error("--clock processor goes with --device cpu")
        args.threads = 1  # the time of several threads would be their sum
    if args.threads:
        torch.set_num_threads(args.threads)
    name = args.dtype if args.dtype != "auto" else {"cuda": "bfloat16", "cpu": "float32"}[device]
    entries = measure(torch, shape, args, device, getattr(torch, name))
    if not entries:
        sys.exit("measure.py: not even the smallest batch fits into memory")
    threads = torch.get_num_threads()
    title = torch.cuda.get_device_name() if device == "cuda" else f"{processor()}, {threads} thread{'s' * (threads > 1)}"
    source = f"measured by harness/models/measure.py: random weights in {name}, PyTorch {torch.__version__}"
    source += ", as a CUDA graph" if device == "cuda" else ""
    source += "; processor time of one thread" if args.clock == "processor" else ""
    if args.note:
        source += "; " + args.note
    table = {"model": shape["title"], "device": title, "kind": "measured", "source": source, "context": args.context, "steps": entries}
    with open(args.out, "w", encoding="utf-8") as f:
        json.dump(table, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
