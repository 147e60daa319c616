"""A core as a folder that stands alone: sources, constraints, test bench and datasheet."""

from roundsmith.export.bitstream import bitstream
from roundsmith.export.cells import cells
from roundsmith.export.folder import write

__all__ = ["bitstream", "cells", "write"]
