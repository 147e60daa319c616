"""From a spec to SystemVerilog: parameters, ports, wiring, registers, and the text."""
