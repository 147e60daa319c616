"""The proofs of `formal/`: what a TOML file says, and how the prover checks it."""

import re
import tomllib
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from roundsmith.base.paths import RTL
from roundsmith.tools import yosys

FORMAL = RTL.parent / "formal"

#: A rule that is broken five cycles after the first one, if the assumptions allow so many cycles.
REACHED = """
  logic [2:0] reached_q = '0;
  always_ff @(posedge clk_i) reached_q <= reached_q + 3'd1;
  always_comb assert (reached_q != 3'd5);
endmodule
"""


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

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not any(RTL.rglob(f"{self.module}.sv")):
            raise ValueError(f"no file {self.module}.sv in rtl: 'module' names the proved module")
        for file in self.files:
            if not (RTL / file).is_file():
                raise ValueError(f"no file rtl/{file}: correct 'files'")
        names = [each.name for each in self.parameters]
        if len(set(names)) < len(names):
            raise ValueError(f"two parameter sets have one name: {names}")
        for mutant in self.mutant:
            if mutant.parameters not in names:
                raise ValueError(f"mutant {mutant.why!r}: 'parameters' must be one of {names}")
            if mutant.file not in self.files:
                raise ValueError(f"mutant {mutant.why!r}: 'file' must be one of {self.files}")
            if mutant.right not in (RTL / mutant.file).read_text():
                raise ValueError(
                    f"mutant {mutant.why!r}: {mutant.right!r} does not occur in "
                    f"rtl/{mutant.file}; copy 'right' from that file"
                )
            if mutant.right == mutant.wrong:
                raise ValueError(f"mutant {mutant.why!r}: 'right' and 'wrong' are the same")
        return self

    def values(self, name: str) -> list[str]:
        """Return the values of the parameter set `name`."""
        return next(each.values for each in self.parameters if each.name == name)


def unpaired(folder: Path = FORMAL) -> list[str]:
    """Return what is wrong with the names of the files in a folder of proofs."""
    files = {path.name for ending in ("sv", "toml") for path in folder.glob(f"*.{ending}")}
    wrong = []
    for file in sorted(files):
        name, _, ending = file.partition(".")
        other = f"{name}.{'toml' if ending == 'sv' else 'sv'}"
        if not name.endswith("_proof"):
            wrong.append(f"formal/{file}: the name must end in _proof")
        elif other not in files:
            wrong.append(f"formal/{file} needs formal/{other}")
    return wrong


def load(name: str, folder: Path = FORMAL) -> Proof:
    """Read the TOML file of a proof."""
    try:
        proof = Proof.model_validate(tomllib.loads((folder / f"{name}.toml").read_text()))
    except (ValidationError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{name}.toml: {error}") from error
    if "*" not in proof.module and not name.startswith(f"{proof.module}_"):
        raise ValueError(f"{name}.toml: the name of the file must begin with {proof.module}_")
    path = folder / f"{name}.sv"
    text = path.read_text() if path.is_file() else ""
    for value in (value for each in proof.parameters for value in each.values):
        word, _, number = value.partition("=")
        # The reader of SystemVerilog ignores a parameter that the module does not have.
        if (text and not re.search(rf"\bparameter\b[^;,=]*\b{word}\s*=", text)) or not number:
            raise ValueError(f"{name}.toml: {value!r} must be NAME=VALUE of a parameter of {name}")
    return proof


def check(
    name: str,
    values: list[str],
    folder: Path,
    mutant: Mutant | None = None,
    proofs: Path = FORMAL,
) -> None:
    """Prove by induction what `formal/NAME.sv` asserts, with a fault in the RTL if one is given."""
    proof = load(name, proofs)
    files = [RTL / file for file in proof.files]
    if mutant is not None:
        path = RTL / mutant.file
        copy = folder / path.name
        copy.write_text(path.read_text().replace(mutant.right, mutant.wrong))
        files[files.index(path)] = copy
    prove(name, [*files, proofs / f"{name}.sv"], values, folder)


def prove(name: str, files: list[Path], values: list[str], folder: Path) -> None:
    """Prove by induction what module `name` of the last of `files` asserts."""
    _run(name, files, values, folder, "-tempinduct")


def reach(name: str, values: list[str], folder: Path, proofs: Path = FORMAL) -> None:
    """Look for a run of six cycles under the assumptions; an error with "proof did fail" is one."""
    proof = load(name, proofs)
    copy = folder / f"{name}.sv"
    head, _, tail = (proofs / f"{name}.sv").read_text().rpartition("endmodule\n")
    assert not tail.strip(), "the proved module must be the last one of its file"
    copy.write_text(head + REACHED)
    files = [*(RTL / file for file in proof.files), copy]
    _run(name, files, values, folder, "-tempinduct-baseonly")


def _run(name: str, files: list[Path], values: list[str], folder: Path, how: str) -> None:
    script = [
        yosys.read_slang(files, name, parameters=values),
        "setundef -undriven -anyseq",
        f"prep -flatten -nordff -top {name}",
        "memory_map",
        "opt_clean",
        "chformal -lower",
        f"sat -verify {how} -seq 1 -maxsteps 6 -prove-asserts -set-assumes {name}",
    ]
    yosys.run(script, what=f"The proof {name}", folder=folder)
