"""llguidance: an Earley parser over lexemes with derivatives of regular expressions, in Rust.

Tried with version 1.9.1 (github.com/guidance-ai/llguidance, MIT). It needs no other package.

What runs. LLMatcher is one generation. It is made once per grammar; a new generation is a deep
copy of it, as MaskBench's runner does it. What one copy has built is there for the next: on 52
instances a second copy took 0.37 of the first one's time, and of that of a matcher that was made
anew. A reset of a used matcher is no quicker (1.1 to 1.3 of a copy). Errors do not raise: they are
a state of the matcher, so the adapter asks for it after making one, and after a refused token. A
limit that is exceeded while a mask is computed leaves a mask of EOS alone; the next commit then
names the limit. unsafe_compute_mask_ptr writes the mask to an address and is the cheapest fill of
the binding; its numpy wrapper costs some 2.6 us more.

Options. MaskBench's authors run a JSON schema without any option (llg_engine.py of
guidance-ai/jsonschemabench, its folder maskbench): so do the defaults here. "json" is a JSON
object of the compiler's options, for instance {"coerce_one_of": true, "lenient": true} or
{"whitespace_flexible": false}. The others are the parser's limits by their own names. A grammar
of a programming language needs a greater step_max_items (1000000, say) and, in the grammar
itself, %llguidance {"allow_initial_skip": true} if a text may begin with ignored characters.

Vocabulary. With a tokenizer.json llguidance tokenises as the model does: where the grammar forces
a text, it allows only the tokens that the tokenizer would write. Without one (a vocabulary that is
embedded or cut) nobody tells the adapter how a text is split before it is merged, so that what
llguidance would force could be other tokens than the model's. So forcing is off then, by the
grammar's option no_forcing, and any tokens may write the text; it costs the engine what a forced
token saves it. The tokens are given as a BPE vocabulary; those with equal bytes, which that
interface does not know, through a wrapper object.
"""

import json
from importlib import metadata

import gcdbench_engine as g
from llguidance import LLExecutor, LLMatcher, LLParserLimits, LLTokenizer, TokenizerWrapper

LIMITS = "max_items_in_row initial_lexer_fuel step_lexer_fuel step_max_items".split()
LIMITS += "max_lexer_states max_grammar_size".split()
# Words of messages on features that it lacks, and on tokens that it refuses.
LACKS = ("Unimplemented", "Unknown format", "supported")
REFUSES = ("satisfy the grammar", "parser stopped", "out of range")


class Engine(g.Engine):
    name, version, licence = "llguidance", metadata.version("llguidance"), "MIT"
    takes = ["json-schema", "llguidance-lark", "regex"]
    options = {name: str(getattr(LLParserLimits(), name)) for name in LIMITS}
    options["json"] = "{}"
    executors = {}  # by number of threads

    def vocabulary(self, v):
        ends = {"n_vocab": v.size, "eos_token": v.eos}
        self.forcing = bool(v.tokenizer)
        if v.tokenizer:
            self.tokenizer = LLTokenizer(v.tokenizer, **ends)
            return
        ordinary = [(text, i) for i, text in enumerate(v.tokens) if text and i not in v.eos]
        special = {f"<|eos {token}|>": token for token in v.eos}
        ids, all_of_it = dict(ordinary), "(?s).+"
        self.tokenizer = LLTokenizer.from_tiktoken(
            encoder=ids, special_tokens=special, pattern=all_of_it, **ends
        )
        if len(ids) < len(ordinary):
            merges = Merges(v, self.tokenizer.tokenize_bytes)
            self.tokenizer = LLTokenizer(TokenizerWrapper(merges), **ends)

    def compile(self, kind, text, options):
        limits = LLParserLimits(**{name: int(options[name]) for name in LIMITS})
        if kind == "json-schema":
            overrides = json.loads(options["json"]) or None
            text = LLMatcher.grammar_from_json_schema(text, overrides=overrides)
        elif kind == "regex":
            text = LLMatcher.grammar_from_regex(text)
        if not self.forcing:
            text = unforced(text)
        matcher = LLMatcher(self.tokenizer, text, log_level=0, limits=limits)
        if matcher.is_error():
            message = matcher.get_error().split("\n<state>")[0]
            lacks = any(words in message for words in LACKS)
            raise (g.Unsupported if lacks else ValueError)(message)
        return Grammar(matcher)

    def executor(self):
        """Returns the pool of the number of threads that a batch may use."""
        if self.threads not in self.executors:
            self.executors[self.threads] = LLExecutor(num_threads=self.threads)
        return self.executors[self.threads]

    def fill_batch(self, generations, rows):
        matchers = [(generation.matcher, i) for i, generation in enumerate(generations)]
        self.executor().unsafe_compute_mask_ptr(matchers, rows.pointer, rows.bytes, len(matchers))

    def commit_batch(self, generations, tokens):
        pairs = [(generation.matcher, token) for generation, token in zip(generations, tokens)]
        taken = self.executor().consume_token_par(pairs)
        return [took or g.refused() for took, g in zip(taken, generations)]

    def empty_call(self):
        return LLMatcher(LLTokenizer("byte"), 'start: "a"').is_stopped


def unforced(text):
    """Returns a grammar, in Lark or as llguidance's JSON, as Lark whose texts take any tokens."""
    if text.startswith("{"):
        (part,) = json.loads(text)["grammars"]
        text = part.get("lark_grammar") or "start: %json " + json.dumps(part["json_schema"])
    return '%llguidance {"no_forcing": true}\n' + text


class Merges:
    """What TokenizerWrapper asks of a tokenizer."""

    def __init__(self, v, tokenize):
        self.eos_token_id, self.bos_token_id, self.tokens = v.eos[0], None, v.tokens
        self.special_token_ids, self.tokenize = v.eos, tokenize

    def __call__(self, text):
        return self.tokenize(text)


class Grammar:
    def __init__(self, matcher):
        self.matcher = matcher

    def start(self):
        return Generation(self.matcher.deep_copy())


class Generation:
    def __init__(self, matcher):
        self.matcher = matcher
        self.compute, self.consume = matcher.unsafe_compute_mask_ptr, matcher.consume_token

    def fill(self, row):
        self.compute(row.pointer, row.bytes)

    def commit(self, token):
        return self.consume(token) or self.refused()

    def refused(self):
        error = self.matcher.get_error().split("\n")[0]
        if any(words in error for words in REFUSES):
            return False
        raise RuntimeError(error)

    def clone(self):
        return Generation(self.matcher.deep_copy())

    def rollback(self, k):
        if not self.matcher.rollback(k):
            raise RuntimeError(self.matcher.get_error())

    def draft(self, tokens):
        return self.matcher.validate_tokens(tokens)


if __name__ == "__main__":
    g.serve(Engine)
