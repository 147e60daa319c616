"""The options that put a mode of operation and a bus around a core, for every command."""

from typing import TYPE_CHECKING, Annotated

import typer

from roundsmith.base.errors import RoundsmithError

if TYPE_CHECKING:
    from roundsmith.spec import Bus, Mode, Spec

ModeName = Annotated[
    str | None,
    typer.Option("--mode", help="A mode of operation around the core, such as ctr or gcm."),
]
BusName = Annotated[
    str | None,
    typer.Option("--bus", help="A bus around the mode, such as axi4-stream or apb."),
]
SelfTest = Annotated[
    bool,
    typer.Option("--self-test", help="Known answers at start, before the bus takes anything."),
]


def parse_mode(name: str | None) -> "Mode":
    """Return the mode that was named, none if no name was given."""
    from roundsmith.spec import Mode, modes

    if name is None:
        return Mode.NONE
    names = [known.word for known in modes.MODES]
    if name.replace("-", "_") not in names:
        raise RoundsmithError(f"--mode is one of {', '.join(names)}, not '{name}'.")
    return Mode(name.replace("-", "_"))


def parse_bus(name: str | None) -> "Bus":
    """Return the bus that was named, none if no name was given."""
    from roundsmith.spec import Bus, buses

    if name is None:
        return Bus.NONE
    names = [known.word.replace("_", "-") for known in buses.MESSAGES]
    if name.replace("_", "-") not in names:
        raise RoundsmithError(f"--bus is one of {', '.join(names)}, not '{name}'.")
    return Bus(name.replace("-", "_"))


def with_mode_and_bus(
    spec: "Spec", mode: str | None, bus: str | None, self_test: bool, streams: int = 1
) -> "Spec":
    """Return `spec` in the mode and behind the bus that were named, or as it is.

    With several `streams` each of them has that mode.
    """
    from roundsmith.spec import Bus, Mode

    if self_test and bus is None:
        raise RoundsmithError("--self-test belongs to --bus.")
    if streams > 1 and mode is None:
        raise RoundsmithError("--streams belongs to --mode, of which each stream has one.")
    in_mode, behind = parse_mode(mode), parse_bus(bus)
    made = spec if in_mode is Mode.NONE else spec.with_mode(in_mode, streams)
    return made if behind is Bus.NONE else made.with_bus(behind, self_test=self_test)
