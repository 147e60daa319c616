"""A core as a folder that stands alone: sources, constraints, test bench and datasheet."""

from roundsmith.export.bitstream import bitstream
from roundsmith.export.cells import cells
from roundsmith.export.folder import write
from roundsmith.export.library import write as library
from roundsmith.export.vendor import project

__all__ = ["bitstream", "cells", "library", "project", "write"]
