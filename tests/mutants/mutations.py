r"""The mutations of a library file: one small change each, of six kinds.

| kind | mutation |
|---|---|
| operator | an operator becomes its counterpart: `&` and `|`, `==` and `!=`, and so on |
| constant | a bit becomes its opposite, a number the next one |
| condition | the condition of an `if` or a `?` is negated, or a `~` or `!` is dropped |
| enable | one operand of `&`, `&&`, `|` or `||` is dropped |
| reset | an assignment under a reset or a clear is dropped |
| width | a parameter that ends in `Width`, or the upper bound of a range, is one less |

Assertions and elaboration checks, which end in `$error`, are not mutated: they compute nothing.
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

#: A condition that is a reset or a clear.
_RESET = re.compile(r"!rst_ni|\bclear(_i|_q|ing_q)?\b")

#: Literals that are inverted; all others count up.
_BIT = {"1'b0": "1'b1", "1'b1": "1'b0", "'0": "'1", "'1": "'0"}
_NUMBER = re.compile(r"(?P<head>\d*'[bdh])?(?P<digits>[0-9a-fA-F]+)$")
_BASES = {"b": 2, "d": 10, "h": 16}


@dataclass(frozen=True)
class Mutation:
    """One change of a text: `wrong` replaces `right`, the characters from `start` to `end`."""

    kind: str
    start: int
    end: int
    right: str
    wrong: str


def mutations(text: str) -> list[Mutation]:
    """Return all mutations of one library file, in the order of the text.

    slang counts bytes, so `text` must be read as Latin-1, one character for each byte.
    """
    root = SyntaxTree.fromText(text.encode("latin-1").decode(), "mutated").root
    assert isinstance(root, ModuleDeclarationSyntax)
    found: set[Mutation] = set()
    for member in root.members:
        _walk(member, text, found)
    return sorted(found, key=lambda each: (each.start, each.end, each.wrong))


def mutated(text: str, mutation: Mutation) -> str:
    """Return `text` with the mutation."""
    if text[mutation.start : mutation.end] != mutation.right:
        raise ValueError(f"the text has no {mutation.right!r} at {mutation.start}")
    return text[: mutation.start] + mutation.wrong + text[mutation.end :]


def sample(texts: Mapping[str, str], seed: int) -> Iterator[tuple[str, Mutation]]:
    """Yield all mutations of all files in random order, the files and their kinds in rotation."""
    chance = random.Random(seed)
    left = {name: _rotated(mutations(text), chance) for name, text in sorted(texts.items())}
    while any(left.values()):
        for name in chance.sample(sorted(left), len(left)):
            if left[name]:
                yield name, left[name].pop()


def _rotated(found: list[Mutation], chance: random.Random) -> list[Mutation]:
    """Return the mutations in random order, their kinds in rotation from the end."""
    kinds: dict[str, list[Mutation]] = {}
    for mutation in chance.sample(found, len(found)):
        kinds.setdefault(mutation.kind, []).append(mutation)
    order = []
    while any(kinds.values()):
        for kind in chance.sample(sorted(kinds), len(kinds)):
            if kinds[kind]:
                order.append(kinds[kind].pop())
    return order[::-1]


def _walk(node: SyntaxNode, text: str, found: set[Mutation]) -> None:
    if isinstance(node, IfGenerateSyntax) and _is_check(node, text):
        return
    found.update(_of(node, text))
    for i in range(len(node)):
        child = node[i]
        if isinstance(child, SyntaxNode):
            _walk(child, text, found)


def _is_check(node: IfGenerateSyntax, text: str) -> bool:
    """Return whether a generate block is an elaboration check."""
    block = _source(node.block, text)
    return "$error" in block and "assign" not in block and "always" not in block


def _of(node: SyntaxNode, text: str) -> Iterator[Mutation]:
    """Yield the mutations of one syntax node; its children have their own."""
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


def _of_operator(node: BinaryExpressionSyntax, text: str) -> Iterator[Mutation]:
    word = str(node.operatorToken).strip()
    left, right = _source(node.left, text), _source(node.right, text)
    if word in _OTHER:
        # The parentheses keep the operands: the new operator may bind less tightly.
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
    """Yield the assignments of a branch, not those of the branches inside it."""
    if isinstance(node, BlockStatementSyntax):
        for each in node.items:
            yield from _statements(each)
    elif isinstance(node, ExpressionStatementSyntax):
        yield node


def _change(kind: str, node: SyntaxNode, text: str, wrong: str) -> Mutation:
    start, end = _span(node)
    return Mutation(kind, start, end, text[start:end], wrong)


def _source(node: SyntaxNode, text: str) -> str:
    start, end = _span(node)
    return text[start:end]


def _span(node: SyntaxNode) -> tuple[int, int]:
    return node.sourceRange.start.offset, node.sourceRange.end.offset
