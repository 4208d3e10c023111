"""Judges Python programs: CPython's own parser on each text.

Reads lines in base64. The first is a JSON object {"compile": bool}, answered by the version; each further one is a
text. With "compile" a text that the parser takes goes to the compiler, too; what that refuses, such as `return` outside of
a function, is a note on a valid text.
"""

import sys

sys.path = [p for p in sys.path if p]  # the folder that the program was started in is no library

import ast
import base64
import json
import platform
import warnings


def judge(text, compiles):
    try:
        text = text.decode("utf-8-sig")  # a file may begin with a byte order mark
        ast.parse(text)
    except UnicodeDecodeError as e:
        return {"valid": False, "rule": "not UTF-8", "why": str(e)}
    except SyntaxError as e:
        return {"valid": False, "rule": "syntax", "why": "line %s: %s" % (e.lineno, e.msg)}
    except ValueError as e:  # a null byte
        return {"valid": False, "rule": "syntax", "why": str(e)}
    except (RecursionError, MemoryError) as e:
        return {"no_verdict": type(e).__name__}
    return {"valid": True, "note": refused(text) if compiles else ""}


def refused(text):
    """What the compiler finds wrong with a text that the parser takes."""
    try:
        compile(text, "<text>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as e:
        return "compile(): %s" % e
    except (RecursionError, MemoryError):
        pass
    return ""


def main():
    warnings.simplefilter("ignore")
    setup = json.loads(base64.b64decode(sys.stdin.readline())) or {}
    print(json.dumps({"version": platform.python_version()}), flush=True)
    for line in sys.stdin:
        print(json.dumps(judge(base64.b64decode(line), setup.get("compile"))), flush=True)


main()
