"""The explorer: the plane of all cores, what each would cost, and the one that fits.

`space` turns choices into specs, `structure` says what a spec is made of, `estimator` what that
comes to on a target, and `roundsmith.records.index` what was measured of it. `front`, `sweep`,
`choose` and `pipeline` are the questions that are asked of them.
"""
