"""Several copies of the core side by side: tiles of a loop, lanes of a pipe."""

from roundsmith.design.pins import RESULT, Instance, turned
from roundsmith.design.wiring.top import Top
from roundsmith.spec import KeyChannel


def add_tiles(top: Top) -> None:
    """Add tiles of a loop: each has handshakes and results of its own, all else is shared."""
    count = top.spec.how.tiles
    own = ("idle_o", "key_valid_i", "key_ready_o", "in_valid_i", "in_ready_o", *RESULT)
    pins = {pin: top.pins[pin] for pin in own}
    vectors = {}
    for pin in own:
        vectors[pin] = top.wire(f"tile_{pin[:-2]}", f"[{count - 1}:0]{top.range_of(pin)}")
        pins[f"tile_{turned(pin)}"] = vectors[pin]
    parameters = {"Tiles": str(count), "TagWidth": top.tag_width}
    top.instances.append(
        Instance("Blocks to the tiles, results back.", "rsm_tiles", "u_tiles", parameters, pins)
    )
    for i, tile in enumerate(top.spec.tiles()):
        top.add_core(f"u_tile_{i}", tile, {p: f"{w}[{i}]" for p, w in vectors.items()})


def add_lanes(top: Top) -> None:
    """Add tiles of a pipe: a handshake moves a block in each, and the tag goes with one.

    Lanes that are alike and see the same handshakes are ready together, so the first one
    answers for all; a handshake across the whole chip would be the slowest path.
    """
    count = top.spec.port.lanes
    tiles = top.spec.tiles()
    alike = all(tile.how == tiles[0].how for tile in tiles)
    held = top.spec.native_channel is KeyChannel.HELD
    outer = dict(top.pins)
    answers = ("idle_o", "in_ready_o", "out_valid_o", *(("key_ready_o",) if held else ()))
    vectors = {} if alike else {pin: _joined(top, pin, outer[pin], count) for pin in answers}
    if not alike:
        for channel in ("in", "key") if held else ("in",):
            # All lanes take it at once, or none.
            valid, ready = outer[f"{channel}_valid_i"], outer[f"{channel}_ready_o"]
            top.pins[f"{channel}_valid_i"] = top.wire(f"lane_{channel}_valid", "")
            top.assigns[f"lane_{channel}_valid"] = f"{valid} & {ready}"
    for i, tile in enumerate(tiles):
        high = 128 * (count - i) - 1
        pins = {p: f"{outer[p]}[{high}:{high - 127}]" for p in ("in_block_i", "out_block_o")}
        pins |= {pin: f"{vector}[{i}]" for pin, vector in vectors.items()}
        if i > 0:
            port = tile.port.model_copy(update={"tag_bits": 0})
            tile = tile.model_copy(update={"port": port})
            ends = ("out_tag_o", *(answers if alike else ()))
            pins |= {pin: top.wire(f"unused_{pin[:-2]}_{i}", "") for pin in ends}
            pins["in_tag_i"] = "'0"
        if not held:
            pins["key_ready_o"] = top.wire(f"unused_key_ready_{i}", "")
        top.add_core(f"u_lane_{i}", tile, pins)


def _joined(top: Top, pin: str, outer: str, count: int) -> str:
    """Return a vector of `pin` of all lanes, whose AND is that of the top."""
    vector = top.wire(f"lane_{pin[:-2]}", f"[{count - 1}:0]")
    top.assigns[outer] = f"&{vector}"
    return vector
