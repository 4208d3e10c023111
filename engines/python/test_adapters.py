"""Tests of the adapters whose packages are there: each is asked about a small vocabulary.

What an engine decides is gcdbench's to judge; here it is whether an adapter drives it as it should.
"""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest

from driver import HERE, Child, tokens_of

# Every byte, some longer tokens, one of them twice, an id without bytes, and two that end the text.
WORDS = [b'{"', b'"a"', b'": ', b"true", b"false", b'{"a": ', b'{"', b"}", b"tr", b"ue", b""]
TOKENS = [bytes([byte]) for byte in range(256)] + WORDS + [b"</s>", b"<eot>"]
EOS = [len(TOKENS) - 2, len(TOKENS) - 1]
TOKEN = {text: token for token, text in reversed(list(enumerate(TOKENS)))}
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "boolean"}},
    "required": ["a"],
    "additionalProperties": False,
}
VALID = [
    [b'{"', b"a", b'": ', b"true", b"}"],
    [b'{"a": ', b"false", b"}"],
    [b'{"a": ', b"tr", b"ue", b"}"],
]
INVALID = [[b'{"a": ', b"1", b"}"], [b'{"', b"b"], [b'{"a": ', b"true", b"true"], [b'{"', b"}"]]

# What clones and drafts do to a generation; run in a process of its own.
CLONES = """
import json, sys
import numpy as np
import gcdbench_engine as g
adapter, tokens, eos, schema, document = __import__(sys.argv[1]), *map(json.loads, sys.argv[2:])
engine = adapter.Engine()
tokens = [bytes(token) for token in tokens]
engine.vocabulary(g.Vocabulary("test", len(tokens), eos, tokens, ""))
grammar = engine.compile("json-schema", schema, dict(engine.options))
def mask(generation):
    row = g.Row(np.zeros((len(tokens) + 63) // 64 * 8, np.uint8), len(tokens))
    generation.fill(engine.prepare(row))
    row.trim()
    return row.memory.tobytes()
first = grammar.start()
masks = [mask(first)]
clones = [first.clone()]
for token in document:
    assert first.commit(token)
    masks.append(mask(first))
    clones.append(first.clone())
assert mask(grammar.start()) == masks[0]
assert [mask(clone) for clone in clones] == masks, "a clone has another mask"
for clone, token, after in zip(clones, document, masks[1:]):
    assert clone.commit(token) and mask(clone) == after, "a clone goes another way"
assert len(set(masks)) > 2
second = grammar.start()
for after, token in enumerate(document):
    if hasattr(second, "draft"):
        assert second.draft(document[after:] + eos[:1]) == len(document) - after + 1
        assert second.draft([token, document[0], document[0]]) == 1
        assert mask(second) == masks[after], "a draft leaves a trace"
    assert second.commit(token)
"""


# What an engine keeps from one compile to the next; run in a process of its own.
SETUP = """
import json, sys
import numpy as np
import gcdbench_engine as g
adapter, tokens, eos, *schemas = __import__(sys.argv[1]), *map(json.loads, sys.argv[2:])
engine = adapter.Engine()
tokens = [bytes(token) for token in tokens]
engine.vocabulary(g.Vocabulary("test", len(tokens), eos, tokens, ""))
row = g.Row(np.zeros((len(tokens) + 63) // 64 * 8, np.uint8), len(tokens))
def compile(schema):
    engine.before_compile("json-schema", schema)
    grammar = engine.compile("json-schema", schema, dict(engine.options))
    grammar.start().fill(engine.prepare(row))
"""


class Adapter:
    """The tests of one adapter; a subclass names it."""

    can = []

    def setUp(self):
        if importlib.util.find_spec(self.name) is None:
            self.skipTest(f"{sys.executable} has no package {self.name}")
        self.child = Child(self.name + "_engine.py")
        self.addCleanup(self.child.close)
        self.child.set_up(TOKENS, EOS)

    def compile(self, schema=SCHEMA, **options):
        return self.child.do(
            "compile", kind="json-schema", text=json.dumps(schema), options=options
        )

    def test_hello(self):
        answer = self.child.ok("hello", protocol=1)
        self.assertEqual((answer["name"], answer["can"]), (self.name, self.can))
        self.assertRegex(answer["version"], r"^\d+\.\d+\.\d+")
        self.assertTrue(0 < answer["call_empty_ns"] < 50_000, answer)

    def test_documents(self):
        self.assertTrue(self.compile()["ok"])
        for document in VALID:
            tokens = [TOKEN[text] for text in document]
            for eos in EOS:
                answer, rows = self.child.walk(tokens + [eos])
                self.assertNotIn("refused", answer, document)
                for mask in map(tokens_of, rows[: answer["masked"]]):
                    self.assertEqual(
                        TOKEN[b'{"'] in mask, TOKENS.index(b'{"') + 6 in mask
                    )  # equal bytes
                    self.assertNotIn(TOKENS.index(b""), mask)
                self.assertTrue(set(EOS) <= mask)
            self.assertNotIn("refused", self.child.walk(tokens + EOS[:1], timed=True)[0])
            self.assertNotIn("refused", self.child.walk(tokens + EOS[:1], block=2)[0])
        for document in INVALID + [VALID[0][:2], VALID[0] + [b"}"]]:
            tokens = [TOKEN[text] for text in document] + EOS[:1]
            answer, _ = self.child.walk(tokens)
            self.assertEqual(answer.get("refused_by"), "mask", (document, answer))
            self.assertFalse(answer["commit_takes"], (document, answer))

    def test_refused_documents_leave_no_trace(self):
        self.assertTrue(self.compile()["ok"])
        document = [TOKEN[text] for text in VALID[0]]
        first = self.child.walk(document + EOS[:1])[1].copy()
        self.assertEqual(self.child.explore("begin", tokens=[TOKEN[b"}"]])[0]["refused"], 0)
        for n in range(len(document)):
            answer, mask = self.child.explore("begin", tokens=document[:n])
            self.assertEqual(mask, tokens_of(first[n]))
        self.assertIn("refused", self.child.explore("next", token=TOKEN[b"{"])[0])
        self.assertTrue((self.child.walk(document + EOS[:1])[1] == first).all())

    def test_capabilities(self):
        self.assertTrue(self.compile()["ok"])
        document = [TOKEN[text] for text in VALID[0]] + EOS[:1]
        for what, n, accepted in [
            ("clone", 6, 0),
            ("rollback", 4, 0),
            ("draft", 5, 10),
            ("batch", 3, 0),
        ]:
            answer, _ = self.child.measure(what, document, 2)
            if what in self.can:
                self.assertEqual((answer["n"], answer["accepted"]), (n, accepted), what)
            else:
                self.assertEqual(answer["outcome"], "unsupported")

    def test_clones_and_drafts(self):
        self.run_alone(CLONES, json.dumps(SCHEMA), [TOKEN[text] for text in VALID[0]])

    def run_alone(self, program, *fields):
        """Runs a program in a process of its own, with the vocabulary and what else it is given."""
        fields = map(json.dumps, [[list(token) for token in TOKENS], EOS, *fields])
        command = [sys.executable, "-B", "-c", program, self.name + "_engine", *fields]
        found = subprocess.run(command, capture_output=True, text=True, cwd=HERE)
        self.assertEqual(found.returncode, 0, found.stderr)

    def test_errors(self):
        answer = self.compile({"type": "nonsense"})
        self.assertEqual(
            (answer["ok"], answer["outcome"] in ("compile-error", "unsupported")), (False, True)
        )
        self.assertNotIn("\n", answer["error"])
        self.assertEqual(self.compile(speed="high")["outcome"], "compile-error")
        if self.lacks:
            self.assertEqual(self.compile(self.lacks)["outcome"], "unsupported")
        self.assertTrue(self.compile()["ok"])


# A byte-level tokenizer of a few tokens, as a tokenizer.json.
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
TOKENIZER = {
    "version": "1.0",
    "added_tokens": [
        {"id": 5, "content": "</s>", "special": True, "single_word": False}
        | dict.fromkeys(["lstrip", "rstrip", "normalized"], False)
    ],
    "pre_tokenizer": BYTES,
    "decoder": BYTES,
    "model": {
        "type": "BPE",
        "vocab": {"a": 0, "b": 1, "c": 2, "d": 3, "ab": 4},
        "merges": [["a", "b"]],
    },
}


class LLGuidance(Adapter, unittest.TestCase):
    name, can = "llguidance", ["clone", "rollback", "draft", "batch"]
    lacks = {"properties": {"a": {"not": {"type": "string"}}}}

    def test_options(self):
        self.assertTrue(self.compile(json='{"whitespace_flexible": false}')["ok"])
        self.assertNotIn(
            TOKEN[b'": '], self.child.explore("begin", tokens=[TOKEN[b'{"'], ord("a")])[1]
        )
        self.assertTrue(self.compile()["ok"])
        self.assertIn(
            TOKEN[b'": '], self.child.explore("begin", tokens=[TOKEN[b'{"'], ord("a")])[1]
        )

    def test_without_a_tokenizer_no_text_is_forced(self):
        tokens = [TOKEN[text] for text in (b"tr", b"ue", b"t", b"r", b"true")]
        for kind, text in [
            ("json-schema", '{"const": true}'),
            ("regex", "true"),
            ("llguidance-lark", '%llguidance {"allow_initial_skip": true}\nstart: "true"\n%ignore " "'),
        ]:
            self.child.ok("compile", kind=kind, text=text)
            mask = self.child.explore("begin", tokens=[])[1]
            self.assertTrue({tokens[0], tokens[2], tokens[4]} <= mask, (kind, mask))
            self.assertNotIn("refused", self.child.walk(tokens[:2] + EOS[:1])[0])
            self.assertNotIn("refused", self.child.walk([*tokens[2:4], TOKEN[b"ue"], EOS[0]])[0])
        self.assertIn(ord(" "), mask)  # the grammar's own option is kept
        self.child.ok("compile", kind="json-schema", text="true")
        self.assertIn(tokens[4], self.child.explore("begin", tokens=[])[1])

    def test_with_a_tokenizer_its_tokens_are_forced(self):
        """A tokenizer.json that writes a text as one token leaves no other for it."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
            json.dump(TOKENIZER, f)
            f.flush()
            tokens = [token.encode() for token in TOKENIZER["model"]["vocab"]] + [b"</s>"]
            self.child.set_up(tokens, [len(tokens) - 1], f.name)
            self.child.ok("compile", kind="regex", text="ab(c|d)")
            self.assertEqual(self.child.explore("begin", tokens=[])[1], {tokens.index(b"ab")})
            answer, rows = self.child.walk([tokens.index(text) for text in (b"ab", b"d", b"</s>")])
            self.assertNotIn("refused", answer)
            self.assertEqual(tokens_of(rows[1]), {tokens.index(b"c"), tokens.index(b"d")})
            answer, _ = self.child.walk([tokens.index(b"a")])
            self.assertEqual(answer["refused_by"], "mask")
        self.child.set_up(tokens, [len(tokens) - 1])
        self.child.ok("compile", kind="regex", text="ab(c|d)")
        both = {tokens.index(b"ab"), tokens.index(b"a")}
        self.assertEqual(self.child.explore("begin", tokens=[])[1], both)

    def test_a_limit_is_no_mask(self):
        self.child.ok("compile", kind="regex", text="(a|b|c)+(d|e)*")
        self.assertNotIn("refused", self.child.walk([ord("a"), EOS[0]])[0])
        lark = 'start: (("a" | "b" | "c")+ "d"?)+ | (("a" | "b") "c")*'
        answer = self.child.do(
            "compile", kind="llguidance-lark", text=lark, options={"step_max_items": "20"}
        )
        self.assertTrue(answer["ok"])
        answer, _ = self.child.walk([ord("a"), EOS[0]])
        self.assertEqual((answer["ok"], answer.get("outcome")), (False, "crash"))
        self.assertIn("limit 20", answer["error"])


# What earlier schemas left is kept for another one, and dropped before one of them comes again.
KEPT = """
size = engine.compiler.get_cache_size_bytes
engine.before_compile("json-schema", schemas[0])
engine.compile("json-schema", schemas[0], dict(engine.options))
first = size()
compile(schemas[1])
assert 0 < first < size()
engine.before_compile("json-schema", schemas[1])
assert size() == 0
engine.before_compile("json-schema", schemas[0])
"""


class XGrammar(Adapter, unittest.TestCase):
    name, can = "xgrammar", ["clone", "rollback", "draft", "batch"]
    lacks = None  # it ignores what it does not support

    def test_options(self):
        space = [TOKEN[b'{"'], ord("a"), ord('"'), ord(":"), ord(" "), ord(" ")]
        for value, refused in [("false", 5), ("true", None)]:
            self.assertTrue(self.compile(any_whitespace=value)["ok"])
            self.assertEqual(self.child.explore("begin", tokens=space)[0].get("refused"), refused)

    def test_no_compile_is_looked_up(self):
        another = {"type": "array", "items": {"type": "boolean"}}
        self.run_alone(SETUP + KEPT, json.dumps(SCHEMA), json.dumps(another))

    def test_grammars(self):
        self.child.ok("compile", kind="ebnf", text='root ::= "a" ("b" | "c")*')
        self.assertEqual(
            self.child.explore("begin", tokens=[ord("a")])[1], {ord("b"), ord("c"), *EOS}
        )
        self.child.ok("compile", kind="regex", text="a[bc]")
        self.assertEqual(self.child.explore("begin", tokens=[ord("a")])[1], {ord("b"), ord("c")})
        answer = self.child.do("compile", kind="ebnf", text='root ::= "a" b')
        self.assertEqual(answer["outcome"], "compile-error")
        self.assertTrue(answer["error"].startswith("EBNF parser error at line 1"), answer)


class GLRMask(Adapter, unittest.TestCase):
    name, can = "glrmask", ["clone"]
    lacks = {"not": {"type": "object", "required": ["a"]}}

    def test_options(self):
        self.assertTrue(self.compile(mask_strategy="TOKEN_TRIE")["ok"])
        self.test_masks_of_lark()

    def test_masks_of_lark(self):
        self.child.ok("compile", kind="lark", text='start: "a" ("b" | "c")*')
        self.assertEqual(
            self.child.explore("begin", tokens=[ord("a")])[1], {ord("b"), ord("c"), *EOS}
        )


if __name__ == "__main__":
    unittest.main()
