"""What a core in standard cells is made of, and whether a record tells it by the rule of today.

The design hash does not cover the rule, so a record keeps its number: components of an older one
are not shown, and `roundsmith measure --again` makes the record anew.
"""

from collections.abc import Mapping

from roundsmith.attribution import ciphers, narrow_components
from roundsmith.records.records import Measurement
from roundsmith.spec import Spec


def components(spec: Spec, paths: Mapping[str, float]) -> dict[str, float]:
    """Sum the GE of every instance path into the components a designer names."""
    if spec.is_narrow:
        return narrow_components.components(paths)
    return ciphers.of(spec.what.cipher).components(paths)


def rule(spec: Spec) -> int | None:
    """Return the number of the rule for a core; None of a narrow one, where the names tell it."""
    return None if spec.is_narrow else ciphers.of(spec.what.cipher).number


def told(spec: Spec, record: Measurement) -> bool:
    """Whether the components of a record, if it has any, are those of the rule as it is."""
    if not record.components and record.area_ge is None:
        return True
    if spec.is_narrow:
        return not record.components or narrow_components.told(record.components)
    return record.components_rule == rule(spec)


def shown(spec: Spec, record: Measurement) -> Mapping[str, float]:
    """Return the components of a record, none where an older rule told them."""
    return (record.components or {}) if told(spec, record) else {}
