"""What of the library a design uses: its files, and a digest of what its elaboration reaches.

slang elaborates the design; the digest covers what stands in the result and nothing else. Of every
module body that is instantiated these are written down:

- its ports, declarations, assignments and processes, without comments and white space;
- the generate blocks that are taken, a loop with the value of its variable, without conditions;
- each instance with its connections and, in place of its parameters, the digest of its body;
- of parameters, types and functions, those of packages too, the ones that the above names or that
  these name: a parameter with its value, an enumeration with the values that are named.

So a new value of an enumeration, a new alternative, a new function, a comment, a moved file or a
renamed module changes no digest. A name that stands for two things, in the packages that a module
reads, counts as both.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import cast

from pyslang import ConstantValue, LiteralBase, SVInt
from pyslang.ast import (
    Compilation,
    GenerateBlockArraySymbol,
    GenerateBlockSymbol,
    InstanceBodySymbol,
    InstanceSymbol,
    ParameterSymbol,
    Scope,
    UninstantiatedDefSymbol,
)
from pyslang.syntax import (
    CaseGenerateSyntax,
    DeclaratorSyntax,
    DefaultCaseItemSyntax,
    EnumTypeSyntax,
    FunctionDeclarationSyntax,
    GenerateRegionSyntax,
    HierarchyInstantiationSyntax,
    IfGenerateSyntax,
    LoopGenerateSyntax,
    ModuleDeclarationSyntax,
    PackageImportDeclarationSyntax,
    ParameterDeclarationStatementSyntax,
    StandardCaseItemSyntax,
    SyntaxNode,
    SyntaxPrinter,
    SyntaxTree,
    TypedefDeclarationSyntax,
)

from roundsmith.base import cache as cache_room
from roundsmith.base.errors import RoundsmithError
from roundsmith.base.paths import RTL
from roundsmith.design import tech

#: The number of the rule by which designs are hashed; a record says which one it was stored under.
#: Rule 1 hashed whole packages and the text of conditions; rule 2 looked names up in all packages,
#: whether a module reads them or not.
RULE = 3

#: A string, which stays, or comments and white space, which do not.
_NOT_CODE = re.compile(r'("(?:\\.|[^"\\])*")|(?:\s|//[^\n]*|/\*.*?\*/)+', re.DOTALL)

#: Names, and strings, which hold none.
_NAME = re.compile(r'"(?:\\.|[^"\\])*"|(?<![\w$\'])([A-Za-z_][\w$]*)')

_MODULE = re.compile(r"^\s*module\s+(\w+)", re.MULTILINE)

#: Methods that look at all values of an enumeration, named or not.
_ENUM_METHOD = re.compile(r"\.\s*(?:first|last|next|prev|num|name)\s*\(")


@dataclass(frozen=True)
class Library:
    """The library files of a design, packages first, bottom up, and the digest of what it uses."""

    files: tuple[Path, ...]
    digest: str


def code(text: str) -> str:
    """Return SystemVerilog as tools see it: comments and line breaks are a space."""
    return _NOT_CODE.sub(lambda match: match[1] or " ", text).strip()


@cache
def library(module: str, text: str, rooms: tech.Rooms = tech.GENERIC) -> Library:
    """Return what `module` of `text` uses of the library, with the technology cells of `rooms`.

    A module of `text` takes the place of one of the same name in the library.
    """
    words = json.dumps([_state(rooms), module, text])
    key = hashlib.sha256(words.encode()).hexdigest()
    known = cache_room.recall("elaborated", key)
    if known is None:
        found = _elaborated(module, text, rooms)
        names = [path.stem for path in found.files]
        cache_room.remember("elaborated", key, " ".join([found.digest, *names]))
        return found
    digest, *names = known.split()
    return Library(tuple(_library(rooms)[name].path for name in names), digest)


def _elaborated(module: str, text: str, rooms: tech.Rooms) -> Library:
    compilation = Compilation()
    own = frozenset(_MODULE.findall(text))
    sources = {name: source for name, source in _library(rooms).items() if name not in own}
    for source in sources.values():
        compilation.addSyntaxTree(source.tree)
    compilation.addSyntaxTree(SyntaxTree.fromText(text, module))
    top = next(i for i in compilation.getRoot().topInstances if i.name == module)
    body = _body(top.body, rooms, own)
    names = [name for name in body.modules if name not in own]
    texts = [text, *(sources[name].text for name in names)]
    packages = [
        name
        for name in sources
        if name.endswith("_pkg") and any(f"{name}::" in each for each in texts)
    ]
    return Library(
        files=tuple(sources[name].path for name in (*packages, *names)),
        digest=body.digest,
    )


def forget() -> None:
    """Read the library anew the next time: someone may have edited it."""
    for known in (library, _library, _state, _packages):
        known.cache_clear()
    _bodies.clear()
    _texts.clear()


@dataclass(frozen=True)
class _Source:
    path: Path
    text: str

    @cached_property
    def tree(self) -> SyntaxTree:
        """The file as slang reads it."""
        tree = SyntaxTree.fromText(self.text, self.path.stem)
        if not isinstance(tree.root, ModuleDeclarationSyntax):
            raise RoundsmithError(
                f"{self.path} must hold one module or one package, and nothing else."
            )
        return tree


@cache
def _library(rooms: tech.Rooms) -> dict[str, _Source]:
    """Return the files of the library by the name of their module or package."""
    files = [path for path in sorted(RTL.rglob("*.sv")) if tech.TECH not in path.parents]
    files += tech.files(rooms).values()
    return {path.stem: _Source(path, path.read_text()) for path in files}


@cache
def _state(rooms: tech.Rooms) -> str:
    """Return a digest of the library, and of the rule that reads it."""
    state = hashlib.sha256(Path(__file__).read_bytes())
    for name, source in _library(rooms).items():
        state.update(f"{name} {source.text}".encode())
    return state.hexdigest()


# --- Bodies ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Body:
    """One module with one set of parameters: its digest, and the modules below, bottom up."""

    digest: str
    modules: tuple[str, ...]


#: What was found already, by technology, module and values of all parameters.
_bodies: dict[tuple[object, ...], _Body] = {}


def _body(body: InstanceBodySymbol, rooms: tech.Rooms, own: frozenset[str]) -> _Body:
    """Return the body of an instance; equal ones, also of other designs, are looked at once.

    `own` are the modules of this design that are not those of the library.
    """
    name = body.definition.name
    if name in own or own & _library(rooms).keys():
        return _Reader(body, rooms, own).read()
    key: tuple[object, ...] = (rooms, name)
    key += tuple(_number(p.value) for p in body.parameters if isinstance(p, ParameterSymbol))
    if key not in _bodies:
        _bodies[key] = _Reader(body, rooms, own).read()
    return _bodies[key]


@dataclass
class _Block:
    """What a scope holds: text in order, of which blocks inside are parts, and its parameters."""

    parts: list["str | _Block"] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)

    def texts(self) -> Iterator[str]:
        """Return all text in it, without the parameters."""
        for part in self.parts:
            if isinstance(part, str):
                yield part
            else:
                yield from part.texts()

    def written(self, names: set[str]) -> str:
        """Return it with the parameters that are among `names`."""
        values = [f"{name} = {value};" for name, value in self.values.items() if name in names]
        parts = [part if isinstance(part, str) else part.written(names) for part in self.parts]
        return "\n".join([*values, *parts])


#: The text of what stands in modules of the library, by technology, module, and place.
_texts: dict[tuple[tech.Rooms, str, int, int], str] = {}


class _Reader:
    """Writes down one body."""

    def __init__(self, body: InstanceBodySymbol, rooms: tech.Rooms, own: frozenset[str]) -> None:
        syntax = body.definition.syntax
        assert isinstance(syntax, ModuleDeclarationSyntax)
        self._syntax = syntax
        self._body = body
        self._rooms = rooms
        self._own = own
        self._modules: dict[str, None] = {}
        self._declared: dict[str, list[str]] = {}

    def read(self) -> _Body:
        ports = self._syntax.header.ports
        block = self._scope(cast(Scope, self._body), self._syntax.members)
        if ports is not None:
            block.parts.insert(0, self._text(ports))
        names, declared = self._reached(block)
        name = self._body.definition.name
        # Technology cells may be primitives, which are what their names say.
        sources = _library(self._rooms)
        is_cell = name in sources and tech.TECH in sources[name].path.parents
        text = "\n".join([name if is_cell else "", *declared, block.written(names)])
        self._modules.setdefault(name)
        return _Body(hashlib.sha256(text.encode()).hexdigest(), tuple(self._modules))

    def _text(self, node: SyntaxNode) -> str:
        name = self._body.definition.name
        if name in self._own:
            return _text(node)
        key = (self._rooms, name, *_range(node))
        if key not in _texts:
            _texts[key] = _text(node)
        return _texts[key]

    def _reached(self, block: _Block) -> tuple[set[str], list[str]]:
        """Return the names that count, and what is declared under them beside parameters."""
        text = "\n".join(block.texts())
        names: set[str] = set()
        found: set[str] = set()
        packages = [_packages(self._rooms)[each] for each in self._read_packages()]
        new = _names(text)
        whole = _ENUM_METHOD.search(text) is not None
        while new:
            names |= new
            texts: set[str] = set()
            for name in new:
                texts.update(self._declared.get(name, ()))
                texts.update(_members(packages, name, whole=whole))
            found |= texts
            new = set().union(*map(_names, texts)) - names if texts else set()
        return names, sorted(found)

    def _read_packages(self) -> list[str]:
        """Return the packages that the text of the module names, and those that these name."""
        sources = _library(self._rooms)
        name = self._body.definition.name
        known = {} if name in self._own else sources
        new = _named_packages(known[name].text if name in known else str(self._syntax), sources)
        found: set[str] = set()
        while new:
            found |= new
            new = set().union(*(_named_packages(sources[each].text, sources) for each in new))
            new -= found
        return sorted(found)

    def _scope(self, scope: Scope, members: Iterable[SyntaxNode]) -> _Block:
        """Return what stands in `scope`, whose syntax has `members`."""
        block = _Block()
        symbols = {}
        instances = {}
        for symbol in scope:
            if isinstance(symbol, UninstantiatedDefSymbol):
                raise RoundsmithError(f"The library has no module {symbol.definitionName}.")
            if isinstance(symbol, ParameterSymbol):
                block.values[symbol.name] = _value(symbol)
            elif isinstance(symbol, InstanceSymbol):
                instances[symbol.name] = symbol
            elif isinstance(symbol, GenerateBlockSymbol | GenerateBlockArraySymbol):
                symbols[_start(symbol.syntax)] = symbol
        for member in members:
            self._member(member, block, symbols, instances)
        return block

    def _member(
        self,
        member: SyntaxNode,
        block: _Block,
        symbols: dict[int, GenerateBlockSymbol | GenerateBlockArraySymbol],
        instances: dict[str, InstanceSymbol],
    ) -> None:
        match member:
            case ParameterDeclarationStatementSyntax() | PackageImportDeclarationSyntax():
                pass
            case TypedefDeclarationSyntax() | FunctionDeclarationSyntax():
                for name, text in _declarations(member):
                    self._declared.setdefault(name, []).append(text)
            case GenerateRegionSyntax():
                for each in member.members:
                    self._member(each, block, symbols, instances)
            case IfGenerateSyntax() | CaseGenerateSyntax():
                for taken in _alternatives(member):
                    symbol = symbols[_start(taken)]
                    assert isinstance(symbol, GenerateBlockSymbol)
                    if not symbol.isUninstantiated:
                        block.parts.append(f"{symbol.name}:")
                        block.parts.append(self._scope(cast(Scope, symbol), _inside(taken)))
            case LoopGenerateSyntax():
                array = symbols[_start(member)]
                assert isinstance(array, GenerateBlockArraySymbol)
                for entry in array.entries:
                    if isinstance(entry, GenerateBlockSymbol) and not entry.isUninstantiated:
                        block.parts.append(f"{array.name}[{entry.arrayIndex}]:")
                        block.parts.append(self._scope(cast(Scope, entry), _inside(member.block)))
            case HierarchyInstantiationSyntax():
                for instance in member.instances:
                    assert instance.decl is not None
                    name = instance.decl.name.valueText
                    if name not in instances:
                        raise RoundsmithError(
                            f"{name} of {self._body.definition.name} is no instance that can be "
                            "hashed; write instances one by one, each of a module."
                        )
                    below = _body(instances[name].body, self._rooms, self._own)
                    self._modules.update(dict.fromkeys(below.modules))
                    block.parts.append(f"{below.digest} {self._text(instance)}")
            case _:
                block.parts.append(self._text(member))


def _named_packages(text: str, sources: Iterable[str]) -> set[str]:
    """Return the packages of the library that `text` names."""
    return {name for name in _names(text) if name.endswith("_pkg") and name in sources}


def _names(text: str) -> set[str]:
    return {match[1] for match in _NAME.finditer(text) if match[1]}


def _value(symbol: ParameterSymbol) -> str:
    """Return the type of a parameter, as it is declared, and its value."""
    syntax = symbol.declaredType.typeSyntax
    kind = "" if syntax is None else _text(syntax)
    ranges = " ".join(_text(each) for each in getattr(symbol.syntax, "dimensions", ()))
    return " ".join(filter(None, (kind, ranges, _number(symbol.value))))


def _number(value: object) -> str:
    """Return a constant in full: slang itself leaves out the middle of a long one."""
    inner = value.value if isinstance(value, ConstantValue) else value
    if isinstance(inner, SVInt):
        return inner.toString(LiteralBase.Hex, True)
    if isinstance(inner, list | tuple):
        return "[" + ", ".join(map(_number, inner)) + "]"
    return str(inner)


# --- Packages -------------------------------------------------------------------------------


#: What a package declares, by name: with the values that are named, and with all of them.
_Package = dict[str, list[tuple[str, str]]]


@cache
def _packages(rooms: tech.Rooms) -> dict[str, _Package]:
    """Return the packages of the library by name."""
    compilation = Compilation()
    for name, source in _library(rooms).items():
        if name.endswith("_pkg"):
            compilation.addSyntaxTree(source.tree)
    packages: dict[str, _Package] = {}
    for package in compilation.getPackages():
        if package.syntax is None:
            continue  # the standard one
        found = packages.setdefault(package.name, {})
        for symbol in package:
            if isinstance(symbol, ParameterSymbol):
                text = f"{symbol.name} = {_value(symbol)};"
                found.setdefault(symbol.name, []).append((text, text))
        assert isinstance(package.syntax, ModuleDeclarationSyntax)
        for member in package.syntax.members:
            if isinstance(member, TypedefDeclarationSyntax | FunctionDeclarationSyntax):
                for name, text in _declarations(member):
                    found.setdefault(name, []).append((text, _text(member)))
    return packages


def _members(packages: Iterable[_Package], name: str, *, whole: bool) -> Iterator[str]:
    """Return what packages declare under `name`; `whole` with all values of an enumeration."""
    for package in packages:
        for named, everything in package.get(name, ()):
            yield named
            if whole:
                yield everything


def _declarations(
    member: TypedefDeclarationSyntax | FunctionDeclarationSyntax,
) -> Iterator[tuple[str, str]]:
    """Return the names that a type or a function declares, and the text of each.

    Each value of an enumeration has its number: so many behind the last one that is written.
    """
    if isinstance(member, FunctionDeclarationSyntax):
        yield str(member.prototype.name).strip(), _text(member)
        return
    name = member.name.valueText
    if not isinstance(member.type, EnumTypeSyntax):
        yield name, _text(member)
        return
    base = "" if member.type.baseType is None else _text(member.type.baseType)
    yield name, f"typedef enum {base} {name};"
    first, start = "", 0  # the last number that is written, and where
    values = [value for value in member.type.members if isinstance(value, DeclaratorSyntax)]
    for place, value in enumerate(values):
        if value.initializer is not None:
            first, start = _text(value.initializer), place
        yield value.name.valueText, f"{name} {value.name.valueText} {first} + {place - start};"


# --- Syntax ---------------------------------------------------------------------------------


def _alternatives(member: IfGenerateSyntax | CaseGenerateSyntax) -> Iterator[SyntaxNode]:
    """Return the blocks of a conditional generate construct, those of `else if` too."""
    if isinstance(member, CaseGenerateSyntax):
        for item in member.items:
            if isinstance(item, StandardCaseItemSyntax | DefaultCaseItemSyntax):
                yield item.clause
        return
    yield member.block
    if member.elseClause is not None:
        otherwise = member.elseClause.clause
        if isinstance(otherwise, IfGenerateSyntax | CaseGenerateSyntax):
            yield from _alternatives(otherwise)
        else:
            yield otherwise


def _inside(block: SyntaxNode) -> Iterable[SyntaxNode]:
    """Return the members of a generate block, which may be one without `begin`."""
    members: Iterable[SyntaxNode] | None = getattr(block, "members", None)
    return [block] if members is None else members


def _range(node: SyntaxNode) -> tuple[int, int]:
    return node.sourceRange.start.offset, node.sourceRange.end.offset


def _start(node: SyntaxNode | None) -> int:
    assert node is not None
    return node.sourceRange.start.offset


def _text(node: SyntaxNode) -> str:
    """Return the code of a node: as it is compiled, without comments."""
    printer = SyntaxPrinter()
    printer.setIncludeDirectives(False)
    printer.setIncludeSkipped(False)
    printer.setIncludeComments(False)
    return code(printer.print(node).str())
