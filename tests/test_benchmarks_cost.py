"""The cost model: its three bounds, and what it is fitted to."""

import json

import pytest

from benchmarks import checkpoints, cost
from benchmarks.cost import Network, estimate, told


def seconds(gpus, *, sources=None, nodes=1 << 20, arcs=1 << 24, rate=1e9, bandwidth=1e18):
    return estimate(Network(nodes, arcs, "wide"), sources, gpus, rate, 0.0, bandwidth)


def test_bounds():
    """GPUs share the work until there are too few groups, or the driver has too much to add up."""
    one, bound = seconds(1)
    assert (one, bound) == (pytest.approx((1 << 44) / 1e9), "GPUs")
    assert seconds(8)[0] == pytest.approx(one / 8)
    assert seconds(512, sources=128 * 16) == (pytest.approx(seconds(16, sources=2048)[0]), "tasks")
    slow, bound = seconds(64, bandwidth=1e6)
    assert (slow, bound) == (pytest.approx(64 * 16 * 8 * (1 << 20) / 1e6), "driver")


def test_what_is_fitted(monkeypatch, tmp_path, capsys):
    """Rates come of the records, in their order; the table has a line for each question."""
    rates, prepare = cost.rates()
    assert rates["deep"] < rates["web"] < rates["wide"]
    assert 0 < prepare < 1e-7
    monkeypatch.setattr(cost, "driver_bandwidth", lambda: 1e9)
    assert cost.main(["--output", str(tmp_path / "cost.json")]) == 0
    out = capsys.readouterr().out
    assert out.count("exact") == out.count("16384 ") == len(cost.NETWORKS)
    assert "driver: 1.00 GB/s" in out


def test_times():
    """In the unit that suits them."""
    assert [told(s) for s in (1.0, 150.0, 7300.0, 200_000.0)] == [
        *("1.0 s", "2.5 min", "2.0 h", "2.3 d"),
    ]


def test_what_saves_cost(tmp_path, capsys):
    """A line and a record for each measure; the saves are counted within the run."""
    output = tmp_path / "checkpoints.json"
    assert checkpoints.main(["--nodes", "600", "--every", "0", "--output", str(output)]) == 0
    assert capsys.readouterr().out.count("of the time") == len(checkpoints.MEASURES)
    for row in json.loads(output.read_text())["cases"]:
        assert row["saves"] > 2
        assert 0 < row["saving"] < row["seconds"]
