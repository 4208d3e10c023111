"""An engine in 100 lines that shows an author what an adapter for gcdbench looks like.

It takes regular expressions of literals, ".", "[a-z]", "[^a-z]", "(", ")", "|", "*", "+", "?" and
"\\x" for the character x, over bytes, and matches them with sets of states. It is no contestant:
for each mask it reads every token byte by byte.

Its only dependency is numpy; try it with

    gcdbench engines check ./example.py
"""

import gcdbench_engine as g


class Engine(g.Engine):
    name, version, licence = "example", "1", "Apache-2.0"
    takes = ["regex"]
    semantics = "regular language over bytes"

    def vocabulary(self, v):
        self.eos = v.eos
        self.tokens = [(token, text) for token, text in enumerate(v.tokens) if text]
        self.text = v.tokens

    def compile(self, kind, text, options):
        return Grammar(self, Automaton(text.encode()))


class Grammar:
    def __init__(self, engine, automaton):
        self.engine, self.automaton = engine, automaton

    def start(self):
        return Generation(self, [self.automaton.closure([self.automaton.first])])

    def stats(self):
        return {"states": len(self.automaton.edges)}


class Generation:
    """One text: the sets of states after each of its tokens, None after its end."""

    def __init__(self, grammar, history):
        self.grammar, self.history = grammar, history

    def fill(self, row):
        states, automaton, bits = self.history[-1], self.grammar.automaton, 0
        if states:
            for token, text in self.grammar.engine.tokens:
                if automaton.read(states, text):
                    bits |= 1 << token
            if automaton.last in states:
                bits |= sum(1 << token for token in self.grammar.engine.eos)
        row.memory[:] = memoryview(bits.to_bytes(len(row.memory), "little"))

    def commit(self, token):
        states, engine = self.history[-1], self.grammar.engine
        if not states:
            return False
        if token in engine.eos:
            self.history.append(None)
            return self.grammar.automaton.last in states
        after = engine.text[token] and self.grammar.automaton.read(states, engine.text[token])
        self.history.append(after or None)
        return bool(after)

    def clone(self):
        return Generation(self.grammar, self.history[:])

    def rollback(self, k):
        del self.history[len(self.history) - k :]

    def draft(self, tokens):
        twin = self.clone()
        return next((i for i, token in enumerate(tokens) if not twin.commit(token)), len(tokens))


class Automaton:
    """A nondeterministic automaton; edges[state] are pairs (set of bytes or None, state)."""

    def __init__(self, pattern):
        self.pattern, self.at, self.edges = pattern, 0, []
        self.first, self.last = self.alternatives()
        if self.at < len(pattern):
            raise ValueError(f"byte {self.at} of the pattern: unbalanced )")

    def state(self, *edges):
        self.edges.append(list(edges))
        return len(self.edges) - 1

    def peek(self):
        return self.pattern[self.at : self.at + 1]

    def next(self):
        if not self.peek():
            raise ValueError("the pattern ends too early")
        self.at += 1
        return self.pattern[self.at - 1]

    def alternatives(self):
        first, last = self.state(), self.state()
        while True:
            begin, end = self.sequence()
            self.edges[first].append((None, begin))
            self.edges[end].append((None, last))
            if self.peek() != b"|":
                return first, last
            self.at += 1

    def sequence(self):
        first = last = self.state()
        while self.peek() not in (b"", b"|", b")"):
            begin, end = self.atom()
            while self.peek() in (b"*", b"+", b"?") and self.peek():
                begin, end = self.repeated(begin, end, self.next())
            self.edges[last].append((None, begin))
            last = end
        return first, last

    def repeated(self, begin, end, sign):
        last = self.state()
        first = self.state((None, begin))
        self.edges[end].append((None, last))
        if sign != ord("?"):
            self.edges[end].append((None, begin))
        if sign != ord("+"):
            self.edges[first].append((None, last))
        return first, last

    def atom(self):
        c = self.next()
        if c == ord("("):
            inner = self.alternatives()
            if not self.peek():
                raise ValueError("the pattern lacks a )")
            self.at += 1
            return inner
        if c in b"*+?{":
            raise g.Unsupported(f"{chr(c)!r} at byte {self.at - 1} of the pattern")
        last = self.state()
        return self.state((self.bytes_of(c), last)), last

    def bytes_of(self, c):
        if c == ord("."):
            return frozenset(range(256)) - {ord("\n")}
        if c == ord("["):
            return self.bytes_in_brackets()
        return frozenset([self.next() if c == ord("\\") else c])

    def bytes_in_brackets(self):
        negated = self.peek() == b"^"
        self.at += negated
        found = set()
        while (c := self.next()) != ord("]"):
            begin = end = self.next() if c == ord("\\") else c
            if self.peek() == b"-" and self.pattern[self.at + 1 : self.at + 2] != b"]":
                self.at += 1
                end = self.next()
            found.update(range(begin, end + 1))
        return frozenset(range(256)) - found if negated else frozenset(found)

    def closure(self, states):
        """Returns the states that states reach without a byte, themselves among them."""
        found = set(states)
        todo = list(found)
        while todo:
            for label, target in self.edges[todo.pop()]:
                if label is None and target not in found:
                    found.add(target)
                    todo.append(target)
        return frozenset(found)

    def read(self, states, text):
        """Returns the states after text; none if no state can read all of it."""
        for byte in text:
            states = self.closure(
                target
                for state in states
                for label, target in self.edges[state]
                if label is not None and byte in label
            )
            if not states:
                break
        return states


if __name__ == "__main__":
    g.serve(Engine)
