"""What a core of Serpent is made of, in the words of `parts`.

A part is the mean of circuits that have records: a core of several rounds has all eight S-boxes,
and where it goes both ways their inverses. The prices of all parts are learnt from whole cores.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache

from roundsmith import spec as formulas
from roundsmith.circuits import listing
from roundsmith.explore.parts import Link, Parts
from roundsmith.spec import SBOXES, Architecture, Sbox, Spec

#: Bits of the window of eight words from which round keys are made.
_WINDOW = 256

#: Two-input XORs of the four words that the key schedule makes for a round.
_KEY_XORS = 4 * 4 * 32

_LINEAR = "mix-serpent"


@cache
def circuits() -> Mapping[str, Sequence[str]]:
    """Return the circuits whose mean each part is, by the names of their records."""
    known = [c for c in listing.everything() if c.cipher == "serpent"]
    found = {_LINEAR: [c.name for c in known if c.kind == "linear"]}
    for kind in SBOXES["serpent"]:
        start = f"serpent-sbox-{kind}-"
        found[_sbox(kind)] = [c.name for c in known if c.name.startswith(start)]
    return found


def _sbox(kind: Sbox) -> str:
    return f"sbox-serpent-{kind}"


def parts(spec: Spec) -> Parts:
    """Return what one copy of `spec` is made of."""
    return _narrow(spec) if spec.is_narrow else _whole(spec)


def _whole(spec: Spec) -> Parts:
    how, found = spec.how, Parts()
    rounds = formulas.hardware_rounds(spec)
    ways = 1 + spec.is_both
    # A ring of fewer than eight rounds chooses among S-boxes.
    boxes = max(1, 8 // rounds)
    found.circuits[_sbox(how.sbox)] += 32 * boxes * rounds * ways
    found.circuits[_LINEAR] += rounds * ways
    choices = (boxes - 1) * ways + ways - 1
    found.select = 128.0 * (rounds * choices + 2 * (not spec.is_pipe))
    found.xor = 128.0 * (rounds + 1)
    found.chain = _chain(spec, boxes)
    widths = {link.cut: link.bits for link in found.chain if link.cut}
    ring = sum(widths[cut] for cut in how.cuts)
    doubled = sum(widths[cut] for cut in how.cuts if cut != "round") * (ways - 1)
    found.data = rounds * (ring + doubled) + 128 * (len(how.extra) + len(how.edges))
    latency = sum(formulas.stage_latencies(spec))
    found.control = (8 + spec.port.tag_bits + 2 * spec.is_both) * (latency + 1)
    _add_keys(found, spec, rounds, latency, boxes)
    return found


def _add_keys(found: Parts, spec: Spec, rounds: int, latency: int, boxes: int) -> None:
    """Add the key schedule."""
    if spec.is_stored:
        found.key += 128 * 33 + _WINDOW
        steps, kinds, ways = 1, 8, 1
    elif spec.batch:
        # A window for the batch and the two ends; the schedule goes in double steps.
        found.key += 3 * _WINDOW
        steps, kinds, ways = rounds, boxes, 2
    else:
        found.key += _WINDOW * max(1, latency)
        steps, kinds, ways = rounds, boxes, 1 + spec.is_both
        if spec.decrypts:
            found.key += 2 * _WINDOW
            found.select += 2 * _WINDOW
    found.circuits[_sbox(spec.how.sbox)] += 32 * kinds * steps * ways
    found.xor += _KEY_XORS * steps
    found.select += steps * (128 * (kinds - 1) * ways + _WINDOW * (ways - 1))


def _chain(spec: Spec, boxes: int) -> tuple[Link, ...]:
    """Return the links of a round: S-boxes, the linear transformation in halves, the key."""
    choice = math.log2(boxes) / 2 + (not spec.is_pipe)
    return (
        Link("levels", choice),
        Link(_sbox(spec.how.sbox), 1.0, "sub", 128),
        Link(_LINEAR, 0.5, "half", 128),
        Link(_LINEAR, 0.5),
        Link("levels", 1.0 + spec.is_both, "round", 128),
    )


def _narrow(spec: Spec) -> Parts:
    how, found = spec.how, Parts()
    folded = how.architecture is Architecture.FOLDED
    at_once, ways = (8 if folded else 1), 1 + spec.is_both
    found.circuits[_sbox(how.sbox)] += 8 * at_once * ways
    found.circuits[_LINEAR] += ways if folded else 1 / 32
    found.data, found.key = 128, _WINDOW
    found.control = 24 + spec.port.tag_bits
    width = how.data_bits or 32
    found.xor = 6 * width
    found.select = 128 * folded + 4 * 7 * at_once * ways + _WINDOW * (ways - 1)
    # A shorter key is padded.
    found.select += 8 * (len(spec.what.key_bits) - 1)
    found.chain = (
        Link("levels", 4.0),
        Link(_sbox(how.sbox), 1.0),
        Link(_LINEAR, 1.0 if folded else 0.5, "round", width),
    )
    return found
