"""How a mask gets into a row when the engine has something else than bits.

gcdbench times how long it takes until all |V| bits are in its row. Some engines return a list of
token ids, some a flag for each token, some know only that the text may end here. What turns these
into bits is part of the engine's cost wherever it is used, so adapters share the cheapest ways
that numpy has; they are here and in no adapter.
"""

import numpy as np


def write_flags(row, flags):
    """Writes one flag per token (bool or uint8, zero or not) into the row."""
    bits = np.packbits(flags, bitorder="little")
    row.memory[: len(bits)] = bits


def write_ids(row, ids, flags):
    """Writes a list of token ids into the row, and into flags, the caller's array of |V| bools."""
    flags.fill(False)
    flags[ids] = True
    write_flags(row, flags)


def write_only(row, tokens):
    """Writes a mask of a few tokens, those that end the text for instance."""
    row.memory.fill(0)
    add(row, tokens)


def add(row, tokens):
    """Sets the bits of a few tokens."""
    for token in tokens:
        row.memory[token >> 3] |= 1 << (token & 7)
