"""Adds the numbers of a file, one on each line."""

import sys


def add(lines):
    total = 0
    for number, line in enumerate(lines, 1):
        try:
            total += float(line)
        except ValueError, OverflowError as error:
            sys.stderr.write("line %d: %s\n" % (number, error))
    return total


def main():
    for name in sys.argv[1:] or ["-"]:
        stream = sys.stdin if name == "-" else open(name)
        try:
            print(name, add(stream))
        finally:
            stream.close()


main()
