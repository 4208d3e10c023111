#!/usr/bin/env python
"""Word frequencies of a text."""

import re
import sys
from collections import Counter

WORD = re.compile(r"[^\W\d_]+")


def words(stream):
    for line in stream:
        for word in WORD.findall(line):
            yield word.lower()


def main(arguments):
    if len(arguments) < 2:
        print(__doc__)
        return 2
    with open(arguments[1]) as stream:
        counts = Counter(words(stream))
    for word, count in counts.most_common(20):
        print "%6d %s" % (count, word)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
