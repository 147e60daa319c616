"""The members of a registry: each is one module of a package, and putting it there is enough."""

import pkgutil
from collections.abc import Iterable
from importlib import import_module
from typing import TypeVar

Kind = TypeVar("Kind")


def members(package: str, folders: Iterable[str], name: str, kind: type[Kind]) -> list[Kind]:
    """Return what the modules of a package call `name`; modules without it help the others."""
    modules = [import_module(f"{package}.{m.name}") for m in pkgutil.iter_modules(folders)]
    found = [vars(module)[name] for module in modules if name in vars(module)]
    return [member for member in found if isinstance(member, kind)]
