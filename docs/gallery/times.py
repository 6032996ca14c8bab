"""A school in time: who is first is not who is between."""

import runpy
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

figure, school = plt.subplots(figsize=(7, 4.6), layout="constrained")
school.scatter(static, foremost, c=grades, cmap="viridis", s=16)
for v in np.argsort(-foremost)[:3]:
    school.annotate(contacts.nodes[v], (static[v], foremost[v]), (4, 2), fontsize=8,
                    textcoords="offset points")  # fmt: skip
school.set(xlabel="betweenness of all meetings", ylabel="betweenness of those that come first",
           title="a day at school, by grade")  # fmt: skip
