"""Dense matrices in plain Python: operators, slicing and decompositions."""

from fractions import Fraction
from itertools import chain, product
import random as rnd

EPSILON = 1e-12
HUGE = 1E+300
TINY = .5e-300
HALF = 0.5
THIRD = Fraction(1, 3)
MILLION = 1_000_000
MASK = 0xFF_FF
MODE = 0o755
FLAGS = 0b1010_0101
UNIT = 1j
ROTATION = 2.5e-3J


class Matrix:
    __slots__ = "rows",

    def __init__(self, rows):
        self.rows = [list(row) for row in rows]
        assert all(len(row) == len(self.rows[0]) for row in self.rows), "ragged rows"

    @classmethod
    def identity(cls, n):
        return cls([1 if i == j else 0 for j in range(n)] for i in range(n))

    @staticmethod
    def random(n, m, /, *, seed=None):
        source = rnd.Random(seed)
        return Matrix([[source.uniform(-1., 1.) for _ in range(m)] for _ in range(n)])

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])

    def __getitem__(self, key):
        if isinstance(key, tuple):
            row, column = key
            part = self.rows[row]
            if isinstance(row, slice):
                return Matrix([r[column] if isinstance(column, slice) else [r[column]] for r in part])
            return part[column]
        return self.rows[key]

    def __setitem__(self, key, value):
        i, j = key
        self.rows[i][j] = value

    def __eq__(self, other):
        return self.shape == other.shape and all(
            abs(a - b) < EPSILON for a, b in zip(chain(*self.rows), chain(*other.rows)))

    def __add__(self, other):
        return Matrix([[a + b for a, b in zip(r, s)] for r, s in zip(self.rows, other.rows)])

    def __neg__(self): return Matrix([[-a for a in row] for row in self.rows])

    def __sub__(self, other): return self + -other

    def __mul__(self, factor):
        return Matrix([[a * factor for a in row] for row in self.rows])

    __rmul__ = __mul__

    def __matmul__(self, other):
        n, k = self.shape
        k2, m = other.shape
        if k != k2:
            raise ValueError("shapes %dx%d and %dx%d do not fit" % (*self.shape, *other.shape))
        columns = list(zip(*other.rows))
        return Matrix([[sum(x * y for x, y in zip(row, column)) for column in columns] for row in self.rows])

    def __pow__(self, exponent):
        result, base = Matrix.identity(len(self.rows)), self
        while exponent:
            if exponent & 1:
                result @= base
            base = base @ base
            exponent >>= 1
        return result

    def transposed(self):
        return Matrix(zip(*self.rows))

    def lower_upper(self):
        """Doolittle's decomposition without pivoting."""
        n, m = self.shape
        assert n == m
        lower, upper = Matrix.identity(n), Matrix(self.rows)
        for k in range(n):
            for i in range(k + 1, n):
                factor = upper[i, k] / upper[k, k]
                lower[i, k] = factor
                for j in range(k, m):
                    upper.rows[i][j] -= factor * upper.rows[k][j]
        return lower, upper


def bits(value, *, width=8):
    value &= ~(-1 << width)
    value |= 1 << width
    value ^= 0
    return [value >> i & 1 for i in range(width - 1, -1, -1)]


def main():
    a = Matrix([[4, 3], [6, 3]])
    lower, upper = a.lower_upper()
    print(lower @ upper == a, (a ** 5)[0, 1], a[:, 0].rows, a[0][::-1], a[-1:, :1].rows)
    total = 0
    for i, j in product(range(2), repeat=2):
        total += a[i, j] if i != j else -a[i, j]
    total //= 2; total **= 2; total %= 7; total <<= 1
    ratio = total / 3 if total else 0.
    print(1 if ratio else 2, ratio < HUGE > TINY, 0 <= ratio <= 1_0.0_1, bits(FLAGS), not MASK == MODE)
    print(UNIT * UNIT, ROTATION.imag, 10 .real, 1..is_integer(), 0xAbc, 00, 1e5, MILLION // -7 % 5)


main()
