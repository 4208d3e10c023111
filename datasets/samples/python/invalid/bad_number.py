"""File permissions as text."""

import os
import stat

PUBLIC = 0o644
PRIVATE = 0600


def describe(mode):
    letters = []
    for shift in (6, 3, 0):
        triple = mode >> shift & 0b111
        letters += [letter if triple & bit else "-" for letter, bit in zip("rwx", (4, 2, 1))]
    return "".join(letters)


def protect(path):
    mode = stat.S_IMODE(os.stat(path).st_mode)
    if mode & ~PRIVATE:
        os.chmod(path, mode & PRIVATE)
        print(path, describe(mode), "->", describe(mode & PRIVATE))


if __name__ == "__main__":
    print(describe(PUBLIC), describe(PRIVATE))
