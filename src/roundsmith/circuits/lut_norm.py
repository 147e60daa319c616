"""The norm of an S-box of lookup tables: its four bits from five functions of four signals each.

A bit of the norm has rank eight, a table four: it is the sum of two tables of four signals each and
of a product of two more signals, all in one table of four inputs. Four independent bits are four
edges of a graph whose vertices are functions of four signals, and a tree of five vertices will do.

A quadratic function of the element e is its mixed terms e_i e_j, as 28 bits, and its linear part.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations

import numpy as np

from roundsmith.circuits import norm
from roundsmith.circuits.matrix import parity
from roundsmith.circuits.norm import GF16, power, times

#: The functions, each the signals it takes, its mixed terms and its linear part; and the bits, each
#: its eta, two functions and two signals whose product or sum is added.
Norm = tuple[list[tuple[tuple[int, ...], int, int]], list[tuple[int, int, int, tuple[int, int]]]]

_MIXED = {pair: k for k, pair in enumerate(combinations(range(8), 2))}


@cache
def _wedge(u: int, v: int) -> int:
    """Return the mixed terms of the product of two sums."""
    return sum(((u >> i & v >> j ^ u >> j & v >> i) & 1) << k for (i, j), k in _MIXED.items())


def quadratic(mixed: int, linear: int, e: int) -> int:
    """Return the value of a quadratic function on the element e."""
    terms = sum((e >> i & e >> j & 1) << k for (i, j), k in _MIXED.items())
    return parity(mixed & terms) ^ parity(linear & e)


def _norm_bit(eta: int) -> tuple[int, int]:
    """Return the bit Tr(eta N) of the norm N = e^17."""
    value = [norm.trace(times(eta, power(e, 17)), 4) for e in range(256)]
    linear = sum(value[1 << i] << i for i in range(8))
    mixed = sum(
        (value[1 << i | 1 << j] ^ value[1 << i] ^ value[1 << j]) << k
        for (i, j), k in _MIXED.items()
    )
    return mixed, linear


def _span(vectors: Sequence[int]) -> list[int]:
    span = [0]
    for vector in vectors:
        span += [vector ^ other for other in span]
    return span


#: A function of four signals: its mixed terms and its linear part.
_Function = tuple[int, int]


@lru_cache(maxsize=64)
def norm_tree(labels: tuple[int, ...]) -> Norm | None:
    """Return five functions of four signals and four bits of the norm made of them.

    `labels` are the u of the twelve signals. A function is the indices of its signals, its mixed
    terms and its linear part; a bit is its eta, two functions and two signals whose product or sum
    is added.
    """
    sums = [norm.form(u) for u in labels]
    pairs = list(combinations(range(12), 2))
    functions: defaultdict[int, dict[int, tuple[int, ...]]] = defaultdict(dict)
    for chosen in combinations(range(12), 4):
        terms = [(0, 0)]
        for i, j in combinations(chosen, 2):
            mixed, linear = _wedge(sums[i], sums[j]), sums[i] & sums[j]
            terms += [(m ^ mixed, k ^ linear) for m, k in terms]
        span = _span([sums[i] for i in chosen])
        for mixed, linear in terms:
            for extra in span:
                functions[mixed].setdefault(linear ^ extra, chosen)
    # What the table of a bit may add to two functions: mixed terms, linear part, two signals.
    added: defaultdict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    for i, j in pairs:
        for mixed, linear in ((0, 0), (_wedge(sums[i], sums[j]), sums[i] & sums[j])):
            for extra in _span([sums[i], sums[j]]):
                added[mixed].setdefault(linear ^ extra, (i, j))
    known = np.array(sorted(functions), dtype=np.int64)
    is_known = np.zeros(1 << 28, dtype=bool)
    is_known[known] = True
    edges: defaultdict[_Function, list[tuple[_Function, int, tuple[int, int]]]] = defaultdict(list)
    for eta in GF16:
        mixed, linear = _norm_bit(eta)
        for more, linears in added.items():
            others = known ^ (mixed ^ more)
            hits = is_known[others] & (known < others)
            for one, other in zip(known[hits].tolist(), others[hits].tolist(), strict=True):
                for a in functions[one]:
                    for extra, signals in linears.items():
                        b = a ^ linear ^ extra
                        if b in functions[other]:
                            edges[one, a].append(((other, b), eta, signals))
                            edges[other, b].append(((one, a), eta, signals))
    roots = sorted(edges, key=lambda f: len(edges[f]), reverse=True)[:200]
    for root in roots:
        tree = _grow(edges, [root], [])
        if tree is not None:
            nodes, bits = tree
            return [(functions[m][k], m, k) for m, k in nodes], bits
    return None


def _grow(
    edges: dict[_Function, list[tuple[_Function, int, tuple[int, int]]]],
    nodes: list[_Function],
    bits: list[tuple[int, int, int, tuple[int, int]]],
) -> tuple[list[_Function], list[tuple[int, int, int, tuple[int, int]]]] | None:
    """Grow a tree to four edges whose bits of the norm are independent."""
    if len(bits) == 4:
        return nodes, bits
    span = _span([bit[0] for bit in bits])
    for i, node in enumerate(nodes):
        for other, eta, signals in edges[node]:
            if other not in nodes and eta not in span:
                new = (eta, i, len(nodes), signals)
                tree = _grow(edges, [*nodes, other], [*bits, new])
                if tree is not None:
                    return tree
    return None
