"""Averages over a sliding window."""

from collections import deque


class Window:
    """The last values of a series."""

    def __init__(self, size):
        self.size = size
        self.values = deque()
        self.total = 0.0

    def push(self, value):
        self.values.append(value)
        self.total += value
        if len(self.values) > self.size
            self.total -= self.values.popleft()
        return self.mean

    @property
    def mean(self):
        return self.total / len(self.values) if self.values else None


def smooth(values, size=3):
    window = Window(size)
    return [window.push(value) for value in values]


print(smooth([1, 5, 3, 8, 2], size=2))
