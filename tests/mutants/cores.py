"""The cores that mutants are checked in, roughly from small to large."""

from roundsmith import catalogue
from roundsmith.spec import Spec

_LOOP = "aesany-both-loop1-table-stored-equiv-cr-slots4"

#: Names of the catalogue and of the grid. Behind a colon: a width of `TDATA`, or the self-test.
CORES = (
    "iterative-lut4",
    "chodowiec-gaj",
    "chodowiec-gaj-full",
    "chodowiec-gaj-mux",
    "chodowiec-gaj-dpram",
    "satoh-5",
    "satoh-5-full",
    "satoh-5-walked",
    "satoh-1",
    "iterative-lut4-full",
    "iterative-table",
    "iterative-composite",
    "iterative-block-ram",
    "saggese-iterative",
    "smallest-ge-8bit",
    "smallest-ram",
    "smallest-lut",
    "serial-both",
    "smallest-ge",
    "compact-256",
    "compact-any-key",
    "compact-any-key-full",
    "aes128-both-fold32-cells-borrow-mixmin-kept-reord-regs",
    "aes128-both-loop1-gf4-mixmin-equiv-cr",
    "aes128-both-loop1-lut4-mixmin-sep-cr",
    "satoh-3",
    "saggese-iterative-5",
    "standaert-loop-mux",
    "best-per-ge-loop",
    "best-per-lut-loop",
    "mcmillan-folded",
    f"{_LOOP}-full",
    "lutz-rijndael",
    "lutz-rijndael-chip",
    "lutz-figure-4",
    "lutz-figure-6",
    "saggese-tiled-2",
    "best-per-ge-interleaved",
    "serpent-folded",
    "serpent-folded-both",
    "serpent-folded-both-full",
    "smallest-serpent",
    "serpent-iterative",
    "serpent256-both-loop1-min-sep-cr",
    "lutz-serpent",
    "lutz-serpent-chip",
    "iterative-lut4-ecb",
    "iterative-lut4-cbc",
    "iterative-lut4-cfb",
    "iterative-lut4-cfb8",
    "iterative-lut4-ofb",
    "iterative-lut4-ctr",
    "iterative-lut4-cbc-mac",
    "iterative-lut4-cmac",
    "iterative-lut4-ccm",
    "iterative-lut4-gcm",
    "iterative-lut4-ocb",
    "iterative-lut4-xts",
    "satoh-1-cbc",
    "satoh-1-ocb",
    "satoh-1-xts",
    f"{_LOOP}-ecb",
    f"{_LOOP}-cbc",
    f"{_LOOP}-cfb",
    f"{_LOOP}-ofb",
    f"{_LOOP}-ctr",
    f"{_LOOP}-cbc-mac",
    f"{_LOOP}-cmac",
    f"{_LOOP}-ccm",
    f"{_LOOP}-gcm",
    f"{_LOOP}-ocb",
    f"{_LOOP}-xts",
    "saggese-iterative-5-cbc5",
    "saggese-iterative-5-cfb-5",
    "iterative-lut4-ctr-axi4-stream",
    "iterative-lut4-ctr-axi4-stream:8",
    "iterative-lut4-ctr-axi4-stream:512",
    "iterative-lut4-gcm-axi4-lite",
    "iterative-lut4-ctr-wishbone",
    "iterative-lut4-ctr-apb",
    "iterative-lut4-ctr-apb:self-test",
    "saggese-iterative-5-cbc5-axi4-stream",
    "standaert-loop-ram",
    "cbc-fastest",
    "saggese-unrolled-1",
    "fastest-ecp5",
    "best-per-lut",
    "standaert-unrolled-ram",
    "fastest-serpent-ecp5",
)


def find(name: str) -> Spec:
    """Return the core of a name in the list."""
    name, _, more = name.partition(":")
    spec = catalogue.find(name)
    if not more:
        return spec
    data = spec.model_dump()
    if more == "self-test":
        return Spec.from_data(data | {"what": data["what"] | {"self_test": True}})
    return Spec.from_data(data | {"port": data["port"] | {"stream_bits": int(more)}})
