"""Which cells of a netlist belong to which component of a core."""
