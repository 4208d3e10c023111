"""Engines of known cost, with which gcdbench tests its protocol and its clock.

Such an engine allows every token. A mask is written into the row at once, and then the engine
reads the clock until wait_ns nanoseconds are over. A compile sleeps for compile_ns. How long each mask took by that reading is
what it reports: the counter "mask_median" is the median of the last masks, which gcdbench must
find again. What is not in it is the call of fill and its return.
"""

from statistics import median
from time import perf_counter_ns, sleep

import gcdbench_engine as g
import numpy as np

KEPT = 4096  # how many times are kept


class Engine(g.Engine):
    name, version, licence = "known", "1", "Apache-2.0"
    takes = [
        "regex",
        "json-schema",
        "lark",
        "gcdbench",
        "llguidance-lark",
        "ebnf",
        "gbnf",
        "kbnf",
        "grid",
    ]
    semantics = "everything"
    options = {"wait_ns": "0", "compile_ns": "0"}

    def vocabulary(self, v):
        legal = np.array([bool(text) or token in v.eos for token, text in enumerate(v.tokens)])
        bits = np.zeros((v.size + 31) // 32 * 4, np.uint8)
        packed = np.packbits(legal, bitorder="little")
        bits[: len(packed)] = packed
        self.all = bits.view(np.uint32)

    def compile(self, kind, text, options):
        sleep(int(options["compile_ns"]) / 1e9)  # as an engine in another language: others may run
        return Grammar(self.all, int(options["wait_ns"]))

    def prepare(self, row):
        return row.words

    def empty_call(self):
        return Generation(None, 0, []).nothing


class Grammar:
    def __init__(self, everything, wait):
        self.everything, self.wait, self.times = everything, wait, []

    def start(self):
        return Generation(self.everything, self.wait, self.times)

    def stats(self):
        return {"mask_median": (median(self.times[-KEPT:] or [0]), "ns")}


class Generation:
    def __init__(self, everything, wait, times):
        self.everything, self.wait, self.keep = everything, wait, times.append

    def fill(self, words):
        begin = perf_counter_ns()
        words[:] = self.everything
        now = perf_counter_ns()
        while now - begin < self.wait:
            now = perf_counter_ns()
        self.keep(now - begin)

    def commit(self, token):
        return True

    def nothing(self):
        pass


if __name__ == "__main__":
    g.serve(Engine)
