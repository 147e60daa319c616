"""Values of parameters that the cores of all ciphers share, as SystemVerilog writes them."""

from collections.abc import Iterable

from roundsmith.spec import Clear, KeyChannel, Spec

#: Enum values that the package of each cipher has, by choice of the spec.
CHANNELS = {KeyChannel.WITH_BLOCK: "ChannelWithBlock", KeyChannel.HELD: "ChannelHeld"}
CLEARS = {Clear.FLUSH: "ClearFlush", Clear.RESET: "ClearReset"}


def direction(spec: Spec) -> str:
    """Return the enum value of the directions."""
    return f"Direction{'Both' if spec.is_both else 'Forward' if spec.encrypts else 'Inverse'}"


def tag(spec: Spec) -> dict[str, str]:
    """Return the width of a tag, which has one bit at least."""
    return {"TagWidth": str(max(1, spec.port.tag_bits))}


def digits(bits: Iterable[int]) -> str:
    """Return bits as the digits of a number, the highest one first."""
    return "".join(map(str, bits))


def struct(members: dict[str, str]) -> str:
    """Return a packed struct with these members."""
    return "'{" + ", ".join(f"{name}: {value}" for name, value in members.items()) + "}"
