"""Cuts: where registers may stand in a round, and at the ends of a core."""

from typing import TYPE_CHECKING

from roundsmith.spec.choices import (
    EDGES,
    Entry,
    InverseRounds,
    KeyAdd,
)
from roundsmith.spec.formulas import entry_stage, round_latency, round_trip_cycles, slots
from roundsmith.spec.wording import words

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec


def sbox_cuts(spec: "Spec") -> int:
    """Return how many internal cuts the S-boxes offer.

    Cuts go into the forward S-boxes of the key schedule too. Where both directions share one
    circuit, it may have fewer.
    """
    merged = spec.is_both and spec.how.inverse_rounds is not InverseRounds.SEPARATE
    return spec.sbox.cuts_of("both" if merged else "forward")


def legal_cuts(spec: "Spec") -> list[str]:
    """Return the cuts that a round of this kind offers, in the order data passes them."""
    return spec.cipher.cuts(spec)


def check(spec: "Spec") -> None:
    """Raise ValueError with the reason when the cuts of `spec` make no sense."""
    how = spec.how
    if len(set(how.cuts)) != len(how.cuts):
        raise ValueError("cuts names the same value twice.")
    legal = legal_cuts(spec)
    for cut in how.cuts:
        if cut not in legal:
            raise ValueError(
                f"cut '{cut}' is not a point of {spec.cipher.round_name(spec)}; its points are "
                f"{words(legal)}."
            )
    if list(how.cuts) != sorted(how.cuts, key=legal.index):
        raise ValueError(
            f"cuts are written in the order in which data passes them: {words(legal)}."
        )
    if spec.is_pipe and round_trip_cycles(spec, min(spec.what.key_bits)) == 0:
        raise ValueError(
            "a pipe without a register is a path from input to output: set at least one of the "
            f"cuts {words(legal)}."
        )
    if not spec.is_pipe and slots(spec) == 0:
        raise ValueError(
            f"a loop needs a register: set at least one of the cuts {words(legal)}, or take "
            "sbox 'block_ram', which has one inside."
        )
    late = any(entry_stage(spec, bits) for bits in spec.what.key_bits)
    if not spec.is_pipe and round_latency(spec) == 0 and late:
        raise ValueError(
            "a loop without a cut in its round has no slot in front of each of them, so blocks "
            "cannot enter late: set a cut, or let rounds divide those of the cipher."
        )


def check_edges(spec: "Spec") -> None:
    """Raise ValueError with the reason when registers at the ends of `spec` make no sense."""
    how = spec.how
    for edge in how.edges:
        if edge not in EDGES:
            raise ValueError(f"edge '{edge}' is unknown; the edges are {words(EDGES)}.")
    if {"ring", "out"} <= set(how.edges):
        raise ValueError(
            "the edges 'ring' and 'out' are two registers for one purpose: name the one that "
            "shows the result."
        )
    if list(how.edges) != sorted(how.edges, key=EDGES.index):
        raise ValueError("edges are written in the order in which data passes them: 'in' first.")
    batch = how.entry is Entry.BATCH
    if "in" in how.edges and not (spec.is_pipe or batch):
        raise ValueError(
            "the edge 'in' accepts a block before its slot comes round, so a loop needs entry "
            "'batch' for it; entry 'overlap' takes the edge 'out'."
        )
    if "ring" not in how.edges:
        return
    if spec.is_pipe or not batch or any("head" not in tile.how.cuts for tile in spec.tiles()):
        raise ValueError(
            "the edge 'ring' shows the result in the register at the head of the ring, so it "
            "needs a loop with the cut 'head', and entry 'batch' to keep the next block out of it."
        )
    if how.key_add is KeyAdd.FIRST or 1 in how.extra:
        raise ValueError(
            "the edge 'ring' shows what follows the last round at the head of the ring: key_add "
            "must be 'last', and extra must not put another register before it."
        )
