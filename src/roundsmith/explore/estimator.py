"""Area, clock and throughput of any legal spec on any target, in milliseconds.

A figure is a sum over the parts of the core, with prices that are not negative and learnt from
the records (least squares of the relative error), times a correction that a Gaussian process
learns from what is left, in the logarithm: of a line, and of what is near. Both are
scikit-learn's; what they learnt is kept as numbers, by the content of the records, so that an
estimate needs no more than a product of matrices. The error is known: `CROSS` parts of the records
are each foretold from the others.
"""

import hashlib
import json
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import product
from operator import attrgetter
from typing import Any

import numpy as np

from roundsmith import catalogue
from roundsmith import spec as formulas
from roundsmith.base.cache import cache_dir
from roundsmith.base.errors import RoundsmithError
from roundsmith.explore import prices
from roundsmith.explore.features import (
    COLUMNS,
    KINDS,
    REGISTERS,
    Features,
    Vector,
    fabric,
    features,
)
from roundsmith.explore.wrappers import Wrapping
from roundsmith.flows import targets
from roundsmith.flows.targets import Target
from roundsmith.records import records
from roundsmith.records.records import Measurement
from roundsmith.spec import Cipher, Spec
from roundsmith.spec.ciphers import DEFAULT

#: Into how many parts the records are divided to learn the error.
CROSS = 10

#: A target with fewer cores of a cipher than this borrows the model of one of its kind.
FEWEST = 24

#: The fewest cores of a cipher that a model is learnt from: with less there is none.
LEAST = 10

#: Changes whenever a model that was kept would no longer be made as it was.
_VERSION = 7

#: What a figure is learnt from: the field of a record, and the terms of its sum.
_AREA = tuple(range(len(COLUMNS)))

#: The prices, by column, of terms that count LUTs already: one. That weighs as much as one core.
_LUTS = {COLUMNS.index(name): 1.0 for name in ("S-boxes", "linear", "xor")}
_FLIPS = tuple(COLUMNS.index(name) for name in REGISTERS)


@dataclass(frozen=True)
class FitError:
    """How far a figure was from the truth when foretold: median and nine of ten, as shares."""

    median: float
    ninety: float
    cores: int


@dataclass(frozen=True)
class Fit:
    """What was learnt of one figure; `predict` is all that is needed of it."""

    columns: tuple[int, ...]
    prices: tuple[float, ...]
    mean: Vector
    scale: Vector
    known: Vector
    weights: Vector
    length: float
    height: float
    slope: float
    noise: float
    offset: float
    error: FitError

    def predict(self, terms: Vector, kind: Vector) -> Vector:
        """Return the figure for each row."""
        chosen = terms[:, self.columns]
        base = _base(chosen, np.array(self.prices))
        x = (_inputs(base, chosen, kind) - self.mean) / self.scale
        # The squared distances, without an array of every difference.
        lengths = (x**2).sum(axis=1)[:, None] + (self.known**2).sum(axis=1)
        squares = np.maximum(0.0, lengths - 2 * x @ self.known.T)
        near = self.height * np.exp(-0.5 * squares / self.length**2)
        near += self.slope * (1 + x @ self.known.T)
        found: Vector = base * np.exp(near @ self.weights + self.offset)
        return found


@dataclass(frozen=True)
class Estimate:
    """What a spec would come to on a target; a figure that does not apply is None.

    `aim` is that of the flow in standard cells, else empty.
    """

    spec: Spec
    target: str
    aim: str
    lut: float | None = None
    ff: float | None = None
    block_ram: float | None = None
    slices: float | None = None
    area_ge: float | None = None
    cycle_ns: float | None = None
    fmax_mhz: float | None = None
    throughput_mbps: float | None = None


@dataclass(frozen=True)
class Model:
    """What was learnt for a target and an aim: a fit for each figure.

    `source` is the target whose records it was learnt from; where that is another one, `ratios`
    lead from it to this one, by as many cores as `shared` says.
    """

    target: str
    aim: str
    source: str
    fits: Mapping[str, Fit]
    ratios: Mapping[str, float]
    shared: int

    def errors(self) -> dict[str, FitError]:
        """Return the error of each figure."""
        return {name: fit.error for name, fit in self.fits.items()}


def aims(target: Target) -> tuple[str, ...]:
    """Return the aims of a flow: standard cells have two."""
    return target.flow.aims


def estimate(specs: Sequence[Spec], target: Target) -> list[Estimate]:
    """Return what each of `specs` would come to on `target`, for each aim of its flow."""
    found: list[Estimate] = []
    for cipher in Cipher:
        found += _of_one([s for s in specs if s.what.cipher is cipher], target, cipher)
    return found


def _of_one(specs: Sequence[Spec], target: Target, cipher: Cipher) -> list[Estimate]:
    """Return the estimates of cores of one cipher, which has models of its own."""
    if not specs:
        return []
    found: list[Estimate] = []
    in_modes = [spec for spec in specs if spec.has_mode]
    for aim in aims(target):
        around = wrapping(target, aim) if in_modes else None
        for spec in in_modes:
            assert around is not None
            around.check(spec)
        learnt = model(target, aim, cipher)
        cores = [spec.bare() if spec.has_mode else spec for spec in specs]
        numbers = [_features(core, fabric(target, aim)) for core in cores]
        found += _estimates(learnt, specs, numbers, target, aim, around)
    return found


def wrapping(target: Target, aim: str) -> Wrapping:
    """Return what is known of modes of operation and buses on a target."""
    return prices.known(target, aim, _digest())


def doubts(target: Target, aim: str, cipher: Cipher, *, in_mode: bool) -> dict[str, float]:
    """Return how far off each figure is in the median: of a core, or of one in a mode."""
    found = {name: error.median for name, error in model(target, aim, cipher).errors().items()}
    if in_mode:
        around = wrapping(target, aim)
        for name in found.keys() & around.prices.keys():
            found[name] = math.hypot(found[name], around.doubt(name))
    return found


@cache
def _features(spec: Spec, name: str) -> Features:
    return features(spec, name)


def _estimates(
    learnt: Model,
    specs: Sequence[Spec],
    numbers: Sequence[Features],
    target: Target,
    aim: str,
    around: Wrapping | None,
) -> list[Estimate]:
    terms = np.stack([f.terms for f in numbers])
    kind = np.stack([f.kind for f in numbers])
    stage = np.array([f.stage for f in numbers])
    values: dict[str, Vector] = {}
    for name, fit in learnt.fits.items():
        rows = _delay_terms(terms, stage) if name in _DELAYS else terms
        values[name] = fit.predict(rows, kind) * learnt.ratios.get(name, 1.0)
    found = []
    for i, (spec, own) in enumerate(zip(specs, numbers, strict=True)):
        figures: dict[str, float] = {name: float(value[i]) for name, value in values.items()}
        if spec.has_mode and around is not None:
            figures = _wrapped(spec, figures, around)
        period = figures.pop("period", None) or figures.get("cycle_ns")
        if target.flow.logic.has_block_ram:
            memories = around.more(spec, "block_ram") if spec.has_mode and around else 0.0
            figures["block_ram"] = math.ceil(own.memories - 1e-9) + round(memories)
        slices = target.flow.slices(figures.get("lut", 0.0), figures["ff"])
        if slices is not None:
            figures["slices"] = slices
        if target.is_placed and period:
            figures["fmax_mhz"] = 1000 / period
            period = max(period, 1000 / target.clock_tree_mhz)
        if period:
            figures["throughput_mbps"] = 128e3 / period / formulas.cycles_per_block(spec)
        found.append(Estimate(spec, target.name, aim, **figures))
    return found


def _wrapped(spec: Spec, core: Mapping[str, float], around: Wrapping) -> dict[str, float]:
    """Return the figures of a core in a mode, perhaps behind a bus, from those of the core."""
    slowest = around.period(spec)
    return {
        name: max(value, slowest) if name in _DELAYS else value + around.more(spec, name)
        for name, value in core.items()
    }


# --- Learning -----------------------------------------------------------------------------------

#: The figures that are a time, whose sum is over the longest stage.
_DELAYS = ("cycle_ns", "period")

#: The terms of a time: the longest stage, a register, and wires, which grow with the area.
_DELAY_COLUMNS = (0, 1, 2)


def _delay_terms(terms: Vector, stage: Vector) -> Vector:
    area = terms[:, : len(COLUMNS) - 1].sum(axis=1)
    return np.stack([stage, np.ones_like(stage), np.log2(1 + area)], axis=1)


def _base(terms: Vector, prices: Vector) -> Vector:
    found: Vector = np.maximum(terms @ prices, 1e-6)
    return found


def _inputs(base: Vector, terms: Vector, kind: Vector) -> Vector:
    """Return what the correction is learnt from: size, the share of each term, and choices."""
    shares = terms / np.maximum(terms.sum(axis=1, keepdims=True), 1e-9)
    return np.column_stack([np.log(base), shares, kind])


@dataclass(frozen=True)
class _Example:
    """A core that was measured, and the figures of its record."""

    spec: Spec
    record: Measurement


def model(target: Target, aim: str, cipher: Cipher = DEFAULT) -> Model:
    """Return what is known of a target; learnt now if the records have changed since.

    RoundsmithError where nothing of its kind was ever measured.
    """
    if not target.flow.is_run:
        raise RoundsmithError(
            f"{target.name} has no estimates, for its tool is not called from here; take "
            f"{targets.nouns(lambda flow: flow.is_run)}."
        )
    return _model(target, aim, cipher, _digest())


@cache
def _model(target: Target, aim: str, cipher: Cipher, digest: str) -> Model:
    # A choice more is a column more: what was learnt without it fits no core of today.
    words = f"{target.name} {aim} {cipher} {digest} {_VERSION} {COLUMNS} {tuple(KINDS)}"
    key = hashlib.sha256(words.encode()).hexdigest()[:40]
    kept = cache_dir() / "estimators" / f"{key}.json"
    if kept.exists():
        return _loaded(json.loads(kept.read_text()))
    made = _learn(target, aim, cipher)
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(f".{id(made)}")
    part.write_text(json.dumps(_dumped(made)))
    part.replace(kept)
    return made


def _digest() -> str:
    """Return a digest of all that is learnt from: it changes with the records."""
    found = hashlib.sha256()
    for place, name in product(records.folders(), ("measurements.jsonl", "circuits.jsonl")):
        path = place / name
        found.update(path.read_bytes() if path.exists() else b"")
    return found.hexdigest()


def examples(target: str, aim: str, cipher: Cipher = DEFAULT) -> list[_Example]:
    """Return the cores of a cipher that were measured on a target, each with its last record."""
    last = {
        m.name: m
        for m in records.measurements()
        if m.target == target and (not aim or m.flow.startswith(f"{aim}-driven"))
    }
    found = []
    for name, record in last.items():
        try:
            spec = catalogue.find(name)
        except RoundsmithError:
            continue  # a core of somebody's own, or one that is no more
        if spec.what.cipher is cipher and not spec.has_mode:
            found.append(_Example(spec, record))
    return found


def _learn(target: Target, aim: str, cipher: Cipher) -> Model:
    own = examples(target.name, aim, cipher)
    source, shared = target.name, 0
    ratios: dict[str, float] = {}
    figures = _figures(target, aim)
    if len(own) < FEWEST:
        source = _richest(target, aim, cipher)
        others = examples(source, aim, cipher)
        ratios, shared = _ratios(own, others, figures)
        own = others
    name = fabric(target, aim)
    numbers = [_features(example.spec, name) for example in own]
    terms = np.stack([f.terms for f in numbers])
    kind = np.stack([f.kind for f in numbers])
    stage = np.array([f.stage for f in numbers])
    fits = {}
    for figure, (value, columns) in figures.items():
        truth = np.array([value(example.record) or math.nan for example in own])
        there = np.isfinite(truth)
        rows = _delay_terms(terms, stage) if figure in _DELAYS else terms
        expected = _LUTS if figure == "lut" else {}
        fits[figure] = _fit(rows[there], kind[there], truth[there], columns, expected)
    return Model(target.name, aim, source, fits, ratios, shared)


#: How a figure is read from a record, and the terms that it is a sum of.
_Figure = tuple[Callable[[Measurement], float | None], tuple[int, ...]]


def _figures(target: Target, aim: str) -> dict[str, _Figure]:
    logic = target.flow.logic
    found: dict[str, _Figure] = {
        logic.area: (attrgetter(logic.area), _AREA),
        "ff": (lambda m: m.ff, _FLIPS),
    }
    # A netlist made for area has fan-outs without buffers: nobody foretells its clock.
    if target.flow.is_timed and aim != "area":
        found[logic.period] = (_period, _DELAY_COLUMNS)
    return found


def _period(record: Measurement) -> float | None:
    return 1000 / record.fmax_mhz if record.fmax_mhz else record.cycle_ns


def _richest(target: Target, aim: str, cipher: Cipher) -> str:
    """Return the target of the same kind on which the most cores of a cipher were measured."""
    there = dict.fromkeys(record.target for record in records.measurements())
    for alike in target.flow.alike(target):
        names = [n for n in there if n.startswith(alike) and not targets.is_apart(n)]
        counts = {name: len(examples(name, aim, cipher)) for name in names}
        if counts and max(counts.values()) >= LEAST:
            return max(counts, key=lambda name: counts[name])
    word = "" if cipher is DEFAULT else f" --cipher {cipher}"
    raise RoundsmithError(
        f"Too little of {cipher} was measured on {target.name} or a target of its kind to "
        f"estimate from; `roundsmith explore --target {target.name}{word} --no-prune` measures "
        "some cores first."
    )


def _ratios(
    own: Sequence[_Example], others: Sequence[_Example], figures: Mapping[str, _Figure]
) -> tuple[dict[str, float], int]:
    """Return by what each figure of cores that both have differs, in the median."""
    there = {example.spec.name: example.record for example in others}
    pairs = [(e.record, there[e.spec.name]) for e in own if e.spec.name in there]
    ratios = {}
    for figure, (value, _) in figures.items():
        found = [(value(a), value(b)) for a, b in pairs]
        shares = [a / b for a, b in found if a and b]
        if shares:
            ratios[figure] = float(np.median(shares))
    return ratios, len(pairs)


def _fit(
    terms: Vector,
    kind: Vector,
    truth: Vector,
    columns: tuple[int, ...],
    expected: Mapping[int, float],
) -> Fit:
    """Learn one figure from the rows of its examples, and how far off it is."""
    made = _regression(terms, kind, truth, columns, expected, None)
    order = np.random.default_rng(1).permutation(len(truth))
    wrong = np.zeros(len(truth))
    parts = min(CROSS, len(truth))
    for part in range(parts):
        out = order[part::parts]
        rest = np.setdiff1d(order, out)
        # The width of the correction is a property of the figure: found once, from all.
        other = _regression(terms[rest], kind[rest], truth[rest], columns, expected, made)
        wrong[out] = np.abs(other.predict(terms[out], kind[out]) / truth[out] - 1)
    error = FitError(float(np.median(wrong)), float(np.quantile(wrong, 0.9)), len(truth))
    return replace(made, error=error)


def _regression(
    terms: Vector,
    kind: Vector,
    truth: Vector,
    columns: tuple[int, ...],
    expected: Mapping[int, float],
    like: Fit | None,
) -> Fit:
    """Learn prices, near those that are expected of some columns, and the correction."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel
    from sklearn.linear_model import LinearRegression
    from threadpoolctl import threadpool_limits

    chosen = terms[:, columns]
    sizes = np.maximum(chosen.max(axis=0), 1e-9)
    line = LinearRegression(positive=True, fit_intercept=False)
    # A price that is expected is one equation more.
    priors = np.array([(np.arange(len(columns)) == c) / sizes for c in expected])
    equations = np.vstack([chosen / sizes / truth[:, None], priors.reshape(-1, len(columns))])
    line.fit(equations, np.concatenate([np.ones(len(truth)), list(expected.values())]))
    prices = line.coef_ / sizes
    base = _base(chosen, prices)
    inputs = _inputs(base, chosen, kind)
    mean, scale = inputs.mean(axis=0), inputs.std(axis=0)
    scale[scale < 1e-9] = 1.0
    x = (inputs - mean) / scale
    left = np.log(truth / base)
    offset = float(left.mean())
    if like is None:
        kernel = ConstantKernel(0.05, (1e-3, 1.0)) * RBF(5.0, (1.0, 30.0))
        kernel += ConstantKernel(0.01, (1e-5, 1.0)) * DotProduct(1.0, "fixed")
        noise = WhiteKernel(1e-3, (1e-4, 1e-1))
        process = GaussianProcessRegressor(kernel + noise, random_state=1)
    else:
        kernel = ConstantKernel(like.height, "fixed") * RBF(like.length, "fixed")
        kernel += ConstantKernel(like.slope, "fixed") * DotProduct(1.0, "fixed")
        process = GaussianProcessRegressor(kernel + WhiteKernel(like.noise, "fixed"))
    with threadpool_limits(1), warnings.catch_warnings():
        # A width at its limit is no mistake: then there is little to correct.
        warnings.simplefilter("ignore", ConvergenceWarning)
        process.fit(x, left - offset)
    found: Any = process.kernel_
    return Fit(
        columns=columns,
        prices=tuple(map(float, prices)),
        mean=mean,
        scale=scale,
        known=x,
        weights=process.alpha_,
        length=float(found.k1.k1.k2.length_scale),
        height=float(found.k1.k1.k1.constant_value),
        slope=float(found.k1.k2.k1.constant_value),
        noise=float(found.k2.noise_level),
        offset=offset,
        error=FitError(math.nan, math.nan, len(truth)),
    )


# --- Keeping ------------------------------------------------------------------------------------


def _dumped(made: Model) -> dict[str, Any]:
    fits = {
        name: {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in asdict(fit).items()}
        for name, fit in made.fits.items()
    }
    return {**asdict(replace(made, fits={})), "fits": fits}


def _loaded(data: dict[str, Any]) -> Model:
    fits = {}
    for name, values in data["fits"].items():
        arrays = {k: np.array(values[k]) for k in ("mean", "scale", "known", "weights")}
        columns, prices = tuple(values["columns"]), tuple(values["prices"])
        error = FitError(**values["error"])
        rest = {"columns": columns, "prices": prices, "error": error}
        fits[name] = Fit(**(values | arrays | rest))
    return Model(**(data | {"fits": fits}))
