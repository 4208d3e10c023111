r"""SynCode as an engine of gcdbench: a mask store per terminal, an LALR parser, in Python.

What it is. SynCode (PyPI syncode 0.4.16, MIT) parses the text so far with a fork of Lark, which
gives sequences of one to three terminals that may come next, and joins the masks that its store
has for them: for each state of each terminal's automaton, and each terminal that may follow, the
tokens that fit. The store is made offline, in Python, for one grammar and vocabulary.

What is called. MaskStore(...) and an incremental parser at compile, as GrammarConstrainer makes
them; in fill the steps of GrammarConstrainer.mask_scores: bytes of all ids so far, as text; lexing
and parsing of that text (from the last parser state that is known); get_accept_mask. Flags become
bits here. Masks are torch tensors of bools there and numpy arrays of bools here
(numpy_for_torch.py). commit appends the id; where no mask was made it asks as is_valid does. The
parser's state is shared, so a grammar has one live generation.

Options. mode is grammar_mask as in SynCode's paper, which allows a token if some prefix of what
follows the next terminal fits; grammar_strict, the default of its class Syncode, refuses tokens
that reach beyond two terminals. The two caches on disk (parser, mask store) are left out.

Traps. Offline time: states times tokens in Python; 128,256 tokens take 90 s for its JSON (62
states) and 11 minutes of processor time and 3.2 GB for its Go (384 states); automata of richer
terminals, our own Go's for one, take more than minutes. Ids without bytes would be legal always: its
default mask has all special tokens; here they never are. A tab counts as four blanks. When the
text does not parse, or no token fits, it masks nothing: the row then has all ordinary tokens and
EOS. Terminals are automata of interegular (no look-behind, no \b, no anchors); EOS is legal where
$END is among the next terminals. The bundled go and python grammars come with code of their own,
which is used when the text of the grammar is theirs; that of Go (GoIncrementalParser) takes an
unfinished string for finished, so nothing continues one. Importing the package the usual way
imports its evaluation suites, and logs to stdout; so its parts are imported one by one.
"""

import importlib.util
import sys
import types
from importlib import metadata
from pathlib import Path

import gcdbench_engine as g
import numpy as np
import numpy_for_torch
import standins
from delivery import write_flags, write_only
from vocabularies import byte_level, firsts, ordinary, twins

numpy_for_torch.install()
standins.install("transformers")
found = importlib.util.find_spec("syncode").submodule_search_locations
sys.modules["syncode"] = types.ModuleType("syncode")
sys.modules["syncode"].__path__ = found

import interegular
import syncode.mask_store.mask_store as mask_store
from syncode.grammar_mask.grammar_constrainer import GrammarConstrainer
from syncode.mask_store.byte_tokenizer import ByteTokenizer
from syncode.parse_result import AcceptSequence
from syncode.parsers import create_base_parser
from syncode.parsers.go_parser import GoIncrementalParser
from syncode.parsers.grammars import Grammar as Text
from syncode.parsers.incremental_parser import IncrementalParser
from syncode.parsers.python_parser import PythonIncrementalParser, PythonIndenter

mask_store.tqdm = lambda total: types.SimpleNamespace(update=lambda _: None, close=lambda: None)


class Tokens:
    """The vocabulary as SynCode's ByteTokenizer and mask store want a tokenizer."""

    def __init__(self, v):
        self.first = firsts(v)
        self.texts = byte_level(v, self.first)
        self.vocab_size, self.eos_token_id, self.all_special_ids = v.size, v.eos[0], [v.eos[0]]

    def get_vocab(self):
        return {text: token for token, text in enumerate(self.texts)}

    def decode(self, ids):
        return "".join([self.texts[token] for token in ids])


class Engine(g.Engine):
    name, version, licence = "syncode", metadata.version("syncode"), "MIT"
    build = f"{g.Engine.build}, numpy {np.__version__} for torch"
    takes = ["lark"]
    options = {"mode": "grammar_mask"}

    def vocabulary(self, v):
        self.eos, self.size, self.tokens = v.eos, v.size, Tokens(v)
        self.twin, self.known = twins(self.tokens.first)
        self.legal = np.zeros(v.size, bool)
        self.legal[list(ordinary(v))] = True
        self.legal[v.eos] = True

    def compile(self, kind, text, options):
        try:
            return Grammar(self, Constrainer(Text(name_of(text)), self.tokens, options["mode"]))
        except interegular.Unsupported as e:
            raise g.Unsupported(f"a terminal that is no regular expression for interegular: {e}")


def name_of(text):
    """Returns the name of a grammar that comes with SynCode, or the text of another."""
    folder = Path(sys.modules["syncode.parsers.grammars"].__file__).parent
    names = [path.stem for path in folder.glob("*.lark") if path.read_text() == text]
    return names[0] if names else text


class Constrainer(GrammarConstrainer):
    """SynCode's constrainer, made without its caches on disk."""

    def __init__(self, grammar, tokens, mode):
        base = create_base_parser(grammar)
        table = base.parser.parser._parse_table
        self.grammar, self.tokenizer, self.byte_tokenizer = grammar, tokens, ByteTokenizer(tokens)
        self.batch_size, self.parse_output_only, self.dev_mode = 1, True, False
        self.dfa_mask_store = mask_store.MaskStore(
            base.terminals,
            tokens,
            grammar.simplifications(),
            indent=grammar.name == "python",
            mode=mode,
            ignore_terminals=base.ignore_tokens,
            parse_table=table,
        )
        self.inc_parser = parser_of(grammar, base, self.dfa_mask_store._ignore_whitespace)

    def read(self, ids):
        """Returns the parse of what the ids say, None if it does not parse."""
        text, rest = self._bytes_to_string(self.byte_tokenizer.decode(ids, True))
        return self._parse_partial_output(0, text, rest)[0]

    def flags(self, ids):
        """Returns the mask after ids, None if SynCode masks nothing there."""
        parse = self.read(ids)
        found = None if parse is None else self.dfa_mask_store.get_accept_mask(parse)
        return found if found is not None and found.any() else None

    def takes(self, ids, token):
        """Returns whether the token may follow the ids, as SynCode checks one without a mask."""
        if token == self.tokenizer.eos_token_id:
            parse = self.read(ids)
            return parse is not None and AcceptSequence(["$END"]) in parse.accept_sequences
        parse = self.read([*ids, token])
        return parse is not None and self.dfa_mask_store.is_valid_prefix(parse)


def parser_of(grammar, base, ignore):
    """Returns the incremental parser that SynCode uses for a grammar."""
    if grammar.name == "python":
        indenter = PythonIndenter()
        return PythonIncrementalParser(
            create_base_parser(grammar, indenter=indenter), indenter, ignore_whitespace=ignore
        )
    kind = GoIncrementalParser if grammar.name == "go" else IncrementalParser
    return kind(base, ignore_whitespace=ignore)


class Grammar:
    def __init__(self, engine, constrainer):
        self.engine, self.constrainer = engine, constrainer
        table = constrainer.dfa_mask_store._lookup_table
        self.masks = len(table._fsm_state_and_next_terminal_to_tokens) + len(table._exact_lookup)
        self.bytes = (self.masks + len(table._overapprox_lookup)) * engine.size

    def start(self):
        self.constrainer.reset()
        return Generation(self.engine, self.constrainer)

    def stats(self):
        return {"masks": self.masks}


class Generation:
    def __init__(self, engine, constrainer):
        self.engine, self.constrainer = engine, constrainer
        self.tokens, self.flags, self.ended = [], None, False

    def fill(self, row):
        if self.ended:
            return write_only(row, [])
        engine, flags = self.engine, self.constrainer.flags(self.tokens)
        if flags is None:
            flags = engine.legal.copy()
        flags &= engine.legal
        flags[engine.twin] = flags[engine.known]
        write_flags(row, flags)
        self.flags = flags

    def commit(self, token):
        token = self.engine.tokens.first[token]
        if self.ended or not self.takes(token):
            return False
        self.ended = token == self.engine.eos[0]
        self.tokens.append(token)
        self.flags = None
        return True

    def takes(self, token):
        if self.flags is not None:
            return self.flags[token]
        return self.constrainer.takes(self.tokens, token)


if __name__ == "__main__":
    g.serve(Engine)
