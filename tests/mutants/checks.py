"""The checks that try to kill a mutant, the cheapest first.

1. *read*: slang elaborates the mutated cores, and Verilator reads them without a warning.
2. *circuit*: an S-box or a linear layer is proved to compute its table or matrix.
3. *proof*: the proofs of `formal/` that contain the mutated file.
4. *verify*: the questions of `roundsmith verify` to the RTL of up to three mutated cores.
5. *tests*: the tests of the RTL folder.

If no check kills the mutant, Yosys compares the mutated cores with the original ones.

`__main__` runs this module inside a copy of the checkout that contains the mutation.
"""

import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from roundsmith.base.errors import Killed, RoundsmithError, ToolMissing
from roundsmith.base.paths import RTL
from roundsmith.circuits import listing, rtl_proof
from roundsmith.circuits.proof import ProofFailed
from roundsmith.design import generate
from roundsmith.flows import synthesize
from roundsmith.report.mutants import EQUIVALENT, SURVIVED, UNREACHED
from roundsmith.simulate import messages
from roundsmith.spec import Spec
from roundsmith.tools import verilator, yosys
from roundsmith.verify import mode_verify, verify
from tests.formal import formal_proofs
from tests.mutants.cores import CORES, find

#: The most mutated cores that are checked, the first ones of the list; random blocks for each.
MOST_CORES = 3
BLOCKS = 600
SEED = 20260

#: Time limits in seconds: the tests of an RTL folder, one equivalence check.
PATIENCE = 900
COMPARISON = 300

#: The digest of each core, and the library files that it uses.
Digests = Mapping[str, tuple[str, list[str]]]


def digests() -> Digests:
    """Return the digest and the files of every core of the list."""
    found = {}
    for name in CORES:
        design = generate.design(find(name))
        found[name] = (design.digest, [str(path.relative_to(RTL)) for path in design.library])
    return found


def judge(file: str, before: Digests, original: Path) -> str:
    """Return the verdict on the mutation in `file`: the check that kills it and on what.

    `before` are the digests of the original cores, `original` is the original library folder.
    """
    reached: list[str] = []
    for name, (digest, files) in before.items():
        if file in files and len(reached) < MOST_CORES:
            try:
                if generate.design(find(name)).digest != digest:
                    reached.append(name)
            except (RoundsmithError, AssertionError, StopIteration, RuntimeError):
                return f"read {name}"
    places = {
        "read": reached,
        "circuit": [one.name for one in listing.everything() if RTL / file in one.files],
        "proof": [path.stem for path, data in _proofs() if file in data["files"]],
        "verify": reached,
        "tests": [file.partition("/")[0]],
    }
    for check, wheres in places.items():
        for where in wheres:
            if not passes(check, where):
                return f"{check} {where}"
    if not reached:
        return UNREACHED
    same = all(_equivalent(find(name), file, original) for name in reached)
    return EQUIVALENT if same else SURVIVED


def passes(check: str, where: str) -> bool:
    """Return whether one check passes; a program that is killed twice fails it."""
    for _ in range(2):
        try:
            return _passes(check, where)
        except Killed:
            continue  # by the mutation, or by a lack of memory that may be over
    return False


def _passes(check: str, where: str) -> bool:
    try:
        match check:
            case "read":
                spec = find(where)
                printed = verilator.lint(synthesize.sources(spec), spec.module)
                return not any(line.startswith("%") for line in printed.splitlines())
            case "circuit":
                _prove_circuit(where)
            case "proof":
                _prove(where)
            case "verify":
                _verify(find(where))
            case "tests":
                return _tests(where)
    except (Killed, ToolMissing):
        raise
    except (ProofFailed, RoundsmithError):
        return False
    return True


def _prove_circuit(name: str) -> None:
    # An inverter cannot be proved alone: its basis is not in its module.
    with suppress(KeyError):
        rtl_proof.prove(listing.find(name))


def _proofs() -> Iterator[tuple[Path, dict[str, list[str]]]]:
    """Yield every proof with its TOML data.

    `formal_proofs.load` would refuse it: the texts of its own mutants may be gone.
    """
    for path in sorted(formal_proofs.FORMAL.glob("*.toml")):
        yield path, tomllib.loads(path.read_text())


def _prove(name: str) -> None:
    path = formal_proofs.FORMAL / f"{name}.toml"
    data = tomllib.loads(path.read_text())
    files = [*(RTL / file for file in data["files"]), path.with_suffix(".sv")]
    for each in data["parameters"]:
        if not each.get("long"):
            with tempfile.TemporaryDirectory() as folder:
                formal_proofs.prove(name, files, each.get("values", []), Path(folder))


def _verify(spec: Spec) -> None:
    if spec.has_mode:
        program = messages.build(spec, synthesize.sources(spec))
        mode_verify.check(spec, program, spec.name, SEED)
    else:
        verify.check(verify.Bench(spec, spec.name, verify.rtl(spec)), SEED, BLOCKS)


def _tests(room: str) -> bool:
    """Return whether the tests of an RTL folder pass, such as `tests/rtl/bus` of `rtl/bus`."""
    folder = RTL.parent / "tests/rtl" / room
    if not folder.is_dir():
        return True
    argv = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not long", str(folder)]
    try:
        done = subprocess.run(argv, cwd=RTL.parent, capture_output=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _equivalent(spec: Spec, file: str, original: Path) -> bool:
    """Return whether Yosys proves a mutated core equivalent, register by register."""
    files = synthesize.sources(spec)
    old = [original / file if path == RTL / file else path for path in files]
    made = "prep -flatten -nordff", "memory_map", "opt -full", "async2sync"
    script = []
    for name, each in (("gold", old), ("gate", files)):
        script += [yosys.read_slang(each, spec.module), *made, f"rename {spec.module} {name}"]
        script.append(f"design -stash {name}")
    script += [f"design -copy-from {name} -as {name} {name}" for name in ("gold", "gate")]
    script += ["equiv_make gold gate both", "prep -flatten -top both", "equiv_simple -undef"]
    script += ["equiv_induct -undef -seq 3", "equiv_status -assert"]
    with tempfile.TemporaryDirectory() as folder:
        try:
            yosys.run(script, what="The comparison", folder=Path(folder), timeout=COMPARISON)
        except RoundsmithError:
            return False
    return True


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["digests"]:
            print(json.dumps(digests()))
        case ["passes", check, where]:
            print(passes(check, where))
        case ["judge", file, before, original]:
            print(judge(file, json.loads(Path(before).read_text()), Path(original)))
