"""gcdbench's side of the protocol, as far as tests and harness/models/serve.py need it."""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SIZE = 1 << 22  # of the mapped file of tests, in bytes


class Child:
    """An adapter, or a command that speaks the protocol, as a child process with a mapped file."""

    def __init__(self, adapter, command=None, size=SIZE):
        self.bytes = size
        self.process = subprocess.Popen(
            command or [sys.executable, "-B", os.path.join(HERE, adapter)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(os.environ, PYTHONPATH=HERE),
        )
        self.file = tempfile.NamedTemporaryFile()
        self.file.truncate(size)
        self.memory = np.memmap(self.file.name, np.uint8, "r+", shape=(size,))
        self.end = 0

    def close(self):
        """Ends the child by the end of its stdin; returns its status."""
        self.process.stdin.close()
        self.process.stdout.close()
        self.stderr = self.process.stderr.read().decode()
        self.process.stderr.close()
        self.file.close()
        return self.process.wait()

    def raw(self, line):
        self.send(line)
        return self.receive()

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    def do(self, request, **fields):
        return self.raw(json.dumps(dict(fields, do=request)))

    def ok(self, request, **fields):
        answer = self.do(request, **fields)
        if not answer["ok"]:
            raise AssertionError(f"{request}: {answer}")
        return answer

    def area(self, count, kind):
        """Returns a new area of the file, and what is in it."""
        at, length = self.end, count * np.dtype(kind).itemsize
        self.end = (at + length + 63) // 64 * 64
        return {"at": at, "n": count}, self.memory[at : at + length].view(kind)

    def put(self, values, kind):
        area, memory = self.area(len(values), kind)
        memory[:] = values
        return area

    def set_up(self, tokens, eos, tokenizer=""):
        """Maps the file and sends the vocabulary; tokenizer is the path of a tokenizer.json."""
        self.ok("map", file=self.file.name, bytes=self.bytes)
        self.size, self.end = len(tokens), 0
        ends = self.put(np.cumsum([len(token) for token in tokens]), np.uint64)
        text = self.put(np.frombuffer(b"".join(tokens), np.uint8), np.uint8)
        fields = dict(name="test", size=len(tokens), eos=eos, ends=ends, text=text)
        answer = self.ok("vocabulary", tokenizer=tokenizer, **fields)
        self.free = self.end
        return answer

    def walk(self, tokens, timed=False, masked=None, block=0, logits=True, stride=0):
        """Walks a document; returns the answer, and the mask rows or the times."""
        self.end, stride = self.free, stride or (self.size + 63) // 64 * 8
        fields = dict(tokens=self.put(tokens, np.int32), stride=stride, logits=logits)
        if masked is not None:
            fields["masked"] = self.put(masked, np.uint32)
        fields["rows"], rows = self.area(stride * len(tokens), np.uint8)
        found = rows.reshape(-1, stride)
        if timed or block:
            fields["times"], found = self.area(3 * len(tokens), np.uint32)
            found[:] = 0
        return self.do("walk", block=block, **fields), found

    def explore(self, what, **fields):
        """begin or next; returns the answer, and the mask as a set of tokens."""
        self.end = self.free
        if "tokens" in fields:
            fields["tokens"] = self.put(fields["tokens"], np.int32)
        fields["row"], row = self.area((self.size + 63) // 64 * 8, np.uint8)
        return self.do(what, **fields), tokens_of(row)

    def batch(self, steps, hold=(), first=False, threads=1):
        """Makes steps, each with a token for each slot; returns the answer, masks and times."""
        self.end, width, stride = self.free, len(steps[0]), (self.size + 63) // 64 * 8
        tokens = self.put([token for step in steps for token in step], np.int32)
        area, rows = self.area(stride * width * len(steps), np.uint8)
        rows[:] = 0
        places, times = self.area(len(steps), np.uint64)
        times[:] = 0
        fields = dict(tokens=tokens, rows=area, stride=stride, times=places)
        fields.update(hold=list(hold), first=first, threads=threads, width=width)
        answer = self.do("batch", **fields)
        masks = [[tokens_of(row) for row in step] for step in rows.reshape(len(steps), width, stride)]
        return answer, masks, times

    def hold(self, slot, first=False):
        """Has a slot hold the grammar that was compiled last."""
        self.end = self.free
        none = self.area(0, np.uint8)[0]
        fields = dict(tokens=none, rows=none, times=none, stride=8, width=0, threads=0)
        return self.ok("batch", hold=[slot], first=first, **fields)

    def measure(self, what, tokens, k):
        self.end = self.free
        area, times = self.area(3 * len(tokens), np.uint32)
        return (
            self.do("measure", what=what, k=k, tokens=self.put(tokens, np.int32), times=area),
            times,
        )


def tokens_of(row):
    """Returns the tokens whose bits are set in a row of bytes."""
    return set(np.flatnonzero(np.unpackbits(row, bitorder="little")).tolist())
