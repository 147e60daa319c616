"""Where an exported folder comes from: the command and the hashes that identify the core."""

import hashlib
from dataclasses import dataclass
from importlib.metadata import version as package_version

from roundsmith import catalogue
from roundsmith.design import elaborate
from roundsmith.design.generate import Design


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
        version=release(),
        command=catalogue.command(design.spec),
        design_hash=files_hash(design),
        spec_hash=design.spec.hash(),
    )


def release() -> str:
    """Return the version of Roundsmith."""
    return package_version("roundsmith")


def files_hash(design: Design) -> str:
    """SHA-256 over the code of all files of the folder, which who has them can compute again."""
    texts = [*(path.read_text() for path in design.library), design.top]
    return hashlib.sha256("".join(map(elaborate.code, texts)).encode()).hexdigest()
