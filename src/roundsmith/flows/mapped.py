"""What families have in common that are mapped to for area alone: `mapped:FAMILY`."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from roundsmith.flows.flow import Flow, Target
from roundsmith.flows.xilinx_lut4 import slice_bound
from roundsmith.spec import Spec

_WORD = "mapped:"
_PLAIN = ":plain"


class MappedFlow(Flow):
    """FPGA families that Yosys maps to and no tool of ours places: area, and no clock."""

    legal = ("mapped:FAMILY (both also with :plain)",)
    noun = "mapped:FAMILY"
    words = (_WORD,)
    apart = (_PLAIN,)
    is_timed = False
    #: The families of FPGAs whose circuits tell of these.
    circuits: ClassVar[str] = "xcve"

    @abstractmethod
    def families(self) -> Sequence[str]:
        """Return the families of FPGAs by their names."""

    def parse(self, text: str) -> Target | None:
        """Return the target `mapped:FAMILY`, perhaps `:plain`."""
        if not self.owns(text):
            return None
        family, plain = _family(text)
        return Target(text, self, size=family, plain=plain)

    def owns(self, name: str) -> bool:
        """Whether a name is that of one of the families."""
        return name.startswith(_WORD) and _family(name)[0] in self.families()

    def refusal(self, text: str, flows: Sequence[Flow]) -> str | None:
        """Return which families there are."""
        if not text.startswith(_WORD):
            return None
        known = [name for flow in flows if isinstance(flow, MappedFlow) for name in flow.families()]
        return f"No family '{_family(text)[0]}' can be mapped to; there are {', '.join(known)}."

    def netlist_names(self, spec: Spec, target: Target) -> list[str]:
        """Return the only one."""
        return ["mapped"]

    def fabric(self, target: Target, aim: str) -> str:
        """Return a family of FPGAs whose circuits were measured."""
        return self.circuits

    def alike(self, target: Target) -> tuple[str, ...]:
        """Return all that is mapped to."""
        return ("mapped",)

    def slices(self, lut: float, ff: float) -> int | None:
        """Return the fewest slices of two LUTs and two flip-flops."""
        return slice_bound(round(lut), round(ff))


def _family(text: str) -> tuple[str, bool]:
    """Return the family that a name has behind `mapped:`, and whether it is `:plain`."""
    rest = text.removeprefix(_WORD)
    return rest.removesuffix(_PLAIN), rest.endswith(_PLAIN)
