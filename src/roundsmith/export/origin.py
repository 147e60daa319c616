"""Where an exported folder comes from: the command and the hashes that identify the core."""

from dataclasses import dataclass
from importlib.metadata import version as package_version

from roundsmith import catalogue
from roundsmith.generate import Design
from roundsmith.spec import Spec


@dataclass(frozen=True)
class Origin:
    """What made a folder, and from what. Nothing here depends on the day or the machine."""

    version: str
    command: str
    design_hash: str
    spec_hash: str


def origin(design: Design) -> Origin:
    """Return the origin of the folder that is exported for `design`."""
    return Origin(
        version=package_version("roundsmith"),
        command=command(design.spec),
        design_hash=design.text_hash(),
        spec_hash=design.spec.hash(),
    )


def command(spec: Spec) -> str:
    """Return the command that builds `spec`: by its name, or from the spec in the folder."""
    known = spec in catalogue.everything()
    return f"roundsmith build {spec.name if known else f'{spec.module}.toml'}"
