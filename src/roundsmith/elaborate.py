"""What of the library a design uses: its files, and of each file the code that takes part.

slang elaborates the design. A file is used exactly when a module of it is instantiated, and of the
alternatives of a conditional generate construct the ones that are chosen: a variant that another
core asks for does not change this one.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pyslang.ast import (
    Compilation,
    GenerateBlockSymbol,
    InstanceBodySymbol,
    InstanceSymbol,
    ParameterSymbol,
    UninstantiatedDefSymbol,
    VisitAction,
)
from pyslang.syntax import IfGenerateSyntax, SyntaxNode, SyntaxTree

from roundsmith import tech
from roundsmith.errors import RoundsmithError
from roundsmith.paths import RTL

#: A string, which stays, or comments and white space, which do not.
_NOT_CODE = re.compile(r'("(?:\\.|[^"\\])*")|(?:\s|//[^\n]*|/\*.*?\*/)+', re.DOTALL)


@dataclass(frozen=True)
class Library:
    """The library files of a design, packages first, bottom up, and the code of each in it."""

    files: tuple[Path, ...]
    code: tuple[str, ...]


@dataclass
class _Seen:
    """What elaboration came by: modules, bottom up, equal instances, and generate blocks.

    A block is known by the name of its module and where it begins. `taken` has those that some
    instance has, `left` those that some instance would have and does not.
    """

    modules: dict[str, None] = field(default_factory=dict)
    instances: set[tuple[str, ...]] = field(default_factory=set)
    taken: set[tuple[str, int]] = field(default_factory=set)
    left: set[tuple[str, int]] = field(default_factory=set)


def code(text: str) -> str:
    """Return SystemVerilog as tools see it: comments and line breaks are a space."""
    return _NOT_CODE.sub(lambda match: match[1] or " ", text).strip()


@cache
def library(module: str, text: str, rooms: tech.Rooms = tech.GENERIC) -> Library:
    """Return what `module` of `text` uses of the library, with the technology cells of `rooms`."""
    compilation = Compilation()
    sources = {path.stem: (path, read, tree) for path, read, tree in _library(rooms)}
    for _, _, tree in sources.values():
        compilation.addSyntaxTree(tree)
    compilation.addSyntaxTree(SyntaxTree.fromText(text, module))
    seen = _Seen()
    for top in compilation.getRoot().topInstances:
        if top.name == module:
            _collect(top.body, seen)
    names = list(seen.modules)
    texts = [text, *(sources[name][1] for name in names)]
    packages = [
        name
        for name in sources
        if name.endswith("_pkg") and any(f"{name}::" in each for each in texts)
    ]
    used = [sources[name] for name in (*packages, *names)]
    return Library(
        files=tuple(path for path, _, _ in used),
        code=tuple(code(_chosen(path.stem, read, tree, seen)) for path, read, tree in used),
    )


def forget() -> None:
    """Read the library anew the next time: someone may have edited it."""
    library.cache_clear()
    _library.cache_clear()


@cache
def _library(rooms: tech.Rooms) -> list[tuple[Path, str, SyntaxTree]]:
    files = [path for path in sorted(RTL.rglob("*.sv")) if tech.TECH not in path.parents]
    files += tech.files(rooms).values()
    texts = [path.read_text() for path in files]
    trees = [SyntaxTree.fromText(text, path.stem) for path, text in zip(files, texts, strict=True)]
    return list(zip(files, texts, trees, strict=True))


def _collect(body: InstanceBodySymbol, seen: _Seen) -> None:
    """Add what stands in `body` and below to `seen`; look only once at equal instances."""
    module = body.definition.name

    def visit(symbol: object) -> VisitAction:
        if isinstance(symbol, GenerateBlockSymbol) and symbol.syntax is not None:
            block = (module, symbol.syntax.sourceRange.start.offset)
            (seen.left if symbol.isUninstantiated else seen.taken).add(block)
            if symbol.isUninstantiated:
                return VisitAction.Skip
        if isinstance(symbol, UninstantiatedDefSymbol):
            raise RoundsmithError(f"The library has no module {symbol.definitionName}.")
        if isinstance(symbol, InstanceSymbol):
            name = symbol.definition.name
            parameters = [p for p in symbol.body.parameters if isinstance(p, ParameterSymbol)]
            instance = (name, *(str(parameter.value) for parameter in parameters))
            if instance not in seen.instances:
                seen.instances.add(instance)
                _collect(symbol.body, seen)
                seen.modules.setdefault(name)
            return VisitAction.Skip
        return VisitAction.Advance

    body.visit(visit)


# --- Which alternatives ---------------------------------------------------------------------


def _chosen(module: str, read: str, tree: SyntaxTree, seen: _Seen) -> str:
    """Return the text of a file without the alternatives that no instance has.

    Where all instances have the same one, the conditions go as well.
    """
    text = read.encode()
    dropped = bytearray(len(text))
    for chain in _chains(tree):
        start, end = _range(chain[0])
        blocks = [_range(part.block) for part in chain] + _otherwise(chain[-1])
        names = [(module, block[0]) for block in blocks]
        if not seen.taken.intersection(names) and not seen.left.intersection(names):
            continue  # inside an alternative that is not taken itself
        taken = [b for b, name in zip(blocks, names, strict=True) if name in seen.taken]
        always = all((module, block[0]) not in seen.left for block in taken)
        if len(taken) <= 1 and always:
            drop = [(start, taken[0][0]), (taken[0][1], end)] if taken else [(start, end)]
        else:
            drop = [block for block in blocks if block not in taken]
        for first, last in drop:
            dropped[first:last] = b"\1" * (last - first)
    return bytes(b for b, gone in zip(text, dropped, strict=True) if not gone).decode()


@cache
def _chains(tree: SyntaxTree) -> list[list[IfGenerateSyntax]]:
    """Return the conditional generate constructs of a file, each with its `else if`s."""
    parts: list[IfGenerateSyntax] = []

    def visit(node: object) -> None:
        if isinstance(node, IfGenerateSyntax):
            parts.append(node)

    tree.root.visit(visit)
    heads: dict[int, list[IfGenerateSyntax]] = defaultdict(list)
    follows: dict[int, int] = {}
    for part in parts:  # outer before inner, so the head of a chain comes first
        here = _range(part)[0]
        head = follows.get(here, here)
        heads[head].append(part)
        for other in _next(part):
            follows[_range(other)[0]] = head
    return list(heads.values())


def _next(part: IfGenerateSyntax) -> Iterator[IfGenerateSyntax]:
    if part.elseClause is not None and isinstance(part.elseClause.clause, IfGenerateSyntax):
        yield part.elseClause.clause


def _otherwise(last: IfGenerateSyntax) -> list[tuple[int, int]]:
    """Return the block behind the last `else` of a chain, if there is one."""
    return [] if last.elseClause is None else [_range(last.elseClause.clause)]


def _range(node: SyntaxNode) -> tuple[int, int]:
    return node.sourceRange.start.offset, node.sourceRange.end.offset
