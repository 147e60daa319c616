"""What is done to find one change of the library: the cheapest check first.

1. *read*: slang elaborates the cores that the change reaches, and Verilator reads them without a
   warning, as `make lint` asks for;
2. *circuit*: the table or the matrix of an S-box or a linear layer is proved;
3. *proof*: the proofs of `formal/` whose files hold the change;
4. *verify*: the questions of `roundsmith verify` to the RTL of cores that it reaches, the quickest
   first;
5. *tests*: the tests of its room.

What none of them finds is compared with the library as it was, core by core: *equal* where Yosys
proves that no output ever differs.

Run inside a copy of the checkout that holds the change; see `__main__`.
"""

import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from roundsmith.base.errors import RoundsmithError
from roundsmith.base.paths import RTL
from roundsmith.circuits import listing, rtl_proof
from roundsmith.circuits.proof import ProofFailed
from roundsmith.design import generate
from roundsmith.flows import synthesize
from roundsmith.simulate import messages
from roundsmith.spec import Spec
from roundsmith.tools import verilator, yosys
from roundsmith.verify import mode_verify, verify
from tests.formal import formal_proofs
from tests.mutants.cores import CORES, find

#: Cores that are asked, of those that a change reaches; random blocks for each.
MOST_CORES = 3
BLOCKS = 600
SEED = 20260

#: Seconds that the tests of a room, and one comparison, may take.
PATIENCE = 900
COMPARISON = 300

#: What is known of a change that no check finds: it changes no core of the list, it is proved to
#: change no output of those that it reaches first, or neither.
NO_CORE, EQUAL, SURVIVED = "no core", "equal", "survived"

#: Of each core its digest, and the library files that it uses.
Digests = Mapping[str, tuple[str, list[str]]]


def digests() -> Digests:
    """Return the digest and the files of every core of the list, in this copy."""
    found = {}
    for name in CORES:
        design = generate.design(find(name))
        found[name] = (design.digest, [str(path.relative_to(RTL)) for path in design.library])
    return found


def judge(file: str, before: Digests, original: Path) -> str:
    """Return what found the change in `file`: the check, and where. Or what is known of it.

    `before` are the `digests` without it, `original` the folder of the library without it.
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
        return NO_CORE
    return EQUAL if all(_equal(find(name), file, original) for name in reached) else SURVIVED


def passes(check: str, where: str) -> bool:
    """Whether one check finds nothing in this copy."""
    try:
        match check:
            case "read":
                spec = find(where)
                printed = verilator.lint(synthesize.sources(spec), spec.module)
                return not any(line.startswith("%") for line in printed.splitlines())
            case "circuit":
                rtl_proof.prove(listing.find(where))
            case "proof":
                _prove(where)
            case "verify":
                _verify(find(where))
            case "tests":
                return _tests(where)
    except (ProofFailed, RoundsmithError):
        return False
    except KeyError:
        if check != "circuit":
            raise
        return True  # an inverter, whose basis is not in the module
    return True


def _proofs() -> Iterator[tuple[Path, dict[str, list[str]]]]:
    """Yield every proof, and what its file says: as data, for its own mutants may not occur now."""
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
    """Run the tests of a room: `rtl/bus` has those of `tests/rtl/bus`."""
    folder = RTL.parent / "tests/rtl" / room
    if not folder.is_dir():
        return True
    argv = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not long", str(folder)]
    try:
        done = subprocess.run(argv, cwd=RTL.parent, capture_output=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _equal(spec: Spec, file: str, original: Path) -> bool:
    """Whether Yosys proves by induction that no output of a core differs from the original's."""
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
