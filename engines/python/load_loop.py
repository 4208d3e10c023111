"""Requests under load, served in this process: the loop of harness/load in Python.

gcdbench draws the requests and writes them, one JSON object a line: first the grammars ("kind",
"text", "options", or "unsupported"), then the requests. The answer is a file with the ledger:
what happened to each request, and in each step. Names and rules are those of harness/load, which
has the documentation; both loops must find engines of known cost alike.

Threads are as vLLM and SGLang have them: a pool of them compiles, beside the thread that steps the
batch; masks of a batch are filled one after the other on one thread, and by the engine's
call for batches (Engine.fill_batch) on several. Python's collector runs as it would in a server.
"""

import gc
import json
import os
import threading
import time
from collections import OrderedDict, deque
from queue import SimpleQueue

import gcdbench_engine as g
import numpy as np

EARLY_NS = 80_000  # how long before a deadline the loop is awake
LONGEST_S = 0.05  # how long it sleeps at most while nothing happens
SAMPLE_S = 0.05
ENOUGH = 300  # the most letters of an error that are kept

clock = time.perf_counter_ns


class Cache:
    """Compiled grammars up to a number of bytes; the least recently used ones go first."""

    def __init__(self, limit):
        self.limit, self.entries = limit, OrderedDict()
        self.bytes = self.peak = self.evicted = 0

    def get(self, key):
        entry = self.entries.get(key)
        if entry is None:
            return None
        self.entries.move_to_end(key)
        return entry[0]

    def put(self, key, grammar, size):
        self.entries[key] = (grammar, size)
        self.bytes += size
        while self.bytes > self.limit:
            _, (_, gone) = self.entries.popitem(last=False)
            self.bytes -= gone
            self.evicted += 1
        self.peak = max(self.peak, self.bytes)


class Place:
    """A generation of the batch, or a request that waits to become one."""

    def __init__(self, request, grammar):
        self.request, self.grammar, self.generation, self.position = request, grammar, None, 0
        self.slot = self.row = self.handed = None  # its number in the batch, and where its mask goes
        self.busy = self.made = False  # its mask is being made; is there and nobody has taken it
        self.refused, self.error, self.unread = False, "", 0


class Pool:
    """Threads that do jobs, in the order in which they come, as measure.Pool. With yield_ns, a job
    that takes longer goes on, and another thread takes what comes behind it."""

    SLOW = 2  # how many may go on so

    def __init__(self, do, threads, yield_ns=0):
        self.do, self.yield_ns = do, yield_ns
        self.jobs, self.rested, self.over = SimpleQueue(), threading.Condition(), threading.Event()
        self.hands, self.awaited, self.slow = [], 0, 0
        for _ in range(threads):
            self.begin(self.live, {"begin": 0, "passed": False})
        if yield_ns:
            self.begin(self.watch)

    def begin(self, life, *hand):
        self.hands += hand
        threading.Thread(target=life, args=hand, daemon=True).start()

    def submit(self, *jobs):
        with self.rested:
            self.awaited += len(jobs)
        for job in jobs:
            self.jobs.put(job)

    def wait(self):
        """Returns when every job is done or was passed."""
        with self.rested:
            self.rested.wait_for(lambda: not self.awaited)

    def end(self):
        self.awaited -= 1
        if not self.awaited:
            self.rested.notify_all()

    def live(self, hand):
        while (job := self.jobs.get()) is not None:
            hand["begin"] = clock()
            self.do(job)
            with self.rested:
                hand["begin"] = 0
                if hand["passed"]:
                    self.slow -= 1
                    return
                self.end()
        self.jobs.put(None)  # for the next one

    def watch(self):
        while not self.over.wait(self.yield_ns / 4e9):
            with self.rested:
                for hand in list(self.hands):
                    if hand["begin"] and clock() - hand["begin"] > self.yield_ns and self.slow < self.SLOW:
                        hand["passed"], self.slow = True, self.slow + 1
                        self.hands.remove(hand)
                        self.begin(self.live, {"begin": 0, "passed": False})
                        self.end()

    def close(self):
        self.over.set()
        self.jobs.put(None)


class Watcher(threading.Thread):
    """Samples the memory and the processor time of the process."""

    def __init__(self, loop):
        super().__init__(daemon=True)
        self.loop, self.samples, self.over = loop, [], threading.Event()
        self.page = os.sysconf("SC_PAGE_SIZE")

    def run(self):
        while not self.over.wait(SAMPLE_S):
            self.sample()

    def sample(self):
        with open("/proc/self/statm") as f:
            _, resident, shared = f.read().split()[:3]
        size = (int(resident) - int(shared)) * self.page
        self.samples.append([self.loop.now(), size, self.loop.cache.bytes, time.process_time_ns()])


class Loop:
    """Serves the requests of a file by the settings of harness/load."""

    def __init__(self, engine, size, settings, grammars, requests):
        self.engine, self.size, self.s = engine, size, settings
        self.grammars, self.requests = grammars, requests
        self.cache, self.ready = Cache(settings["cache_bytes"]), deque()
        self.waiting = {}  # requests by grammar
        self.happened = threading.Event()
        self.lock = threading.Lock()  # of the cache, of those who wait, and of those who are ready
        self.places = [None] * settings["batch"]
        self.live = self.next = self.out = 0
        self.needed, self.last, self.steps = settings["needed"], 0, []
        self.lost, self.cut = 0, False  # of the requests that count, those that missed the limits
        self.fates = [{"outcome": "", "hit": False} for _ in requests]
        engine.threads = settings["mask_threads"]
        self.together = engine.threads > 1 and hasattr(engine, "fill_batch")
        self.rows = self.handed = None
        self.make_rows()
        self.apart = None
        if settings["yield_after_ns"] and not self.together:
            self.apart = Pool(self.advance, 1, settings["yield_after_ns"])

    def make_rows(self):
        width, size = self.s["batch"], self.size
        if self.together:
            self.rows = np.zeros((width, (size + 31) // 32 * 4), np.uint8)
            self.handed = self.engine.prepare(g.Row(self.rows, size))
        else:
            self.rows = np.zeros((width, (size + 63) // 64 * 8), np.uint8)
            self.handed = [self.engine.prepare(g.Row(row, size)) for row in self.rows]

    def now(self):
        return clock() - self.begin

    def run(self):
        """Serves until the requests that count have ended; returns the ledger."""
        watcher = Watcher(self)
        before = sum(stat["collections"] for stat in gc.get_stats())
        pool = Pool(self.compile, self.s["compile_threads"], self.s["yield_after_ns"])
        self.begin = clock()
        watcher.start()
        receiver = threading.Thread(target=self.receive, args=[pool], daemon=True)
        receiver.start()
        while self.needed > 0:
            self.admit(pool)
            self.cut = 0 < self.s["enough_lost"] <= self.lost
            if self.cut or self.now() >= self.s["end_ns"]:
                self.give_up()
            elif self.live:
                self.step()
            elif self.needed > 0:
                self.idle()
        watcher.over.set()
        watcher.join()
        receiver.join()
        watcher.sample()
        pool.close()
        if self.apart:
            self.apart.close()
        return {
            "requests": self.fates,
            "steps": self.steps,
            "samples": watcher.samples,
            "evicted": self.cache.evicted,
            "cache_peak": self.cache.peak,
            "cut": self.cut,
            "collections": sum(stat["collections"] for stat in gc.get_stats()) - before,
        }

    # The way of a request.

    def receive(self, pool):
        """Takes in requests at their times, also while the batch makes a step, in a thread: as the
        thread of vLLM's engine does that reads requests."""
        if self.s["streams"]:
            return
        for request in self.requests:
            while self.needed > 0 and (wait := request["at_ns"] - self.now()) > 0:
                time.sleep(min(wait / 1e9, LONGEST_S))
            if self.needed <= 0:
                return
            with self.lock:
                self.arrive(pool)
            self.happened.set()

    def arrive(self, pool):
        now, streams = self.now(), self.s["streams"]
        while self.next < len(self.requests):
            at = now if streams else self.requests[self.next]["at_ns"]
            if at > now or streams and self.next - self.out >= streams:
                return
            self.fates[self.next]["arrived"] = at
            self.take(self.next, self.requests[self.next]["grammar"], pool)
            self.next += 1

    def take(self, request, number, pool):
        fate, grammar = self.fates[request], self.cache.get(number)
        if grammar is not None:
            fate.update(hit=True, compiling=fate["arrived"], compiled=fate["arrived"])
            self.ready.append(Place(request, grammar))
            return
        if number not in self.waiting:
            self.waiting[number] = []
            pool.submit(number)
        self.waiting[number].append(request)

    def compile(self, number):
        """Runs in a thread of the pool."""
        begin, grammar, outcome, detail = self.now(), None, "ok", ""
        try:
            grammar = self.compile_one(self.grammars[number])
        except g.Unsupported as e:
            outcome, detail = "unsupported", str(e)
        except BaseException as e:  # a panic in Rust is no Exception
            outcome, detail = "compile-error", str(e) or type(e).__name__
        end, limit = self.now(), self.s["compile_timeout_ns"]
        if 0 < limit < end - begin:  # a thread cannot be stopped; its request has failed meanwhile
            outcome, detail = "timeout", "its compile took longer than the limit"
        with self.lock:
            self.compiled(number, grammar, outcome, detail[:ENOUGH], begin, end)
        self.happened.set()

    def compile_one(self, source):
        if "unsupported" in source:
            raise g.Unsupported(source["unsupported"])
        options = dict(self.engine.options, **source.get("options") or {})
        grammar = self.engine.compile(source["kind"], source["text"], options)
        if self.s["warm"]:
            row = np.zeros((self.size + 63) // 64 * 8, np.uint8)
            grammar.start().fill(self.engine.prepare(g.Row(row, self.size)))
        return grammar

    def compiled(self, number, grammar, outcome, detail, begin, end):
        for request in self.waiting.pop(number):
            fate = self.fates[request]
            fate.update(compiling=max(begin, fate["arrived"]), compiled=end)
            if outcome == "ok":
                self.ready.append(Place(request, grammar))
            else:
                self.end(request, outcome, detail)
        if outcome == "ok":
            size = int(getattr(grammar, "bytes", 0)) or len(self.grammars[number]["text"])
            self.cache.put(number, grammar, size)

    def admit(self, pool):
        with self.lock:
            if self.s["streams"]:
                self.arrive(pool)
            for i, place in enumerate(self.places):
                if not self.ready:
                    return
                if place is None:
                    self.places[i] = place = self.ready.popleft()
                    place.slot, place.unread = i, self.s["prompt"]
                    if not self.together:
                        place.row, place.handed = self.rows[i], self.handed[i]
                    self.live += 1
                    self.fates[place.request]["begun"] = self.now()

    def end(self, request, outcome, detail=""):
        self.fates[request].update(outcome=outcome, detail=detail)
        self.out += 1
        if request >= self.s["needed"]:
            return
        self.needed -= 1
        if request >= self.s["warmup"] and not self.requests[request].get("hostile"):
            self.lost += self.missed(request)

    def missed(self, request):
        """Whether a request that has ended missed the limits."""
        fate, n = self.fates[request], len(self.requests[request]["tokens"])
        if fate["outcome"] != "ok":
            return fate["outcome"] == "timeout"
        return fate["first"] - fate["arrived"] > self.s["ttft_ns"] or fate.get("late", 0) > max(1, n // 100)

    def give_up(self):
        with self.lock:
            for request in range(self.s["needed"]):
                if not self.fates[request]["outcome"]:
                    self.end(request, "unfinished")

    def idle(self):
        self.happened.wait(LONGEST_S)
        self.happened.clear()

    # A step.

    def step(self):
        begin, here = self.now(), [place for place in self.places if place is not None]
        prompts = self.read(here)
        model = self.s["step_ns"][len(here) - 1] + max(0, self.s["prefill_ns"] * prompts - self.s["slack_ns"][len(here) - 1])
        for place in here:
            if place.position == 0:
                fate = self.fates[place.request]
                fate["model"] = fate.get("model", 0) + int(model)
        group = [place for place in here if not place.unread]
        when = self.s["masks"]
        if when == "after":
            self.sleep(begin + model)
        masked = self.now()
        self.masks(group)
        masked = self.now() - masked
        if when == "overlapped":
            self.sleep(begin + model)
        elif when == "before":
            self.sleep(self.now() + model)
        self.give(group, masked)

    def read(self, here):
        """Reads prompts with the tokens that a step has left; returns how many, with pieces of them."""
        left, prompts = self.s["step_tokens"] - len(here), 0
        for place in here:
            if place.unread:
                piece = min(place.unread, max(1, left))
                place.unread, left = place.unread - piece, left - piece
                prompts += piece / self.s["prompt"]
        return prompts

    def masks(self, group):
        """Commits and fills."""
        if self.together:
            self.masks_together(group)
        elif self.apart:
            free = [place for place in group if not place.busy and not place.made]
            for place in free:
                place.busy = True
            self.apart.submit(*free)
            self.apart.wait()
        else:
            for place in group:
                self.advance(place)

    def token(self, place):
        """The last one, which is still to be committed."""
        return self.requests[place.request]["tokens"][place.position - 1]

    def advance(self, place):
        """Commits and fills for a place; what an engine raises ends that request alone."""
        try:
            if place.generation is None:
                place.generation = place.grammar.start()
            else:
                place.refused = g.refuses(place.generation.commit(self.token(place)))
            place.generation.fill(place.handed)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as e:  # a panic in Rust is no Exception
            place.error = str(e) or type(e).__name__
        place.made, place.busy = True, False

    def masks_together(self, group):
        moving = [place for place in group if place.generation is not None]
        for place in group:
            place.generation = place.generation or place.grammar.start()
        commit = getattr(self.engine, "commit_batch", g.commit_each)
        taken = commit([p.generation for p in moving], [self.token(p) for p in moving]) if moving else []
        for place, took in zip(moving, taken):
            place.refused = g.refuses(took)
        if group:
            self.engine.fill_batch([place.generation for place in group], self.handed)
        for place, row in zip(group, self.rows):
            place.row, place.made = row, True

    def sleep(self, until):
        deadline = self.begin + until
        wait = deadline - clock() - EARLY_NS
        if wait > 0:
            time.sleep(wait / 1e9)
        while clock() < deadline:
            time.sleep(0)

    def give(self, group, masked):
        now = self.now()
        gap, later, live = now - self.last, 0, 0
        for place in group:
            if not place.made:
                continue  # it takes no part
            place.made, live = False, live + 1
            tokens, fate = self.requests[place.request]["tokens"], self.fates[place.request]
            token = tokens[place.position]
            if place.error:
                self.leave(place.slot, "mask-error", place.error[:ENOUGH])
                continue
            if place.refused or not place.row[token >> 3] >> (token & 7) & 1:
                self.leave(place.slot, "refused", f"token {token} at position {place.position}")
                continue
            if place.position == 0:
                fate["first"] = now
            else:
                own = now - fate["last"]
                if own > gap:  # it took no part in steps before
                    self.steps.append([now, 0, 1, own, 0])
                else:
                    later += 1
                fate["late"] = fate.get("late", 0) + (own > self.s["itl_ns"])
            fate["last"], fate["tokens"] = now, place.position + 1
            place.position += 1
            if place.position == len(tokens):
                self.leave(place.slot, "ok")
        self.last = now
        self.steps.append([now, live, later, gap, masked])

    def leave(self, at, outcome, detail=""):
        with self.lock:
            self.end(self.places[at].request, outcome, detail)
        self.places[at] = None
        self.live -= 1


def serve(engine, size, request):
    """Serves the load of a request and writes the ledger."""
    with open(request["trace"], encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    grammars = [line for line in lines if "tokens" not in line]
    requests = lines[len(grammars) :]
    if hasattr(engine, "under_load"):
        engine.under_load(request["settings"])
    ledger = Loop(engine, size, request["settings"], grammars, requests).run()
    with open(request["out"], "w", encoding="utf-8") as f:
        json.dump(ledger, f, default=float)
