"""Judges SQL by PostgreSQL's own parser, which the module pglast wraps.

Reads lines in base64. The first is a setup, which is not used here, and answered by the version; each further one
is a text.
"""

import sys

sys.path = [p for p in sys.path if p]  # the folder that the program was started in is no library

import base64
import json


def judge(parser, text):
    try:
        parser.parse_sql_protobuf(text.decode("utf-8"))
    except UnicodeDecodeError as e:
        return {"valid": False, "rule": "not UTF-8", "why": str(e)}
    except (parser.ParseError, ValueError) as e:  # a null byte is a ValueError
        why = str(e.args[0]) if e.args else str(e)
        rule = "syntax" if why.startswith("syntax error") else why.split(" at or near")[0]
        return {"valid": False, "rule": rule, "why": why}
    except (RecursionError, MemoryError) as e:
        return {"no_verdict": type(e).__name__}
    return {"valid": True}


def main():
    sys.stdin.readline()
    try:
        from pglast import parser
    except ImportError:
        print(json.dumps({"missing": "%s has no module pglast: pip install pglast" % sys.executable, "installable": True}), flush=True)
        return
    print(json.dumps({"version": "%d.%d" % parser.get_postgresql_version()}), flush=True)
    for line in sys.stdin:
        print(json.dumps(judge(parser, base64.b64decode(line))), flush=True)


main()
