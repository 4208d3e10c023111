"""The Python side of gcdbench's protocol for engines from outside.

An engine is a program that says, for each step of a generation, which tokens keep the text inside
a grammar. gcdbench runs it as a child process. Requests come as JSON, one object a line, on
stdin; one answer each goes to stdout. What is large (vocabulary, documents, masks, times) lies in
a file that both sides map into memory. docs/engines.md describes the protocol; this file speaks
it, so that an adapter is three small classes:

    import gcdbench_engine as g            # before the engine's own package: see stdout below
    import myengine

    class Engine(g.Engine):
        name, version, licence = "myengine", myengine.__version__, "MIT"
        takes = ["json-schema", "regex"]   # the kinds of grammar that compile reads

        def vocabulary(self, v):           # v.size, v.eos, v.tokens, v.name, v.tokenizer
            self.tokens = v.tokens

        def compile(self, kind, text, options):
            return Grammar(...)            # g.Unsupported for a feature that the engine lacks

    class Grammar:                         # one compiled grammar
        def start(self):
            return Generation(...)

    class Generation:                      # one text that is being generated
        def fill(self, row): ...           # all |V| bits of the next mask into row (a Row)
        def commit(self, token): ...       # appends a token; False: it was refused

    if __name__ == "__main__":
        g.serve(Engine)

Optional attributes of Engine: semantics (what the masks enforce, if other engines enforce the
same), build, differs (ids of cases of `gcdbench engines check` that the engine decides otherwise on
purpose), and options, a dictionary of option names to defaults. Values are strings; compile gets all
options, and a request with another name is refused.

Optional methods are offered where an adapter has them: Generation.clone() returns a second
generation at the same place; Generation.rollback(k) takes the last k tokens back;
Generation.draft(tokens) returns how many of the tokens could be committed one after another, and
leaves the generation where it was; Grammar.stats() returns a dictionary of figures (name to number, or to
(number, unit)); Grammar.bytes is the memory of the engine. Of the engine, for batches of
generations, which may be of several grammars: Engine.fill_batch(generations, rows) fills a row
for each generation in one call, rows being a Row of two dimensions, of which the first
len(generations) rows are filled; Engine.commit_batch(generations, tokens) commits a token to each
and returns what commit would, as a list. Both use up to Engine.threads threads, which is set before.
On one thread a batch is a loop over its generations, and so it is for an engine without these.

EOS is a token like any other: its bit is set where the text may end, and commit(EOS) ends the
text. An engine that only has "finished" gets the bit from its adapter.

What is timed is a call of fill and a call of commit, nothing else: the loop around them reads the
clock, tests the oracle token's bit and applies the mask to logits outside of the times. So an
adapter should do in fill what a server has to do at each step, and what can be done once per row
(a tensor over the row's memory, say) in Engine.prepare.

stdout belongs to the protocol. Importing this file moves it away: whatever prints, in Python or
in C, prints to stderr. The number of threads is set to one for the usual libraries, since all
engines are compared on one thread.
"""

import os

for _name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import gc
import itertools
import json
import math
import mmap
import platform
import sys
import traceback
from time import perf_counter_ns, sleep, thread_time_ns

import numpy as np

PROTOCOL = 2

# The protocol's own copies of stdin and stdout. From here on, descriptor 0 is an empty input and
# descriptor 1 is stderr; programs that the engine starts inherit those.
_requests = os.fdopen(os.dup(0), "r", encoding="utf-8", errors="replace")
_answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
_nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(_nothing, 0)
os.close(_nothing)

MAX_NS = 2**32 - 1  # the longest time that is written, 4.29 s
SUSPECT_NS = 20_000  # a step this long may have been interrupted: processor time is looked at
DISTURBED_NS = 3_000  # by how much processor time falls behind the clock in a disturbed step
CHUNK = 8_192  # how many logits a mask is applied to at a time
ASLEEP = 1e-4  # s between two steps of several threads, which sleep while a model computes
PATIENCE = 1_000_000  # how many objects a compile of a schema may make before garbage is collected
OPTIONAL = {"clone": "clone", "rollback": "rollback", "draft": "draft", "batch": "fill_batch"}


class Unsupported(Exception):
    """A grammar needs a feature that the engine does not have; the message names the feature."""


class Failure(Exception):
    """An answer that is not ok: one of the protocol's outcomes, and a text."""

    def __init__(self, outcome, text):
        super().__init__(text)
        self.outcome = outcome


class Engine:
    """What an adapter derives its engine from; the attributes are what hello answers."""

    name, version, licence = "", "", ""
    build = "Python " + platform.python_version()
    takes = []
    semantics = ""  # the name of the language that masks enforce; the engine's name if empty
    options = {}  # option names to default values, both strings; compile gets all of them
    can = None  # optional capabilities; None: those with a method in a class of the adapter's file
    differs = []  # ids of cases of `gcdbench engines check` that the engine decides otherwise on purpose
    threads = 1  # that fill_batch and commit_batch may use

    def vocabulary(self, v):
        """Takes a Vocabulary; called before compile, and again for another one."""

    def before_compile(self, kind, text):
        """Called untimed before each compile, when the grammar before is gone.

        An engine that keeps things by itself drops here what a server would drop with a grammar,
        and what would answer this compile without doing its work.
        """

    def compile(self, kind, text, options):
        """Returns a Grammar for a text of one of the kinds in takes."""
        raise Unsupported("grammars of kind " + kind)

    def prepare(self, row):
        """Returns what fill and fill_batch are handed for a Row; called once a row, untimed."""
        return row

    def empty_call(self):
        """Returns a function of the engine's binding that does nothing, or None."""


class Vocabulary:
    """A vocabulary: tokens[i] are the bytes of token i.

    Empty bytes are a token that is never legal (special, added or padding), unless it is in eos.
    tokenizer is the path of a tokenizer.json, "" if there is none.
    """

    def __init__(self, name, size, eos, tokens, tokenizer):
        self.name, self.size, self.eos = name, size, eos
        self.tokens, self.tokenizer = tokens, tokenizer


class Row:
    """The caller's memory for one mask; of a batch, for a mask each, one behind the other.

    Token i is bit i%8 of byte i//8. fill must overwrite the bits of all tokens; bits beyond the
    last token do not matter. words is the mask as numpy.uint32 (of a batch, an array with one mask
    in each row), pointer its address, bytes the length of one mask. A single row is padded to 64
    bits: u64 is the mask as numpy.uint64. memory is all of it as numpy.uint8, padding included.
    """

    def __init__(self, memory, size):
        self.memory, self.size, self.bytes = memory, size, 4 * ((size + 31) // 32)
        self.words = memory.view(np.uint32)
        if memory.ndim == 1:
            self.words = self.words[: self.bytes // 4]
            self.u64 = memory.view(np.uint64)[: (size + 63) // 64]
        self.pointer = memory.ctypes.data

    def dirty(self):
        """Sets bits that no mask has, so that a fill that leaves some alone is found out."""
        self.memory[:] = 0xAA

    def trim(self):
        """Clears the bits beyond the last token."""
        whole, rest = divmod(self.size, 8)
        self.memory[whole + (rest > 0) :] = 0
        if rest:
            self.memory[whole] &= (1 << rest) - 1

    def has(self, token):
        return self.memory[token >> 3] >> (token & 7) & 1


class Logits:
    """A row of logits, one for each bit of a Row, that masks are applied to as a sampler does it.

    What passes through the caches is the row and 4 bytes for each token, as in gcdbench's own
    walks. So bits are unpacked a chunk at a time, into memory that stays in the nearest cache.
    """

    def __init__(self, size):
        self.values = np.zeros((size + 63) // 64 * 64, np.float32)
        self.parts = [
            (slice(at // 8, (at + CHUNK) // 8), self.values[at : at + CHUNK])
            for at in range(0, len(self.values), CHUNK)
        ]
        self.lines = self.values[::16]  # one in each cache line of 64 bytes
        self.clear, self.minus = np.zeros(CHUNK // 8, np.uint8), np.float32(-np.inf)

    def apply(self, row):
        memory = row.memory
        for where, logits in self.parts:
            part = memory[where]
            clear = np.invert(part, out=self.clear[: len(part)])
            clear = np.unpackbits(clear, bitorder="little").view(np.bool_)
            np.copyto(logits, self.minus, where=clear)
        return self.lines.max()  # all lines are read


class Load:
    """Watches the processor time of the thread beside the clock.

    Reading it is a system call, which slows down what runs after it. So it is read only after a
    step that took long enough to have been interrupted. What the clock says beyond processor time
    since the last reading is that step's, unless the time between two steps was unusually long in
    the meantime: then nobody knows whose it was, and it is not counted.
    """

    def __init__(self):
        self.count = self.stolen = 0
        self.end = self.unknown = 0
        self.shortest = sys.maxsize
        self.wall, self.cpu = perf_counter_ns(), thread_time_ns()

    def between(self, begin):
        """Looks at the time since the last step."""
        took = begin - self.end
        if self.end:
            self.shortest = min(self.shortest, took)
            self.unknown |= took > max(SUSPECT_NS, 4 * self.shortest)

    def step(self, begin, end):
        """Looks at a step."""
        self.end = end
        if end - begin < SUSPECT_NS:
            return
        cpu, wall = thread_time_ns(), perf_counter_ns()
        lost = (wall - self.wall) - (cpu - self.cpu)
        if lost >= DISTURBED_NS and not self.unknown:
            self.count += 1
            self.stolen += min(lost, end - begin)
        self.wall, self.cpu, self.end, self.unknown = wall, cpu, perf_counter_ns(), 0


def collect():
    """Collects garbage where Python would; called outside of times, with the collector off."""
    counts, limits = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if limits[0] and counts[generation] > limits[generation]:
            gc.collect(generation)
            return


def finite(figure):
    """Whether a figure is a number that JSON has."""
    return isinstance(figure, (bool, int)) or math.isfinite(figure)


def refuses(taken):
    """Whether what commit returned means that the token was refused."""
    return not taken and taken is not None


def per_call(f, rounds=100, calls=1000):
    """Returns the ns of a call of f; of the rounds, the slower half does not count."""

    def once(loop):
        begin = perf_counter_ns()
        loop()
        return perf_counter_ns() - begin

    def calling():
        for _ in range(calls):
            f()

    def looping():
        for _ in range(calls):
            pass

    def half(loop):
        return sum(sorted(once(loop) for _ in range(rounds))[: rounds // 2]) / (rounds // 2)

    return max(0.0, (half(calling) - half(looping)) / calls)


def empty_pair(rounds=100, pairs=1000):
    """Returns what a pair of reads around nothing shows, in ns, in the mean."""
    clock, sums = perf_counter_ns, []
    for _ in range(rounds):
        total = 0
        for _ in range(pairs):
            begin = clock()
            end = clock()
            total += end - begin
        sums.append(total)
    return sum(sorted(sums)[: rounds // 2]) / (rounds // 2) / pairs


class Walk:
    """One new generation through one document, and what the protocol answers about it."""

    def __init__(self, generation, tokens, positions=None, between=None):
        self.generation, self.tokens, self.between = generation, tokens, between
        self.asked = [positions is None] * len(tokens) + [False]
        for position in [] if positions is None else positions:
            self.asked[position] = True
        self.answer = {"masked": 0, "disturbed": 0, "stolen_ns": 0}

    def refused(self, position, by):
        self.answer.update(refused=position, refused_by=by)

    def prove(self, row_at, prepare):
        """Leaves the mask of each position that is asked for in its row; nothing is timed."""
        commit, fill = self.generation.commit, self.generation.fill
        for position, token in enumerate(self.tokens):
            if self.asked[position]:
                row = row_at(self.answer["masked"])
                row.dirty()
                fill(prepare(row))
                row.trim()
                self.answer["masked"] += 1
                if not row.has(token):
                    self.answer["commit_takes"] = not refuses(commit(token))
                    return self.refused(position, "mask")
            if refuses(commit(token)):
                return self.refused(position, "commit")

    def time(self, row, handed):
        """Returns mask, commit and step time of each position that is asked for, as measured."""
        clock, commit, fill = perf_counter_ns, self.generation.commit, self.generation.fill
        tokens, last, times, load = self.tokens, len(self.tokens), [], Load()
        before = False  # whether the position before was asked for
        for position in range(last + 1):
            here, taken = self.asked[position], None
            if not here and (position == 0 or position == last and not before):
                continue
            token = tokens[position - 1]
            load.between(clock())
            if not here:
                begin = clock()
                taken = commit(token)
                mid = end = clock()
            elif position > 0:
                begin = clock()
                taken = commit(token)
                mid = clock()
                fill(handed)
                end = clock()
            else:
                begin = clock()
                mid = clock()
                fill(handed)
                end = clock()
            if refuses(taken):
                self.refused(position - 1, "commit")
                break
            if before:
                times[-1][1] = mid - begin
            before = here
            if here:
                load.step(begin, end)
                times.append([end - mid, 0, end - begin])
                if not row.has(tokens[position]):
                    self.refused(position, "mask")
                    break
                self.between(row)
        self.answer.update(masked=len(times), disturbed=load.count, stolen_ns=load.stolen)
        return [ns for entry in times for ns in entry]

    def time_blocks(self, handed, size):
        """Returns the time of each block of size consecutive steps, as measured."""
        clock, commit, fill = perf_counter_ns, self.generation.commit, self.generation.fill
        times, last = [], len(self.tokens)
        for first in range(0, last, size):
            before = max(0, first - 1)
            tokens = self.tokens[before : min(first + size, last) - 1]
            begin = clock()
            if first == 0:
                fill(handed)
            for position, token in enumerate(tokens, before):
                taken = commit(token)
                if not taken and taken is not None:
                    self.refused(position, "commit")
                    return times
                fill(handed)
            times.append(clock() - begin)
            self.answer["masked"] = min(first + size, last)
            collect()
        return times


class Measurement:
    """The times of an optional capability along one document."""

    def __init__(self, grammar, tokens, k):
        self.grammar, self.tokens, self.k = grammar, tokens, k
        self.times, self.accepted = [], 0

    def along(self, once, handed):
        """Calls once at each position; the masks of a decoder are made, too, and not timed."""
        generation = self.grammar.start()
        for position, token in enumerate(self.tokens):
            collect()
            generation.fill(handed)
            once(generation, position)
            self.commit(generation, position, token)

    def commit(self, generation, position, token):
        if refuses(generation.commit(token)):
            raise Failure("crash", f"commit refuses token {token} at position {position}")

    def clone(self, generation, position):
        begin = perf_counter_ns()
        twin = generation.clone()
        self.times.append(perf_counter_ns() - begin)
        del twin

    def rollback(self, generation, position):
        if position < self.k:
            return
        begin = perf_counter_ns()
        generation.rollback(self.k)
        self.times.append(perf_counter_ns() - begin)
        for back in range(position - self.k, position):
            self.commit(generation, back, self.tokens[back])

    def draft(self, generation, position):
        tokens = self.tokens[position : position + self.k]
        if len(tokens) < self.k:
            return
        begin = perf_counter_ns()
        self.accepted += generation.draft(tokens)
        self.times.append(perf_counter_ns() - begin)

    def batch(self, handed, fill_batch):
        """Times k generations that stand at k places of the document, evenly apart."""
        starts = [len(self.tokens) * i // self.k for i in range(self.k)]
        generations = [self.grammar.start() for _ in starts]
        for generation, start in zip(generations, starts):
            for position, token in enumerate(self.tokens[:start]):
                self.commit(generation, position, token)
        for step in range(len(self.tokens) // self.k):
            collect()
            begin = perf_counter_ns()
            fill_batch(generations, handed)
            self.times.append(perf_counter_ns() - begin)
            for generation, start in zip(generations, starts):
                self.commit(generation, start + step, self.tokens[start + step])


class Batch:
    """Generations that advance together, each in a slot that holds its grammar."""

    BEGINS, EMPTY = -1, -2  # what a slot does that commits no token

    def __init__(self, engine, size):
        self.engine, self.size = engine, size
        self.grammars, self.generations = {}, {}  # by slot
        self.rows, self.load = None, Load()

    def room(self, width):
        """Makes the rows, of which the first are filled for the slots that are not empty.

        On one thread a batch is a loop: the calls for a batch hand it to a pool of threads, and a
        pool of one takes up to four times as long as the loop (llguidance 1.9.1, xgrammar 0.2.8).
        """
        engine, prepare = self.engine, self.engine.prepare
        if engine.threads > 1:
            self.rows = np.zeros((width, (self.size + 31) // 32 * 4), np.uint8)
            self.fill, self.handed = engine.fill_batch, prepare(Row(self.rows, self.size))
            self.commit = getattr(engine, "commit_batch", commit_each)
        else:
            self.rows = np.zeros((width, (self.size + 63) // 64 * 8), np.uint8)
            self.handed = [prepare(Row(row, self.size)) for row in self.rows]
            self.fill, self.commit = fill_each, commit_each

    def stolen(self):
        return self.load.stolen if self.engine.threads == 1 else 0

    def step(self, tokens):
        """Makes a step, with a token for each slot.

        Returns the time, the slots that are not empty in the order of the rows, and the slot that
        refused its token, None if none did.
        """
        for slot, token in enumerate(tokens):
            if token == self.EMPTY:
                self.grammars.pop(slot, None)
            elif slot not in (self.grammars if token == self.BEGINS else self.generations):
                raise Failure("crash", f"slot {slot} has nothing that could take a step")
            if token < 0:
                self.generations.pop(slot, None)
        live = [slot for slot, token in enumerate(tokens) if token != self.EMPTY]
        group = [self.generations.get(slot) for slot in live]
        starts = [(i, self.grammars[slot]) for i, slot in enumerate(live) if group[i] is None]
        moving = [generation for generation in group if generation is not None]
        committed = [tokens[slot] for slot, generation in zip(live, group) if generation is not None]
        clock, commit, fill, handed, taken = perf_counter_ns, self.commit, self.fill, self.handed, []
        if self.engine.threads > 1:
            sleep(ASLEEP)
        self.load.between(clock())
        begin = clock()
        for i, grammar in starts:
            group[i] = grammar.start()
        if moving:
            taken = commit(moving, committed)
        fill(group, handed)
        end = clock()
        self.load.step(begin, end)
        self.generations.update(zip(live, group))
        moved = [slot for slot in live if tokens[slot] >= 0]
        no = [slot for slot, took in zip(moved, taken) if refuses(took)]
        return end - begin, live, no[0] if no else None


def commit_each(generations, tokens):
    """Commits a token to each generation, as Engine.commit_batch does, one after the other."""
    return [generation.commit(token) for generation, token in zip(generations, tokens)]


def fill_each(generations, rows):
    """Fills a row for each generation, one after the other."""
    for generation, row in zip(generations, rows):
        generation.fill(row)


class Server:
    """Answers requests: for each value of "do" a method of that name."""

    def __init__(self, engine):
        self.engine, self.grammar, self.generation = engine, None, None
        self.memory, self.size, self.logits, self.compiled = None, None, None, 0
        self.slots = None  # the Batch
        self.settled = 0  # how much there was after the last whole collection

    # What is in the mapped file.

    def area(self, area, kind):
        """Returns the numpy view of an area of the file."""
        length = area["n"] * np.dtype(kind).itemsize
        if self.memory is None or not 0 <= area["at"] <= area["at"] + length <= len(self.memory):
            raise Failure("crash", f"the area {area} is not in the mapped file")
        return self.memory[area["at"] : area["at"] + length].view(kind)

    def tokens(self, request):
        return self.area(request["tokens"], np.int32).tolist()

    def row(self, memory, length=0):
        """Returns a Row at the beginning of memory, of a length in bytes or the shortest one."""
        shortest = (self.size + 63) // 64 * 8
        part = memory[: length or shortest]
        if len(part) < max(length, shortest):
            raise Failure("crash", f"no room for a row of {max(length, shortest)} bytes")
        return Row(part, self.size)

    def scratch(self):
        """Returns a Row of memory that gcdbench does not look at."""
        return Row(np.zeros((self.size + 63) // 64 * 8, np.uint8), self.size)

    def write(self, request, times):
        """Writes times into the area of the request; returns how many."""
        area = self.area(request["times"], np.uint32)
        if len(times) > len(area):
            raise Failure("crash", f"{len(times)} times, room for {len(area)}")
        area[: len(times)] = [min(ns, MAX_NS) for ns in times]
        return len(times)

    # The requests.

    def hello(self, request):
        engine = self.engine
        empty = engine.empty_call()
        return {
            "protocol": PROTOCOL,
            "name": engine.name,
            "version": engine.version,
            "build": engine.build,
            "licence": engine.licence,
            "takes": engine.takes,
            "semantics": engine.semantics or engine.name,
            "can": self.can(),
            "differs": getattr(engine, "differs", []),
            "clock_pair_ns": 2 * per_call(perf_counter_ns),
            "clock_empty_ns": empty_pair(),
            "call_empty_ns": per_call(empty) if empty else 0,
        }

    def can(self):
        """Returns the names of the engine's optional capabilities."""
        if self.engine.can is not None:
            return self.engine.can
        adapter = type(self.engine).__module__
        members = vars(sys.modules[adapter]).values()
        classes = [c for c in members if isinstance(c, type) and c.__module__ == adapter]
        return [
            name for name, method in OPTIONAL.items() if any(hasattr(c, method) for c in classes)
        ]

    def map(self, request):
        with open(request["file"], "r+b") as f:
            self.memory = np.frombuffer(mmap.mmap(f.fileno(), request["bytes"]), np.uint8)
        return {}

    def vocabulary(self, request):
        text = self.area(request["text"], np.uint8).tobytes()
        ends = self.area(request["ends"], np.uint64).tolist()
        if len(ends) != request["size"]:
            raise Failure("crash", f"{len(ends)} ends for {request['size']} tokens")
        tokens = [text[begin:end] for begin, end in zip([0] + ends, ends)]
        tokenizer = request.get("tokenizer", "")
        v = Vocabulary(request["name"], len(ends), request["eos"], tokens, tokenizer)
        self.eos = v.eos
        self.grammar = self.generation = self.slots = None
        self.size, self.logits = v.size, Logits(v.size)
        begin = perf_counter_ns()
        self.engine.vocabulary(v)
        ns = perf_counter_ns() - begin
        self.collect_all()
        return {"ns": ns}

    # Garbage. What has outlived a collection is frozen: no later one looks at it, since one that
    # goes through the whole heap just before a time would leave nothing else in the caches.

    def collect_all(self):
        """Collects all garbage there is; what is left is frozen."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self.settled = sys.getallocatedblocks()

    def drop(self):
        """Lets go of the grammar.

        Whole collections come when they would in Python: when what was added is a quarter of what
        there was. Without cycles a grammar is gone before.
        """
        self.grammar = self.generation = None
        if sys.getallocatedblocks() > self.settled * 5 // 4:
            self.collect_all()

    def weigh(self, request):
        """Collects garbage, for who looks at the size of the process."""
        if request.get("drop"):
            self.grammar = self.generation = self.slots = None
        self.collect_all()
        return {}

    def compile(self, request):
        if self.size is None:
            raise Failure("crash", "compile before vocabulary")
        kind = request["kind"]
        if kind not in self.engine.takes:
            raise Unsupported(
                f"{self.engine.name} takes {', '.join(self.engine.takes)}, not {kind}"
            )
        options = dict(self.engine.options)
        for name, value in (request.get("options") or {}).items():
            if name not in options:
                known = ", ".join(options) or "none"
                raise Failure("compile-error", f"unknown option {name}; the options are: {known}")
            options[name] = value or options[name]
        self.drop()
        handed = self.engine.prepare(self.scratch())
        self.engine.before_compile(kind, request["text"])
        usual = gc.get_threshold()
        if kind == "json-schema":  # a collection can take as long as the compile
            gc.set_threshold(PATIENCE, *usual[1:])
        try:
            begin = perf_counter_ns()
            grammar = self.engine.compile(kind, request["text"], options)
            mid = perf_counter_ns()
            grammar.start().fill(handed)
            end = perf_counter_ns()
        finally:
            gc.set_threshold(*usual)
        self.grammar = grammar
        gc.freeze()  # and nothing is collected: the first mask of a walk comes next
        self.compiled += 1
        answer = {"engine": self.compiled, "compile_ns": mid - begin, "first_mask_ns": end - mid}
        return dict(answer, options=options, **self.stats(request))

    def live(self):
        if self.grammar is None:
            raise Failure("crash", "no engine is compiled")
        return self.grammar

    def walk(self, request):
        positions = request.get("masked") and self.area(request["masked"], np.uint32).tolist()
        memory = self.area(request["rows"], np.uint8)
        between = self.apply if request.get("logits") else self.nothing
        generation = self.live().start()
        walk = Walk(generation, self.tokens(request), positions, between)
        if not request.get("times"):
            stride = request["stride"]
            walk.prove(lambda i: self.row(memory[i * stride :], stride), self.engine.prepare)
            return walk.answer
        row = self.row(memory, request["stride"])
        handed = self.engine.prepare(row)
        walk.between = self.copying(memory, request["stride"], between)
        if request.get("block"):
            self.write(request, walk.time_blocks(handed, request["block"]))
        else:
            self.write(request, walk.time(row, handed))
        return walk.answer

    def copying(self, memory, stride, between):
        """Returns what is done between two steps: the mask is copied to the rows behind the first."""
        copies = memory[stride : len(memory) // stride * stride].reshape(-1, stride)
        if not len(copies):
            return between
        turn = itertools.cycle(copies)

        def copy(row):
            next(turn)[:] = row.memory
            between(row)

        return copy

    def apply(self, row):
        collect()
        self.logits.apply(row)

    def nothing(self, row):
        collect()

    def begin(self, request):
        tokens, row = self.tokens(request), self.row(self.area(request["row"], np.uint8))
        self.generation = self.live().start()
        for position, token in enumerate(tokens):
            if refuses(self.generation.commit(token)):
                self.generation = self.grammar.start()  # a refused commit may have broken the other
                for before in tokens[:position]:
                    self.generation.commit(before)
                return {"refused": position}
        return self.explored(row, tokens[-1:])

    def next(self, request):
        if self.generation is None:
            raise Failure("crash", "next without begin")
        row = self.row(self.area(request["row"], np.uint8))
        if refuses(self.generation.commit(request["token"])):
            self.generation = None
            return {"refused": True}
        return self.explored(row, [request["token"]])

    def explored(self, row, last):
        if last and last[0] in self.eos:  # some engines cannot be asked any more
            row.memory[:] = 0
            return {}
        row.dirty()
        self.generation.fill(self.engine.prepare(row))
        row.trim()
        return {}

    def measure(self, request):
        what, k = request["what"], max(1, request.get("k", 1))
        if what not in self.can():
            raise Unsupported(f"{self.engine.name} has no {what}")
        m = Measurement(self.live(), self.tokens(request), k)
        if what == "batch":
            rows = np.zeros((k, (self.size + 31) // 32 * 4), np.uint8)
            m.batch(self.engine.prepare(Row(rows, self.size)), self.engine.fill_batch)
        else:
            m.along(getattr(m, what), self.engine.prepare(self.scratch()))
        return {"n": self.write(request, m.times), "accepted": m.accepted}

    def batch(self, request):
        if request.get("first") or self.slots is None:
            self.slots = None
            self.slots = Batch(self.engine, self.size)
        slots, width = self.slots, request["width"]
        for slot in request.get("hold") or []:
            slots.grammars[slot] = self.live()
        times = self.area(request["times"], np.uint64)
        if not len(times):
            return {"steps": 0, "stolen_ns": 0}
        self.engine.threads = request["threads"]
        if self.engine.threads > 1 and not hasattr(self.engine, "fill_batch"):
            raise Unsupported(f"{self.engine.name} has no call that fills a batch on several threads")
        if slots.rows is None:
            slots.room(width)
        script = self.area(request["tokens"], np.int32).reshape(len(times), width).tolist()
        rows = self.area(request["rows"], np.uint8).reshape(len(times), width, request["stride"])
        slots.load = Load()
        for step, tokens in enumerate(script):
            collect()
            ns, live, refused = slots.step(tokens)
            if refused is not None:
                return {"steps": step, "refused": refused, "stolen_ns": slots.stolen()}
            times[step] = ns
            for row, slot in zip(slots.rows, live):
                out = rows[step, slot]
                out[: len(row)] = row
                Row(out, self.size).trim()
        return {"steps": len(script), "stolen_ns": slots.stolen()}

    def load(self, request):
        """Serves requests under load; see load_loop.py. Garbage is collected as in a server."""
        import load_loop

        if self.size is None:
            raise Failure("crash", "load before vocabulary")
        self.grammar = self.generation = self.slots = None
        self.collect_all()
        load_loop.serve(self.engine, self.size, request)
        return {}

    def stats(self, request):
        figures = self.grammar.stats() if hasattr(self.grammar, "stats") else {}
        counters = []
        for name, figure in figures.items():
            value, unit = figure if isinstance(figure, tuple) else (figure, "")
            if finite(value):  # an engine that does not know one says NaN, which JSON has not
                counters.append({"name": name, "value": value, "unit": unit})
        held = getattr(self.grammar, "bytes", 0)
        return {"bytes": int(held) if finite(held) else 0, "counters": counters}

    def bye(self, request):
        return {}


REQUESTS = "hello map vocabulary compile walk begin next measure batch load weigh stats bye".split()


def answer(server, request):
    """Returns the answer to a request; whatever goes wrong is an answer, too."""
    do = request.get("do") if isinstance(request, dict) else None
    timed = do in ("walk", "measure", "batch") and request.get("times")
    try:
        if do not in REQUESTS:
            raise Unsupported(f"unknown request {do!r}")
        if timed:  # garbage is collected outside of times only
            gc.disable()
        return dict(getattr(server, do)(request), ok=True)
    except (KeyboardInterrupt, SystemExit):
        raise
    except Failure as e:
        outcome, error = e.outcome, e
    except Unsupported as e:
        outcome, error = "unsupported", e
    except MemoryError as e:
        outcome, error = "out-of-memory", e
    except BaseException as e:  # a panic in Rust is no Exception
        outcome = "compile-error" if do == "compile" and isinstance(e, Exception) else "crash"
        error = e
        traceback.print_exc()  # to stderr, for the author
    finally:
        gc.enable()
        if timed:  # now, so that nothing has to be done before the first mask of the next walk
            gc.collect()
            gc.freeze()
    text = " ".join(str(error).split())[:4000] or type(error).__name__
    return {"ok": False, "outcome": outcome, "error": text}


def serve(engine):
    """Answers requests until stdin ends or bye; engine is the class of the adapter's engine."""
    server = Server(engine())
    for line in _requests:
        try:
            request = json.loads(line)
        except ValueError:
            request = None
        # Figures of an engine may be numpy's, which json does not know.
        said = answer(server, request)
        if isinstance(request, dict) and "id" in request:
            said = dict(said, id=request["id"])
        _answers.write(json.dumps(said, default=float) + "\n")
        _answers.flush()
        if isinstance(request, dict) and request.get("do") == "bye":
            return
