"""The eight S-boxes of Serpent in one row: their figures together.

A cipher of 32 rounds has each S-box in four of them, so what counts is their sum, and for the
clock the deepest and the slowest.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

Description = Mapping[str, object]

_SUMS = ("gates", "xor", "and", "other", "luts", "registers", "ge")
_MOSTS = ("depth", "delay_ns")

#: How many circuits a group has.
SIZE = 8


def together(found: Iterable[Description]) -> list[Description]:
    """Return the descriptions with each whole group as one, of what an overview shows.

    A group of which a circuit is not among them stays as it is.
    """
    groups: dict[object, list[Description]] = {}
    for row in found:
        groups.setdefault(row["group"] or row["name"], []).append(row)
    made: list[Description] = []
    for members in groups.values():
        made += [_one(members)] if len(members) == SIZE else members
    return made


def _one(members: Sequence[Description]) -> Description:
    return {
        **_figures(members),
        "name": members[0]["group"],
        "kind": f"{SIZE} {members[0]['kind']}es",
        "direction": members[0]["direction"],
        "origin": members[0]["origin"],
        "proved": all(row["proved"] for row in members),
        "published": _published(members),
    }


def _figures(members: Sequence[Description]) -> dict[str, object]:
    return {
        **{key: _of(sum, members, key) for key in _SUMS},
        **{key: _of(max, members, key) for key in _MOSTS},
    }


def _of(how: Callable[[list[float]], float], members: Sequence[Description], key: str) -> object:
    """Return the sum or the most of one figure; None where a circuit has none."""
    values = [row.get(key) for row in members]
    known = [value for value in values if isinstance(value, int | float)]
    return how(known) if len(known) == len(values) else None


def _published(members: Sequence[Description]) -> list[Description]:
    """Return the published figures of the same author together, where all members have some."""
    by_author: dict[object, list[Description]] = {}
    for row in members:
        found = row["published"]
        for figures in found if isinstance(found, list) else []:
            by_author.setdefault(figures["short"], []).append(figures)
    return [
        {key: v for key, v in _figures(all_).items() if v is not None} | {"short": short}
        for short, all_ in by_author.items()
        if len(all_) == len(members)
    ]
