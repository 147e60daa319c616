"""No bus: the block port, or the message port of a mode."""

from roundsmith.spec.buses.protocol import BusProtocol, Kind

BUS = BusProtocol(word="none", kind=Kind.BLOCKS)
