"""kbnf with formatron as an engine of gcdbench: Earley parsing of KBNF, written in Rust.

What it is. formatron (PyPI formatron 0.5.0, MIT) turns a JSON schema into a grammar in KBNF, and
kbnf (PyPI kbnf 0.4.2, MIT or Apache-2.0, Rust) enforces the grammar: an Earley parser whose
terminals are regular expressions, with a cache of masks by parser state.

What is called. kbnf.Vocabulary({id: Token(bytes)}, {id: str}) once, both being wanted; at compile
create_schema, FormatterBuilder and kbnf's InternalEngine (the class Engine around it only passes
calls on); in fill compute_allowed_token_ids and fill_torch_bitmask(pointer), the way of kbnf's own
kernel for torch; in commit try_accept_new_token, which refuses by ValueError. A new generation is
reset(), which keeps the cache of masks, as formatron does between two texts; so a grammar has one
live generation, and a second one is a clone.

Options. formatron's own defaults: strict_schema (an error where a schema is not expressed exactly,
instead of a heuristic), and kbnf's default configuration. MaskBench has no adapter of formatron.

Traps. create_schema wants "$id" and "$schema" in the schema, and reads draft 2020-12 only; this
adapter adds "$id" if there is none and always sets "$schema" to that draft. The root must be an
object or an array. Keys not required are optional in a way of its own (a value may be missing
behind its key). fill_torch_bitmask writes ceil(n/32) words, n being the highest ordinary id and
one. There is no EOS in masks: a text is finished when the start symbol is complete, from where
nothing else is allowed. formatron 0.5.0 takes the module typing from pydantic, which newer
pydantic no longer hands out.

Grammars. A text of a grammar in KBNF could often go on where it could end, and kbnf stops at the
first such place. So gcdbench's grammars of this kind end every text with U+0004, which the tokens
that end the text stand for, and no other token: kbnf then decides by itself where they are legal.
"""

import copy
import json
import typing
from importlib import metadata

import gcdbench_engine as g
import kbnf
import pydantic
from delivery import write_only

pydantic.typing = typing  # see traps

from formatron.formats import json as json_format
from formatron.formatter import FormatterBuilder
from formatron.schemas.json_schema import create_schema
from settings import boolean
from vocabularies import ordinary

END = b"\x04"  # what ends every text of a grammar in KBNF
DRAFT = "https://json-schema.org/draft/2020-12/schema"


class Engine(g.Engine):
    name, licence = "formatron", "formatron MIT, kbnf MIT OR Apache-2.0"
    version = f"{metadata.version('formatron')} with kbnf {metadata.version('kbnf')}"
    takes = ["json-schema", "kbnf"]
    options = {"strict_schema": "true"}

    def vocabulary(self, v):
        self.text, self.eos = ordinary(v), v.eos
        self.known, self.known_with_end = known(self.text), None

    def before_compile(self, kind, text):
        """Makes the vocabulary of grammars in KBNF, which a run of schemas does without."""
        if kind == "kbnf" and self.known_with_end is None:
            marked = {token: data for token, data in self.text.items() if END not in data}
            self.known_with_end = known({**marked, **dict.fromkeys(self.eos, END)})

    def empty_call(self):
        return kbnf.Vocabulary({0: kbnf.Token(b"a")}, {0: "a"}).get_vocab_size

    def compile(self, kind, text, options):
        if kind == "kbnf":
            return Grammar(self, self.known_with_end, text, [])
        json_format.strict_schema = boolean(options, "strict_schema")
        return Grammar(self, self.known, kbnf_of(json.loads(text)), self.eos)


def known(text):
    """Returns kbnf's vocabulary of some ids with their bytes."""
    return kbnf.Vocabulary(
        {token: kbnf.Token(data) for token, data in text.items()},
        {token: data.decode("utf-8", "replace") for token, data in text.items()},
    )


def kbnf_of(schema):
    """Returns formatron's grammar of a schema, with the start symbol start."""
    if not isinstance(schema, dict):
        raise g.Unsupported("a schema that is no object")
    schema = dict({"$id": "urn:gcdbench:schema"}, **schema)
    schema["$schema"] = DRAFT
    builder = FormatterBuilder()
    name = builder.json(create_schema(schema)).nonterminal
    return "\n".join([*builder._rules, f"start ::= {name};"])


class Grammar:
    """A compiled grammar; ends are the tokens that are legal where kbnf says that a text is finished."""

    def __init__(self, engine, vocabulary, text, ends):
        self.engine, self.ends, self.length = engine, ends, len(text)
        self.matcher = kbnf.InternalEngine(text, vocabulary, None)
        self.words = (vocabulary.get_vocab_size() + 31) // 32

    def start(self):
        self.matcher.reset()
        return Generation(self, self.matcher)

    def stats(self):
        return {"grammar": (self.length, "characters")}


class Generation:
    def __init__(self, grammar, matcher, ended=False):
        self.grammar, self.matcher, self.ended = grammar, matcher, ended
        self.ends, self.words = grammar.ends, grammar.words

    def fill(self, row):
        matcher = self.matcher
        if matcher.is_finished():
            return write_only(row, [] if self.ended else self.ends)
        matcher.compute_allowed_token_ids()
        matcher.fill_torch_bitmask(row.pointer)
        row.words[self.words :] = 0

    def commit(self, token):
        if token in self.ends:
            refused = self.ended or not self.matcher.is_finished()
            self.ended = True
            return not refused
        try:
            self.matcher.try_accept_new_token(token)
        except ValueError:
            return False
        return True

    def clone(self):
        return Generation(self.grammar, copy.copy(self.matcher), self.ended)


if __name__ == "__main__":
    g.serve(Engine)
