"""The S-boxes in the RTL: the enumerations of the packages, and the modules that select one.

All of it is made by `make docs` from the files in `spec/sboxes`.
"""

from pathlib import Path

from roundsmith.base.errors import RoundsmithError
from roundsmith.base.paths import RTL
from roundsmith.base.render import render
from roundsmith.design import ciphers
from roundsmith.spec import BlockCipher
from roundsmith.spec.ciphers import CIPHERS
from roundsmith.spec.sboxes import MOST_CUTS, constructions

#: The lines of a package between which its S-boxes stand.
BEGIN = "  // S-boxes: made by `make docs` from src/roundsmith/spec/sboxes.\n"
END = "  // End of the S-boxes.\n"


def modules() -> dict[Path, str]:
    """Return the files with S-boxes in them, with their right contents."""
    found: dict[Path, str] = {}
    for cipher in CIPHERS:
        found[_path(cipher.word)] = _package(cipher)
        found |= ciphers.of(cipher.word).sbox_files()
    return found


def _path(word: str) -> Path:
    return RTL / word / "pkg" / f"rsm_{word}_pkg.sv"


def _package(cipher: BlockCipher) -> str:
    """Return the package of a cipher with its S-boxes made anew."""
    path = _path(cipher.word)
    text = path.read_text()
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise RoundsmithError(f"{path.name} lacks the lines between which its S-boxes stand.")
    found = constructions(cipher.word)
    values = {one.number: one.value for one in found}
    # A number that is free stays so: those behind it do not change.
    names = [values.get(number, f"SboxUnused{number}") for number in range(max(values) + 1)]
    made = render(
        "sboxes.sv.j2",
        names=names,
        memories=[one.value for one in found if one.memory],
        pairs=[one.value for one in found if one.side_by_side],
        most=MOST_CUTS,
        plain=cipher.plain_sboxes,
    )
    return head + begin + made + end + tail
