"""A vocabulary as engines want it, where they want more than bytes by id.

gcdbench's vocabulary is a list: the bytes of each id. Several ids may have the same bytes (byte
tokens of SentencePiece, say), several may end the text, and some have no bytes at all. Engines
that know one id for a string, and one EOS, are given the first of each; firsts says which one that
is, twins whose bits have to be copied afterwards.
"""

import numpy as np


def ordinary(v):
    """Returns the ids that are text, with their bytes, as a dictionary."""
    return {token: text for token, text in enumerate(v.tokens) if text and token not in v.eos}


def firsts(v):
    """Returns a list: for each id of the vocabulary the id that the engine knows it by.

    That is the first id with the same bytes, for an id that ends the text the first of those, and
    itself for an id without bytes.
    """
    seen, found, text = {}, list(range(v.size)), ordinary(v)
    for token, data in text.items():
        found[token] = seen.setdefault(data, token)
    for token in v.eos:
        found[token] = v.eos[0]
    return found


def twins(first):
    """Returns the ids that firsts gives another id for, and those other ids, as two arrays."""
    pairs = [(token, known) for token, known in enumerate(first) if token != known]
    array = np.array(pairs, np.intp).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def byte_level(v, first):
    """Returns a byte-level vocabulary of v, as GPT-2's: texts, all different, a letter a byte.

    An id that is no text, or has another first id, gets a name in angle brackets with a blank,
    which no such text contains.
    """
    plain = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or 174 <= b]
    others = [b for b in range(256) if b not in plain]
    letters = {b: chr(b) for b in plain}
    letters.update((b, chr(256 + i)) for i, b in enumerate(others))
    texts = [f"<unused {token}>" for token in range(v.size)]
    for token, data in ordinary(v).items():
        if first[token] == token:
            texts[token] = "".join([letters[b] for b in data])
    return texts
