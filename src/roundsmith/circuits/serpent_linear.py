"""The linear transformation of Serpent and its inverse as sums of two bits each, to count them.

They are the sums of `rsm_serpent_linear`, bit by bit: x0[0] to x3[31] go in, y0[0] to y3[31] come
out. A shift leaves low bits with a sum of two terms instead of three.
"""

from collections.abc import Sequence

from roundsmith.circuits.program import Kind, Operation

_WORD = 32

_Word = list[str]


def operations(*, inverse: bool) -> tuple[Operation, ...]:
    """Return the operations in order; a rotation is a wire, and none."""
    sums = _Sums()
    x0, x1, x2, x3 = ([f"x{k}[{i}]" for i in range(_WORD)] for k in range(4))
    if not inverse:
        a, c = _turned(x0, 13), _turned(x2, 3)
        b = _turned(sums.of(x1, a, c), 1)
        d = _turned(sums.of(x3, c, _up(a, 3)), 7)
        y = [_turned(sums.of(a, b, d), 5), b, _turned(sums.of(c, d, _up(b, 7)), 22), d]
    else:
        c = sums.of(_turned(x2, 10), x3, _up(x1, 7))
        a = sums.of(_turned(x0, 27), x1, x3)
        d = sums.of(_turned(x3, 25), c, _up(a, 3))
        b = sums.of(_turned(x1, 31), a, c)
        y = [_turned(a, 19), b, _turned(c, 29), d]
    outputs = [
        Operation(f"y{k}[{i}]", Kind.ALIAS, (signal,))
        for k, word in enumerate(y)
        for i, signal in enumerate(word)
    ]
    return (*sums.made, *outputs)


def _turned(word: _Word, by: int) -> _Word:
    """Return `word` rotated to the left."""
    return [word[(i - by) % _WORD] for i in range(_WORD)]


def _up(word: _Word, by: int) -> Sequence[str | None]:
    """Return `word` shifted to the left; None is zero."""
    return [None] * by + word[:-by]


class _Sums:
    """The sums as they are made."""

    def __init__(self) -> None:
        self.made: list[Operation] = []

    def of(self, *words: Sequence[str | None]) -> _Word:
        """Return the sum of words, bit by bit."""
        return [self._of([term for term in terms if term]) for terms in zip(*words, strict=True)]

    def _of(self, terms: Sequence[str]) -> str:
        total = terms[0]
        for term in terms[1:]:
            self.made.append(Operation(f"t[{len(self.made)}]", Kind.XOR, (total, term)))
            total = self.made[-1].target
        return total
