"""The functions of torch that SynCode's mask store calls, by numpy.

A stand-in for torch is empty (standins.py). SynCode also computes with it: masks are tensors of
bools that it makes, copies, fills by index and joins. Arrays of numpy do all of that; only a
comparison with a list, which is False for a tensor, has to be said.
"""

import numpy as np
import standins


class Flags(np.ndarray):
    """What stands for a tensor of bools."""

    def clone(self):
        return self.copy()

    def __eq__(self, other):
        return False if isinstance(other, list) else super().__eq__(other)


def install():
    """Installs a stand-in for torch that has what the mask store calls."""
    torch = standins.install("torch")
    torch.bool = np.bool_
    torch.zeros = lambda n, dtype: np.zeros(n, dtype).view(Flags)
    torch.tensor = lambda ids: np.array(ids, np.intp)
