"""Structural pattern matching over shapes, commands and JSON-like trees."""

from dataclasses import dataclass
from enum import IntEnum
import math


class Colour(IntEnum):
    RED = 0xFF0000
    GREEN = 0x00FF00
    BLUE = 0x0000FF


@dataclass
class Point:
    x: float
    y: float


@dataclass
class Circle:
    centre: Point
    radius: float = 1.0


@dataclass
class Polygon:
    corners: list[Point]
    colour: Colour = Colour.RED


def area(shape):
    match shape:
        case Circle(radius=r) if r < 0:
            raise ValueError("negative radius")
        case Circle(Point(0, 0) | Point(x=0, y=0), 1 | 1.0):
            return math.pi
        case Circle(centre=Point(), radius=(int() | float()) as r):
            return math.pi * r ** 2
        case Polygon([]) | Polygon([_]) | Polygon([_, _]):
            return 0.0
        case Polygon(corners=[first, *middle, last], colour=Colour.RED | Colour.GREEN | Colour.BLUE):
            ring = [first, *middle, last, first]
            return abs(sum(a.x * b.y - b.x * a.y for a, b in zip(ring, ring[1:]))) / 2
        case Point(): return 0.0
        case _:
            raise TypeError(f"not a shape: {type(shape).__name__}")


def run(command, state):
    match command.split():
        case ["go", ("north" | "south" | "east" | "west") as direction]:
            state["position"] = move(state["position"], direction)
        case ["take", item, *_] if item in state["here"]:
            state["bag"].append(item)
        case ["take", *items]:
            for item in items: print("there is no", item)
        case ["drop", "all"] | ["drop", "everything"]:
            state["bag"].clear()
        case [] | [""]:
            pass
        case [verb]:
            print("what should I", verb + "?")
        case [verb, *words]:
            print("I do not know how to", verb, " ".join(words))
    return state


def move(position, direction):
    match position, direction:
        case (x, y), "north":
            return x, y + 1
        case (x, y), "south": return x, y - 1
        case ((x, y), "east"):
            return (x + 1, y)
        case [[x, y], "west"]:
            return (x - 1, y)
    return position


def describe(value):
    match (value):
        case None:
            return "nothing"
        case True | False:
            return "a truth"
        case 0 | -1 | 1.5 | 2j | -3 + 4j:
            return "a familiar number"
        case int(n) | float(n):
            return f"the number {n}"
        case "" | b"" | 'empty' ' string':
            return "no text"
        case str() as text:
            return f"text of {len(text)} characters"
        case {"type": "error", "code": int(code), **rest}:
            return f"error {code} with {sorted(rest)}"
        case {"type": kind, "items": [{"id": first}, *others]}:
            return f"{kind} from {first}, {len(others)} more"
        case {}:
            return "some mapping"
        case (Colour.RED as colour, (single,),) | (colour, single):
            return f"{colour} {single}"
        case [*everything]:
            return f"{len(everything)} things"
        case math.pi: return "pi"


def main():
    match = {"case": 1}             # soft keywords are names elsewhere
    case = match["case"]
    match.update(type=case)
    print(match, case, -case)
    shapes = [Circle(Point(0, 0)), Polygon([Point(0, 0), Point(2, 0), Point(2, 2), Point(0, 2)])]
    for shape in shapes:
        print(area(shape))
    state = {"position": (0, 0), "here": {"lamp"}, "bag": []}
    for command in "go north", "take lamp", "drop all", "sing a song":
        state = run(command, state)
    for value in [None, 3, "text", {"type": "error", "code": 5, "at": 1}, (1, 2, 3), -3 + 4j]:
        print(describe(value))


if __name__ == "__main__": main()
