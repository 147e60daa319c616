"""The plane: lists of choices in, every legal spec that they make out, each once.

A choice is a list of values, or all of them, or `auto`: for cuts the sets that balance the stages,
one for each number of registers; for every other choice the values that suit the rest. What the
rules of the spec refuse is left out, and a core of the catalogue comes under its own name.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.explore import ciphers, structure
from roundsmith.explore.choices import ALL, AUTO, BOTH, ENCRYPT, Space
from roundsmith.explore.features import depths, fabric
from roundsmith.explore.parts import Link
from roundsmith.flows.flow import CELLS, Target
from roundsmith.spec import (
    NARROW,
    Architecture,
    Bus,
    Cipher,
    Clear,
    Direction,
    InverseRounds,
    KeyAdd,
    KeySboxes,
    KeySchedule,
    KeyStart,
    Linear,
    Mode,
    Sbox,
    Spec,
    StateStorage,
    legal_cuts,
    naming,
    streams,
)
from roundsmith.spec.ciphers import DEFAULT
from roundsmith.spec.sboxes import ranked

#: What each choice of `how` can be, for `all` and for reading what a user wrote.
VALUES: dict[str, tuple[Any, ...]] = {
    "architecture": tuple(Architecture),
    "data_bits": (1, 8, 32, 64),
    "rounds": tuple(range(1, 17)),
    "sbox": tuple(Sbox),
    "key_sboxes": tuple(KeySboxes),
    "linear": tuple(Linear),
    "key_add": tuple(KeyAdd),
    "key_schedule": tuple(KeySchedule),
    "key_start": (None, *KeyStart),
    "inverse_rounds": (None, *InverseRounds),
    "state_storage": tuple(StateStorage),
    "tiles": tuple(range(1, 17)),
    "clear": tuple(Clear),
}

#: The choices that a narrow core has, and those of one that has whole rounds.
_OF_NARROW: tuple[str, ...] = (
    "data_bits",
    "state_storage",
    "sbox",
    "key_sboxes",
    "linear",
    "key_schedule",
    "key_start",
    "inverse_rounds",
)
_OF_PIPE: tuple[str, ...] = (
    "sbox",
    "linear",
    "key_add",
    "key_schedule",
    "inverse_rounds",
    "tiles",
    "clear",
)
_OF_LOOP = ("rounds", *_OF_PIPE)


def specs(space: Space, target: Target) -> list[Spec]:
    """Return every legal spec of `space` that can stand on `target`, each once, by name."""
    # The systematic name tells all that differs in a space.
    found = {spec.name: spec for spec in _all(space, target) if stands_on(spec, target)}
    named = _named()
    own = [named.get(name, spec) for name, spec in found.items()]
    return sorted(own, key=lambda spec: spec.name)


def wrapped(cores: Iterable[Spec], mode: Mode, bus: Bus = Bus.NONE, most: int = 1) -> list[Spec]:
    """Return those of `cores` that can be in a mode of operation, perhaps behind a bus, so made.

    Each of them also with every number of streams up to `most` that makes it faster.
    """
    found = []
    for core in cores:
        if core.has_mode:
            found.append(core)
            continue
        with suppress(RoundsmithError):
            for count in range(1, min(most, streams.most(core.with_mode(mode))) + 1):
                made = core.with_mode(mode, count)
                found.append(made if bus is Bus.NONE else made.with_bus(bus))
    return list({spec.name: spec for spec in found}.values())


@cache
def _named() -> dict[str, Spec]:
    """Return the cores of the catalogue by their systematic names."""
    found = {}
    for spec in catalogue.native().values():
        with suppress(RoundsmithError):
            found[naming.systematic(spec)] = spec
    return found


def stands_on(spec: Spec, target: Target) -> bool:
    """Whether a target has what a core is made of: standard cells have no block RAM."""
    return target.flow.logic.has_block_ram or not spec.sbox.memory


def suited(name: str, target: Target, cipher: Cipher = DEFAULT) -> tuple[Any, ...]:
    """Return the values of a choice that suit a target, where nobody says more."""
    cells = target.flow.logic is CELLS
    values: dict[str, tuple[Any, ...]] = {
        "architecture": tuple(Architecture),
        "sbox": ranked(cipher, "explore_cells" if cells else "explore_luts"),
        "key_add": (KeyAdd.LAST,),
        "key_schedule": (KeySchedule.ON_THE_FLY, KeySchedule.TRAVELLING, KeySchedule.STORED),
        "tiles": (1,),
        "clear": (Clear.FLUSH,),
        "key_sboxes": tuple(KeySboxes),
        "key_start": (None, *KeyStart),
        "state_storage": tuple(StateStorage),
        **ciphers.of(cipher).suited(target),
    }
    return values[name]


def _all(space: Space, target: Target) -> Iterator[Spec]:
    def chosen(name: str) -> Sequence[Any]:
        return space.choices.get(name, suited(name, target, space.cipher))

    def listed(name: str, architecture: Architecture) -> Sequence[Any]:
        own = chosen(name)
        # A core of a byte or a bit, or of block RAMs, has no choice of a linear layer.
        plain = name == "linear" and architecture in NARROW and name not in space.choices
        return tuple(dict.fromkeys((Linear.DIRECT, *own))) if plain else own

    for architecture in chosen("architecture"):
        if architecture in NARROW:
            names = _OF_NARROW
            for values in itertools.product(*(listed(name, architecture) for name in names)):
                how = {"architecture": architecture, **dict(zip(names, values, strict=True))}
                yield from _legal(space, how)
            continue
        names = _OF_LOOP if architecture is Architecture.LOOP else _OF_PIPE
        for values in itertools.product(*(listed(name, architecture) for name in names)):
            how = {"architecture": architecture, **dict(zip(names, values, strict=True))}
            yield from _with_cuts(space, how, target)


def _with_cuts(space: Space, how: dict[str, Any], target: Target) -> Iterator[Spec]:
    """Yield the cores of one set of choices, with each set of cuts."""
    if not isinstance(space.cuts, str):
        for cuts in space.cuts:
            yield from _legal(space, how | {"cuts": cuts})
        return
    # Any legal core of these choices knows which cuts there are.
    first = next(_legal(space, how | {"cuts": ("sub",)}), None)
    if first is None:
        return
    if space.cuts == ALL:
        points = legal_cuts(first)
        sets: Iterable[tuple[str, ...]] = itertools.chain.from_iterable(
            itertools.combinations(points, count) for count in range(len(points) + 1)
        )
    else:
        sets = balanced(first, target)
    for cuts in sets:
        yield from _legal(space, how | {"cuts": cuts})


def balanced(spec: Spec, target: Target) -> list[tuple[str, ...]]:
    """Return the sets of cuts that balance the stages of a core, the fewest registers first."""
    legal = legal_cuts(spec)
    chain = tuple(
        link if link.cut in {*legal, "memory"} else Link(link.name, link.share)
        for link in structure.parts(spec).chain
    )
    names = {link.name for link in chain}
    depth = depths(fabric(target, "delay"))
    levels = tuple(sorted((name, depth.get(name, 1.0)) for name in names))
    return structure.ladder(chain, levels)


def _legal(space: Space, how: Mapping[str, Any]) -> Iterator[Spec]:
    """Yield the spec of these choices if the rules of the spec take it."""
    own = {name: value for name, value in how.items() if value is not None}
    what = {"cipher": space.cipher, "key_bits": space.key_bits, "directions": space.directions}
    port = {"lanes": own.get("tiles", 1)} if how["architecture"] is Architecture.PIPE else {}
    if _is_out(space, how):
        return
    try:
        spec = naming.with_port("unnamed", what, own, port)
        yield spec.model_copy(update={"name": naming.described(spec)})
    except RoundsmithError:
        return


def _is_out(space: Space, how: Mapping[str, Any]) -> bool:
    """Whether a rule that most combinations break refuses this one: a spec takes longer to say."""
    pipe, narrow = how["architecture"] is Architecture.PIPE, how["architecture"] in NARROW
    schedule = how.get("key_schedule")
    if schedule is KeySchedule.TRAVELLING and not pipe:
        return True
    if schedule is KeySchedule.ON_THE_FLY and pipe:
        return True
    both = space.directions == BOTH
    inverse = how.get("inverse_rounds")
    if (inverse is not None) is not both and not (
        Direction.DECRYPT in space.directions and inverse in {None, InverseRounds.EQUIVALENT}
    ):
        return True
    if not narrow:
        return False
    folded = how["architecture"] is Architecture.FOLDED
    decrypts = Direction.DECRYPT in space.directions
    moves = folded and decrypts and schedule is KeySchedule.ON_THE_FLY
    if (how.get("key_start") is not None) is not moves:
        return True
    return (how["data_bits"] >= 32) is not folded


def parse(name: str, text: str) -> tuple[Any, ...]:
    """Return the values that a user wrote for a choice: words with commas, or `all`.

    RoundsmithError says what would be legal.
    """
    legal = VALUES[name]
    if text == ALL:
        return legal
    known = {"none" if value is None else str(value): value for value in legal}
    words = [word.strip().replace("-", "_") for word in text.split(",")]
    for word in words:
        if word not in known:
            raise RoundsmithError(
                f"--{name.replace('_', '-')} has no value '{word}'; "
                f"there are {', '.join(known)}, or all."
            )
    return tuple(dict.fromkeys(known[word] for word in words))


def parse_cuts(text: str) -> str | tuple[tuple[str, ...], ...]:
    """Return the sets of cuts that a user wrote: `auto`, `all`, or `sub,round/sbox.1,sub`."""
    if text in {AUTO, ALL}:
        return text
    found = tuple(
        tuple(cut.strip() for cut in one.split(",") if cut.strip()) for one in text.split("/")
    )
    known = ("head", *(f"sbox.{i}" for i in range(7)), "sub", "half", "mix", "round")
    for cut in itertools.chain.from_iterable(found):
        if cut not in known:
            raise RoundsmithError(
                f"--cuts has no point '{cut}'; there are {', '.join(known)}, or auto, or all."
            )
    return found


def parse_cipher(text: str) -> Cipher:
    """Return the cipher that a word means."""
    if text not in list(Cipher):
        raise RoundsmithError(f"--cipher is {' or '.join(Cipher)}, not '{text}'.")
    return Cipher(text)


@cache
def parse_directions(text: str) -> tuple[Direction, ...]:
    """Return the directions that a word means."""
    words = {"encrypt": ENCRYPT, "decrypt": (Direction.DECRYPT,), "both": BOTH}
    if text not in words:
        raise RoundsmithError(f"--directions is encrypt, decrypt or both, not '{text}'.")
    return words[text]


def parse_keys(text: str) -> tuple[int, ...]:
    """Return the key lengths that a user wrote: `128`, `128,256` or `any`."""
    if text == "any":
        return (128, 192, 256)
    words = [word.strip() for word in text.split(",")]
    if any(word not in {"128", "192", "256"} for word in words):
        raise RoundsmithError(
            f"--keys is 128, 192, 256, several with commas, or any, not '{text}'."
        )
    return tuple(sorted({int(word) for word in words}))
