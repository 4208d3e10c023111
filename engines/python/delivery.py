"""How a mask gets into a row when the engine has something else than bits.

gcdbench times how long it takes until all |V| bits are in its row. Some engines return a list of
token ids, some a flag for each token, some know only that the text may end here. What turns these
into bits is part of the engine's cost wherever it is used, so adapters share the cheapest ways that
numpy has; they are here and in no adapter.

Vocabularies have two more traits that not every engine can express. Several ids may have the same
bytes (the byte tokens of a SentencePiece vocabulary, say): such tokens are legal together. And
several ids may end the text. An engine that knows one id for each is given the first, and firsts
says which that is for all ids.
"""

import numpy as np


def write_flags(row, flags):
    """Writes one flag per token (bool or uint8, zero or not) into the row; 15 us for 128,256."""
    bits = np.packbits(flags, bitorder="little")
    row.memory[: len(bits)] = bits


def write_ids(row, ids, flags):
    """Writes a list of token ids into the row; flags is the caller's array of |V| bools to use."""
    flags.fill(False)
    flags[ids] = True
    write_flags(row, flags)


def write_only(row, tokens):
    """Writes a mask that allows only a few tokens, the ids that end the text for instance."""
    row.memory.fill(0)
    add(row, tokens)


def add(row, tokens):
    """Sets the bits of a few tokens."""
    for token in tokens:
        row.memory[token >> 3] |= 1 << (token & 7)


def firsts(v):
    """Returns a list: for each id of the vocabulary the id that the engine knows it by.

    That is the first id with the same bytes, for an id that ends the text the first of those, and
    itself for an id without bytes.
    """
    seen, found = {}, []
    for token, text in enumerate(v.tokens):
        found.append(seen.setdefault(text, token) if text else token)
    for token in v.eos:
        found[token] = v.eos[0]
    return found


def twins(first):
    """Returns the ids that firsts gives another id for, and those ids, as two arrays."""
    pairs = [(token, known) for token, known in enumerate(first) if token != known]
    array = np.array(pairs, np.intp).reshape(-1, 2)
    return array[:, 0], array[:, 1]
