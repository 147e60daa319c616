"""One AXI4-Stream for several streams, whose number is TID: what of it stands in a generated top.

Transfers go to the streams, each of which takes packets as a core with one stream does, and what
comes of them is merged again. Keys have a stream of their own.
"""

from roundsmith.design import buses
from roundsmith.design.pins import (
    KEY_STREAM,
    KEYS,
    MESSAGE,
    MESSAGE_BITS,
    Instance,
    bits_range,
    facing,
    joined,
)
from roundsmith.spec import Spec, streams
from roundsmith.spec.buses import has_places, stream_bits, stream_places

#: The ends of AXI4-Stream that every stream has too: TID is told by the stream that it is.
_INTO = ("in_tvalid_i", "in_tready_o", "in_tdata_i", "in_tkeep_i", "in_tlast_i", "in_tuser_i")
_OUT = ("out_tvalid_o", "out_tready_i", "out_tdata_o", "out_tkeep_o", "out_tlast_o", "out_tuser_o")

#: What a mode gives.
_RESULT = tuple(pin for pin in MESSAGE if pin.startswith("out_"))

#: Wires by the pin that they are for: their names and ranges.
Wires = dict[str, tuple[str, str]]


def inside(spec: Spec) -> Wires:
    """Return the wires of the message ports of all streams, side by side, and of the keys."""
    found = {pin: (f"bus_{pin[:-2]}", _several(spec, _bits(pin))) for pin in MESSAGE}
    slot = (streams.key_slots(spec) - 1).bit_length()
    widths = {"key_i": max(spec.what.key_bits), "key_len_i": 2}
    for pin in KEYS:
        unused = "unused_" * (pin == "key_len_i" and len(spec.what.key_bits) == 1)
        bits = f"[{slot - 1}:0]" if pin == "key_slot_i" else bits_range(widths.get(pin, 1))
        found[pin] = (f"{unused}bus_{pin[:-2]}", bits)
    return found


def between(spec: Spec) -> Wires:
    """Return the wires between the blocks of the bus, by the name that they have here."""
    bits = stream_bits(spec)
    widths = {"tdata": bits, "tkeep": bits // 8}
    users = {"in": 3, "out": 4}
    found = {}
    for pin in (*_INTO, *_OUT):
        way, _, end = pin[:-2].partition("_")
        width = users[way] if end == "tuser" else widths.get(end, 1)
        found[pin] = (f"packets_{pin[:-2]}", _several(spec, width))
    for name in ("packets_idle", "header_here", "header_waits", "key_comes"):
        found[name] = (name, _several(spec, 1))
    found |= {name: (name, "") for name in ("route_idle", "key_stream_idle")}
    found["unused_tid"] = ("unused_tid", _several(spec, 1))
    for pin in _RESULT if has_places(spec) else ():
        found[pin] = (f"place_{pin[:-2]}", _several(spec, _bits(pin)))
    if has_places(spec):
        found["place_idle"] = ("place_idle", _several(spec, 1))
        found["unused_single"] = ("unused_single", _several(spec, 1))
    return found


def assigns() -> dict[str, str]:
    """Return what is idle when all is."""
    return {"idle_o": "&packets_idle & route_idle & key_stream_idle"}


def instances(
    spec: Spec,
    always: dict[str, str],
    at_top: dict[str, str],
    inside: dict[str, str],
    between: dict[str, str],
) -> list[Instance]:
    """Return the blocks of the bus: `at_top` are the signals outside by pin, the others wires."""
    count, bits = spec.how.streams, stream_bits(spec)
    sizes = {"Streams": str(count), "Width": str(bits)}
    into = {pin: between[pin] for pin in _INTO}
    out = {pin: between[pin] for pin in _OUT}
    route = {pin: at_top[pin] for pin in (*_INTO, "in_tid_i")}
    route |= {pin.replace("in_", "out_", 1): name for pin, name in facing(into, "").items()}
    merge = {pin: at_top[pin] for pin in (*_OUT, "out_tid_o")}
    merge |= {pin.replace("out_", "in_", 1): name for pin, name in facing(out, "").items()}
    ports = {pin: f"{inside[pin]}[i]" for pin in MESSAGE}
    ports |= {pin: f"{between[pin]}[i]" for pin in _RESULT if pin in between}
    each = into | out
    each |= {"idle_o": "packets_idle", "key_comes_i": "key_comes", "header_waits_o": "header_waits"}
    packets = {pin: f"{name}[i]" for pin, name in each.items()} | facing(joined(ports), "core_")
    packets |= {"in_tid_i": "'0", "out_tid_o": "unused_tid[i]"}
    if has_places(spec):
        packets["core_idle_i"] += " & place_idle[i]"
    keys = {pin: at_top[pin] for pin in KEY_STREAM}
    keys |= facing({pin: inside[pin] for pin in KEYS}, "")
    keys |= {"idle_o": "key_stream_idle", "hold_i": "header_here | header_waits"}
    return [
        Instance(
            "Each transfer to the stream that its TID names.",
            "rsm_stream_route",
            "u_route",
            sizes | {"Depth": str(stream_places(spec))},
            always | {"idle_o": "route_idle", "header_here_o": "header_here"} | route,
        ),
        Instance(
            "The messages of each stream as packets.",
            f"rsm_{spec.bus.word}",
            "u_stream",
            {"Width": str(bits)},
            always | packets,
            count,
            "gen_packets",
        ),
        *([_places(spec, always, inside, between)] if has_places(spec) else []),
        Instance(
            "What comes of them, a transfer of each stream in turn.",
            "rsm_stream_merge",
            "u_merge",
            sizes,
            always | merge,
        ),
        Instance(
            "Keys as packets of their own.",
            f"rsm_{spec.bus.word}_keys",
            "u_key_stream",
            buses.key_stream_parameters(spec),
            always | {"comes_o": "key_comes"} | keys,
        ),
    ]


def _places(
    spec: Spec, always: dict[str, str], inside: dict[str, str], between: dict[str, str]
) -> Instance:
    """Return the places for results: a stream goes on while its last one leaves in parts."""
    handshake = ("out_valid_o", "out_ready_i")
    data = [pin for pin in _RESULT if pin not in handshake]
    pins = always | {"idle_o": "place_idle[i]", "single_o": "unused_single[i]"}
    for side, wires in (("in", inside), ("out", between)):
        valid, ready = (f"{wires[pin]}[i]" for pin in handshake)
        word = f"{{{', '.join(f'{wires[pin]}[i]' for pin in data)}}}"
        ends = (
            ("valid_i", "ready_o", "data_i") if side == "in" else ("valid_o", "ready_i", "data_o")
        )
        pins |= {f"{side}_{end}": at for end, at in zip(ends, (valid, ready, word), strict=True)}
    return Instance(
        "Results wait here while those before them leave in parts.",
        "rsm_stream_fifo",
        "u_places",
        {"Width": str(sum(map(_bits, data))), "Depth": "2"},
        pins,
        spec.how.streams,
        "gen_places",
    )


def _bits(pin: str) -> int:
    """Return the bits of a pin of the message port."""
    part, _, end = pin.partition("_")
    return MESSAGE_BITS.get((part, end), 1)


def _several(spec: Spec, bits: int) -> str:
    """Return the range of a wire that has so many bits for each stream."""
    return f"[{spec.how.streams - 1}:0]{bits_range(bits)}"
