"""The options that are requirements, once, for every command that takes them."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from roundsmith.base.errors import RoundsmithError
from roundsmith.spec.ciphers import DEFAULT, Cipher

CIPHER_HELP = f"{' or '.join(Cipher)}."
_KEYS = "Key lengths: 128, 192, 256, several with commas, or any."
_STREAMS = "Independent streams at one time, with --feedback or a --mode that chains its blocks."
_AREA = "The most area: gate equivalents, or LUT4s with 256 for each block RAM."

#: Name, type and default of each option.
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "cipher": (Annotated[str | None, typer.Option(help=CIPHER_HELP)], None),
    "keys": (Annotated[str | None, typer.Option(help=_KEYS)], None),
    "directions": (Annotated[str | None, typer.Option(help="encrypt, decrypt or both.")], None),
    "feedback": (
        Annotated[bool, typer.Option("--feedback", help="Each stream waits for its results.")],
        False,
    ),
    "streams": (
        Annotated[int, typer.Option(min=1, help=_STREAMS)],
        1,
    ),
    "min_throughput": (
        Annotated[str | None, typer.Option(help="The least throughput, such as 500Mbps.")],
        None,
    ),
    "min_clock": (
        Annotated[str | None, typer.Option(help="The least clock, such as 100MHz.")],
        None,
    ),
    "max_area": (Annotated[str | None, typer.Option(help=_AREA)], None),
    "max_memory": (
        Annotated[int | None, typer.Option(min=0, help="The most block RAMs.")],
        None,
    ),
    "max_latency": (
        Annotated[str | None, typer.Option(help="The most time for a block, such as 200ns.")],
        None,
    ),
    "minimise": (
        Annotated[str | None, typer.Option(help="area, memory, latency or area-delay.")],
        None,
    ),
    "tries": (
        Annotated[int, typer.Option(min=0, help="The most cores to measure for an answer.")],
        4,
    ),
    "jobs": (
        Annotated[int | None, typer.Option(min=1, help="How many at a time; one a processor.")],
        None,
    ),
}

#: Those that say what is needed, of which a command that has other ways must see one.
_SAYING = (
    "cipher",
    "keys",
    "directions",
    "min_throughput",
    "min_clock",
    "max_area",
    "max_memory",
    "max_latency",
    "minimise",
)


class Requirements:
    """What was written for the requirements."""

    def __init__(self, **values: Any) -> None:
        self.values = values

    def __bool__(self) -> bool:
        return self.values["feedback"] or any(self.values[name] is not None for name in _SAYING)

    @property
    def tries(self) -> int:
        """The most cores to measure."""
        return int(self.values["tries"])

    @property
    def streams(self) -> int:
        """How many messages there are at one time."""
        return int(self.values["streams"])

    @property
    def jobs(self) -> int | None:
        """How many at a time, None for one a processor."""
        found: int | None = self.values["jobs"]
        return found

    def needs(self, target: str | None, mode: str | None = None, bus: str | None = None) -> Any:
        """Return the requirements; RoundsmithError says what is wrong with one."""
        from roundsmith.cli.mode_bus_options import parse_bus, parse_mode
        from roundsmith.explore import space
        from roundsmith.explore.needs import Needs, quantity
        from roundsmith.flows import targets

        if target is None:
            raise RoundsmithError("Requirements are for a target: add --target, such as ecp5-25k.")
        said = self.values
        return Needs(
            target=targets.parse(target),
            key_bits=space.parse_keys(said["keys"] or "128"),
            directions=space.parse_directions(said["directions"] or "encrypt"),
            cipher=space.parse_cipher(said["cipher"] or DEFAULT),
            mode=parse_mode(mode),
            bus=parse_bus(bus),
            feedback=said["feedback"],
            streams=said["streams"],
            min_throughput=quantity("--min-throughput", "throughput", said["min_throughput"]),
            min_clock=quantity("--min-clock", "clock", said["min_clock"]),
            max_area=quantity("--max-area", "area", said["max_area"]),
            max_memory=said["max_memory"],
            max_latency=quantity("--max-latency", "latency", said["max_latency"]),
            minimise=said["minimise"] or "area",
        )


def with_requirements(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command whose parameter `asked` is an Requirements the options of the requirements."""

    @wraps(command)
    def taken(**values: Any) -> Any:
        asked = Requirements(**{name: values.pop(name) for name in _OPTIONS})
        return command(**values, asked=asked)

    hints = get_type_hints(command, include_extras=True)
    own = [p for p in inspect.signature(command).parameters.values() if p.name != "asked"]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in _OPTIONS.items()
    ]
    taken.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]
    taken.__annotations__ = {
        **{p.name: hints[p.name] for p in own},
        **{name: kind for name, (kind, _) in _OPTIONS.items()},
    }
    return taken
