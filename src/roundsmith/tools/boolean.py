"""The Boolean functions of a Liberty file: read them, tabulate them, write them as Verilog."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r"\s*([A-Za-z_][\w\[\]]*|[01]|[()!'^*&+|])")
_VERILOG = {"and": "&", "or": "|", "xor": "^"}


@dataclass(frozen=True)
class Expression:
    """A function: a `pin` by name, a constant (`0`, `1`), or an operator over parts."""

    kind: str  # "pin", "0", "1", "not", "and", "or" or "xor"
    pin: str = ""
    parts: tuple["Expression", ...] = ()

    @property
    def pins(self) -> frozenset[str]:
        """The names of the pins that the expression reads."""
        own = {self.pin} if self.kind == "pin" else set()
        return frozenset(own.union(*(part.pins for part in self.parts)))

    def table(self, order: Sequence[str]) -> int:
        """Return the truth table over the pins in `order`.

        Bit k is the value when pin i of `order` carries bit i of k. Raises KeyError when the
        expression reads another pin.
        """
        rows = 1 << len(order)
        columns = {
            pin: sum(1 << row for row in range(rows) if row >> i & 1) for i, pin in enumerate(order)
        }
        return self._rows(columns, (1 << rows) - 1)

    def _rows(self, columns: Mapping[str, int], ones: int) -> int:
        if self.kind == "pin":
            return columns[self.pin]
        if not self.parts:
            return ones if self.kind == "1" else 0
        values = [part._rows(columns, ones) for part in self.parts]
        if self.kind == "not":
            return ones ^ values[0]
        left, right = values
        return {"and": left & right, "or": left | right, "xor": left ^ right}[self.kind]

    def verilog(self) -> str:
        """Return the expression in Verilog, with every operator in parentheses."""
        if self.kind == "pin":
            return self.pin
        if not self.parts:
            return f"1'b{self.kind}"
        texts = [part.verilog() for part in self.parts]
        if self.kind == "not":
            return f"~{texts[0]}"
        return f"({f' {_VERILOG[self.kind]} '.join(texts)})"


def parse(text: str) -> Expression:
    """Read a Liberty function such as `(!((A B)+C))`.

    Binding, from the tightest: `!` before and `'` after, `^`, then AND (`*`, `&` or nothing at
    all), then OR (`+` or `|`). Raises ValueError when `text` is no such function.
    """
    tokens: list[str] = []
    position = 0
    text = text.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"unexpected '{text[position]}' in the function '{text}'")
        tokens.append(match[1])
        position = match.end()
    expression, rest = _or(tokens)
    if rest:
        raise ValueError(f"unexpected '{rest[0]}' in the function '{text}'")
    return expression


# Each reader takes the tokens that are left and returns what it read and what is then left.
_Read = tuple[Expression, list[str]]


def _or(tokens: list[str]) -> _Read:
    left, tokens = _and(tokens)
    while tokens and tokens[0] in "+|":
        right, tokens = _and(tokens[1:])
        left = Expression("or", parts=(left, right))
    return left, tokens


def _and(tokens: list[str]) -> _Read:
    left, tokens = _xor(tokens)
    while tokens and tokens[0] not in "+|)":
        right, tokens = _xor(tokens[1:] if tokens[0] in "*&" else tokens)
        left = Expression("and", parts=(left, right))
    return left, tokens


def _xor(tokens: list[str]) -> _Read:
    left, tokens = _operand(tokens)
    while tokens and tokens[0] == "^":
        right, tokens = _operand(tokens[1:])
        left = Expression("xor", parts=(left, right))
    return left, tokens


def _operand(tokens: list[str]) -> _Read:
    if not tokens:
        raise ValueError("the function ends too early")
    first, tokens = tokens[0], tokens[1:]
    if first == "!":
        inner, tokens = _operand(tokens)
        return Expression("not", parts=(inner,)), tokens
    if first == "(":
        value, tokens = _or(tokens)
        if not tokens or tokens[0] != ")":
            raise ValueError("the function lacks a ')'")
        tokens = tokens[1:]
    elif first in "01":
        value = Expression(first)
    elif first[0].isalpha() or first[0] == "_":
        value = Expression("pin", pin=first)
    else:
        raise ValueError(f"unexpected '{first}' in the function")
    while tokens and tokens[0] == "'":
        value, tokens = Expression("not", parts=(value,)), tokens[1:]
    return value, tokens
