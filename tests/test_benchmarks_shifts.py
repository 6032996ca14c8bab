"""How many levels of a row near sources share, counted by hand on a path."""

import json

import numpy as np

from benchmarks import shifts

PATH = np.abs(np.arange(10) - np.arange(3)[:, np.newaxis])  # distances from its nodes 0, 1 and 2


def test_distinct_levels():
    """Each is a step ahead of the next, but on either side of node 1."""
    assert shifts.distinct(PATH) == (3 + 2 + 3 + 7 * 3) / 10


def test_shifted_wavefronts_coincide():
    """By landmarks on the far side of all sources, on one level of each row there."""
    levels = shifts.shifted(PATH, [5, 8, 9])
    assert (levels[:, 2:] == levels[0, 2:]).all()
    assert shifts.distinct(levels) == (3 + 2 + 8) / 10


def test_a_case(tmp_path):
    """Shifted starts leave fewer levels to a row of a road network."""
    output = tmp_path / "counts.json"
    shifts.main(["--cases", "road-24x24", "--groups", "1", "--output", str(output)])
    (row,) = json.loads(output.read_text())["cases"]
    assert 1 < row["shifted"]["32"] < row["plain"] <= shifts.WIDTH
