"""Shortest paths, components and orders on small graphs."""
from __future__ import annotations

import heapq
import sys
from collections import deque
from typing import NamedTuple, TextIO


class Edge(NamedTuple):
    source: str
    target: str
    weight: float = 1.0


class Graph:
    def __init__(self, edges=(), *, directed=False):
        self.directed = directed
        self.out: dict[str, dict[str, float]] = {}
        for edge in edges:
            self.add(*edge)

    def add(self, source, target, weight=1.0):
        self.out.setdefault(source, {})[target] = weight
        self.out.setdefault(target, {})
        if not self.directed:
            self.out[target][source] = weight

    @classmethod
    def read(cls, stream: TextIO) -> Graph:
        graph = cls(directed=True)
        while line := stream.readline():
            if not (words := line.split("#", 1)[0].split()):
                continue
            source, arrow, target, *weight = words
            if arrow != "->":
                break
            graph.add(source, target, float(weight[0]) if weight else 1.0)
        else:
            return graph
        raise ValueError(f"cannot read {line!r}")

    def dijkstra(self, start):
        distance, previous = {start: 0.0}, {}
        queue = [(0.0, start)]
        while queue:
            d, node = heapq.heappop(queue)
            if d > distance[node]: continue
            for neighbour, weight in self.out[node].items():
                if (new := d + weight) < distance.get(neighbour, float("inf")):
                    distance[neighbour] = new
                    previous[neighbour] = node
                    heapq.heappush(queue, (new, neighbour))
        return distance, previous

    def path(self, start, end):
        _, previous = self.dijkstra(start)
        nodes = [end]
        while nodes[-1] != start:
            if nodes[-1] not in previous:
                return None
            nodes.append(previous[nodes[-1]])
        return nodes[::-1]

    def breadth_first(self, start):
        seen, queue = {start}, deque([start])
        while queue:
            yield (node := queue.popleft())
            fresh = [n for n in self.out[node] if n not in seen]
            seen.update(fresh); queue.extend(fresh)

    def components(self):
        left = set(self.out)
        while left:
            part = set(self.breadth_first(min(left))) & left
            yield sorted(part)
            left -= part

    def topological(self):
        def visit(node):
            if state.get(node) == "open":
                raise ValueError("cycle at " + node)
            if node not in state:
                state[node] = "open"
                for neighbour in sorted(self.out[node]):
                    yield from visit(neighbour)
                state[node] = "done"
                yield node

        state = {}
        return [*(node for root in self.out for node in visit(root))][::-1]

    def degrees(self):
        return {node: len(edges) for node, edges in self.out.items() if edges or not self.directed}


def grid(width, height, walls=frozenset()):
    cells = {(x, y) for x in range(width) for y in range(height) if (x, y) not in walls}
    return Graph(
        Edge(f"{x},{y}", f"{x + dx},{y + dy}")
        for x, y in cells
        for dx, dy in ((1, 0), (0, 1))
        if (x + dx, y + dy) in cells
    )


def closest(points, origin=(0, 0)):
    best = None
    for point in points:
        distance = sum((a - b) ** 2 for a, b in zip(point, origin)) ** .5
        if best is None or distance < best[0] <= 1e9:
            best = distance, point
    return best and best[1]


def main():
    roads = Graph([Edge("a", "b", 7), Edge("a", "c", 3), ("c", "b", 1.5), ("b", "d", 2), ("x", "y")])
    print(" -> ".join(roads.path("a", "d")))
    print(list(roads.components()), roads.path("a", "x") is None, "a" in roads.out, "z" not in roads.out)
    tasks = Graph([("wear", "go"), ("wash", "wear"), ("wake", "wash")], directed=True)
    print(tasks.topological(), tasks.degrees())
    maze = grid(4, 4, walls={(1, 0), (1, 1), (1, 2)})
    print(len(maze.path("0,0", "2,0")) - 1 if maze.path("0,0", "2,0") else "no way")
    print(closest([(3, 4), (1, 1), (0, 5)]), {len(n) for n in maze.out}, file=sys.stdout)


if __name__ == "__main__":
    main()
