"""The narrow cores: which module a folded or serial core is, and what its header states.

Each cipher has a list of them. A module is built for some values of the choices, and its cycles are
those of its header.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roundsmith.spec.choices import Direction

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

ENCRYPT = (Direction.ENCRYPT,)
BOTH = (Direction.ENCRYPT, Direction.DECRYPT)


@dataclass(frozen=True)
class Cycles:
    """What the header of a module states, of its native port.

    `latency` is from the beat 0 of a block to that of its result and `key_setup` from that of a
    key to the first block that can use it, by direction; `rest` is from a result to the next block,
    and `again` what it is longer where that goes the same way. An idle core that has a key takes
    a block after `wait` cycles at most, because blocks begin in some cycles only.
    """

    latency: Mapping[Direction, int]
    rest: int
    key_setup: Mapping[Direction, int]
    clear: int
    again: int = 0
    wait: int = 0


@dataclass(frozen=True)
class Module:
    """One public module: what makes a core one of its kind, and the choices that it is built for.

    A choice that is not named is free. `cycles` are those of a core with keys of some length.
    """

    name: str
    kind: Mapping[str, Any]
    built: Mapping[str, frozenset[Any]]
    cycles: "Callable[[Spec, int], Cycles]"


def modules(spec: "Spec") -> list[Module]:
    """Return the modules of the cipher and the architecture of `spec`."""
    return [m for m in spec.cipher.narrow if m.kind["architecture"] is spec.how.architecture]


def module(spec: "Spec") -> Module:
    """Return the module that a folded or serial core is, or that is nearest to it."""
    choices = values(spec)

    def same(made: Module) -> int:
        return sum(1 for field, value in made.kind.items() if choices[field] == value)

    there = modules(spec)
    fitting = [m for m in there if same(m) == len(m.kind)]
    return fitting[0] if fitting else max(there, key=lambda m: (same(m) - len(m.kind), same(m)))


def values(spec: "Spec") -> dict[str, Any]:
    """Return all choices by name."""
    return {
        field: getattr(part, field)
        for part in (spec.what, spec.how)
        for field in type(part).model_fields
    }


def cycles(spec: "Spec", key_bits: int | None = None) -> Cycles:
    """Return the cycles of a folded or serial core; those of its longest key if none is named."""
    return module(spec).cycles(spec, key_bits or max(spec.what.key_bits))


def always(made: Cycles) -> "Callable[[Spec, int], Cycles]":
    """Return the cycles of a module that takes the same whatever its choices are."""
    return lambda spec, key_bits: made


def only(*legal: Any) -> frozenset[Any]:
    """Return the values of a choice that a module is built for."""
    return frozenset(legal)


def ways(encrypt: int, decrypt: int | None = None) -> dict[Direction, int]:
    """Return cycles by direction."""
    both = {Direction.ENCRYPT: encrypt}
    return both if decrypt is None else both | {Direction.DECRYPT: decrypt}
