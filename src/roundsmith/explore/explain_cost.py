"""What is known of the price of modes and buses, and from where, in sentences for who reads it."""

from collections.abc import Iterable, Sequence

from roundsmith.explore.wrappers import TERMS, Price, Wrapping, words
from roundsmith.spec import Spec

_FIGURES = {"lut": "LUT4", "ff": "FF", "area_ge": "GE"}


def explain_cost(known: Wrapping, specs: Sequence[Spec]) -> list[str]:
    """Return how far off the figures of `specs` are, all of them in a mode, and what was borrowed.

    Each line is a sentence without its full stop.
    """
    borrowed = {name: p for spec in specs for name, p in known.sources(spec, _area(known)).items()}
    lines = [_error(known, is_borrowed=bool(borrowed))]
    lines += [
        f"what {_listed(names)} add{'s' if len(names) == 1 else ''} is that of {_origin(price)}"
        for price, names in _by_price(borrowed.items())
    ]
    limits = {w: known.limits[w] for s in specs for w in words(s) if w in known.limits}
    for price, names in _by_price(limits.items()):
        where = f"as on {_origin(price)}" if price.source != known.target else "as was measured"
        lines.append(
            f"the clock is what {_listed(names)} allow{'s' * (len(names) == 1)} at most, {where}"
        )
    untimed = [word for word in known.untimed if any(word in words(spec) for spec in specs)]
    if untimed:
        lines.append(
            f"the clock is that of the core, for nothing tells what {_listed(untimed)} allows"
        )
    for word in dict.fromkeys(word for spec in specs for word in words(spec)):
        if word in known.fastest:
            lines.append(
                f"nothing faster than {1000 / known.fastest[word]:,.0f} MHz was measured with "
                f"{_listed([word])} on {known.target}"
            )
    left = dict.fromkeys(what for spec in specs for what in known.uncounted(spec))
    return lines + ([f"not counted, for it was never measured: {', '.join(left)}"] if left else [])


def _area(known: Wrapping) -> str:
    return "area_ge" if "area_ge" in known.prices else "lut"


def _error(known: Wrapping, *, is_borrowed: bool) -> str:
    """Return how far off whole cores are: those with their own records, or as if without."""
    head = "with what a mode and a bus add, of the whole core where its own figures are known"
    errors = known.borrowed if is_borrowed else known.errors
    if not errors:
        place = known.target
        return f"{head}: nobody knows how far off, for no core in a mode was measured on {place}"
    told = ", ".join(f"{_FIGURES[name]} {error.median:.1%}" for name, error in errors.items())
    cores = max(error.cores for error in errors.values())
    how = ", each as if its mode or its bus had to be borrowed" if is_borrowed else ""
    return f"{head}, in the median: {told} ({cores} cores in a mode on {known.target}{how})"


def _by_price(some: Iterable[tuple[str, Price]]) -> list[tuple[Price, list[str]]]:
    """Return names by where their prices come from."""
    found: dict[tuple[str, int, int], tuple[Price, list[str]]] = {}
    for name, price in some:
        found.setdefault((price.source, price.in_mode, price.alone), (price, []))[1].append(name)
    return list(found.values())


def _origin(price: Price) -> str:
    """Return where a price comes from, and by how many cores the ratio is known."""
    if not price.in_mode + price.alone:
        return f"{price.source} as it is, for no core was measured on both"
    parts = [f"{price.in_mode} in a mode"] * (price.in_mode > 0)
    parts += [f"{price.alone} by themselves"] * (price.alone > 0)
    total = price.in_mode + price.alone
    cores = "one core" if total == 1 else f"{total} cores"
    return f"{price.source}, times the ratio in {cores} measured on both ({', '.join(parts)})"


_NAMES = {
    "blocks": "the blocks in flight",
    **{term.name: term.text for term in TERMS},
    "streams": "what joins the streams",
    "bus_streams": "what joins them on the bus",
}


def _listed(names: Sequence[str]) -> str:
    told = [_NAMES.get(name, name.replace("_", "-")) for name in names]
    return " and ".join(part for part in (", ".join(told[:-1]), told[-1]) if part)
