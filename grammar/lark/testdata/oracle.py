"""Tells what Lark makes of grammars: the reference for the tests of this package.

Reads one JSON object a line, {"grammar": text, "start": name, "files": {name: text}}, and answers
each with one line: {"error": text} if Lark refuses the grammar, else

    {"terminals": [{"name", "value", "flags", "type", "priority", "width"}],
     "rules": [{"lhs", "rhs": [[name, is_terminal]], "alias", "priority"}],
     "ignore": [name], "sorted": [name], "conflict": text or null}

where "sorted" are the terminals as the basic lexer tries them, and a conflict is one that Lark cannot resolve. A request with "seconds" gets so many of the processor's,
and is answered by a TimeoutError if Lark does not finish in them, which for some grammars it never would. The
first line of the output is Lark's version.

A request {"pattern": regexp, "texts": [text]} is answered by {"lengths": [n]}, the number of
characters that the regexp matches at the start of each text, or -1.
"""

import json
import os
import signal
import sys
import tempfile

import lark
from lark.common import LexerConf, ParserConf
from lark.lexer import BasicLexer
from lark.load_grammar import load_grammar
from lark.parsers.grammar_analysis import GrammarAnalyzer
from lark.parsers.lalr_analysis import LALR_Analyzer

import re


def describe(terminals, rules, ignore):
    return {
        "terminals": [
            {
                "name": t.name,
                "value": t.pattern.value,
                "flags": "".join(sorted(t.pattern.flags)),
                "type": t.pattern.type,
                "priority": t.priority,
                "width": t.pattern.max_width,
            }
            for t in terminals
        ],
        "rules": [
            {
                "lhs": r.origin.name,
                "rhs": [[s.name, s.is_term] for s in r.expansion],
                "alias": r.alias,
                "priority": r.options.priority or 0,
            }
            for r in rules
        ],
        "ignore": list(ignore),
    }


def match_lengths(request):
    pattern = re.compile(request["pattern"])
    matches = [pattern.match(text) for text in request["texts"]]
    return {"lengths": [m.end() if m else -1 for m in matches]}


def answer(request, folder):
    if "pattern" in request:
        return match_lengths(request)
    for name, text in request.get("files", {}).items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf8", newline="") as f:
            f.write(text)
    start = request.get("start") or "start"
    source = os.path.join(folder, "main.lark")
    grammar, _ = load_grammar(request["grammar"], source, [], False)
    terminals, rules, ignore = grammar.compile([start], set())
    result = describe(terminals, rules, ignore)
    lexer = BasicLexer(LexerConf(terminals, re, ignore))
    result["sorted"] = [t.name for t in lexer.terminals]
    conf = ParserConf(rules, {}, [start])
    GrammarAnalyzer(conf)
    result["conflict"] = None
    try:
        LALR_Analyzer(conf).compute_lalr()
    except lark.exceptions.GrammarError as e:
        result["conflict"] = str(e)
    return result


def out_of_time(*_):
    raise TimeoutError("Lark does not end")


def limited(request):
    signal.setitimer(signal.ITIMER_VIRTUAL, request.get("seconds", 0))
    try:
        with tempfile.TemporaryDirectory() as folder:
            return answer(request, folder)
    except Exception as e:  # Lark refuses some grammars by a failed assertion
        return {"error": "%s: %s" % (type(e).__name__, e)}
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def main():
    signal.signal(signal.SIGVTALRM, out_of_time)
    print(json.dumps(lark.__version__), flush=True)
    for line in sys.stdin:
        try:
            result = limited(json.loads(line))
        except TimeoutError as e:  # the time was over while an error was being described
            result = {"error": "TimeoutError: %s" % e}
        print(json.dumps(result), flush=True)


main()
