"""The C++ driver around a compiled core; `roundsmith.simulate` builds and calls it."""
