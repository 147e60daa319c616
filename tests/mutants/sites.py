r"""Where the library can be broken: one small change at a time, of six kinds.

| kind | what is changed |
|---|---|
| operator | one for its counterpart: `&` for `|`, `==` for `!=`, `+` for `-`, `<` for `<=` |
| constant | a literal: a bit for its opposite, a number for the next one |
| condition | what `if` or `?` decides by is negated, or a `~` or `!` is dropped |
| enable | one operand of `&`, `&&`, `|` or `||` is dropped |
| reset | a register is left out of the reset, or of the clear |
| width | a constant that names a width, or a range of wires, is one less |

Elaboration checks, which end in `$error`, and assertions are left alone: they compute nothing.
"""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pyslang.syntax import (
    BinaryExpressionSyntax,
    BlockStatementSyntax,
    ConditionalExpressionSyntax,
    ConditionalStatementSyntax,
    DataDeclarationSyntax,
    ExpressionStatementSyntax,
    IfGenerateSyntax,
    IntegerVectorExpressionSyntax,
    LiteralExpressionSyntax,
    ModuleDeclarationSyntax,
    ParameterDeclarationSyntax,
    PrefixUnaryExpressionSyntax,
    RangeSelectSyntax,
    SyntaxNode,
    SyntaxTree,
)

#: The counterpart of each operator.
_OTHER = {
    "&": "|",
    "|": "&",
    "^": "~^",
    "~^": "^",
    "&&": "||",
    "||": "&&",
    "==": "!=",
    "!=": "==",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "+": "-",
    "-": "+",
    "<<": ">>",
    ">>": "<<",
}
_DROPPED = {"&", "&&", "|", "||"}

#: What asks for a reset or a clear.
_RESET = re.compile(r"!rst_ni|\bclear(_i|_q|ing_q)?\b")

#: A literal of one bit or of all bits alike, which turns round; another one counts up.
_BIT = {"1'b0": "1'b1", "1'b1": "1'b0", "'0": "'1", "'1": "'0"}
_NUMBER = re.compile(r"(?P<head>\d*'[bdh])?(?P<digits>[0-9a-fA-F]+)$")
_BASES = {"b": 2, "d": 10, "h": 16}


@dataclass(frozen=True)
class Site:
    """One change: what stands from `start` to `end` of the text of a file, and what takes over."""

    kind: str
    start: int
    end: int
    right: str
    wrong: str


def sites(text: str) -> list[Site]:
    """Return every change of one library file, in the order of the text.

    slang counts bytes, so `text` must have a character for each: it is read as Latin-1.
    """
    root = SyntaxTree.fromText(text.encode("latin-1").decode(), "mutated").root
    assert isinstance(root, ModuleDeclarationSyntax)
    found: set[Site] = set()
    for member in root.members:
        _walk(member, text, found)
    return sorted(found, key=lambda site: (site.start, site.end, site.wrong))


def mutated(text: str, site: Site) -> str:
    """Return `text` with the change."""
    if text[site.start : site.end] != site.right:
        raise ValueError(f"the text has no {site.right!r} at {site.start}")
    return text[: site.start] + site.wrong + text[site.end :]


def line_of(text: str, site: Site) -> int:
    """Return the number of the line in which a change begins."""
    return text.count("\n", 0, site.start) + 1


def sample(texts: Mapping[str, str], count: int, seed: int) -> Iterator[tuple[str, Site]]:
    """Yield `count` changes by chance: as many of each file as of any other, and of each kind."""
    chance = random.Random(seed)
    left = {name: _mixed(sites(text), chance) for name, text in sorted(texts.items())}
    while any(left.values()):
        for name in chance.sample(sorted(left), len(left)):
            if left[name] and count > 0:
                yield name, left[name].pop()
                count -= 1
        if count == 0:
            return


def _mixed(found: list[Site], chance: random.Random) -> list[Site]:
    """Return the changes in an order by chance in which each kind comes as often as any other."""
    kinds: dict[str, list[Site]] = {}
    for site in chance.sample(found, len(found)):
        kinds.setdefault(site.kind, []).append(site)
    order = []
    while kinds:
        for kind in chance.sample(sorted(kinds), len(kinds)):
            order.append(kinds[kind].pop())
            if not kinds[kind]:
                del kinds[kind]
    return order[::-1]


def _walk(node: SyntaxNode, text: str, found: set[Site]) -> None:
    if isinstance(node, IfGenerateSyntax) and _is_check(node, text):
        return
    found.update(_of(node, text))
    for i in range(len(node)):
        child = node[i]
        if isinstance(child, SyntaxNode):
            _walk(child, text, found)


def _is_check(node: IfGenerateSyntax, text: str) -> bool:
    """Whether a generate block does nothing but end the elaboration."""
    block = _source(node.block, text)
    return "$error" in block and "assign" not in block and "always" not in block


def _of(node: SyntaxNode, text: str) -> Iterator[Site]:
    """Yield the changes of one node of the syntax, without those of its children."""
    match node:
        case BinaryExpressionSyntax() if "Assignment" not in str(node.kind):
            yield from _of_operator(node, text)
        case LiteralExpressionSyntax() | IntegerVectorExpressionSyntax():
            right = _source(node, text)
            wrong = _other_literal(right)
            if wrong is not None:
                yield _change("constant", node, text, wrong)
        case PrefixUnaryExpressionSyntax() if str(node.operatorToken).strip() in {"~", "!"}:
            yield _change("condition", node, text, _source(node.operand, text))
        case ConditionalExpressionSyntax():
            asked = _source(node.predicate, text)
            yield _change("condition", node.predicate, text, f"!({asked})")
        case IfGenerateSyntax():
            yield _change("condition", node.condition, text, f"!({_source(node.condition, text)})")
        case ConditionalStatementSyntax():
            asked = _source(node.predicate, text)
            yield _change("condition", node.predicate, text, f"!({asked})")
            if _RESET.search(asked):
                for statement in _statements(node.statement):
                    yield _change("reset", statement, text, ";")
        case ParameterDeclarationSyntax():
            for each in node.declarators:
                name, value = each.name.valueText, each.initializer
                if name.endswith("Width") and value is not None:
                    old = _source(value.expr, text)
                    yield _change("width", value.expr, text, f"({old}) - 1")
        case DataDeclarationSyntax():
            for dimension in getattr(node.type, "dimensions", ()):
                select = getattr(dimension.specifier, "selector", None)
                if isinstance(select, RangeSelectSyntax):
                    old = _source(select.left, text)
                    yield _change("width", select.left, text, f"({old}) - 1")


def _of_operator(node: BinaryExpressionSyntax, text: str) -> Iterator[Site]:
    word = str(node.operatorToken).strip()
    left, right = _source(node.left, text), _source(node.right, text)
    if word in _OTHER:
        # Brackets keep what the operator takes from its neighbours.
        yield _change("operator", node, text, f"(({left}) {_OTHER[word]} ({right}))")
    if word in _DROPPED:
        yield _change("enable", node, text, f"({left})")
        yield _change("enable", node, text, f"({right})")


def _other_literal(right: str) -> str | None:
    if right in _BIT:
        return _BIT[right]
    found = _NUMBER.match(right)
    if found is None:
        return None
    head, digits = found["head"] or "", found["digits"]
    base = _BASES[head[-1]] if head else 10
    number = int(digits, base)
    bits = int(head[:-2]) if head[:-2] else 32
    wrong = (number + 1) % (1 << bits)
    form = {2: f"{wrong:0{len(digits)}b}", 10: str(wrong), 16: f"{wrong:0{len(digits)}x}"}
    return head + form[base]


def _statements(node: SyntaxNode) -> Iterator[SyntaxNode]:
    """Yield the assignments of a branch."""
    if isinstance(node, BlockStatementSyntax):
        for each in node.items:
            yield from _statements(each)
    elif isinstance(node, ExpressionStatementSyntax):
        yield node


def _change(kind: str, node: SyntaxNode, text: str, wrong: str) -> Site:
    start, end = _span(node)
    return Site(kind, start, end, text[start:end], wrong)


def _source(node: SyntaxNode, text: str) -> str:
    start, end = _span(node)
    return text[start:end]


def _span(node: SyntaxNode) -> tuple[int, int]:
    return node.sourceRange.start.offset, node.sourceRange.end.offset
