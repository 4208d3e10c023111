"""lm-format-enforcer as an engine of gcdbench: a parser of characters and a prefix tree, in Python.

What it is. lm-format-enforcer (PyPI lm-format-enforcer 0.11.3, MIT) keeps a parser that says which
characters may come next, and at each step walks the prefix tree of the vocabulary with it.

What is called. TokenEnforcerTokenizerData once (the prefix tree, some seconds of Python);
JsonSchemaParser or RegexParser at compile; get_allowed_tokens(ids so far) in fill, which both
reads the last token and collects the allowed ids, and returns them as a list of Python ints, which
becomes bits here. A generation has a TokenEnforcer of its own, as in the integrations of its
authors for transformers and vLLM, since an enforcer keeps every prefix that it has seen.

Options. None of its authors runs MaskBench. Its defaults are kept: at most 12 consecutive
characters of white space, arrays of at most 20 items where the schema sets no limit, keys in any
order. They are read from the environment (LMFE_...), which the options here set: TokenEnforcer
replaces a configuration that was passed to the parser.

Traps. The list of ids is what all integrations of its authors ask for by default, and becomes bits
in fill (2 ms where it has 100,000 ids). Its bit masks are torch tensors, filled id by id.
Committing does nothing until the next mask, never refuses, and turns an illegal token into "must stop here"; get_allowed_tokens has to be called at every prefix, since a prefix whose parent
it has not seen is taken for a prompt. So commit answers from the mask before, and makes that mask
where nobody asked for it. Tokens are text: one inside a character is U+FFFD, and what the ids
decode to has trailing U+FFFD removed, as in its integration for transformers. An error inside the
parser is logged and answered with "only EOS".
"""

import json
import os
from importlib import metadata

import gcdbench_engine as g
import numpy as np
from delivery import write_ids, write_only
from lmformatenforcer import (
    JsonSchemaParser,
    RegexParser,
    TokenEnforcer,
    TokenEnforcerTokenizerData,
)
from lmformatenforcer.exceptions import LMFormatEnforcerException
from settings import boolean, number
from vocabularies import ordinary


class Engine(g.Engine):
    name, version, licence = "lm-format-enforcer", metadata.version("lm-format-enforcer"), "MIT"
    takes = ["json-schema", "regex"]
    options = {
        "max_consecutive_whitespaces": "12",
        "max_json_array_length": "20",
        "strict_json_field_order": "false",
    }

    def vocabulary(self, v):
        tokens = v.tokens

        def decode(ids):
            return b"".join([tokens[i] for i in ids]).decode("utf-8", "replace").rstrip("\ufffd")

        regular = [(i, text.decode("utf-8", "replace"), False) for i, text in ordinary(v).items()]
        self.known = TokenEnforcerTokenizerData(regular, decode, v.eos, False, v.size)
        self.size, self.eos = v.size, v.eos

    def compile(self, kind, text, options):
        os.environ["LMFE_STRICT_JSON_FIELD_ORDER"] = str(
            boolean(options, "strict_json_field_order")
        )
        for name in ("max_consecutive_whitespaces", "max_json_array_length"):
            os.environ["LMFE_" + name.upper()] = str(number(options, name))
        if kind == "regex":
            return Grammar(self, RegexParser(text))
        try:
            return Grammar(self, JsonSchemaParser(json.loads(text)))
        except LMFormatEnforcerException as e:
            raise g.Unsupported(str(e))


class Grammar:
    def __init__(self, engine, parser):
        self.engine, self.parser = engine, parser

    def start(self):
        return Generation(self.engine, TokenEnforcer(self.engine.known, self.parser))


class Generation:
    def __init__(self, engine, enforcer):
        self.enforcer, self.eos = enforcer, engine.eos
        self.flags = np.zeros(engine.size, bool)
        self.tokens, self.masked, self.ended = [], False, False

    def fill(self, row):
        if self.ended:
            return write_only(row, [])
        write_ids(row, self.allowed(), self.flags)

    def allowed(self):
        self.masked = True
        return self.enforcer.get_allowed_tokens(self.tokens).allowed_tokens

    def commit(self, token):
        if not self.masked:
            self.flags.fill(False)
            self.flags[self.allowed()] = True
        if self.ended or not self.flags[token]:
            return False
        self.tokens.append(token)
        self.masked, self.ended = False, token in self.eos
        return True


if __name__ == "__main__":
    g.serve(Engine)
