"""Answers for Lark's parsers. One JSON object a line, each with a line.

{"path", "start", "import_paths", "lexer"} reads a grammar, for the Earley parser if the lexer is dynamic or
dynamic_complete, and else for the LALR parser: {"error"}, or {"states"} of its tables.
{"texts"} judges texts by the grammar that was read last: {"accepted": [true or false]}, null where Lark takes
more than LIMIT seconds of the processor.
{"lex"} is a text: {"tokens": [[terminal, bytes]]}, ignored ones too, up to the first character that begins none,
and with the contextual lexer up to the first token that the parser refuses.
"""

import json
import signal
import sys

import lark
from lark.lexer import Token

LIMIT = 5
parser = None


class Slow(BaseException):
    pass


def slow(*_):
    raise Slow


def read(q):
    global parser
    earley = q["lexer"].startswith("dynamic")
    try:
        with open(q["path"], encoding="utf-8") as f:
            parser = lark.Lark(f, parser="earley" if earley else "lalr", lexer=q["lexer"], start=q["start"], import_paths=q["import_paths"] or [])
    except Exception as e:
        return {"error": "%s: %s" % (type(e).__name__, e)}
    return {"states": 0 if earley else len(parser.parser.parser._parse_table.states)}


def accepts(text):
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
        parser.parse(text)
        return True
    except lark.exceptions.UnexpectedInput:
        return False
    except Slow:
        return None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def tokens(text):
    contextual, found, at = parser.options.lexer == "contextual", [], 0
    lexer = None if contextual else parser._build_lexer()
    following = parser.parse_interactive("") if contextual else None
    slice = lark.utils.TextSlice.cast_from(text)
    while at < len(text):
        if contextual:
            lexer = parser.parser.lexer.lexers[following.parser_state.position]
        match = lexer.scanner.match(slice, at)
        if match is None:
            break
        value, kind = match
        if kind in lexer.callback and kind not in lexer.ignore_types:  # what is ignored stays so
            kind = lexer.callback[kind](Token(kind, value)).type
        found.append([kind, len(value.encode())])
        at += len(value)
        if contextual and kind not in lexer.ignore_types:
            try:
                following.feed_token(Token(kind, value))
            except lark.exceptions.UnexpectedInput:
                break
    return {"tokens": found}


def answer(q):
    if "path" in q:
        return read(q)
    if "lex" in q:
        return tokens(q["lex"])
    return {"accepted": [accepts(t) for t in q["texts"]]}


def main():
    signal.signal(signal.SIGVTALRM, slow)
    print(json.dumps(lark.__version__), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


main()
