"""The named specs: one TOML file each; `NAME-full` is the same core behind the full port."""

import difflib
import re
from contextlib import suppress
from functools import cache
from pathlib import Path

from roundsmith.base.errors import RoundsmithError
from roundsmith.base.paths import CATALOGUE
from roundsmith.spec import Bus, Mode, Spec, buses, modes, naming, streams


@cache
def native() -> dict[str, Spec]:
    """Return the specs of the catalogue by name, as their files have them."""
    specs = [Spec.load(path) for path in sorted(CATALOGUE.glob("*.toml"), key=lambda p: p.stem)]
    return {spec.name: spec for spec in specs}


@cache
def everything() -> list[Spec]:
    """Return every name that can be asked for: each core as it is, and in full if it can be."""
    return [
        form
        for spec in native().values()
        for form in ((spec, spec.full()) if spec.has_full else (spec,))
    ]


def find(name: str) -> Spec:
    """Return the spec called `name`, by its systematic name too, or the one of a TOML file."""
    if name.endswith(".toml"):
        return Spec.load(Path(name))
    specs = {spec.name: spec for spec in everything()}
    if name in specs:
        return specs[name]
    meant = naming.parse(name)
    if meant is not None:
        return meant
    made = _with_bus(name) or _with_mode(name)
    if made is not None:
        return made
    close = difflib.get_close_matches(name, specs, n=1)
    hint = f"did you mean '{close[0]}'?" if close else "`roundsmith list` shows the names."
    raise RoundsmithError(f"There is no core named '{name}'; {hint}")


def _with_mode(name: str) -> Spec | None:
    """Return the core `NAME-MODE`: a core that is known by NAME, in a mode of operation.

    `NAME-MODE5` has five streams of it.
    """
    digits = re.search(r"(?:[2-9]|[1-9]\d+)$", name)
    for mode in modes.MODES:
        for count in (1, *([int(digits[0])] if digits else ())):
            ending = f"-{streams.word(mode, count)}"
            base = name.removesuffix(ending)
            if base == name:
                continue
            known = native().get(base) or naming.parse(base)
            if known is not None:
                return known.with_mode(Mode(mode.word), count)
    return None


def _with_bus(name: str) -> Spec | None:
    """Return the core `NAME-MODE-BUS`: a core in a mode of operation, behind a bus."""
    for bus in buses.MESSAGES:
        base = name.removesuffix(f"-{bus.word.replace('_', '-')}")
        known = _with_mode(base) if base != name else None
        if known is not None:
            return known.with_bus(Bus(bus.word))
    return None


def command(spec: Spec) -> str:
    """Return the command that builds `spec`: by its name, or from a spec file of its own."""
    known = spec in everything()
    with suppress(RoundsmithError):
        known = known or spec in (naming.parse(spec.name), _with_mode(spec.name))
        known = known or _with_bus(spec.name) == spec
    return f"roundsmith build {spec.name if known else f'{spec.module}.toml'}"
