"""How the small blocks are proved by induction: what benches have in common, and the prover.

A bench asserts what must hold in every cycle of any traffic that it does not rule out. The tests
change the block in a way that breaks a rule, too, and then the proof must fail.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from roundsmith.errors import ToolError
from roundsmith.paths import RTL
from roundsmith.tools import yosys

FIFO = RTL / "common/rsm_fifo.sv"

#: What every bench has: a first cycle in reset, and none later.
BEGIN = """
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;
"""


def source(name: str) -> Path:
    """Return the file of the module `name`."""
    return next(RTL.glob(f"*/{name}.sv"))


def change(path: Path, right: str, wrong: str, folder: Path) -> Path:
    """Return a copy of a file with one fault in it."""
    text = path.read_text()
    assert right in text
    copy = folder / path.name
    copy.write_text(text.replace(right, wrong))
    return copy


def prove(
    name: str, bench: str, folder: Path, *files: Path, parameters: Sequence[str] = ()
) -> None:
    """Prove by induction what a bench asserts of the module `name` in files.

    Asserted is every cycle but the first one, in which the block is in reset. What the language
    leaves undefined may be anything. `parameters` of the bench are `NAME=VALUE`.
    """
    file = folder / "proof.sv"
    file.write_text(bench)
    script = [
        yosys.read_slang([*files, file], "proof", parameters=parameters),
        "setundef -undriven -anyseq",
        "prep -flatten -nordff -top proof",
        "memory_map",
        "opt_clean",
        "chformal -lower",
        "sat -verify -tempinduct -seq 1 -maxsteps 6 -prove-asserts -set-assumes proof",
    ]
    yosys.run(script, what=f"The proof of {name}", folder=folder)


def refute(
    name: str, bench: str, folder: Path, *files: Path, parameters: Sequence[str] = ()
) -> None:
    """Show that the same proof fails; a file that cannot be read is no such thing."""
    with pytest.raises(ToolError, match="proof did fail"):
        prove(name, bench, folder, *files, parameters=parameters)
