"""The modules that select an S-box of AES, made from the files in `spec/sboxes`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from roundsmith.base.paths import RTL
from roundsmith.base.render import render
from roundsmith.spec.sboxes import COMMAND, Construction, Form, constructions

_DIRECTIONS: dict[Form, str] = {"forward": "Forward", "inverse": "Inverse", "both": "Both"}
_WIDTH = 100


def files() -> Mapping[Path, str]:
    """Return the files with their right contents."""
    folder = RTL / "aes" / "sbox"
    return {
        folder / "rsm_aes_sbox.sv": _selector(),
        folder / "rsm_aes_sub_bytes.sv": render(
            "rsm_aes_sub_bytes.sv.j2",
            memories=[one for one in constructions("aes") if one.memory],
            command=COMMAND,
        ),
    }


def _selector() -> str:
    found = constructions("aes")
    arms = [_arm(one, form) for one in found if not one.memory for form in one.forms]
    offers = [(one.value, _offer(one)) for one in found if one.cuts] + [("default", "32'd0")]
    width = max(len(value) for value, _ in offers) + 1
    lines = [f"      {value + ':':{width}} return {cuts};" for value, cuts in offers]
    return render(
        "rsm_aes_sbox.sv.j2",
        arms="  end else ".join(arms),
        offers="\n".join(lines),
        command=COMMAND,
    )


def _arm(one: Construction, form: Form) -> str:
    """Return the branch of one form. A circuit for all directions has a pin for the direction."""
    conditions = [f"Sbox == {one.value}"]
    label = f"gen_{one.module}"
    if not one.shares_inverse:
        conditions.append(f"Direction == Direction{_DIRECTIONS[form]}")
        label += "" if form == "forward" else f"_{form}"
    head = _fitting("  end else if (", conditions, f") begin : {label}", " && ")
    module, cuts = one.module_of(form), one.cuts_of(form)
    parameters = f" #(.Cuts (Cuts[{cuts - 1}:0]))" if cuts else ""
    pins = [".clk_i", ".clear_i", ".inverse_i", ".x_i", ".y_o"]
    body = ""
    if one.shares_inverse:
        pins[2] = ".inverse_i (inverse)"
        body = (
            "    logic inverse;\n\n    assign inverse = (Direction == DirectionBoth) ? inverse_i "
            ": (Direction == DirectionInverse);\n\n"
        )
    elif form != "both":
        del pins[2]
    line = f"    {module}{parameters} u_sbox ({', '.join(pins)});\n"
    if len(line) > _WIDTH + 1:
        line = f"    {module}{parameters} u_sbox (\n      {', '.join(pins)}\n    );\n"
    return head.removeprefix("  end else ") + "\n" + body + line


def _offer(one: Construction) -> str:
    """Return how many cuts there are, as an expression."""
    one_way, both = one.cuts_of("forward"), one.cuts_of("both")
    if one_way == both:
        return f"32'd{one_way}"
    return f"(direction == DirectionBoth) ? 32'd{both} : 32'd{one_way}"


def _fitting(before: str, parts: Sequence[str], after: str, between: str) -> str:
    """Return a line, or one for each part where it is too long."""
    line = before + between.join(parts) + after
    if len(line) <= _WIDTH:
        return line
    return before + f"{between.rstrip()}\n      ".join(parts) + after
