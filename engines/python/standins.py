"""Small modules in place of torch and transformers, for engines that import them for type names.

Some engines import torch or transformers at the top of their files, 2 to 4 GB that a mask never
touches. A stand-in is an empty module under that name: whatever is imported from it is an empty
class, which is enough for annotations, isinstance and "class X(LogitsProcessor)". An engine that
calls into torch fails with an AttributeError or TypeError, so a stand-in cannot change a result
quietly. Adapters install them before they import the engine; what runs then is the engine's own
code.
"""

import sys
import types


class StandIn(types.ModuleType):
    """A module each of whose members is an empty class, made when it is asked for."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        kind = type(name, (), {"__module__": self.__name__})
        setattr(self, name, kind)
        return kind


def install(*names):
    """Installs stand-ins under the names, dotted ones below their parents; returns the first."""
    for name in names:
        module = sys.modules[name] = StandIn(name)
        module.__path__ = []
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
    return sys.modules[names[0]]
