"""Caching decorators: closures, every kind of parameter, and generics."""

import functools
import inspect
import threading
import time as clock
from collections import OrderedDict, namedtuple
from typing import Any, Callable, Generic, Optional, ParamSpec, TypeVar, Union

P = ParamSpec("P")
R = TypeVar("R")
K = TypeVar("K", bound="Hashable")
V = TypeVar("V", int, str)

Statistics = namedtuple("Statistics", "hits misses size", defaults=[0])
_registry: dict[str, Callable[..., Any]] = {}
calls = 0
counter: int
limit: Optional[int] = None


def counted(function: Callable[P, R]) -> Callable[P, R]:
    """Count the calls in a global and in the wrapper."""
    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        global calls, counter
        calls += 1
        counter = calls
        wrapper.calls += 1
        return function(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


def memoize(function=None, /, maxsize: Union[int, None] = 128, *, typed: bool = False, key=None):
    if function is None:
        return lambda f: memoize(f, maxsize, typed=typed, key=key)
    if key is None:
        key = lambda *args, **kwargs: (args, tuple(sorted(kwargs.items())))
    store: "OrderedDict[Any, Any]" = OrderedDict()
    hits = misses = 0
    lock = threading.Lock()

    def lookup(*args, **kwargs):
        nonlocal hits, misses
        k = key(*args, **kwargs)
        if typed:
            k = (k, *map(type, args))
        with lock:
            if k in store:
                hits += 1
                store.move_to_end(k)
                return store[k]
            misses += 1
        value = function(*args, **kwargs)
        with lock:
            store[k] = value
            while maxsize is not None and len(store) > maxsize:
                store.popitem(last=False)
        return value

    def statistics():
        return Statistics(hits, misses, len(store))

    lookup.statistics, lookup.clear = statistics, store.clear
    _registry[function.__name__] = lookup
    return functools.update_wrapper(lookup, function)


def positional(a, b=2, /): return a, b


def keywords(*, first, second=None, **rest): return first, second, rest


def everything(a, b, /, c, d=4, *args: int, e, f: str = "f", **kwargs: Any,) -> tuple:
    return a, b, c, d, args, e, f, kwargs


class Cache(Generic[K, V]):
    def __init__(self, load: Callable[[K], V], *, seconds: float = 60.0) -> None:
        self._load, self._seconds = load, seconds
        self._data: dict[K, tuple[float, V]] = {}

    def __getitem__(self, key: K) -> V:
        now = clock.monotonic()
        if (entry := self._data.get(key)) is not None and now - entry[0] < self._seconds:
            return entry[1]
        value = self._load(key)
        self._data[key] = now, value
        return value

    def __delitem__(self, key): self._data.pop(key, None)


@counted
@memoize(maxsize=None)
def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@memoize(key=lambda text, *_: text.lower())
def vowels(text, alphabet=frozenset("aeiou")):
    return sum(c in alphabet for c in text.lower())


def main():
    print(fibonacci(80), fibonacci.calls, calls)
    print(vowels("Education"), vowels("EDUCATION"), vowels.statistics())
    print(everything(1, 2, 3, *(4, 5), *[6], e=7, **{"g": 8}, **dict(h=9)))
    print(keywords(first=1, **{"third": 3}), positional(1))
    squares = Cache[int, int](lambda n: n * n, seconds=.5)
    squares[4]; squares[4]
    del squares[4], squares[5]
    compose = lambda *fs: functools.reduce(lambda f, g: lambda x: g(f(x)), fs, lambda x: x)
    print(compose(abs, str, lambda s: s + "!")(-3), (lambda: 42)(), (lambda a, b=1, /, *c, d, **e: a)(1, d=2))
    print(inspect.signature(everything))


if __name__ == "__main__":
    main()
