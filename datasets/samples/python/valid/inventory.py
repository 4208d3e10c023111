"""Stock keeping for a small warehouse.

Items are immutable records; the warehouse counts them by shelf and tells
when something has to be ordered again.
"""

from __future__ import annotations

import csv
import enum
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Iterable, Iterator


class Unit(enum.Enum):
    PIECE = "pc"
    KILOGRAM = "kg"
    LITRE = "l"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, order=True)
class Item:
    sku: str
    name: str = field(compare=False)
    price: Decimal = field(default=Decimal("0.00"), compare=False)
    unit: Unit = field(default=Unit.PIECE, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.sku or not self.sku[0].isalpha():
            raise ValueError(f"bad stock keeping unit: {self.sku!r}")

    @property
    def label(self) -> str:
        return f"{self.name} ({self.sku}), {self.price:.2f} per {self.unit}"

    def discounted(self, percent: int) -> Item:
        return replace(self, price=self.price * (100 - percent) / 100)


@dataclass
class Warehouse:
    reorder_level: int = 10
    shelves: dict[str, Counter[Item]] = field(default_factory=lambda: defaultdict(Counter))
    _log: list[tuple[str, str, int]] = field(default_factory=list, init=False)

    def put(self, shelf: str, item: Item, count: int = 1) -> None:
        if count <= 0:
            raise ValueError("count must be positive")
        self.shelves[shelf][item] += count
        self._log.append((shelf, item.sku, +count))

    def take(self, shelf: str, item: Item, count: int = 1) -> int:
        """Take up to count pieces; tell how many there were."""
        there = self.shelves[shelf][item]
        taken = count if there >= count else there
        self.shelves[shelf][item] -= taken
        if not self.shelves[shelf][item]:
            del self.shelves[shelf][item]
        self._log.append((shelf, item.sku, -taken))
        return taken

    def total(self, item: Item) -> int:
        return sum(shelf[item] for shelf in self.shelves.values() if item in shelf)

    def worth(self) -> Decimal:
        return sum(
            (item.price * count for shelf in self.shelves.values() for item, count in shelf.items()),
            start=Decimal(0),
        )

    def to_order(self) -> Iterator[tuple[Item, int]]:
        known = {item for shelf in self.shelves.values() for item in shelf}
        for item in sorted(known):
            missing = self.reorder_level - self.total(item)
            if missing > 0:
                yield item, missing

    def __contains__(self, item: object) -> bool:
        return isinstance(item, Item) and self.total(item) > 0

    def __len__(self) -> int:
        return sum(map(len, self.shelves.values()))


def read_items(lines: Iterable[str]) -> list[Item]:
    reader = csv.reader(lines, delimiter=";")
    next(reader, None)  # the header
    return [Item(sku, name, Decimal(price), Unit(unit)) for sku, name, price, unit in reader]


def main() -> None:
    lines = ["sku;name;price;unit", "A100;Bolt;0.12;pc", "B200;Paint;12.50;l", "C300;Sand;0.80;kg"]
    bolt, paint, *rest = read_items(lines)
    warehouse = Warehouse(reorder_level=25)
    warehouse.put("north", bolt, 40)
    warehouse.put("north", paint, 3)
    warehouse.put(shelf="south", item=rest[-1], count=12)
    warehouse.take("north", bolt, 20)
    for item, missing in warehouse.to_order():
        print("order", missing, item.unit, "of", item.label, sep=" ")
    print(f"{len(warehouse)} kinds, worth {warehouse.worth()}", end="\n\n")


if __name__ == "__main__":
    main()
