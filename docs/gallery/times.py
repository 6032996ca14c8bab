"""A school and a city in time: who is first is not who is between; a missed tram moves the hub."""

import runpy
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import sparsebc
from sparsebc import betweenness, temporal

data = Path(sparsebc.__file__).parents[1] / "docs" / "data"
contacts = temporal.read(runpy.run_path(str(data / "school.py"))["table"]())
ends = contacts.source, contacts.target
meetings = sp.coo_array((np.ones(len(contacts)), ends), shape=(contacts.n,) * 2).tocsr()
static = betweenness(meetings, directed=False, device="cpu")
foremost = temporal.betweenness(contacts, kind="shortest foremost", directed=False, device="cpu")
grades = [int(name[0]) if name[0].isdigit() else 0 for name in contacts.nodes]

with tempfile.TemporaryDirectory() as folder:
    feed = Path(folder, "transit.zip")
    runpy.run_path(str(data / "transit.py"))["write"](feed)
    rides, stops, places = temporal.read_gtfs(feed, "2026-11-26", radius=250)
limits = {"any wait": None, "waits of 5 minutes at most": 300}
busy = {
    title: temporal.betweenness(rides, kind="shortest foremost", wait=wait, device="cpu")
    for title, wait in limits.items()
}

figure, (school, *maps) = plt.subplots(1, 3, figsize=(14, 4.6), layout="constrained")
school.scatter(static, foremost, c=grades, cmap="viridis", s=16)
for v in np.argsort(-foremost)[:3]:
    school.annotate(contacts.nodes[v], (static[v], foremost[v]), (4, 2), fontsize=8,
                    textcoords="offset points")  # fmt: skip
school.set(xlabel="betweenness of all meetings", ylabel="betweenness of those that come first",
           title="a day at school, by grade")  # fmt: skip
lines = np.unique(np.stack((rides.source, rides.target), axis=1), axis=0)
for axes, (title, scores) in zip(maps, busy.items(), strict=True):
    axes.plot(*places[lines].transpose(2, 1, 0), color="lightgrey", linewidth=1, zorder=0)
    drawn = axes.scatter(*places.T, c=scores, s=12 + 150 * scores, cmap="inferno_r", vmin=0,
                         vmax=max(map(np.max, busy.values())))  # fmt: skip
    axes.set(xticks=[], yticks=[], aspect=1 / np.cos(np.radians(60)), title=title)
figure.colorbar(drawn, ax=maps, label="betweenness", shrink=0.7)
