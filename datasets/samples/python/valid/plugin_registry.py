"""Plugins by metaclass, descriptors with checks, and abstract bases."""

import abc
import importlib
import weakref
from . import __name__ as package
from .. import settings, version as package_version
from ...core.hooks import *
from .loaders import (load_module, find_modules as find)


class PluginError(LookupError): pass


class PluginMeta(abc.ABCMeta):
    plugins = weakref.WeakValueDictionary()

    def __new__(meta, name, bases, namespace, /, abstract=False, **options):
        cls = super().__new__(meta, name, bases, namespace)
        cls.options = {**getattr(cls, "options", {}), **options}
        if not abstract:
            key = namespace.get("name") or name.lower()
            if key in meta.plugins:
                raise PluginError(f"two plugins are called {key!r}")
            meta.plugins[key] = cls
        return cls

    def __getitem__(cls, name):
        try: return type(cls).plugins[name]
        except KeyError as error: raise PluginError(name) from error

    def __iter__(cls):
        yield from sorted(type(cls).plugins)


class Checked:
    """A descriptor that lets only good values in."""

    def __init__(self, kind, *, default=None, check=lambda value: True):
        self.kind, self.default, self.check = kind, default, check

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.name, self.default)

    def __set__(self, instance, value):
        if not isinstance(value, self.kind) or not self.check(value):
            raise TypeError(f"{self.name[1:]} cannot be {value!r}")
        setattr(instance, self.name, value)


class Plugin(metaclass=PluginMeta, abstract=True):
    priority = Checked(int, default=0, check=lambda v: -10 <= v <= 10)
    name: str

    def __init_subclass__(cls, /, **options):
        super().__init_subclass__()
        cls.created = True

    @abc.abstractmethod
    def process(self, text: str) -> str: ...

    @property
    @abc.abstractmethod
    def title(self): """Shown to the user."""

    def __or__(self, other):
        return Pipeline(self, other)


class Upper(Plugin, letters="ascii"):
    title = "Upper case"

    def process(self, text): return text.upper()


class Replace(Plugin, *(), abstract=False, **{"count": 1}):
    name = "replace"

    def __init__(self, old, new=""):
        self.old, self.new = old, new

    @property
    def title(self):
        return f"Replace {self.old!r}"

    def process(self, text):
        return text.replace(self.old, self.new, self.options["count"])

    class Everywhere(Plugin):
        name, title = "replace-all", "Replace everywhere"
        process = lambda self, text, *rules: text


class Pipeline:
    def __init__(self, *stages):
        self.stages = [*stages]

    def __call__(self, text):
        for stage in sorted(self.stages, key=lambda s: -s.priority):
            text = stage.process(text)
        return text

    def __ior__(self, stage):
        self.stages += stage,
        return self


def load(*names, package=None):
    loaded = {}
    for name in names:
        if name.startswith("."):
            if package is None:
                raise PluginError("a relative name needs a package")
            level = 0
            while name[level:level + 1] == ".": level += 1
            name = ".".join(package.split(".")[:-level or None] + [name[level:]])
        try:
            loaded[name] = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name: raise
            loaded[name] = None
    return loaded


@(lambda function: function)
def main():
    upper, replace = Plugin["upper"](), Plugin["replace"]("A", "4")
    upper.priority = 5
    pipeline = upper | replace
    pipeline |= upper
    print(pipeline("banana"), list(Plugin), *[p.title for p in pipeline.stages], sep=" / ")
    try:
        upper.priority = 11
    except TypeError as error: print(error)
