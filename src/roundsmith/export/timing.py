"""The timing diagram: a key and two blocks, cycle by cycle, from the formulas of the spec."""

import io
import json
from dataclasses import dataclass

import wavedrom  # type: ignore[import-untyped]

from roundsmith import spec as formulas
from roundsmith.spec import Spec

#: Cycles that look the same are cut out when there are more of them than this.
_LONGEST_RUN = 3


@dataclass(frozen=True)
class Trace:
    """What the port shows in every cycle, cycle 0 first.

    `signals` has one value a cycle for each signal, in the order of the port: `0` or `1` for a
    single wire, a label for a bus, and an empty string for a bus whose value means nothing.
    Inputs among them are what the user drives. `accepted` and `results` are the cycles that end
    with the edge at which a block enters, and at which its result can be taken.
    """

    signals: dict[str, list[str]]
    accepted: tuple[int, int]
    results: tuple[int, int]


def trace(spec: Spec) -> Trace:
    """Return the trace of two blocks, the second offered as soon as the first has entered."""
    latency = formulas.latency_cycles(spec)
    slots = formulas.blocks_in_flight(spec)
    interval = formulas.initiation_interval(spec)
    credits_at_first = formulas.fifo_depth(spec) if spec.is_full else 2
    start = formulas.key_setup_cycles(spec)

    accepted: list[int] = []
    ready: list[str] = []
    cycle = 0
    while len(accepted) < 2 or cycle <= accepted[1] + latency + 1:
        # A slot of the ring comes round once a lap, and is free again after the last one.
        occupied = any(
            cycle - entry < interval and (cycle - entry) % slots == 0 for entry in accepted
        )
        returned = sum(1 for entry in accepted if cycle > entry + latency)
        credit = credits_at_first - len(accepted) + returned > 0 or not spec.is_full
        ready.append(_bit(cycle >= start and not occupied and credit))
        if cycle >= start and len(accepted) < 2 and ready[cycle] == "1":
            accepted.append(cycle)
        cycle += 1
    first, second = accepted
    results = (first + latency, second + latency)
    cycles = range(cycle)

    offered = [start <= c <= second for c in cycles]
    block = [("block 0" if c <= first else "block 1") if offered[c] else "" for c in cycles]
    result = [f"result {results.index(c)}" if c in results else "" for c in cycles]
    signals: dict[str, list[str]] = {}
    if spec.is_full:
        signals["key_valid_i"] = [_bit(c == 0) for c in cycles]
        signals["key_ready_o"] = ["1" for _ in cycles]
        signals["key_i"] = ["key" if c == 0 else "" for c in cycles]
    signals["in_valid_i"] = [_bit(value) for value in offered]
    signals["in_ready_o"] = ready
    signals["in_block_i"] = block
    if not spec.is_full:
        signals["in_key_i"] = ["key" if value else "" for value in offered]
    signals["out_valid_o"] = [_bit(value != "") for value in result]
    if spec.is_full:
        signals["out_ready_i"] = ["1" for _ in cycles]
    signals["out_block_o"] = result
    return Trace(signals, (first, second), results)


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
    return "valid" in name or "ready" in name


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
    last = ""
    for value, cycle in zip(values, shown, strict=True):
        if cycle is None:
            wave += "|"
        else:
            wave += "." if value == last else value
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
