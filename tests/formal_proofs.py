"""The proofs of `formal/`: what a TOML file says, and how the prover checks it."""

import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from roundsmith.paths import RTL
from roundsmith.tools import yosys

FORMAL = RTL.parent / "formal"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Parameters(_Strict):
    """One parameter set; `values` holds `NAME=VALUE`."""

    name: str
    values: list[str] = []
    long: bool = False


class Mutant(_Strict):
    """One fault in one RTL file. The proof must fail with it, at one parameter set."""

    why: str
    file: str
    right: str
    wrong: str
    parameters: str
    long: bool = False


class Proof(_Strict):
    """What `rsm_x_proof.toml` says. Files are relative to `rtl/`, packages first."""

    module: str
    files: list[str]
    parameters: list[Parameters] = Field(min_length=1)
    mutant: list[Mutant] = Field(min_length=1)

    def values(self, name: str) -> list[str]:
        """Return the values of the parameter set `name`."""
        return next(each.values for each in self.parameters if each.name == name)


def load(name: str) -> Proof:
    """Read the TOML file of a proof."""
    return Proof.model_validate(tomllib.loads((FORMAL / f"{name}.toml").read_text()))


def check(name: str, values: list[str], folder: Path, mutant: Mutant | None = None) -> None:
    """Prove by induction what `formal/NAME.sv` asserts, with a fault in the RTL if one is given."""
    proof = load(name)
    files = [RTL / file for file in proof.files]
    if mutant is not None:
        path = RTL / mutant.file
        text = path.read_text()
        assert path in files and mutant.right in text
        copy = folder / path.name
        copy.write_text(text.replace(mutant.right, mutant.wrong))
        files[files.index(path)] = copy
    script = [
        yosys.read_slang([*files, FORMAL / f"{name}.sv"], name, parameters=values),
        "setundef -undriven -anyseq",
        f"prep -flatten -nordff -top {name}",
        "memory_map",
        "opt_clean",
        "chformal -lower",
        f"sat -verify -tempinduct -seq 1 -maxsteps 6 -prove-asserts -set-assumes {name}",
    ]
    yosys.run(script, what=f"The proof of {proof.module}", folder=folder)
