"""Simulations of cores and of modes, RTL or netlist; `harness` is their C++."""
