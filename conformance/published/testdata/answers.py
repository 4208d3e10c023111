"""Answers for Lark's LALR parser with the basic lexer. One JSON object a line, each with a line.

{"path", "start", "import_paths"} reads a grammar: {"error"}, or {"states"} of its tables.
{"texts"} judges texts by the grammar that was read last: {"accepted": [true or false]}.
{"lex"} is a text: {"tokens": [[terminal, bytes]]}, ignored ones too, up to the first character that begins none.
"""

import json
import sys

import lark
from lark.lexer import Token

parser = None


def read(q):
    global parser
    try:
        with open(q["path"], encoding="utf-8") as f:
            parser = lark.Lark(f, parser="lalr", lexer="basic", start=q["start"], import_paths=q["import_paths"] or [])
    except Exception as e:
        return {"error": "%s: %s" % (type(e).__name__, e)}
    return {"states": len(parser.parser.parser._parse_table.states)}


def accepts(text):
    try:
        parser.parse(text)
        return True
    except lark.exceptions.UnexpectedInput:
        return False


def tokens(text):
    lexer, found, at = parser._build_lexer(), [], 0
    slice = lark.utils.TextSlice.cast_from(text)
    while at < len(text):
        match = lexer.scanner.match(slice, at)
        if match is None:
            break
        value, kind = match
        if kind in lexer.callback and kind not in lexer.ignore_types:  # what is ignored stays so
            kind = lexer.callback[kind](Token(kind, value)).type
        found.append([kind, len(value.encode())])
        at += len(value)
    return {"tokens": found}


def answer(q):
    if "path" in q:
        return read(q)
    if "lex" in q:
        return tokens(q["lex"])
    return {"accepted": [accepts(t) for t in q["texts"]]}


def main():
    print(json.dumps(lark.__version__), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


main()
