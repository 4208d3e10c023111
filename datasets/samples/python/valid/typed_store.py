"""Type hints in all places: protocols, overloads, unpacked tuples, literals."""

from __future__ import annotations

import sys
import typing as t
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar, Final, Literal, Protocol, TypedDict, TypeVarTuple, overload

T = t.TypeVar("T")
Ts = TypeVarTuple("Ts")
K_co = t.TypeVar("K_co", covariant=True, bound="Comparable")
Path = t.Union[str, bytes, "PathLike[str]"]
Json = t.Union[None, bool, int, float, str, list["Json"], dict[str, "Json"]]
Handler = Callable[[str, int], t.Awaitable[None] | None]
Mode = Literal["r", "w", "a", 0o644, -1, None, True]
LIMIT: Final = 1_000
DEBUG: bool


class Comparable(Protocol):
    def __lt__(self, other: t.Any, /) -> bool: ...

    @property
    def key(self) -> str: ...


class Movie(TypedDict, total=False):
    title: t.Required[str]
    year: int


class Store(t.Generic[T]):
    instances: ClassVar[int] = 0
    rows: list[T]
    index: dict[str, int]; dirty: bool = False

    def __init__(self, rows: Sequence[T] = (), *, name: str | None = None) -> None:
        self.rows: list[T] = list(rows)
        self.name = name or "store"
        self.index = {}
        (self.position): int = 0
        type(self).instances += 1

    @overload
    def get(self, key: int) -> T: ...
    @overload
    def get(self, key: slice) -> list[T]: ...
    @overload
    def get(self, key: str, default: T | None = ...) -> T | None: ...

    def get(self, key, default=None):
        if isinstance(key, str):
            return self.rows[self.index[key]] if key in self.index else default
        return self.rows[key]

    def __class_getitem__(cls, item: t.Any) -> type[Store]:
        return super().__class_getitem__(item)

    def map(self, function: Callable[[T], K_co]) -> Store[K_co]:
        return Store([function(row) for row in self.rows], name=f"{self.name}'")

    def pages(self, size: int = 10) -> Iterator[tuple[int, list[T]]]:
        start: int
        for number, start in enumerate(range(0, len(self.rows), size)):
            page: list[T] = self.rows[start:start + size]
            yield number, page


def call(function: Callable[[*Ts], T], *args: *Ts) -> T:
    return function(*args)


def shape(array: Array[int, *Ts, Literal[3]], *rest: *tuple[int, ...]) -> tuple[*Ts, int]: ...


def newest(movies: t.Iterable[Movie], /, *, key: Callable[[Movie], t.Any] = lambda m: m.get("year", 0)) -> Movie | None:
    return max(movies, key=key, default=None)


async def each(source: t.AsyncIterable[T], handler: Handler, mode: Mode = "r") -> dict[str, list[T]]:
    seen: dict[str, list[T]] = {}
    async for item in source:
        if (result := handler(str(item), len(seen))) is not None:
            await result
        seen.setdefault(mode or "", []).append(item)
    return seen


if sys.version_info >= (3, 11):
    from typing import Self, assert_never
else:
    Self = t.TypeVar("Self"); assert_never = print


class Node:
    left: Node | None = None
    right: "Node | None" = None

    def __init__(self, value: int, *children: Node) -> None:
        self.value = value
        self.left, self.right, *_ = *children, None, None

    def add(self: Self, other: Self) -> Self:
        side: t.Literal["left", "right"] = "left" if other.value < self.value else "right"
        if (child := getattr(self, side)) is None: setattr(self, side, other)
        else: child.add(other)
        return self

    def __iter__(self) -> Iterator[int]:
        for part in (self.left, [self.value], self.right):
            yield from part or ()


def main() -> t.NoReturn:
    films: list[Movie] = [{"title": "Metropolis", "year": 1927}, Movie(title="Solaris", year=1972), {"title": "?"}]
    store = Store[Movie](films, name="films")
    titles = store.map(lambda film: film["title"])
    print(titles.get(0), titles.get(slice(1, None)), titles.get("none"), newest(films), call(pow, 2, 8))
    print(*Node(5).add(Node(3)).add(Node(8)).add(Node(4)), Store.instances, store.rows[0:1], [*store.pages(2)][-1][0])
    sys.exit()


if __name__ == "__main__":
    main()
