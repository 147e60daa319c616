"""Systematic names: the choices of a spec as a name, and the spec that such a name means.

`aes128-enc-loop1-lut4-cs` is AES-128, encryption, a ring of one round, S-boxes `lut4`, the cut
`sub`. The words stand in one order and what is a default is left out, so that a core has one
name, and the name is all that must be kept of it: whoever reads it in a record can build it.

The words, in their order:

- cipher and key lengths: `aes128`, `aes128n256`, `aesany` for all three;
- directions: `enc`, `dec`, `both`;
- architecture: `loop1` to `loop31` with its rounds, `pipe`, `fold32`, `fold64`, `serial1`,
  `serial8` with the bits of a cycle;
- the S-box, and `borrow` where the key schedule borrows it, `tri` through 3-state buffers;
- a linear layer other than `direct`; `kfirst` for the key added first;
- key schedule `stored` or `loaded`; the start of a key `walked` or `kept`;
- inverse rounds `sep`, `reord`, `mirror`, `equiv`; state in `regs`, `shift`, `dpram`;
- `c` and the cuts: `h` for head, digits for those of the S-box, `s`, `f`, `m`, `r` for sub,
  half, mix, round;
- `x2n7` for extra registers, `e` and `i`, `r`, `o` for the edges in, ring, out;
- `batch`, `t2` for tiles, `reset` for that way to clear;
- `slots2` for key slots, `tag4` for tag bits, `ch32` for that bus, `full` for the full port.
"""

import re
from collections.abc import Mapping
from typing import Any

from roundsmith.base.errors import RoundsmithError
from roundsmith.spec.buses import BUSES
from roundsmith.spec.choices import (
    NARROW,
    Architecture,
    Clear,
    Direction,
    Entry,
    Flow,
    InverseRounds,
    KeyAdd,
    KeyChannel,
    KeySboxes,
    KeySchedule,
    KeyStart,
    Linear,
    SboxSwitch,
    StateStorage,
)
from roundsmith.spec.ciphers import Cipher
from roundsmith.spec.model import Spec
from roundsmith.spec.sboxes import Sbox

_DIRECTIONS = {
    "enc": (Direction.ENCRYPT,),
    "dec": (Direction.DECRYPT,),
    "both": (Direction.ENCRYPT, Direction.DECRYPT),
}

#: Words of `how` that stand for one value, behind the architecture and in this order.
_WORDS: dict[str, dict[Any, str]] = {
    "sbox": {sbox: sbox.short for sbox in Sbox},
    "key_sboxes": {KeySboxes.BORROWED: "borrow"},
    "sbox_switch": {SboxSwitch.THREE_STATE: "tri"},
    "linear": {
        Linear.GATED: "gated",
        Linear.IN_MEMORY: "inmem",
        Linear.FACTORED: "factored",
        Linear.SQUARED: "squared",
        Linear.MIX_ADD: "mixadd",
        Linear.MINIMAL: "mixmin",
        Linear.FAST: "mixfast",
    },
    "key_add": {KeyAdd.FIRST: "kfirst"},
    "key_schedule": {KeySchedule.STORED: "stored", KeySchedule.LOADED: "loaded"},
    "key_start": {KeyStart.WALKED: "walked", KeyStart.KEPT: "kept"},
    "inverse_rounds": {
        InverseRounds.SEPARATE: "sep",
        InverseRounds.REORDERED: "reord",
        InverseRounds.MIRRORED: "mirror",
        InverseRounds.EQUIVALENT: "equiv",
    },
    "state_storage": {
        StateStorage.REGISTERS: "regs",
        StateStorage.SHIFT_REGISTERS: "shift",
        StateStorage.DUAL_PORT_RAM: "dpram",
    },
}
#: Those behind the cuts, the extra registers and the edges.
_LATE_WORDS: dict[str, dict[Any, str]] = {
    "entry": {Entry.BATCH: "batch"},
    "clear": {Clear.RESET: "reset"},
}
_FIELDS = {
    word: (field, value)
    for words in (_WORDS, _LATE_WORDS)
    for field, by_value in words.items()
    for value, word in by_value.items()
}

_CUTS = {
    "h": "head",
    **{str(i): f"sbox.{i}" for i in range(7)},
    "s": "sub",
    "f": "half",
    "m": "mix",
    "r": "round",
}
_EDGES = {"i": "in", "r": "ring", "o": "out"}
_NARROW = {Architecture.FOLDED: "fold", Architecture.SERIAL: "serial"}

#: The words of buses.
_BUSES = {bus.short: bus.word for bus in BUSES if bus.short}

#: Words with a number or letters in them, by what they say.
_PATTERNS = {
    "rounds": re.compile(r"loop(\d+)"),
    "folded": re.compile(r"fold(\d+)"),
    "serial": re.compile(r"serial(\d+)"),
    "cuts": re.compile(r"c([h0-6sfmr]+)"),
    "extra": re.compile(r"x(\d+(?:n\d+)*)"),
    "edges": re.compile(r"e([iro]+)"),
    "tiles": re.compile(r"t(\d+)"),
    "key_slots": re.compile(r"slots(\d+)"),
    "tag_bits": re.compile(r"tag(\d+)"),
}
_HEAD = re.compile(rf"({'|'.join(Cipher)})(any|\d+(?:n\d+)*)")
_ALL_LENGTHS = (128, 192, 256)

#: The most letters of a name.
_LONGEST = 64


def systematic(spec: Spec) -> str:
    """Return the systematic name of `spec`, whatever its own; RoundsmithError where it has none."""
    name = described(spec)
    if len(name) > _LONGEST:
        raise RoundsmithError(f"The systematic name {name} is longer than {_LONGEST} letters.")
    found = parse(name)
    if found is None or found.hash() != spec.hash():
        raise RoundsmithError(
            f"{spec.name} has choices that no systematic name tells, such as variants of tiles or "
            "a port with other lanes; give it a name of its own."
        )
    return name


def described(spec: Spec) -> str:
    """Return the words of `spec` as a name; it says all only where `systematic` takes it."""
    return "-".join(_words(spec))


def parse(name: str) -> Spec | None:
    """Return the spec that a systematic name means, None if it is none.

    RoundsmithError says what is wrong with the spec that it would mean.
    """
    head, *words = name.split("-")
    match = _HEAD.fullmatch(head)
    if match is None or not words or words[0] not in _DIRECTIONS:
        return None
    lengths = _ALL_LENGTHS if match[2] == "any" else tuple(map(int, match[2].split("n")))
    what: dict[str, Any] = {
        "cipher": match[1],
        "key_bits": lengths,
        "directions": _DIRECTIONS[words[0]],
    }
    how: dict[str, Any] = {"cuts": ()}
    port: dict[str, Any] = {}
    for word in words[1:]:
        if not _read(word, what, how, port):
            return None
    if not {"sbox", "architecture"} <= how.keys():
        return None
    return _completed(name, what, how, port)


def _words(spec: Spec) -> list[str]:
    what, how, port = spec.what, spec.how, spec.port
    lengths = "any" if what.key_bits == _ALL_LENGTHS else "n".join(map(str, what.key_bits))
    words = [f"{what.cipher}{lengths}"]
    words += [word for word, ways in _DIRECTIONS.items() if ways == what.directions]
    if spec.is_narrow:
        words.append(f"{_NARROW[how.architecture]}{how.data_bits}")
    else:
        words.append("pipe" if spec.is_pipe else f"loop{how.rounds}")
    words += _values(how, _WORDS)
    letters = {name: letter for letter, name in _CUTS.items()}
    if how.cuts:
        words.append("c" + "".join(letters[cut] for cut in how.cuts))
    if how.extra:
        words.append("x" + "n".join(map(str, how.extra)))
    if how.edges:
        words.append("e" + "".join(edge[0] for edge in how.edges))
    words += _values(how, _LATE_WORDS)
    words += [f"t{how.tiles}"] * (how.tiles > 1)
    words += [f"slots{port.key_slots}"] * (port.key_slots > 1)
    words += [f"tag{port.tag_bits}"] * (port.tag_bits > 0)
    words += [spec.bus.short] * bool(spec.bus.short)
    return words + ["full"] * spec.is_full


def _values(how: Any, words: Mapping[str, Mapping[Any, str]]) -> list[str]:
    return [
        by_value[getattr(how, field)]
        for field, by_value in words.items()
        if getattr(how, field) in by_value
    ]


def _read(word: str, what: dict[str, Any], how: dict[str, Any], port: dict[str, Any]) -> bool:
    """Add what a word says; return whether it is one."""
    if word in _FIELDS:
        field, value = _FIELDS[word]
        how[field] = value
        return True
    if word == "pipe":
        how["architecture"] = Architecture.PIPE
        return True
    if word in _BUSES:
        what["bus"] = _BUSES[word]
        return True
    if word == "full":
        port["flow"] = Flow.HELD
        return True
    for field, pattern in _PATTERNS.items():
        match = pattern.fullmatch(word)
        if match is None:
            continue
        if field in {"folded", "serial"}:
            how |= {"architecture": field, "data_bits": int(match[1])}
        elif field == "cuts":
            how[field] = tuple(_CUTS[letter] for letter in match[1])
        elif field == "edges":
            how[field] = tuple(_EDGES[letter] for letter in match[1])
        elif field == "extra":
            how[field] = tuple(map(int, match[1].split("n")))
        elif field == "rounds":
            how |= {"architecture": Architecture.LOOP, "rounds": int(match[1])}
        else:
            (port if field in {"key_slots", "tag_bits"} else how)[field] = int(match[1])
        return True
    return False


def _completed(
    name: str, what: dict[str, Any], how: dict[str, Any], port: dict[str, Any]
) -> Spec | None:
    """Return the spec, with the key schedule and the port that follow from its choices."""
    if how.get("architecture") == Architecture.PIPE:
        how.setdefault("key_schedule", KeySchedule.TRAVELLING)
        port["lanes"] = how.get("tiles", 1)
    spec = with_port(name, what, how, port)
    return spec if described(spec) == name else None


def with_port(
    name: str, what: Mapping[str, Any], how: Mapping[str, Any], port: Mapping[str, Any]
) -> Spec:
    """Return a spec whose port has the width and the key channel that its choices ask for."""
    full = port.get("flow") == Flow.HELD
    narrow = how.get("architecture") in NARROW
    schedule = how.get("key_schedule", KeySchedule.ON_THE_FLY)
    decrypts = Direction.DECRYPT in what.get("directions", ())
    held = schedule in {KeySchedule.STORED, KeySchedule.LOADED} or decrypts
    held = held and how.get("architecture") != Architecture.SERIAL
    data = {
        "width": how.get("data_bits", 128) if narrow and not full else 128,
        "key_channel": KeyChannel.HELD if full or held else KeyChannel.WITH_BLOCK,
        **port,
    }
    return Spec.from_data({"name": name, "what": what, "how": how, "port": data}, name)
