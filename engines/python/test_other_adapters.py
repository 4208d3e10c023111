"""Tests of the adapters whose engines have no row of bits, no EOS, or no bytes of their own.

They go through the tests of every adapter (test_adapters.py), and what is theirs alone is here.
"""

import importlib.util
import json
import sys
import unittest

import numpy as np
from delivery import add, write_flags, write_ids, write_only
from driver import Child, tokens_of
from test_adapters import EOS, SCHEMA, SETUP, TOKEN, TOKENS, VALID, Adapter
from vocabularies import byte_level, firsts, ordinary, twins

GRAMMAR = 'start: "a" ("b" | "c")* | "{" NUMBER "}"\nNUMBER: /[0-9]+/'


class Other(Adapter):
    """An adapter whose file, package and engine have different names; name is the file's."""

    lacks, empty = None, True

    def setUp(self):
        if importlib.util.find_spec(self.package) is None:
            self.skipTest(f"{sys.executable} has no package {self.package}")
        self.child = Child(self.name + "_engine.py")
        self.addCleanup(self.child.close)
        self.child.set_up(TOKENS, EOS)

    def test_hello(self):
        answer = self.child.ok("hello", protocol=1)
        self.assertEqual((answer["name"], answer["can"]), (self.called, self.can))
        self.assertRegex(answer["version"], r"^\d+\.\d+\.\d+")
        self.assertEqual(0 < answer["call_empty_ns"] < 50_000, self.empty, answer)

    def test_clones_and_drafts(self):
        if "clone" not in self.can:
            self.skipTest(f"{self.called} has no clone")
        super().test_clones_and_drafts()

    def after(self, *texts):
        """Returns the mask after some texts, which must not be refused."""
        answer, mask = self.child.explore("begin", tokens=[TOKEN[text] for text in texts])
        self.assertNotIn("refused", answer, texts)
        return mask


class OutlinesCore(Other, unittest.TestCase):
    name, package, called, can = "outlines_core", "outlines_core", "outlines-core", ["rollback"]
    lacks = {"not": {"type": "object"}}

    def test_regex_and_options(self):
        self.child.ok("compile", kind="regex", text="a(b|c)?")
        self.assertEqual(self.after(b"a"), {ord("b"), ord("c"), *EOS})
        self.assertTrue(self.compile(whitespace="")["ok"])
        self.assertIn(ord(" "), self.after(b'{"', b"a", b'"', b":"))
        self.assertTrue(self.compile(whitespace="\n*")["ok"])
        self.assertNotIn(ord(" "), self.after(b'{"', b"a", b'"', b":"))

    def test_alternatives_are_leftmost_first(self):
        self.child.ok("compile", kind="regex", text="a|ab")
        self.assertEqual(self.after(b"a"), set(EOS))


class Formatron(Other, unittest.TestCase):
    name, package, called, can = "formatron", "formatron", "formatron", ["clone"]

    def test_schemas_of_other_drafts(self):
        schema = {"$schema": "http://json-schema.org/draft-07/schema#", "id": "x", "type": "object"}
        self.assertTrue(self.compile(schema)["ok"])
        self.assertNotIn(EOS[0], self.after(b"{"))
        self.assertEqual(self.after(b"{", b"}"), set(EOS))
        self.assertEqual(self.compile({"type": "string"})["outcome"], "compile-error")

    def test_kbnf_and_options(self):
        self.child.ok("compile", kind="kbnf", text='start ::= "a" ("b" | "c");')
        self.assertEqual(self.after(b"a"), {ord("b"), ord("c")})
        anchored = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^x$"}}}
        self.assertFalse(self.compile(anchored)["ok"])
        self.assertTrue(self.compile(anchored, strict_schema="false")["ok"])


class LMFormatEnforcer(Other, unittest.TestCase):
    name, package, called = "lmformatenforcer", "lmformatenforcer", "lm-format-enforcer"
    empty = False

    def test_regex_and_options(self):
        self.child.ok("compile", kind="regex", text="a(b|c)?")
        self.assertEqual(self.after(b"a"), {ord("b"), ord("c"), *EOS})
        array = {"type": "array", "items": {"type": "boolean"}}
        comma = {}
        for n in ("20", "1"):
            self.assertTrue(self.compile(array, max_json_array_length=n)["ok"])
            comma[n] = ord(",") in self.after(b"[", b"true")
        self.assertEqual(comma, {"20": True, "1": False})


class Grid(Other, unittest.TestCase):
    name, package, called, can = "grid", "grid", "grid", ["rollback", "draft"]
    empty = False

    def test_what_is_not_enforced_is_named(self):
        schema = {"type": "array", "uniqueItems": True}
        answer = self.compile(schema)
        self.assertTrue(answer["ok"], answer)
        self.assertIn(
            "not enforced: uniqueItems", [counter["name"] for counter in answer["counters"]]
        )
        self.assertEqual(self.compile(schema, strict="true")["outcome"], "unsupported")

    def test_grammars_are_let_go(self):
        program = SETUP + """
compile(schemas[0])
one = len(adapter.walk._WALKERS)
compile(schemas[1])
assert one == len(adapter.walk._WALKERS) == 1, (one, len(adapter.walk._WALKERS))
"""
        self.run_alone(program, json.dumps(SCHEMA), json.dumps({"type": "array"}))

    def test_drafts_leave_no_trace(self):
        self.assertTrue(self.compile()["ok"])
        document = [TOKEN[text] for text in VALID[0]]
        before = self.child.walk(document + EOS[:1])[1].copy()
        answer, _ = self.child.measure("draft", document + [EOS[1]], 2)
        self.assertEqual((answer["n"], answer["accepted"]), (5, 10))
        self.assertTrue((self.child.walk(document + EOS[:1])[1] == before).all())


class LlamaCpp(Other, unittest.TestCase):
    name, package, called, can = "llamacpp", "llama_cpp", "llama.cpp", ["clone"]

    def test_gbnf(self):
        self.child.ok("compile", kind="gbnf", text='root ::= "a" ("b" | "c")*')
        self.assertEqual(self.after(b"a"), {ord("b"), ord("c"), *EOS})
        for text in ('root ::= "a" b', 'start ::= "a"', "root ::= root | root"):
            answer = self.child.do("compile", kind="gbnf", text=text)
            self.assertEqual(answer["outcome"], "compile-error", text)
            self.assertIn("llama.cpp refuses", answer["error"])

    def test_tokens_inside_a_character(self):
        self.child.ok("compile", kind="gbnf", text='root ::= "é"')
        self.assertEqual(self.child.explore("begin", tokens=[])[1], {0xC3})
        self.assertEqual(self.child.explore("begin", tokens=[0xC3])[1], {0xA9})
        self.assertEqual(self.child.explore("begin", tokens=[0xC3, 0xA9])[1], set(EOS))


class SynCode(Other, unittest.TestCase):
    name, package, called, empty = "syncode", "syncode", "syncode", False

    def compile(self, schema=None, **options):
        text = GRAMMAR if schema is None else str(schema)
        return self.child.do("compile", kind="lark", text=text, options=options)

    def test_documents(self):
        self.assertTrue(self.compile()["ok"])
        self.assertEqual(self.after(b"a"), {ord("b"), ord("c"), *EOS})
        self.assertEqual(self.after(b"a", b"b"), {ord("b"), ord("c"), *EOS})
        self.assertIn("refused", self.child.walk([ord("a"), ord("a"), EOS[0]])[0])
        for eos in EOS:
            answer, _ = self.child.walk([ord("{"), ord("1"), ord("2"), ord("}"), eos], timed=True)
            self.assertNotIn("refused", answer)

    def test_strict_masks_end_with_the_next_terminal(self):
        for mode, reaches in [("grammar_mask", True), ("grammar_strict", False)]:
            self.assertTrue(self.compile('start: "a" "t" "r"', mode=mode)["ok"])
            mask = self.after(b"a")
            self.assertEqual((ord("t") in mask, TOKEN[b"tr"] in mask), (True, reaches))

    def test_refused_documents_leave_no_trace(self):
        self.assertTrue(self.compile()["ok"])
        document = [ord("{"), ord("1"), ord("}")]
        first = self.child.walk(document + EOS[:1])[1].copy()
        self.assertEqual(self.child.explore("begin", tokens=[ord("}")])[0]["refused"], 0)
        self.assertEqual(self.child.explore("begin", tokens=document)[1], tokens_of(first[3]))
        self.assertIn("refused", self.child.explore("next", token=ord("b"))[0])
        self.assertTrue((self.child.walk(document + EOS[:1])[1] == first).all())

    def test_capabilities(self):
        self.assertTrue(self.compile()["ok"])
        answer, _ = self.child.measure("clone", [ord("a"), EOS[0]], 1)
        self.assertEqual(answer["outcome"], "unsupported")

    def test_errors(self):
        self.assertEqual(self.compile("start: nothing")["outcome"], "compile-error")
        self.assertEqual(self.compile("start: /a(?<=a)b/")["outcome"], "unsupported")
        self.assertEqual(self.compile(speed="high")["outcome"], "compile-error")
        self.assertTrue(self.compile()["ok"])


class Row:
    def __init__(self, size):
        self.memory = np.full((size + 63) // 64 * 8, 0xAA, np.uint8)

    def tokens(self, size):
        return {token for token in tokens_of(self.memory) if token < size}


class Delivery(unittest.TestCase):
    def test_rows(self):
        for size in (1, 8, 63, 64, 65, 200):
            for wanted in (set(), {0}, {size - 1}, set(range(0, size, 3))):
                flags = np.zeros(size, bool)
                flags[list(wanted)] = True
                for write in (
                    lambda row: write_flags(row, flags),
                    lambda row: write_ids(row, list(wanted), np.ones(size, bool)),
                    lambda row: write_only(row, wanted),
                ):
                    row = Row(size)
                    write(row)
                    self.assertEqual(row.tokens(size), wanted)
                add(row, [size - 1, 0])
                self.assertEqual(row.tokens(size), wanted | {0, size - 1})


class Vocabularies(unittest.TestCase):
    class V:
        tokens = [b"a", b"", b"b", b"a", b"\xc3", b" ", b"</s>", b"<eot>", b"</s>", b"\n\x00"]
        size, eos = len(tokens), [6, 7]

    def test_forms(self):
        v, first = self.V, firsts(self.V)
        self.assertEqual(sorted(ordinary(v)), [0, 2, 3, 4, 5, 8, 9])
        self.assertEqual(first, [0, 1, 2, 0, 4, 5, 6, 6, 8, 9])
        self.assertEqual([list(found) for found in twins(first)], [[3, 7], [0, 6]])
        texts = byte_level(v, first)
        self.assertEqual(texts[:6], ["a", "<unused 1>", "b", "<unused 3>", "Ã", "Ġ"])
        self.assertEqual(texts[6:], ["<unused 6>", "<unused 7>", "</s>", "ĊĀ"])
        self.assertEqual(len(set(texts)), v.size)

    def test_every_byte_has_a_letter_of_its_own(self):
        v = self.V()
        v.tokens, v.size, v.eos = [bytes([byte]) for byte in range(256)], 256, [0]
        letters = byte_level(v, firsts(v))[1:]
        self.assertEqual(len(set(letters)), 255)
        self.assertTrue(all(len(letter) == 1 and letter.isprintable() for letter in letters))


if __name__ == "__main__":
    unittest.main()
