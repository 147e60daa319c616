"""How a number of slices compares: published ones are placed, ours are the least that hold a core.

No packing needs fewer slices than half the LUTs or half the flip-flops, whichever are more. What
a placed design takes beyond that is known from the designs whose LUTs, flip-flops and slices were
all printed (Standaert, Tables 4 and 5). A difference inside that range says nothing.
"""

from functools import cache

from roundsmith.report.papers.table import Value
from roundsmith.report.published import rows

#: What placement and routing add to the least number of slices, in our estimate.
MARGIN = 1.25


def least(luts: int, registers: int) -> float:
    """Return the fewest slices that hold these: two LUTs and two flip-flops fit into one."""
    return max(luts, registers) / 2


@cache
def packing() -> tuple[float, float]:
    """Return the least and the greatest factor of placed slices by the fewest possible."""
    factors = [
        int(row["slices"]) / least(int(row["luts"]), int(row["registers"]))
        for row in rows("standaert-2003-tables-4-5.csv")
    ]
    return min(factors), max(factors)


def estimate(slices: Value) -> float | None:
    """Return what we expect of a core with these fewest slices once it is placed."""
    return MARGIN * slices if isinstance(slices, int | float) else None


def verdict(factor: float | None) -> str | None:
    """Return what published slices by our fewest ones say, in a word."""
    if factor is None:
        return None
    low, high = packing()
    if low <= factor <= high:
        return "nothing"
    return "ours fewer" if factor > high else "ours more"


def rule() -> str:
    """Return the rule in words, for below a table."""
    low, high = packing()
    return (
        "Slices: ours are the fewest that hold the LUTs and flip-flops; placed designs take "
        f"{low:.2f} to {high:.2f} times that (Standaert, Tables 4 and 5), {MARGIN} times is our "
        "estimate. Published slices by our fewest say nothing inside that range."
    )
