"""The circuits of the publications, composed from field arithmetic as straight-line programs.

Run as a program with names of circuits (all without a name), it writes their files in `programs/`.

    python -m roundsmith.circuits.constructions [NAME...]
"""

import sys
from collections.abc import Callable

from roundsmith.base.errors import RoundsmithError
from roundsmith.circuits import mix, proof, satoh, standaert
from roundsmith.circuits.program import PROGRAMS, Program

#: Every circuit, by the name of its program.
CONSTRUCTIONS: dict[str, Callable[[], Program]] = {
    "inverter-gf4": satoh.inverter_gf4,
    "inverter-gf16": satoh.inverter_gf16,
    "sbox-gf4": satoh.sbox_gf4,
    "sbox-gf4-inverse": satoh.sbox_gf4_inverse,
    "sbox-gf4-both": satoh.sbox_gf4_both,
    "sbox-gf16": standaert.sbox_gf16,
    "sbox-gf16-inverse": standaert.sbox_gf16_inverse,
    "sbox-gf16-both": satoh.sbox_gf16_both,
    "mix-direct": mix.mix_direct,
    "mix-direct-inverse": mix.mix_direct_inverse,
    "mix-factored-both": mix.mix_factored_both,
    "mix-squared-both": mix.mix_squared_both,
}


def text(name: str) -> str:
    """Return the file of a construction, proved. RoundsmithError when there is no such name."""
    if name not in CONSTRUCTIONS:
        raise RoundsmithError(
            f"'{name}' is no construction; name one of {', '.join(CONSTRUCTIONS)}."
        )
    program = CONSTRUCTIONS[name]()
    proof.prove(program)
    return program.dumps(command=f"python -m roundsmith.circuits.constructions {name}")


def main(names: list[str]) -> None:
    """Write the files of the named constructions, of all when none is named."""
    for name in names or CONSTRUCTIONS:
        (PROGRAMS / f"{name}.toml").write_text(text(name))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except RoundsmithError as error:
        sys.exit(f"error: {error}")
