"""Tests of the Python side of the protocol, through child processes.

python3 -m unittest, in this folder; they need numpy only.
"""

import functools
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest

import load_loop
from driver import HERE, Child, tokens_of

EOS = 8
TOKENS = [b"a", b"b", b"c", b"ab", b"bc", b"aa", b"cab", b"", b"</s>", b""]
WORDS = ["".join(letters) for n in range(11) for letters in itertools.product("abc", repeat=n)]

# An adapter whose grammars are Python, which is run in fill, from the second mask on.
FAULTY = """
    import gcdbench_engine as g
    import gc, os, time
    os.write(1, b"noise at the start\\n")

    class Engine(g.Engine):
        name, version, licence = "faulty", "1", "none"
        takes = ["regex"]
        def vocabulary(self, v):
            self.size = v.size
        def before_compile(self, kind, text):
            time.sleep(0.2 * (text == "forget"))
        def compile(self, kind, text, options):
            print("noise in compile")
            if text.startswith("compile:"):
                exec(text[len("compile:"):])
            return Grammar(text)

    class Panic(BaseException):
        pass

    class Grammar:
        def __init__(self, text):
            self.text, self.fills, self.inside = text, 0, False
            self.collections = {True: 0, False: 0}
            gc.callbacks.append(self.collecting)
        def collecting(self, phase, info):
            self.collections[self.inside] += phase == "start"
        def start(self):
            return Generation(self)
        def stats(self):
            return {"inside": self.collections[True], "outside": (self.collections[False], "times")}

    class Generation:
        def __init__(self, grammar):
            self.grammar = grammar
        def fill(self, row):
            self.grammar.fills += 1
            if self.grammar.text == "idle":
                return
            row.u64[:] = 2**64 - 1
            if self.grammar.fills > 1:
                exec(self.grammar.text)
        def commit(self, token):
            if token == 3:
                time.sleep(0.2)
            return token != 9

    if __name__ == "__main__":
        g.serve(Engine)
"""


class TestCase(unittest.TestCase):
    def child(self, adapter):
        child = Child(adapter)
        self.addCleanup(lambda: child.process.stdin.closed or child.close())
        return child

    def example(self, pattern):
        child = self.child("example.py")
        child.set_up(TOKENS, [EOS])
        child.ok("compile", kind="regex", text=pattern)
        return child

    def adapter(self, source):
        """Starts an adapter that is written in the test."""
        with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as f:
            f.write(textwrap.dedent(source))
        self.addCleanup(os.remove, f.name)
        child = self.child(f.name)
        child.set_up(TOKENS, [EOS])
        return child

    def faulty(self, text):
        """Starts the faulty adapter; returns the child and the answer to compile."""
        child = self.adapter(FAULTY)
        return child, child.do("compile", kind="regex", text=text)

    def assertFails(self, answer, outcome, text):
        self.assertFalse(answer["ok"], answer)
        self.assertEqual(answer["outcome"], outcome)
        self.assertIn(text, answer["error"])
        self.assertNotIn("\n", answer["error"])


@functools.lru_cache(None)
def beginnings(pattern):
    """Returns the beginnings of all matches of the pattern among WORDS."""
    matches = [word for word in WORDS if re.fullmatch(pattern, word)]
    return {word[:n] for word in matches for n in range(len(word) + 1)}


def legal(pattern, prefix):
    """Returns the legal tokens after a prefix, by trying all words."""
    assert len(prefix) + 4 <= len(WORDS[-1])  # a word that shows it must be among WORDS
    tokens = [token for token, text in enumerate(TOKENS) if text and token != EOS]
    found = {token for token in tokens if prefix + TOKENS[token].decode() in beginnings(pattern)}
    return found | ({EOS} if re.fullmatch(pattern, prefix) else set())


class Masks(TestCase):
    """The masks of the example, against Python's regular expressions."""

    def test_every_position(self):
        for pattern in [
            "a(b|bc)*",
            "(ab|c)?a+",
            "a.c",
            "(a|b|c)*c",
            "a[b-c]*|b",
            "[^ac]|a[bc]?c\\.?",
        ]:
            child = self.example(pattern)
            for tokens in [[0, 1, 4], [3, 4, 4], [2, 0], [6], [5, 5], [1]]:
                answer, rows = child.walk(tokens + [EOS])
                prefix = ""
                for position in range(answer["masked"]):
                    with self.subTest(pattern=pattern, prefix=prefix):
                        self.assertEqual(tokens_of(rows[position]), legal(pattern, prefix))
                    prefix += "".join(TOKENS[t].decode() for t in tokens[position : position + 1])
                refused = answer.get("refused", len(tokens) + 1)
                text = "".join(TOKENS[t].decode() for t in tokens)
                self.assertEqual(
                    refused > len(tokens), bool(re.fullmatch(pattern, text)), (pattern, tokens)
                )
                if refused <= len(tokens):
                    self.assertEqual(
                        (answer["refused_by"], answer["commit_takes"]), ("mask", False)
                    )

    def test_asked_positions_only(self):
        child = self.example("a(b|bc)*")
        all_rows = child.walk([0, 1, 4, EOS])[1].copy()
        answer, rows = child.walk([0, 1, 4, EOS], masked=[1, 3])
        self.assertEqual(answer["masked"], 2)
        self.assertEqual(
            [tokens_of(r) for r in rows[:2]], [tokens_of(all_rows[1]), tokens_of(all_rows[3])]
        )

    def test_exploration(self):
        child = self.example("a(b|bc)*")
        self.assertEqual(child.explore("begin", tokens=[0, 1])[1], legal("a(b|bc)*", "ab"))
        self.assertEqual(child.explore("next", token=4)[1], legal("a(b|bc)*", "abbc"))
        self.assertEqual(child.explore("next", token=0)[0], {"ok": True, "refused": True})
        self.assertFails(child.explore("next", token=1)[0], "crash", "next without begin")
        self.assertEqual(child.explore("begin", tokens=[0, 1, 0, 1])[0], {"ok": True, "refused": 2})
        self.assertEqual(child.explore("next", token=1)[1], legal("a(b|bc)*", "abb"))


class Times(TestCase):
    def test_all_positions(self):
        child = self.example("a(b|bc)*")
        answer, times = child.walk([0, 1, 4, EOS], timed=True)
        self.assertEqual(answer["masked"], 4)
        self.assertNotIn("refused", answer)
        mask, commit, step = times.reshape(-1, 3).T
        self.assertTrue((mask > 0).all() and (commit > 0).all() and (step >= mask).all(), times)

    def test_asked_positions_only(self):
        child = self.example("a(b|bc)*")
        answer, times = child.walk([0, 1, 4, 4, EOS], timed=True, masked=[1, 2])
        self.assertEqual(answer["masked"], 2)
        self.assertTrue((times[:6] > 0).all() and (times[6:] == 0).all(), times)

    def test_refused(self):
        child = self.example("a(b|bc)*")
        answer, _ = child.walk([0, 0, EOS], timed=True)
        self.assertEqual(
            (answer["masked"], answer["refused"], answer["refused_by"]), (2, 1, "mask")
        )
        answer, _ = child.walk([0, 1, EOS, EOS], timed=True, masked=[0])
        self.assertEqual(answer["masked"], 1)
        answer, _ = child.walk([0, 0, EOS], timed=True, masked=[0, 2])
        self.assertEqual((answer["refused"], answer["refused_by"]), (1, "commit"))
        answer, _ = child.walk([0, 1, 0, EOS], block=2)
        self.assertEqual((answer["refused"], answer["refused_by"]), (2, "commit"))

    def test_commit_belongs_to_its_token(self):
        child, _ = self.faulty("pass")
        for tokens in ([0, 3, 0, 0, EOS], [3, 0, EOS], [0, 0, 3]):
            _, times = child.walk(tokens, timed=True)
            mask, commit, step = times.reshape(-1, 3).T
            slow = tokens.index(3)
            self.assertEqual([ns > 2e8 for ns in commit], [token == 3 for token in tokens])
            self.assertEqual([ns > 2e8 for ns in step], [i - 1 == slow for i in range(len(tokens))])
            self.assertTrue((mask < 2e8).all())

    def test_blocks(self):
        child, _ = self.faulty("time.sleep(0.002)")
        answer, times = child.walk([0] * 6 + [EOS], block=3)
        self.assertEqual(answer["masked"], 7)
        for block, steps in zip(times.tolist(), [3, 3, 1]):
            self.assertGreaterEqual(block, 2_000_000 * steps)
        self.assertTrue((times[3:] == 0).all())

    def test_stolen(self):
        child, _ = self.faulty("time.sleep(0.002)")
        answer, _ = child.walk([0] * 20 + [EOS], timed=True)
        # A gap between steps that is unusually long hides what a step lost.
        self.assertTrue(5 < answer["disturbed"] <= 21, answer)
        self.assertGreater(answer["stolen_ns"], 5 * 2_000_000)

    def test_stolen_by_whom(self):
        script = """
            import time
            import gcdbench_engine as g

            def step():
                begin = time.perf_counter_ns()
                time.sleep(0.005)
                load.step(begin, time.perf_counter_ns())

            load = g.Load()
            for gap, count in [(0, 1), (90_000, 2), (100_000, 3), (900_000, 3), (100_000, 4)]:
                load.between(load.end + gap)
                step()
                assert load.count == count, (gap, load.count)
        """
        command = [sys.executable, "-B", "-c", textwrap.dedent(script)]
        found = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stderr)

    def test_known_cost_is_found(self):
        child = self.child("known_engine.py")
        child.set_up(TOKENS, [EOS])
        for wait in (5_000, 500_000):
            child.ok("compile", kind="regex", text="", options={"wait_ns": str(wait)})
            _, times = child.walk([0] * 200 + [EOS], timed=True)
            true = child.ok("stats")["counters"][0]["value"]
            found = sorted(times[0::3])[100]
            self.assertGreaterEqual(true, wait)
            self.assertTrue(0 < found - true < 5_000, (wait, true, found))


class Garbage(TestCase):
    def test_collected_between_steps_only(self):
        child, _ = self.faulty(
            "self.grammar.inside = True\n"
            "for _ in range(500): cycle = []; cycle.append(cycle)\n"
            "self.grammar.inside = False"
        )
        for _ in range(3):
            child.walk([0] * 50 + [EOS], timed=True)
        inside, outside = child.ok("stats")["counters"]
        self.assertEqual((inside["value"], inside["unit"], outside["unit"]), (0, "", "times"))
        self.assertGreater(outside["value"], 20)


    def counted(self, what):
        """Returns the faulty adapter's garbage: collections within fill, and outside of it."""
        return [counter["value"] for counter in what.ok("stats")["counters"]]

    def test_proofs_collect(self):
        child, _ = self.faulty("for _ in range(500): cycle = []; cycle.append(cycle)")
        before = sum(self.counted(child))
        child.walk([0] * 200 + [EOS])
        self.assertGreater(sum(self.counted(child)), before + 20)

    def test_blocks_collect(self):
        child, _ = self.faulty("for _ in range(500): cycle = []; cycle.append(cycle)")
        before = sum(self.counted(child))
        child.walk([0] * 200 + [EOS], block=2)
        self.assertGreater(sum(self.counted(child)), before + 20)

    def test_nothing_before_the_first_mask(self):
        """No collection after the request has come, and what is left of one is frozen."""
        child = self.adapter(LOOK)
        child.ok("compile", kind="regex", text="")
        for _ in range(3):
            child.ok("stats")
            child.walk([0] * 20 + [EOS], timed=True)
            counters = {c["name"]: c["value"] for c in child.ok("stats")["counters"]}
            self.assertEqual(counters["collected"], 0)
            self.assertGreater(counters["frozen"], 10 * counters["young"])

    def test_schema_is_compiled_without_collections(self):
        text = "compile:for _ in range(20_000): cycle = []; cycle.append(cycle)"
        child = self.adapter(COLLECTIONS)
        for kind, least, most in [("json-schema", 0, 0), ("regex", 5, 10**6)]:
            child.ok("compile", kind=kind, text=text)
            counters = child.ok("stats")["counters"]
            self.assertEqual(len(counters), 1)  # what is not a number is left out
            found = counters[0]["value"]
            self.assertTrue(least <= found <= most, (kind, found))

    def test_dead_grammars_are_collected(self):
        """Frozen cycles of grammars that were dropped do not pile up."""
        child = self.adapter(CYCLES)
        alive = []
        for _ in range(30):
            child.ok("compile", kind="regex", text="")
            alive.append(child.ok("stats")["counters"][0]["value"])
        self.assertLess(max(alive), 15, alive)
        child.ok("weigh", drop=True)
        child.ok("compile", kind="regex", text="")
        self.assertEqual(child.ok("stats")["counters"][0]["value"], 1)


def resident(process):
    """Returns the memory of a process in MiB."""
    with open(f"/proc/{process.pid}/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


# An adapter whose grammars are of many small blocks, with one behind them that stays.
HEAVY = """
    import gcdbench_engine as g

    class Engine(g.Engine):
        name, version, licence = "heavy", "1", "none"
        takes = ["regex"]
        stays = []
        def compile(self, kind, text, options):
            grammar = Grammar([bytes(1000) for _ in range(100_000)])
            self.stays.append(bytes(1000))
            return grammar

    class Grammar:
        def __init__(self, blocks):
            self.me, self.blocks = self, blocks
        def start(self):
            return self
        def fill(self, row):
            row.u64[:] = 2**64 - 1

    g.serve(Engine)
"""


@unittest.skipUnless(sys.platform == "linux", "it takes /proc")
class Weighed(TestCase):
    def test_dropped(self):
        child = self.adapter(HEAVY)
        child.ok("weigh", drop=True)
        base = resident(child.process)
        for _ in range(2):
            child.ok("compile", kind="regex", text="")
            self.assertGreater(resident(child.process), base + 90)
            child.ok("weigh")
            self.assertGreater(resident(child.process), base + 90)
            child.ok("weigh", drop=True)
            self.assertLess(resident(child.process), base + 150)  # not twice as large
        self.assertFails(child.walk([0, EOS])[0], "crash", "no engine is compiled")


# An adapter that looks at the garbage collector in the first mask after stats.
LOOK = """
    import gc
    import gcdbench_engine as g

    def collections():
        return sum(s["collections"] for s in gc.get_stats())

    class Engine(g.Engine):
        name, version, licence = "look", "1", "none"
        takes = ["regex"]
        def compile(self, kind, text, options):
            return Grammar()

    class Grammar:
        before, found = None, {}
        def start(self):
            return self
        def fill(self, row):
            row.u64[:] = 2**64 - 1
            if self.before is not None:
                self.found = {
                    "collected": collections() - self.before,
                    "young": len(gc.get_objects()),
                    "frozen": gc.get_freeze_count(),
                }
                self.before = None
        def commit(self, token):
            pass
        def stats(self):
            self.before = collections()
            return self.found

    g.serve(Engine)
"""

# An adapter that counts collections within compile.
COLLECTIONS = """
    import gc
    import gcdbench_engine as g

    class Engine(g.Engine):
        name, version, licence = "collections", "1", "none"
        takes = ["regex", "json-schema"]
        def compile(self, kind, text, options):
            before = sum(s["collections"] for s in gc.get_stats())
            exec(text[len("compile:"):])
            return Grammar(sum(s["collections"] for s in gc.get_stats()) - before)

    class Grammar:
        def __init__(self, count):
            self.count = count
        def start(self):
            return self
        def fill(self, row):
            row.u64[:] = 2**64 - 1
        def stats(self):
            return {"collections": self.count, "nobody knows": float("nan")}

    g.serve(Engine)
"""

# An adapter whose grammars are large and refer to themselves.
CYCLES = """
    import weakref
    import gcdbench_engine as g

    alive = weakref.WeakSet()

    class Engine(g.Engine):
        name, version, licence = "cycles", "1", "none"
        takes = ["regex"]
        def compile(self, kind, text, options):
            return Grammar()

    class Grammar:
        def __init__(self):
            self.me, self.text = self, [str(i) + "x" for i in range(20_000)]
            alive.add(self)
        def start(self):
            return self
        def fill(self, row):
            row.u64[:] = 2**64 - 1
        def stats(self):
            return {"alive": len(alive)}

    g.serve(Engine)
"""


class LogitsTouched(TestCase):
    def test_apply(self):
        script = """
            import tracemalloc
            import numpy as np
            import gcdbench_engine as g

            for size in (10, 8_192, 20_001, 128_256):
                memory = np.random.default_rng(size).integers(0, 256, (size + 63) // 64 * 8)
                row = g.Row(memory.astype(np.uint8), size)
                row.trim()
                logits = g.Logits(size)
                logits.apply(row)
                bits = np.unpackbits(row.memory, bitorder="little").astype(bool)
                assert (np.isneginf(logits.values) == ~bits).all(), size
                tracemalloc.start()
                logits.apply(row)
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
                assert peak < 4 * g.CHUNK, (size, peak)
        """
        command = [sys.executable, "-B", "-c", textwrap.dedent(script)]
        found = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stderr)


class Measured(TestCase):
    def test_declared(self):
        child = self.adapter("""
            import example, gcdbench_engine as g

            class Engine(example.Engine):
                differs = ["convention/spaces"]

            g.serve(Engine)
            """)
        self.assertEqual(child.ok("hello")["differs"], ["convention/spaces"])
        self.assertEqual(self.example("a").ok("hello")["differs"], [])

    def test_capabilities(self):
        child = self.example("a(b|bc)*")
        self.assertEqual(child.ok("hello")["can"], ["clone", "rollback", "draft"])
        document = [0, 1, 1, 4, EOS]
        for what, k, n, accepted in [("clone", 1, 5, 0), ("rollback", 2, 3, 0), ("draft", 2, 4, 8)]:
            answer, times = child.measure(what, document, k)
            self.assertEqual((answer["n"], answer["accepted"]), (n, accepted), what)
            self.assertTrue((times[:n] > 0).all(), what)
        self.assertFails(
            child.measure("batch", document, 2)[0], "unsupported", "example has no batch"
        )

    def test_wrong_document(self):
        child = self.example("abc")
        self.assertEqual(child.measure("draft", [3, 2, EOS], 3)[0]["accepted"], 3)
        self.assertFails(
            child.measure("clone", [0, 0, EOS], 1)[0], "crash", "refuses token 0 at position 1"
        )

    def test_rollback_that_does_nothing(self):
        child = self.adapter("""
            import example, gcdbench_engine as g

            class Engine(example.Engine):
                can = ["rollback"]

            example.Generation.rollback = lambda self, k: None
            g.serve(Engine)
            """)
        child.ok("compile", kind="regex", text="abc")
        self.assertFails(
            child.measure("rollback", [0, 4, EOS], 1)[0], "crash", "refuses token 0 at position 0"
        )

    def test_batch(self):
        child = self.adapter("""
            import example, gcdbench_engine as g

            class Engine(example.Engine):
                def compile(self, *args):
                    grammar = super().compile(*args)
                    return Grammar(grammar.engine, grammar.automaton)
                def fill_batch(self, generations, rows):
                    assert rows.words.shape == (len(generations), 1) and rows.bytes == 4
                    Grammar.filled.append([len(g.history) - 1 for g in generations])

            class Grammar(example.Grammar):
                filled = []
                def stats(self):
                    return {str(places): 1 for places in self.filled}

            g.serve(Engine)
            """)
        child.ok("compile", kind="regex", text="ab*")
        answer, times = child.measure("batch", [0, 1, 1, 1, 1, EOS], 3)
        self.assertEqual((answer["n"], answer["accepted"]), (2, 0))
        self.assertTrue((times[:2] > 0).all())
        places = [counter["name"] for counter in child.ok("stats")["counters"]]
        self.assertEqual(places, ["[0, 2, 4]", "[1, 3, 5]"])


class Batches(TestCase):
    """Generations of two grammars that advance together; tokens 0 to 2 are a, b, c, and 3 is ab."""

    def test_one_after_the_other(self):
        self.advance(self.example("ab*"))

    def test_on_two_threads(self):
        child = self.adapter("""
            import example, gcdbench_engine as g

            calls = {"fills": 0, "commits": 0, "threads": 0}

            class Engine(example.Engine):
                def fill_batch(self, generations, rows):
                    calls["fills"] += 1
                    calls["threads"] = self.threads
                    for generation, memory in zip(generations, rows.memory):
                        row = g.Row(g.np.zeros(8, g.np.uint8), rows.size)
                        generation.fill(row)
                        memory[:] = row.memory[: rows.bytes]
                def commit_batch(self, generations, tokens):
                    calls["commits"] += 1
                    return [h.commit(t) for h, t in zip(generations, tokens)]
                def compile(self, *args):
                    grammar = super().compile(*args)
                    grammar.stats = lambda: calls
                    return grammar

            g.serve(Engine)
            """)
        child.ok("compile", kind="regex", text="ab*")
        self.advance(child, threads=2)
        figures = {c["name"]: c["value"] for c in child.ok("stats")["counters"]}
        self.assertEqual((figures["fills"], figures["commits"]), (6, 5))
        self.assertEqual(figures["threads"], 2)

    def advance(self, child, threads=1):
        self.assertEqual(child.hold(0, first=True)["steps"], 0)
        answer, masks, times = child.batch([[-1, -2]], threads=threads)
        self.assertEqual(masks, [[{0, 3}, set()]], answer)
        child.ok("compile", kind="regex", text="c")
        child.hold(1)
        answer, masks, times = child.batch([[0, -1], [1, 2], [1, -2]], threads=threads)
        self.assertEqual(answer["steps"], 3, answer)
        self.assertEqual(masks[0], [{1, EOS}, {2}])
        self.assertEqual(masks[1], [{1, EOS}, {EOS}])
        self.assertEqual(masks[2], [{1, EOS}, set()])
        self.assertTrue((times > 0).all())
        answer, _, times = child.batch([[1, -2], [2, -2], [1, -2]], threads=threads)
        self.assertEqual((answer["steps"], answer["refused"]), (1, 0))
        self.assertEqual((times > 0).tolist(), [True, False, False])

    def test_what_cannot_be(self):
        child = self.example("a")
        child.hold(0, first=True)
        self.assertFails(child.batch([[0]])[0], "crash", "slot 0 has nothing")
        self.assertFails(child.batch([[-1, -1]])[0], "crash", "slot 1 has nothing")
        self.assertFails(child.batch([[-1]], threads=2)[0], "unsupported", "several threads")


class Loads(TestCase):
    """Requests under load: what must come out whatever the machine's mood."""

    SETTINGS = {
        "batch": 2,
        "masks": "overlapped",
        "compile_threads": 1,
        "mask_threads": 1,
        "cache_bytes": 1 << 20,
        "compile_timeout_ns": 0,
        "yield_after_ns": 0,
        "warm": True,
        "streams": 0,
        "prefill_ns": 0,
        "prompt": 0,
        "step_tokens": 2048,
        "slack_ns": [0, 0],
        "step_ns": [1e6, 1e6],
        "ttft_ns": 1 << 60,
        "itl_ns": 1 << 60,
        "warmup": 0,
        "enough_lost": 0,
        "end_ns": 60 << 30,
    }

    def serve(self, grammars, requests, child=None, **settings):
        if child is None:
            child = self.child("example.py")
            child.set_up(TOKENS, [EOS])
        with tempfile.TemporaryDirectory() as folder:
            trace, out = os.path.join(folder, "trace"), os.path.join(folder, "out")
            with open(trace, "w") as f:
                for line in grammars + requests:
                    f.write(json.dumps(line) + "\n")
            given = dict(self.SETTINGS, needed=len(requests), **settings)
            child.ok("load", settings=given, trace=trace, out=out)
            with open(out) as f:
                return json.load(f)

    def test_outcomes(self):
        grammars = [
            {"kind": "regex", "text": "ab*", "options": {}},
            {"kind": "regex", "text": "a{2}", "options": {}},
            {"kind": "", "text": "", "unsupported": "not in its dialect"},
        ]
        documents = [(0, [0, 1, EOS]), (0, [0, 2, EOS]), (1, [0, EOS]), (2, [0, EOS]), (0, [0, EOS])]
        requests = [{"at_ns": 0, "grammar": g, "tokens": t} for g, t in documents]
        ledger = self.serve(grammars, requests)
        fates = ledger["requests"]
        found = [fate["outcome"] for fate in fates]
        self.assertEqual(found, ["ok", "refused", "unsupported", "unsupported", "ok"])
        self.assertEqual([fate.get("tokens", 0) for fate in fates], [3, 1, 0, 0, 2])
        self.assertEqual(sum(live for _, live, *_ in ledger["steps"]), 3 + 2 + 2)
        self.assertTrue(all(live <= 2 for _, live, *_ in ledger["steps"]))
        for fate in fates:
            if fate["outcome"] == "ok":
                times = [fate[at] for at in ("arrived", "compiling", "compiled", "begun", "first", "last")]
                self.assertEqual(times, sorted(times))

    def test_one_at_a_time(self):
        grammars = [{"kind": "regex", "text": "ab*", "options": {}}]
        requests = [{"at_ns": 0, "grammar": 0, "tokens": [0, 1, EOS]}] * 4
        ledger = self.serve(grammars, requests, streams=1)
        self.assertEqual([fate["hit"] for fate in ledger["requests"]], [False, True, True, True])
        self.assertTrue(all(live == 1 for _, live, *_ in ledger["steps"]))

    def test_prompts(self):
        """A prompt of 10 tokens is read in two steps of 6, beside the generation itself."""
        grammars = [{"kind": "regex", "text": "ab*", "options": {}}]
        requests = [{"at_ns": 0, "grammar": 0, "tokens": [0, 1, EOS]}]
        ledger = self.serve(grammars, requests, prompt=10, step_tokens=6, prefill_ns=2e6)
        self.assertEqual([live for _, live, *_ in ledger["steps"]], [0, 1, 1, 1])
        self.assertEqual(ledger["requests"][0]["model"], 4_000_000)

    def test_let_pass(self):
        """A job that ends after those behind it keeps none waiting; as many as may go on so do."""
        for yield_ns, waits in ((1_000_000, 2), (1_000_000, 3), (0, 1)):
            last, passed, over = threading.Event(), [], threading.Semaphore(0)

            def do(number):
                if number < waits:
                    passed.append(last.wait(1))
                over.release()

            pool = load_loop.Pool(do, 1, yield_ns)
            pool.submit(*range(waits + 2))
            pool.wait()  # for all but those that are passed
            last.set()
            for _ in range(waits + 2):
                over.acquire()
            pool.close()
            self.assertEqual(all(passed), waits <= pool.SLOW and yield_ns > 0, (yield_ns, waits))

    def test_errors_of_one(self):
        """What is raised for a generation ends its request, and no other; also from a thread."""
        grammars = [{"kind": "regex", "text": text, "options": {}} for text in ("raise Panic('mask')", "pass")]
        requests = [{"at_ns": 0, "grammar": number, "tokens": [0, 1, EOS]} for number in (0, 1)]
        for yield_ns in (0, 10_000_000):
            ledger = self.serve(grammars, requests, self.adapter(FAULTY), yield_after_ns=yield_ns)
            self.assertEqual([(fate["outcome"], fate["detail"]) for fate in ledger["requests"]], [("mask-error", "mask"), ("ok", "")])

    def test_without_a_cache(self):
        grammars = [{"kind": "regex", "text": "ab*", "options": {}}]
        requests = [{"at_ns": 0, "grammar": 0, "tokens": [0, EOS]}] * 3
        ledger = self.serve(grammars, requests, streams=1, cache_bytes=0)
        self.assertFalse(any(fate["hit"] for fate in ledger["requests"]))
        self.assertEqual((ledger["evicted"], ledger["cache_peak"]), (3, 0))


class Failures(TestCase):
    def test_what_comes_before_a_compile_is_not_timed(self):
        answer = self.faulty("forget")[1]
        self.assertTrue(answer["ok"], answer)
        self.assertLess(answer["compile_ns"] + answer["first_mask_ns"], 100_000_000)
        answer = self.faulty("compile:time.sleep(0.2)")[1]
        self.assertGreater(answer["compile_ns"], 100_000_000)

    def test_compile(self):
        child = self.example("a")
        self.assertFails(child.do("compile", kind="regex", text="a)b"), "compile-error", "byte 1")
        self.assertFails(
            child.do("compile", kind="regex", text="a{2}"), "unsupported", "'{' at byte 1"
        )
        self.assertFails(
            child.do("compile", kind="lark", text=""), "unsupported", "takes regex, not lark"
        )
        answer = child.do("compile", kind="regex", text="a", options={"fast": "yes"})
        self.assertFails(answer, "compile-error", "unknown option fast; the options are: none")
        self.assertFails(child.walk([0, EOS])[0], "crash", "no engine is compiled")
        child.ok("compile", kind="regex", text="a")
        self.assertNotIn("refused", child.walk([0, EOS])[0])

    def test_options(self):
        child = self.child("known_engine.py")
        child.set_up(TOKENS, [EOS])
        for options, found in [({}, "0"), ({"wait_ns": "7"}, "7"), ({"wait_ns": ""}, "0")]:
            answer = child.ok("compile", kind="regex", text="", options=options)
            self.assertEqual(answer["options"], {"wait_ns": found, "compile_ns": "0"})

    def test_kinds(self):
        for text, outcome, error in [
            ("compile:raise MemoryError()", "out-of-memory", "MemoryError"),
            ("compile:raise ValueError('two\\nlines')", "compile-error", "two lines"),
            ("compile:raise g.Unsupported('lookahead')", "unsupported", "lookahead"),
            ("compile:raise Panic('overflow')", "crash", "overflow"),
        ]:
            self.assertFails(self.faulty(text)[1], outcome, error)
        for text, outcome, error in [
            ("raise MemoryError()", "out-of-memory", "MemoryError"),
            ("raise ValueError('no')", "crash", "no"),
            ("raise Panic('overflow')", "crash", "overflow"),
        ]:
            child, answer = self.faulty(text)
            self.assertTrue(answer["ok"])
            self.assertFails(child.walk([0, EOS])[0], outcome, error)
            self.assertFails(child.walk([0, EOS], timed=True)[0], outcome, error)
            self.assertTrue(child.ok("hello")["ok"])

    def test_row_that_is_left_alone(self):
        child, _ = self.faulty("idle")
        answer, rows = child.walk([0, EOS])
        self.assertEqual(tokens_of(rows[0]), {1, 3, 5, 7, 9})
        self.assertEqual((answer["refused"], answer["commit_takes"]), (0, True))

    def test_rows_further_apart(self):
        child = self.example("a(b|bc)*")
        close = child.walk([0, 1, EOS])[1].copy()
        child.memory[child.free :] = 0xFF
        far = child.walk([0, 1, EOS], stride=64)[1]
        self.assertTrue((far[:, : close.shape[1]] == close).all() and not far[:, 8:].any())
        answer, _ = child.walk([0, 1, EOS], stride=4)
        self.assertFails(answer, "crash", "no room for a row of 8 bytes")

    def test_bits_beyond_the_vocabulary(self):
        child, _ = self.faulty("pass")
        answer, rows = child.walk([0, EOS])
        self.assertEqual(tokens_of(rows[0]), set(range(len(TOKENS))))

    def test_commit_contradicts_mask(self):
        child, _ = self.faulty("pass")
        answer, _ = child.walk([0, 9, EOS])
        self.assertEqual((answer["refused"], answer["refused_by"]), (1, "commit"))

    def test_requests(self):
        child = self.child("example.py")
        self.assertFails(child.raw("what?"), "unsupported", "unknown request")
        self.assertFails(child.raw("[1]"), "unsupported", "unknown request")
        self.assertFails(child.do("area"), "unsupported", "unknown request 'area'")
        self.assertFails(
            child.do("compile", kind="regex", text="a"), "crash", "compile before vocabulary"
        )
        self.assertFails(
            child.do("map", file="/nowhere/at/all", bytes=1), "crash", "/nowhere/at/all"
        )
        self.assertFails(child.do("map", file=child.file.name, bytes=2**40), "crash", "")
        child.set_up(TOKENS, [EOS])
        child.ok("compile", kind="regex", text="a")
        far = {"at": 2**40, "n": 1}
        self.assertFails(
            child.do("walk", tokens=far, rows=far, stride=8), "crash", "not in the mapped file"
        )
        self.assertFails(
            child.do("begin", tokens={"at": 0, "n": 1}, row={"at": 0, "n": 4}), "crash", "no room"
        )

    def test_stdout_is_the_protocol_alone(self):
        child, answer = self.faulty("os.system('echo noise in fill')")
        self.assertTrue(answer["ok"])
        self.assertTrue(child.walk([0, EOS])[0]["ok"])
        self.assertEqual(child.close(), 0)
        for noise in ("at the start", "in compile", "in fill"):
            self.assertIn("noise " + noise, child.stderr)

    def test_end(self):
        self.assertEqual(self.child("example.py").close(), 0)
        child = self.child("example.py")
        child.ok("bye")
        self.assertEqual(child.process.wait(10), 0)


class Hello(TestCase):
    def test_fields(self):
        answer = self.child("example.py").ok("hello", protocol=1)
        self.assertEqual(
            (answer["protocol"], answer["name"], answer["takes"]), (2, "example", ["regex"])
        )
        self.assertEqual(answer["call_empty_ns"], 0)
        self.assertTrue(10 < answer["clock_empty_ns"] < 5_000, answer)
        self.assertTrue(10 < answer["clock_pair_ns"] < 5_000, answer)


if __name__ == "__main__":
    unittest.main()
