"""XGrammar: an Earley parser over bytes with masks precomputed per grammar state, in C++.

Tried with version 0.2.8 (github.com/mlc-ai/xgrammar, Apache-2.0) and apache-tvm-ffi 0.1.15.post2,
installed without its dependencies torch, transformers and triton (2 GB); it needs pydantic.

What runs. The C++ of the wheel, unchanged. Its Python part asks torch and transformers for the
names of types, which stand-ins have; tvm_ffi, the layer under it, looks for a real torch and must
be imported before them. A mask goes to gcdbench's row through a tensor of tvm_ffi over that
memory (DLPack), made once a row. fill and commit call the functions behind GrammarMatcher's
methods with the same arguments, without the Python in between (0.1 us).

Options. MaskBench's authors, who are llguidance's, run a JSON schema with any_whitespace=False,
strict_mode=True (no properties beyond those named; ", " and ": " as separators) and one thread
(xgr_engine.py of guidance-ai/jsonschemabench, its folder maskbench); so do the defaults here.
Their "compliant" run is any_whitespace=true, strict_mode=false. xgrammar's own defaults are
any_whitespace=true, strict_mode=true. any_order is the compiler's option of that name.

Caches. The compiler's cache is on, as by default and in MaskBench: it keeps the masks of rules, so
that equal rules of one schema, and of later ones, are worked out once. It keeps whole grammars,
too. A text that was compiled before would be looked up; so the cache is emptied before such a
text, which forgets the rules as well. At most CACHE_BYTES are kept.

Known of it: keywords that it does not support are ignored, not refused (not, oneOf, allOf in
part, uniqueItems, multipleOf); after EOS it raises where another engine would leave an empty
mask. There is no call that only checks a draft: draft commits the tokens and takes them back. Its
Lark has no lexer: terminals are matched character by character, without longest match or
priorities, and ignored ones may not begin a text.
"""

import re
from importlib import metadata

import gcdbench_engine as g
import numpy as np
import standins
import tvm_ffi

standins.install("torch").tensor = lambda *_, **__: None
standins.install("transformers")

import xgrammar


CACHE_BYTES = 1 << 30  # 200 schemas of MaskBench take less than a third of it


class Engine(g.Engine):
    name, version, licence = "xgrammar", metadata.version("xgrammar"), "Apache-2.0"
    build = f"{g.Engine.build}, tvm-ffi {metadata.version('apache-tvm-ffi')}"
    takes = ["json-schema", "structural-tag", "ebnf", "lark", "regex"]
    options = {"any_whitespace": "false", "strict_mode": "true", "any_order": "false"}
    batches = {}  # by number of threads

    def vocabulary(self, v):
        raw = xgrammar.VocabType.RAW
        self.info = xgrammar.TokenizerInfo(
            v.tokens, raw, vocab_size=v.size, stop_token_ids=v.eos
        )
        self.compiler = xgrammar.GrammarCompiler(
            self.info, max_threads=1, cache_enabled=True, cache_limit_bytes=CACHE_BYTES
        )
        self.seen = set()

    def under_load(self, settings):
        """A compiler as vLLM has it (backend_xgrammar.py): 8 threads, a cache of its own."""
        self.compiler = xgrammar.GrammarCompiler(
            self.info, max_threads=8, cache_enabled=True, cache_limit_bytes=settings["cache_bytes"]
        )

    def before_compile(self, kind, text):
        if (kind, text) in self.seen:
            self.compiler.clear_cache()
            self.seen.clear()
        self.seen.add((kind, text))

    def compile(self, kind, text, options):
        try:
            if kind == "json-schema":
                flags = {name: value == "true" for name, value in options.items()}
                return Grammar(self.compiler.compile_json_schema(text, **flags))
            if kind == "structural-tag":
                return Grammar(self.compiler.compile_structural_tag(text))
            if kind == "lark":
                return Grammar(self.compiler.compile_lark(text))
            if kind == "regex":
                return Grammar(self.compiler.compile_regex(text))
            return Grammar(self.compiler.compile_grammar(text))
        except RuntimeError as e:
            message = re.sub(r"^\[[\d:]+\] \S+:\d+: ", "", str(e))  # without time and source line
            raise (g.Unsupported if "supported" in message else ValueError)(message) from None

    def prepare(self, row):
        return tvm_ffi.from_dlpack(row.words.view(np.int32))

    def fill_batch(self, generations, rows):
        if self.threads not in self.batches:
            self.batches[self.threads] = xgrammar.BatchGrammarMatcher(max_threads=self.threads)
        matchers = [generation.matcher for generation in generations]
        self.batches[self.threads].batch_fill_next_token_bitmask(matchers, rows)

    def commit_batch(self, generations, tokens):
        matchers = [generation.matcher for generation in generations]
        return xgrammar.BatchGrammarMatcher.batch_accept_token(matchers, tokens)

    def empty_call(self):
        return xgrammar.get_max_recursion_depth


class Grammar:
    def __init__(self, compiled):
        self.compiled = compiled
        self.bytes = compiled.memory_size_bytes

    def start(self):
        return Generation(xgrammar.GrammarMatcher(self.compiled))


class Generation:
    def __init__(self, matcher):
        self.matcher, handle = matcher, matcher._handle
        self.fill_next, self.accept = handle.fill_next_token_bitmask, handle.accept_token

    def fill(self, tensor):
        self.fill_next(tensor, 0, False)

    def commit(self, token):
        return self.accept(token, False)

    def clone(self):
        return Generation(self.matcher.fork())

    def rollback(self, k):
        self.matcher.rollback(k)

    def draft(self, tokens):
        accepted = next(
            (i for i, token in enumerate(tokens) if not self.commit(token)), len(tokens)
        )
        self.matcher.rollback(accepted)
        return accepted


if __name__ == "__main__":
    g.serve(Engine)
