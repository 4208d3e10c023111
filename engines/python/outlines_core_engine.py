"""outlines-core as an engine of gcdbench: a table over all states of a regular expression.

What it is. outlines-core (PyPI outlines_core 0.2.14, Apache-2.0, Rust) is the engine under
Outlines. A JSON schema becomes one regular expression, the expression becomes a DFA over bytes,
and an Index walks every token from every state: a mask is then one lookup, and the price is paid
at compile.

What is called. Vocabulary(eos, {bytes: ids}) once; build_regex_from_schema and Index at compile;
Guide(index) for a generation; write_mask_into(pointer, words, 4), which writes all words of the
row (0.3 us and more), and advance(token, False), which refuses by ValueError. Rollback is the
guide's own, as far back as max_rollback allows.

Options. MaskBench's adapter, by the authors of MaskBench, calls build_regex_from_schema and Index
without options; so do we. The defaults are: white space of at most one blank ("[ ]?") between
tokens of JSON (option whitespace, a regular expression, changes it), and recursion cut at depth 3.

Traps. EOS is in the mask, but advance refuses it, so this adapter ends the text by is_finished.
Alternatives are tried leftmost first: after "a" the expression a|ab is at its end, and "ab" is
never legal. A Guide copies itself only by serializing its Index, so there is no clone here.
advance returns the list of allowed ids unless it is told not to (MaskBench's adapter reads that
list; the bits are what the library's own processors use). Vocabulary knows one EOS id. Of its
translation: an exponent needs a sign (1e3 is refused, 1e+3 is not), and uniqueItems or
minProperties are ignored. Memory and time of an Index grow with states times tokens and have no
limit of their own.
"""

from importlib import metadata

import gcdbench_engine as g
from delivery import add, write_only
from outlines_core import Guide, Index, Vocabulary
from outlines_core.json_schema import build_regex_from_schema
from settings import number
from vocabularies import ordinary


class Engine(g.Engine):
    name, version, licence = "outlines-core", metadata.version("outlines_core"), "Apache-2.0"
    takes = ["json-schema", "regex"]
    options = {"whitespace": "", "max_recursion_depth": "3", "max_rollback": "32"}

    def vocabulary(self, v):
        self.eos, ids = v.eos, {}
        for token, text in ordinary(v).items():
            ids.setdefault(text, []).append(token)
        self.known = Vocabulary(v.eos[0], ids)

    def empty_call(self):
        return Vocabulary(0, {b"a": [1]}).get_eos_token_id

    def compile(self, kind, text, options):
        if kind == "json-schema":
            text = regex_of(text, options)
        return Grammar(
            self.eos, Index(text, self.known), len(text), number(options, "max_rollback")
        )


def regex_of(schema, options):
    """Returns outlines-core's translation of a schema; what it says it lacks is Unsupported."""
    try:
        return build_regex_from_schema(
            schema, options["whitespace"] or None, number(options, "max_recursion_depth")
        )
    except ValueError as e:
        if "nsupported" in str(e) or "not supported" in str(e):
            raise g.Unsupported(str(e))
        raise


class Grammar:
    def __init__(self, eos, index, length, max_rollback):
        self.eos, self.index, self.length = eos, index, length
        self.max_rollback = max_rollback

    def start(self):
        return Generation(Guide(self.index, self.max_rollback), self.eos)

    def stats(self):
        return {"regular expression": (self.length, "characters")}


class Generation:
    def __init__(self, guide, eos):
        self.guide, self.ended = guide, False
        self.eos, self.more = eos, eos[1:]

    def fill(self, row):
        if self.ended:
            return write_only(row, [])
        self.guide.write_mask_into(row.pointer, row.bytes >> 2, 4)
        if self.more and self.guide.is_finished():
            add(row, self.more)

    def commit(self, token):
        if self.ended:
            return False
        if token in self.eos:
            self.ended = self.guide.is_finished()
            return self.ended
        try:
            self.guide.advance(token, False)
        except ValueError:
            return False
        return True

    def rollback(self, k):
        self.guide.rollback_state(k - self.ended)
        self.ended = False


if __name__ == "__main__":
    g.serve(Engine)
