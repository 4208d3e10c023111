"""Judges Python programs: CPython's own parser on each text.

Reads lines in base64. The first is a setup, which is not used here, and answered by the version; each further
one is a text.
"""

import sys

sys.path = [p for p in sys.path if p]  # the folder that the program was started in is no library

import ast
import base64
import json
import platform
import warnings


def judge(text):
    try:
        # A byte order mark is part of the file, and not of what ast.parse takes as a string.
        ast.parse(text.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError as e:
        return {"valid": False, "rule": "not UTF-8", "why": str(e)}
    except SyntaxError as e:
        return {"valid": False, "rule": "syntax", "why": "line %s: %s" % (e.lineno, e.msg)}
    except ValueError as e:  # a null byte
        return {"valid": False, "rule": "syntax", "why": str(e)}
    except (RecursionError, MemoryError) as e:
        return {"no_verdict": type(e).__name__}
    return {"valid": True}


def main():
    warnings.simplefilter("ignore")
    sys.stdin.readline()
    print(json.dumps({"version": platform.python_version()}), flush=True)
    for line in sys.stdin:
        print(json.dumps(judge(base64.b64decode(line))), flush=True)


main()
