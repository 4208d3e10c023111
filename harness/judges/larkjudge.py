"""Judges texts of a grammar by Lark, which reads the grammar itself.

Reads lines in base64. The first is a JSON object {"grammar": text, "path": its file or "", "parser": "lalr" or
"earley", "lexer": "basic", "contextual" or "dynamic_complete", "start": rule, "import_paths": [folder] or null, "lexers_differ": rule of a verdict}, answered by the
version; each further one is a text. Lark's contextual lexer asks the parser which terminals may come, and so takes more than its basic one: a text
that only the contextual one takes has a rule of its own where the basic one decides.
"""

import sys

sys.path = [p for p in sys.path if p]  # the folder that the program was started in is no library

import base64
import json


def build(setup, lexer):
    import lark

    options = {"parser": setup["parser"], "lexer": lexer, "start": setup["start"]}
    options["import_paths"] = setup["import_paths"] or []
    if setup["path"]:
        with open(setup["path"], encoding="utf-8") as f:
            return lark, lark.Lark(f, **options)
    return lark, lark.Lark(setup["grammar"], **options)


def judge(lark, parser, text):
    try:
        parser.parse(text.decode("utf-8"))
    except UnicodeDecodeError as e:
        return {"valid": False, "rule": "not UTF-8", "why": str(e)}
    except lark.exceptions.UnexpectedToken as e:
        rule = "unexpected %s" % e.token.type
        return {"valid": False, "rule": rule, "why": "line %s, column %s: %s" % (e.line, e.column, rule)}
    except lark.exceptions.UnexpectedCharacters as e:
        rule = "no terminal matches"
        return {"valid": False, "rule": rule, "why": "line %s, column %s: %s" % (e.line, e.column, rule)}
    except lark.exceptions.UnexpectedEOF:
        return {"valid": False, "rule": "unexpected end", "why": "unexpected end"}
    except RecursionError as e:
        return {"no_verdict": type(e).__name__}
    return {"valid": True}


class Contextual:
    """The same grammar with the contextual lexer, built when a text is first refused."""

    def __init__(self, setup):
        self.setup, self.parser = setup, None

    def takes(self, lark, text):
        if self.setup["parser"] != "lalr" or self.setup["lexer"] != "basic":
            return False
        if self.parser is None:
            self.parser = build(self.setup, "contextual")[1]
        return judge(lark, self.parser, text) == {"valid": True}


def main():
    setup = json.loads(base64.b64decode(sys.stdin.readline()))
    try:
        lark, parser = build(setup, setup["lexer"])
    except ImportError:
        print(json.dumps({"missing": "%s has no module lark: pip install lark" % sys.executable, "installable": True}), flush=True)
        return
    except Exception as e:
        print(json.dumps({"missing": "it does not take the grammar: %s" % e}), flush=True)
        return
    print(json.dumps({"version": lark.__version__}), flush=True)
    contextual = Contextual(setup)
    for line in sys.stdin:
        text = base64.b64decode(line)
        verdict = judge(lark, parser, text)
        if verdict.get("valid") is False and contextual.takes(lark, text):
            verdict["rule"] = setup["lexers_differ"]
        print(json.dumps(verdict), flush=True)


main()
