"""The timing diagram: a key and two blocks, cycle by cycle, from the formulas of the spec."""

import io
import json
from dataclasses import dataclass

import wavedrom  # type: ignore[import-untyped]

from roundsmith import spec as formulas
from roundsmith.design import generate, pins
from roundsmith.spec import Direction, Spec

#: Cycles that look the same are cut out when there are more of them than this.
_LONGEST_RUN = 3

#: Frames of more words than this are shown by their ends.
_MANY_WORDS = 4


@dataclass(frozen=True)
class Trace:
    """What the port shows in every cycle, cycle 0 first.

    `signals` has one value a cycle for each signal, in the order of the port: `0` or `1` for a
    single wire, a label for a bus, and an empty string where the value means nothing: a ready
    does while nothing is offered. Inputs among them are what the user drives. `accepted` and
    `results` are the cycles that end with the edge at which (word 0 of) a block enters, and at
    which (word 0 of) its result can be taken.
    """

    signals: dict[str, list[str]]
    accepted: tuple[int, int]
    results: tuple[int, int]


def trace(spec: Spec) -> Trace:
    """Return the trace of two blocks, the second offered as soon as the first has entered.

    They are encrypted where the core can do that, with a key of the longest length, in slot 0.
    """
    direction = Direction.ENCRYPT if spec.encrypts else Direction.DECRYPT
    words = spec.bus.beats(spec)
    latency = formulas.latency_cycles(spec, None, direction, batch=2)
    key_words = spec.key_port_bits * words // 128 if words > 1 else 1
    first = formulas.key_setup_cycles(spec, direction)
    second = next(
        c for c in range(first + words, 2 * (first + latency) + 2) if _takes(spec, first, c)
    )
    accepted = (first, second)
    results = (first + latency, second + latency)
    cycles = range(second + latency + words + 1)

    keyed = [c == 0 for c in cycles]
    offered = [c == first or first + words <= c <= second for c in cycles]
    key = _frames(cycles, key_words, {"key": (0, 0)})
    block = _frames(cycles, words, {"block 0": (first, first), "block 1": (first + words, second)})
    result = _frames(cycles, words, {f"result {i}": (c, c) for i, c in enumerate(results)})
    length = str(pins.LENGTHS.index(max(spec.what.key_bits)))
    signals = {
        "key_valid_i": [_bit(value) for value in keyed],
        "key_ready_o": ["1" if value else "" for value in keyed],
        "key_i": key,
        "key_len_i": [length if value else "" for value in keyed],
        "key_slot_i": ["0" if value else "" for value in keyed],
        "in_valid_i": [_bit(value) for value in offered],
        "in_ready_o": [_bit(c in accepted) if offered[c] else "" for c in cycles],
        "in_block_i": block,
        "in_key_i": _frames(
            cycles, words, {"key": (first, first), "key again": (first + words, second)}
        )
        if words > 1
        else ["key" if value else "" for value in offered],
        "in_len_i": [length if value else "" for value in offered],
        "in_decrypt_i": ["0" if value else "" for value in offered],
        "in_slot_i": ["0" if value else "" for value in offered],
        "out_valid_o": [_bit(c in results) for c in cycles],
        "out_ready_i": ["1" for _ in cycles],
        "out_block_o": result,
    }
    present = {port.name for port in generate.ports(spec)}
    shown = {name: values for name, values in signals.items() if name in present}
    return Trace(shown, accepted, results)


def _takes(spec: Spec, entered: int, cycle: int) -> bool:
    """Whether a second block is accepted in `cycle` when a first one `entered`."""
    since = cycle - entered
    if spec.is_narrow:
        way = Direction.ENCRYPT if spec.encrypts else Direction.DECRYPT
        return since >= formulas.initiation_interval(spec, None, way)
    if spec.batch:
        # Both are of one batch, whose blocks the channels collect without a gap.
        return not spec.bus.has_words or since >= spec.bus.beats(spec)
    if spec.bus.has_words:
        return since > spec.bus.beats(spec)
    if spec.is_full and formulas.fifo_depth(spec) == 1 and since <= formulas.latency_cycles(spec):
        return False
    if spec.is_pipe:
        return True
    # A slot of a ring comes round once a lap, and is free again after the last one. Besides the
    # first block, which has one in one tile, the search for the last round key has one in each:
    # it enters in the cycle after the key.
    ring = formulas.slots(spec) // spec.how.tiles
    interval = formulas.initiation_interval(spec)
    walks = spec.decrypts and not spec.is_stored
    entries = ([entered] if spec.how.tiles == 1 else []) + ([1] if walks else [])
    return all((cycle - e) % ring != 0 or cycle - e >= interval for e in entries)


def _frames(cycles: range, words: int, frames: dict[str, tuple[int, int]]) -> list[str]:
    """Return what a bus shows: each frame by name, with the cycles that offer and that move it.

    A frame of several words shows word 0 until it moves, then one a cycle; of many words, those in
    the middle look the same.
    """
    values = ["" for _ in cycles]
    for name, (offered, moved) in frames.items():
        for cycle in range(offered, moved + words):
            word = max(0, cycle - moved)
            middle = words > _MANY_WORDS and 0 < word < words - 1
            values[cycle] = f"{name}…" if middle else f"{name}.{word}" if words > 1 else name
    return values


def _bit(value: bool) -> str:
    return "1" if value else "0"


def diagram(spec: Spec) -> dict[str, object]:
    """Return the trace as WaveDrom's JSON, long waits abbreviated by a gap."""
    signals = trace(spec).signals
    shown = _shown(signals)
    rows: list[dict[str, object]] = [
        {"name": "cycle", **_labels(["" if c is None else str(c) for c in shown], shown)},
        {"name": "clk_i", "wave": "p" + "".join("|" if c is None else "." for c in shown[1:])},
    ]
    for name, values in signals.items():
        here = ["" if c is None else values[c] for c in shown]
        rows.append({"name": name, **(_levels if _is_wire(name) else _labels)(here, shown)})
    return {
        "signal": rows,
        "head": {"text": f"{spec.name}: a key and two blocks"},
        "config": {"hscale": 2},
    }


def _is_wire(name: str) -> bool:
    return "valid" in name or "ready" in name or "decrypt" in name


def _shown(signals: dict[str, list[str]]) -> list[int | None]:
    """Return the cycles to draw; None stands for a gap."""
    columns = list(zip(*signals.values(), strict=True))
    shown: list[int | None] = []
    start = 0
    for end in range(1, len(columns) + 1):
        if end < len(columns) and columns[end] == columns[start]:
            continue
        if end - start > _LONGEST_RUN:
            shown += [start, None, end - 1]
        else:
            shown += range(start, end)
        start = end
    return shown


def _levels(values: list[str], shown: list[int | None]) -> dict[str, object]:
    wave = ""
    last: str | None = None
    for value, cycle in zip(values, shown, strict=True):
        if cycle is None:
            wave += "|"
        else:
            wave += "." if value == last else value or "x"
            last = value
    return {"wave": wave}


def _labels(values: list[str], shown: list[int | None]) -> dict[str, object]:
    wave = ""
    last: str | None = None
    data: list[str] = []
    for value, cycle in zip(values, shown, strict=True):
        if cycle is None:
            wave += "|"
        elif value == last:
            wave += "."
        else:
            wave += "=" if value else "x"
            data += [value] if value else []
            last = value
    return {"wave": wave, "data": data}


def svg(spec: Spec) -> str:
    """Return the diagram as SVG, on a white ground so that it reads on a dark page too."""
    out = io.StringIO()
    wavedrom.render(json.dumps(diagram(spec))).write(out)
    text = out.getvalue()
    start = text.index(">", text.index("<svg")) + 1
    return f'{text[:start]}<rect width="100%" height="100%" fill="white"/>{text[start:]}\n'
