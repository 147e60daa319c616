"""Small matrices over GF(2), and linear maps with a constant.

A vector is an int: bit i is coordinate i. A matrix is its rows, each an int with the bits of the
columns it adds up: row i of a matrix says which input bits make output bit i.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property


def parity(vector: int) -> int:
    """Return the sum of the bits of a vector."""
    return vector.bit_count() & 1


@dataclass(frozen=True)
class Matrix:
    """A matrix over GF(2): `rows` from output bit 0 upwards, `width` input bits."""

    rows: tuple[int, ...]
    width: int

    @staticmethod
    def of_columns(columns: Iterable[int], height: int) -> "Matrix":
        """Return the matrix whose column i, the image of input bit i, is `columns[i]`."""
        columns = tuple(columns)
        return Matrix(columns, height).transposed

    @staticmethod
    def of_map(function: Callable[[int], int], width: int, height: int) -> "Matrix":
        """Return the matrix of a linear function from `width` to `height` bits."""
        return Matrix.of_columns((function(1 << i) for i in range(width)), height)

    @staticmethod
    def identity(size: int) -> "Matrix":
        """Return the matrix that changes nothing."""
        return Matrix(tuple(1 << i for i in range(size)), size)

    @property
    def height(self) -> int:
        """The number of rows, or output bits."""
        return len(self.rows)

    @cached_property
    def transposed(self) -> "Matrix":
        """The matrix with rows and columns exchanged."""
        rows = tuple(
            sum((row >> column & 1) << i for i, row in enumerate(self.rows))
            for column in range(self.width)
        )
        return Matrix(rows, self.height)

    def apply(self, vector: int) -> int:
        """Return the image of a vector."""
        return sum(parity(row & vector) << i for i, row in enumerate(self.rows))

    def __matmul__(self, right: "Matrix") -> "Matrix":
        """Return the product: `right` first, then this matrix."""
        if self.width != right.height:
            raise ValueError(f"{self.width} columns do not fit {right.height} rows")
        return Matrix.of_columns((self.apply(column) for column in right.columns), self.height)

    @property
    def columns(self) -> tuple[int, ...]:
        """The images of the input bits, from bit 0 upwards."""
        return self.transposed.rows

    def above(self, below: "Matrix") -> "Matrix":
        """Return the rows of this matrix, then those of `below`, on the same input bits."""
        if self.width != below.width:
            raise ValueError(f"{self.width} columns do not stand on {below.width}")
        return Matrix(self.rows + below.rows, self.width)

    def beside(self, right: "Matrix") -> "Matrix":
        """Return the sum of this matrix and `right`, each on input bits of its own."""
        if self.height != right.height:
            raise ValueError(f"{self.height} rows do not stand beside {right.height}")
        rows = zip(self.rows, right.rows, strict=True)
        return Matrix(tuple(a | b << self.width for a, b in rows), self.width + right.width)

    def inverse(self) -> "Matrix":
        """Return the matrix that undoes this one. ValueError when there is none."""
        size = self.height
        if size != self.width:
            raise ValueError("only a square matrix has an inverse")
        # Gauss and Jordan: the identity travels along in the upper bits of every row.
        work = [row | 1 << (size + i) for i, row in enumerate(self.rows)]
        for column in range(size):
            pivot = next((i for i in range(column, size) if work[i] >> column & 1), None)
            if pivot is None:
                raise ValueError("the matrix is singular")
            work[column], work[pivot] = work[pivot], work[column]
            for i in range(size):
                if i != column and work[i] >> column & 1:
                    work[i] ^= work[column]
        return Matrix(tuple(row >> size for row in work), size)


@dataclass(frozen=True)
class Affine:
    """A linear map followed by the addition of a constant."""

    matrix: Matrix
    constant: int = 0

    @staticmethod
    def of_map(function: Callable[[int], int], width: int, height: int) -> "Affine":
        """Return an affine function from `width` to `height` bits in this form."""
        constant = function(0)
        return Affine(Matrix.of_map(lambda x: function(x) ^ constant, width, height), constant)

    def apply(self, vector: int) -> int:
        """Return the image of a vector."""
        return self.matrix.apply(vector) ^ self.constant

    def __matmul__(self, right: "Affine") -> "Affine":
        """Return the product: `right` first, then this map."""
        return Affine(self.matrix @ right.matrix, self.apply(right.constant))

    def above(self, below: "Affine") -> "Affine":
        """Return both maps of the same input: the outputs of this one, then those of `below`."""
        constant = self.constant | below.constant << self.matrix.height
        return Affine(self.matrix.above(below.matrix), constant)

    def inverse(self) -> "Affine":
        """Return the map that undoes this one. ValueError when there is none."""
        matrix = self.matrix.inverse()
        return Affine(matrix, matrix.apply(self.constant))
