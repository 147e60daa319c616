"""From SystemVerilog to a netlist and a placement: the targets, and a flow for each."""
