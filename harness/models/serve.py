"""Decodes JSON documents with a real model, whose logits are masked by a real engine.

    python harness/models/serve.py qwen-2.5-0.5b --gcdbench ./gcdbench --schemas schemas.jsonl

Everything else in gcdbench puts masks beside a table of a model's times. Here the model runs, so
what masks and model take from each other is in the figures: memory bandwidth, cores, the copy of
the masks to the device. The model is measure.py's: random weights in the shape of shapes.json.
Nothing is downloaded, and the token that it would choose means nothing. It is computed (the
greatest of the masked logits, on the device), and the document's own token is fed to the next
step, so that all engines see the same texts.

Engines are children that speak the protocol of docs/engines.md, with masks in shared memory: psc
by "gcdbench engines serve", llguidance and xgrammar by their adapters, in the Python that
"gcdbench engines install" made for each. The batch is continuous: when a document ends, the next
schema is compiled and takes its place. Compiles stand between two steps and have a column of
their own; they are in no step. With --masks overlapped the engine makes the masks of a step while
the model computes its logits, as vLLM does; with serial it begins when they are there.

The last columns are arithmetic: what the steps would take if a step were the model's median time
and the masks' measured time, the greater of both (overlapped) or their sum (serial), as
gcdbench's throughput has it, and how far the clock was from that.

Needs PyTorch and numpy. --schemas has a line {"schema": ..., "tests": [{"valid", "data"}]} for each
schema, as MaskBench's corpus has; its first valid instance is the document.
"""

import argparse
import base64
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "engines", "python")]

import measure  # noqa: E402

NONE, BEGIN = -2, -1  # what a slot may be told in the place of a token


class Vocabulary:
    """The tokens of a tokenizer, by 'gcdbench tokenize --vocabulary'."""

    def __init__(self, program, name):
        self.program, self.name = program, name
        lines = self.ask("--vocabulary").splitlines()
        tokens = [json.loads(line) for line in lines]
        self.tokens = [base64.b64decode(t["bytes"] or "") for t in tokens]
        self.eos = [t["id"] for t in tokens if t.get("eos")]

    def ask(self, *arguments):
        command = [self.program, "tokenize", "-t", self.name, "--json", *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"serve.py: {' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def encode(self, texts):
        """The ids of each text, EOS behind them."""
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as f:
            for text in texts:
                f.write(json.dumps({"text": text}) + "\n")
            f.flush()
            lines = self.ask("--jsonl", f.name).splitlines()
        return [json.loads(line)["ids"] + self.eos[:1] for line in lines]


def requests_of(path, vocabulary, count):
    """The first schemas with a valid instance: pairs of a schema's text and a document's tokens."""
    schemas, texts = [], []
    opened = subprocess.run(["gzip", "-cdf", path], capture_output=True)
    if opened.returncode:
        sys.exit(f"serve.py: {opened.stderr.decode().strip()}")
    for number, line in enumerate(opened.stdout.decode().splitlines(), 1):
        try:
            record = json.loads(line)
            valid = [t["data"] for t in record.get("tests", []) if t["valid"]]
            schema = record["schema"]
        except (ValueError, KeyError, TypeError, AttributeError) as e:
            sys.exit(f'serve.py: {path}:{number}: no {{"schema", "tests"}}: {e!r}')
        if valid and len(schemas) < count:
            schemas.append(json.dumps(schema, ensure_ascii=False))
            texts.append(json.dumps(valid[0], ensure_ascii=False))
    if not schemas:
        sys.exit(f"serve.py: {path} has no schema with a valid instance")
    return list(zip(schemas, vocabulary.encode(texts)))


class Engine:
    """An engine in its process. Masks of a step are asked for, and taken when they are wanted."""

    def __init__(self, command, vocabulary, batch):
        import driver

        self.driver, self.batch, self.size = driver, batch, len(vocabulary.tokens)
        self.stride = (self.size + 63) // 64 * 8
        text = sum(len(token) for token in vocabulary.tokens)
        room = 16 * self.size + 2 * text + batch * self.stride + (1 << 20)
        self.child = driver.Child(None, command, room)
        self.child.ok("hello", protocol=2)
        self.child.set_up(vocabulary.tokens, vocabulary.eos)
        self.first = True

    def compile(self, schema, slot):
        """Has a slot hold a schema; returns the seconds that the compile took, or None if it is refused."""
        begin = time.perf_counter()
        answer = self.child.do("compile", kind="json-schema", text=schema, options={})
        took = time.perf_counter() - begin
        if not answer["ok"]:
            return None
        self.child.hold(slot, self.first)
        self.first = False
        return took

    def ask(self, tokens):
        child, np = self.child, self.driver.np
        child.end = child.free
        area, self.rows = child.area(self.stride * self.batch, np.uint8)
        times, self.times = child.area(1, np.uint64)
        fields = dict(do="batch", tokens=child.put(tokens, np.int32), rows=area, stride=self.stride)
        fields.update(times=times, hold=[], first=False, threads=1, width=self.batch)
        child.send(json.dumps(fields))

    def take(self):
        """The rows of the step, and the seconds that the masks took."""
        answer = self.child.receive()
        if not answer["ok"]:
            raise RuntimeError(answer["error"])
        if answer["steps"] != 1:
            raise RuntimeError(f"the engine refuses a token of slot {answer['refused']} that its mask allowed")
        return self.rows.reshape(self.batch, self.stride), int(self.times[0]) / 1e9

    def close(self):
        self.child.close()


class Decoder:
    """The model on its device, with the masking of its logits."""

    def __init__(self, shape, batch, size, args):
        import torch

        self.torch, self.device = torch, args.device
        if shape["vocabulary"] < size:
            sys.exit(f"serve.py: {shape['title']} has {shape['vocabulary']} logits, the vocabulary {size} tokens")
        self.model = measure.Model(torch, shape, batch, args.context, args.device, getattr(torch, args.dtype))
        self.forward = measure.stepping(torch, self.model, args.device == "cuda")
        self.bits = torch.arange(8, dtype=torch.uint8, device=args.device)
        self.sync = torch.cuda.synchronize if args.device == "cuda" else lambda: None

    def begin(self, tokens):
        """Starts the step that reads the tokens; on a GPU it goes on while this returns."""
        self.model.tokens.copy_(self.torch.tensor(tokens))
        self.logits = self.forward()

    def choose(self, rows):
        """The best token of each sequence, of those that its mask allows; of all without masks."""
        logits = self.logits
        if rows is not None:
            packed = self.torch.from_numpy(rows.copy()).to(self.device, non_blocking=True)
            allowed = (packed.unsqueeze(-1) >> self.bits & 1).flatten(1).bool()
            width = min(allowed.shape[1], logits.shape[1])
            logits = self.torch.where(allowed[:, :width], logits[:, :width], float("-inf"))
        chosen = logits.argmax(-1).tolist()  # waits for the device
        return chosen


class Served:
    """One engine's run over all requests."""

    def __init__(self, name, engine, decoder, requests, args):
        self.name, self.engine, self.decoder, self.args = name, engine, decoder, args
        self.waiting, self.slots = list(requests)[::-1], [None] * args.batch
        self.steps, self.masks, self.compiles = [], [], []
        self.tokens = self.ended = self.refused = self.unsupported = 0

    def admit(self):
        for i, slot in enumerate(self.slots):
            while slot is None and self.waiting:
                schema, document = self.waiting.pop()
                took = self.engine.compile(schema, i) if self.engine else 0.0
                if took is None:
                    self.unsupported += 1
                    continue
                self.compiles.append(took)
                slot = self.slots[i] = [document, 0]

    def step(self):
        told = [NONE if s is None else s[0][s[1] - 1] if s[1] else BEGIN for s in self.slots]
        begin, rows = time.perf_counter(), None
        overlapped = self.args.masks == "overlapped"
        if self.engine and overlapped:
            self.engine.ask(told)
        self.decoder.begin([max(0, t) for t in told])
        if self.engine:
            if not overlapped:
                self.decoder.sync()
                self.engine.ask(told)
            rows, took = self.engine.take()
            self.masks.append(took)
        self.decoder.choose(rows)
        self.steps.append((time.perf_counter() - begin, sum(s is not None for s in self.slots)))
        self.advance(rows)

    def advance(self, rows):
        for i, slot in enumerate(self.slots):
            if slot is None:
                continue
            token = slot[0][slot[1]]
            if rows is not None and not rows[i, token >> 3] >> (token & 7) & 1:
                self.refused += 1
                self.slots[i] = None
                continue
            slot[1] += 1
            self.tokens += 1
            if slot[1] == len(slot[0]):
                self.ended += 1
                self.slots[i] = None

    def run(self):
        end = time.perf_counter() + self.args.seconds
        while time.perf_counter() < end:
            self.admit()
            if not any(self.slots):
                break
            self.step()
        return self

    def figures(self, model):
        """What is printed and written; model is the median step without masks, in seconds."""
        steps = [s for s, _ in self.steps]
        masks = self.masks or [0.0] * len(steps)
        model = model or measure.quantiles(steps)[0]
        together = max if self.args.masks == "overlapped" else lambda a, b: a + b
        clocked = sum(together(model, m) for m in masks)
        itl = sorted(s for s, live in self.steps for _ in range(live))
        return {
            "engine": self.name,
            "documents": self.ended,
            "refused": self.refused,
            "unsupported": self.unsupported,
            "tokens": self.tokens,
            "steps": len(steps),
            "tokens_per_second": self.tokens / sum(steps),
            "itl_p50_ms": 1e3 * itl[len(itl) // 2],
            "itl_p99_ms": 1e3 * itl[-(-len(itl) * 99 // 100) - 1],
            "masks_mean_ms": 1e3 * sum(masks) / len(masks),
            "compile_mean_ms": 1e3 * sum(self.compiles) / max(1, len(self.compiles)),
            "model_ms": 1e3 * model,
            "clocked_s": clocked,
            "measured_over_clocked": sum(steps) / clocked,
        }


def command_of(name, program):
    """How an engine is started: one that is installed as it says, psc and others of ours by the program."""
    listed = subprocess.run([program, "engines", "list", "--json"], capture_output=True, text=True)
    for entry in map(json.loads, listed.stdout.splitlines()):
        if entry["name"] == name:
            return entry.get("command") or sys.exit(f"serve.py: {name} is not installed: {program} engines install {name}")
    return [program, "engines", "serve", name]


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", help="a name of shapes.json")
    p.add_argument("--schemas", required=True, help="JSON Lines of schemas with tests, compressed or not")
    p.add_argument("--gcdbench", default="gcdbench", help="the program")
    p.add_argument("--tokenizer", default="llama3", help="a tokenizer of gcdbench, with no more tokens than the model has logits")
    p.add_argument("--engines", nargs="+", default=["none", "psc", "llguidance", "xgrammar"], help="none comes first: it is the model alone")
    p.add_argument("--batch", type=int, default=8)
    p.add_argument("--requests", type=int, default=64)
    p.add_argument("--seconds", type=float, default=60, help="at most, for each engine")
    p.add_argument("--masks", choices=["overlapped", "serial"], default="overlapped")
    p.add_argument("--context", type=int, default=512, help="tokens in the cache of each sequence")
    p.add_argument("--device", choices=["auto", "cuda", "cpu"], default="auto")
    p.add_argument("--dtype", choices=["auto", "bfloat16", "float32"], default="auto")
    p.add_argument("--threads", type=int, default=0, help="of a processor, for the model; 0 for all but one")
    p.add_argument("--out", help="the figures, as JSON")
    args = p.parse_args(argv)
    if args.engines[0] != "none":
        args.engines.insert(0, "none")
    return args


def main(argv=None):
    args = parse(argv)
    shape = measure.shape_named(args.model)
    try:
        import torch
    except ImportError:
        sys.exit("serve.py: needs PyTorch: pip install torch")
    if args.device == "auto":
        args.device = "cuda" if torch.cuda.is_available() else "cpu"
    if args.dtype == "auto":
        args.dtype = {"cuda": "bfloat16", "cpu": "float32"}[args.device]
    if args.device == "cpu":
        torch.set_num_threads(args.threads or max(1, (os.cpu_count() or 2) - 1))
    vocabulary = Vocabulary(args.gcdbench, args.tokenizer)
    requests = requests_of(args.schemas, vocabulary, args.requests)
    with torch.inference_mode():
        decoder = Decoder(shape, args.batch, len(vocabulary.tokens), args)
        found = serve_all(args, vocabulary, decoder, requests)
    title = torch.cuda.get_device_name() if args.device == "cuda" else measure.processor()
    report = {"model": shape["title"], "device": title, "dtype": args.dtype, "torch": torch.__version__, "batch": args.batch, "masks": args.masks, "engines": found}
    show(report)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as f:
            json.dump(report, f, indent=1)
            f.write("\n")


def serve_all(args, vocabulary, decoder, requests):
    """The figures of each engine, one after the other."""
    found, model = [], None
    for name in args.engines:
        engine = None if name == "none" else Engine(command_of(name, args.gcdbench), vocabulary, args.batch)
        try:
            served = Served(name, engine, decoder, requests, args).run()
        finally:
            if engine:
                engine.close()
        if not served.steps:
            print(f"serve.py: {name} takes none of the schemas", file=sys.stderr)
            continue
        found.append(served.figures(model))
        model = model or found[0]["model_ms"] / 1e3
        print(f"{name}: {found[-1]['tokens']} tokens in {found[-1]['steps']} steps", file=sys.stderr)
    return found


def show(report):
    """The table of a report, on standard output."""
    print(f"{report['model']} on {report['device']} in {report['dtype']}, PyTorch {report['torch']}; batch {report['batch']}, masks {report['masks']}")
    print(f"{'engine':12} {'tokens/s':>9} {'lost':>6} {'ITL p50':>9} {'p99 ms':>9} {'masks ms':>9} {'compile ms':>11} {'clock/sum':>10} {'refused':>8}")
    free = report["engines"][0]["tokens_per_second"]
    for e in report["engines"]:
        lost = 1 - e["tokens_per_second"] / free
        print(
            f"{e['engine']:12} {e['tokens_per_second']:9.1f} {lost:6.1%} {e['itl_p50_ms']:9.2f} {e['itl_p99_ms']:9.2f} {e['masks_mean_ms']:9.3f}"
            f" {e['compile_mean_ms']:11.2f} {e['measured_over_clocked']:10.3f} {e['refused'] + e['unsupported']:8}"
        )


if __name__ == "__main__":
    main()
