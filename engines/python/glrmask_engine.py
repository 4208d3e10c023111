"""glrmask: a GLR parser whose stacks are read by a precomputed weighted automaton, in Rust.

Tried with version 0.5.0 (github.com/IsaacBreen/glrmask, MIT or Apache-2.0). It needs numpy.

What runs. The vocabulary is a dictionary of ids to bytes; what depends on it alone is prepared
with it, as the author's runner for MaskBench does (glrmask2_engine.py of
IsaacBreen/jsonschemabench), and not in the first compile. The package knows no EOS: the grammar
that is compiled is a sequence of the given one and the set of EOS ids, as its documentation says;
on 34 schemas of MaskBench that took as long as to compile the schema alone (ratio 1.00 to 1.02).
fill_mask writes into an array over gcdbench's row, made once a row.

Options. The author's runs of MaskBench use none; so do the defaults here. mask_strategy is the
package's option of that name: AUTO, PARSER_DWA (slow to compile, fast masks) or TOKEN_TRIE (the
other way round). The package compiles on several threads unless told otherwise; gcdbench tells it
to use one.

Known of it: format is not enforced; JSON is written with ", " and ": " exactly. Its Lark takes
the longest match of each terminal and refuses priorities, lazy quantifiers and lookahead by name.
A copy of a generation is what it has for a clone (80 us); there is no way back and no check of a
draft.
"""

import os

import gcdbench_engine as g

os.environ.setdefault("GLRMASK_COMPILE_THREADS", "1")

import glrmask
import numpy as np


class Engine(g.Engine):
    name, version, licence = "glrmask", glrmask.__version__, "MIT OR Apache-2.0"
    takes = ["json-schema", "glrmask-lark", "lark"]
    options = {"mask_strategy": "AUTO"}

    def vocabulary(self, v):
        tokens = {token: text for token, text in enumerate(v.tokens) if text and token not in v.eos}
        self.vocab, self.eos = glrmask.Vocab.from_id_to_bytes(tokens), glrmask.TokenSet(v.eos)
        glrmask._internal.prepare_vocab_for_compile(self.vocab)

    def compile(self, kind, text, options):
        grammar = glrmask.Grammar
        read = grammar.from_json_schema if kind == "json-schema" else grammar.from_lark
        strategy = getattr(glrmask.MaskStrategy, options["mask_strategy"])
        try:
            whole = glrmask.Expr.sequence(read(text), self.eos)
            return Grammar(grammar.from_expr(whole).compile(self.vocab, mask_strategy=strategy))
        except ValueError as e:
            raise g.Unsupported(str(e)) if "supported" in str(e) else e

    def prepare(self, row):
        return row.words.view(np.int32)

    def empty_call(self):
        vocab = glrmask.Vocab.from_id_to_bytes({0: b"a"})
        return glrmask.Grammar.from_lark('start: "a"').compile(vocab).start().is_terminated


class Grammar:
    def __init__(self, constraint):
        self.constraint = constraint

    def start(self):
        return Generation(self.constraint.start())


class Generation:
    def __init__(self, state):
        self.state = state
        self.fill, self.commit = state.fill_mask, state.commit_token

    def clone(self):
        return Generation(self.state.copy())


if __name__ == "__main__":
    g.serve(Engine)
