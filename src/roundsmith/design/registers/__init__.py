"""The register map that AXI4-Lite, Wishbone and APB share.

`registers.toml` describes it once; `model` reads and checks it; `writer` makes of it the RTL
decode, the C header, the table of the documentation and the SystemRDL file.
"""
