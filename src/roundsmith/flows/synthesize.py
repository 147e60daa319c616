"""Synthesize a core for a target: its sources, and the netlists that are measured and simulated."""

import hashlib
from pathlib import Path

from roundsmith.base.cache import cache_dir
from roundsmith.design import generate, tech
from roundsmith.flows.flow import Netlist, Target
from roundsmith.spec import Spec

MODELS = Path(__file__).parent / "models"

#: Cell models are written for many simulators, not for Verilator's style rules.
LENIENT = ("-Wno-lint", "-Wno-style")


def netlist_names(spec: Spec, target: Target) -> list[str]:
    """Return the names of the netlists of `spec` that a measurement on `target` may choose."""
    return target.flow.netlist_names(spec, target)


def netlist(spec: Spec, target: Target, name: str) -> Netlist:
    """Return the netlist called `name` of `spec` for `target`, made if it is not cached."""
    return target.flow.netlist(spec, target, name)


def sources(spec: Spec, target: Target | None = None) -> list[Path]:
    """Return the files of `spec` in reading order, the generated top in the cache.

    The technology cells are those of `target`, without one the generic ones.
    """
    design = _design(spec, target)
    return design.write(cache_dir() / "tops" / design.digest[:16])


def _design(spec: Spec, target: Target | None) -> generate.Design:
    return generate.design(spec, target.rooms if target else tech.GENERIC)


def work(spec: Spec, target: Target) -> Path:
    """Return the folder for what is made of `spec` on `target`, by the hash of both."""
    text = _design(spec, target).digest + target.flow_text()
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    folder = cache_dir() / "work" / f"{spec.name}-{target.slug}-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
