"""Run-length encoding."""

import itertools
import sys


def encode(text):
    for char, group in itertools.groupby(text):
        count = sum(1 for _ in group)
        if count > 3:
            yield f"{count}{char}"
        else:
            for _ in range(count):
                yield char

      # the next line stands between the columns of the loop and of the function
      yield ""


def decode(text):
    count = ""
    for char in text:
        if char.isdigit():
            count += char
        else:
            yield char * int(count or 1)
            count = ""


if __name__ == "__main__":
    for line in sys.stdin:
        print("".join(encode(line.rstrip())))
