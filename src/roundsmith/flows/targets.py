"""The targets: what a core can be measured on, and how a target is written.

Each family of targets is a module of `roundsmith.flows.families`, found by its place there.
"""

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache

from roundsmith.base.errors import RoundsmithError
from roundsmith.flows import families
from roundsmith.flows.flow import Flow, Target

__all__ = ["Flow", "Target", "flow_of", "is_apart", "legal", "members", "nouns", "parse"]


@cache
def members() -> tuple[Flow, ...]:
    """Return all families, in their order."""
    found: list[Flow] = [
        importlib.import_module(f"{families.__name__}.{module.name}").MEMBER
        for module in pkgutil.iter_modules(families.__path__)
    ]
    return tuple(sorted(found, key=lambda flow: (flow.order, flow.name)))


def legal() -> str:
    """Return the forms of all targets, as a list in a sentence."""
    return _listed(dict.fromkeys(form for flow in members() for form in flow.legal))


def nouns(wanted: Callable[[Flow], bool]) -> str:
    """Return what the targets of the `wanted` families are called, placed ones first."""
    found = [flow for flow in members() if wanted(flow)]
    found.sort(key=lambda flow: not flow.is_placed)
    return _listed(dict.fromkeys(flow.noun for flow in found))


def _listed(words: dict[str, None]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def parse(text: str) -> Target:
    """Return the target that `text` names; RoundsmithError says what would be one."""
    for flow in members():
        target = flow.parse(text)
        if target is not None:
            return target
    reasons = (flow.refusal(text, members()) for flow in members())
    known = next((reason for reason in reasons if reason is not None), None)
    raise RoundsmithError(known or f"'{text}' is no target; legal are {legal()}.")


def flow_of(name: str) -> Flow | None:
    """Return the family of the target called `name`, as a record has it; None if it is gone."""
    return next((flow for flow in members() if flow.owns(name)), None)


def is_apart(name: str) -> bool:
    """Whether no other target learns from this one: other flows, and somebody's own cells."""
    flow = flow_of(name)
    return flow is None or name.endswith(flow.apart)
