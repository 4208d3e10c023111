"""GRID as an engine of gcdbench: LALR(1) tables in Python, masks in Rust.

What it is. grid-guardrail (PyPI grid-guardrail 0.4.2 with grid_core 0.2.0, Apache-2.0) compiles a
JSON schema, or a grammar in its own language, to LALR(1) tables and a scanner, in Python. Masks
are walks of the vocabulary's trie, cached by parser configuration, in the Rust kernel grid_core;
tokens whose legality depends on the stack are checked in groups at each step.

What is called. build_trie once; at compile what bench/maskbench_grid.py of its authors calls
(compile_json_schema_grammar, compile_tables, build_scanner, GridGuide, and on an LALR conflict
once more with unify_string_values). For a generation GridGrammarSession, the core of its vLLM
backend, which needs no vLLM: its fill_bitmask writes bits into the caller's row, in the kernel
once a configuration is known. (Its MaskBench runner asks for a list of ids, _mask_ids; a list
costs 190 us more a step than bits, and no server uses it.) rollback and validate_tokens are the
session's.

Tables of a session. The first session of each grammar hands the kernel the bytes of all tokens
again, in a loop of Python over the vocabulary (15 to 20 ms of 128,256 tokens, which is half of a
median schema's time to the first mask). A server of its vLLM backend pays that for each grammar;
its MaskBench runner never makes a session, so the published times have no such part. Here it is
done in compile, and the counter "token table" says what it took.

What it keeps. grid.trie.walk keeps the kernel's copy of each grammar for ever, megabytes a schema.
The adapter empties that dictionary before a compile, untimed, as a server would that drops a
grammar.

Options. strict=false as its authors run MaskBench: a keyword that is not enforced is recorded by
name, and each name is a counter here ("not enforced: uniqueItems"). With strict=true such a schema
is unsupported. Flags of the environment (GRID_PERF_...) keep their defaults.

Traps. It imports torch for tensors that masks never touch; a stand-in does. Installed with its
dependencies it pulls 4 GB; without the kernel (grid_core) everything runs in Python. EOS is in the
row when the text may end. A session accepts nothing after EOS. Members of an object come in any
order.
"""

import json
import warnings
from importlib import metadata
from time import perf_counter_ns

import gcdbench_engine as g
import standins
from delivery import add, write_only

standins.install("torch")

from grid.errors import LALRBudgetExceeded, LALRConflictError
from grid.grammar import spec
from grid.grammar.projection import RoleProjection
from grid.guide import GridGuide
from grid.jsonschema import Unsupported, compile_json_schema_grammar
from grid.lalr.compile import compile_tables
from grid.lexer.dfa import build_scanner
from grid.models.vllm_structured import GridGrammarSession
from grid.trie import walk
from grid.trie.build import build_trie
from settings import boolean
from vocabularies import ordinary

warnings.filterwarnings("ignore", message=".*L-REC01.*")  # style of a grammar, here a generated one


class Tokens:
    """The vocabulary as GRID's tokenizer adapters present one."""

    def __init__(self, v):
        self.text, self.eos_token_id = ordinary(v), v.eos[0]
        self.vocabulary = {str(token): token for token in range(v.size)}
        self.token_bytes = [self.text.get(token, b"") for token in range(v.size)].__getitem__
        self.special_token_ids = frozenset(
            token for token in range(v.size) if token not in self.text
        )


class Engine(g.Engine):
    name, version, licence = "grid", metadata.version("grid-guardrail"), "Apache-2.0"
    build = f"{g.Engine.build}, grid_core {metadata.version('grid_core')}"
    takes = ["json-schema", "grid"]
    options = {"strict": "false"}

    def vocabulary(self, v):
        self.eos, self.tokens = v.eos, Tokens(v)
        self.trie = build_trie(self.tokens)

    def prepare(self, row):
        return row, row.words[None]  # a session fills row i of a matrix

    def before_compile(self, kind, text):
        walk._WALKERS.clear()

    def compile(self, kind, text, options):
        if kind == "grid":
            grammar, recorded = spec.load(text), []
            return self.guided(
                grammar, recorded, compile_tables(RoleProjection.full(grammar).build())
            )
        schema, strict = json.loads(text), boolean(options, "strict")
        try:
            return self.guided(*tables_of(schema, strict))
        except (Unsupported, LALRBudgetExceeded) as e:
            raise g.Unsupported(str(e))

    def guided(self, grammar, recorded, tables):
        scanner = build_scanner(grammar.terminals, grammar.terminal_order)
        guide = GridGuide(tables=tables, dfa=scanner, trie=self.trie, adapter=self.tokens)
        begin = perf_counter_ns()
        guide.producer.ensure_session_tables(self.tokens)
        return Grammar(self.eos, guide, recorded, (perf_counter_ns() - begin) / 1e6)


def tables_of(schema, strict):
    """Returns grammar, names of what is not enforced, and tables of a schema."""

    def build(unify):
        grammar, recorded = compile_json_schema_grammar(schema, strict, unify_string_values=unify)
        return grammar, recorded, compile_tables(RoleProjection.full_built(grammar))

    try:
        return build(False)
    except LALRConflictError:
        return build(True)


class Grammar:
    def __init__(self, eos, guide, recorded, table_ms):
        self.eos, self.guide, self.recorded, self.table_ms = eos, guide, recorded, table_ms

    def start(self):
        return Generation(GridGrammarSession(self.guide.copy()), self.eos)

    def stats(self):
        figures = {"terminals": self.guide.tables.n_terminals}
        figures["token table"] = (self.table_ms, "ms")
        figures.update({"not enforced: " + name: 1 for name in sorted(self.recorded)})
        return figures


class Generation:
    def __init__(self, session, eos):
        self.session, self.eos, self.more = session, eos, eos[1:]

    def fill(self, prepared):
        row, matrix = prepared
        if self.session.is_terminated():
            return write_only(row, [])
        self.session.fill_bitmask(matrix, 0)
        if self.more and row.has(self.eos[0]):
            add(row, self.more)

    def commit(self, token):
        return self.session.accept_tokens("", [self.eos[0] if token in self.more else token])

    def rollback(self, k):
        self.session.rollback(k)

    def draft(self, tokens):
        known = [self.eos[0] if token in self.more else token for token in tokens]
        return len(self.session.validate_tokens(known))


if __name__ == "__main__":
    g.serve(Engine)
