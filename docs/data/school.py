"""A made school: who is near whom in a day, every 20 seconds, as badges would tell.

``python docs/data/school.py`` writes ``school.csv``: the time in seconds since midnight, two
people, and the class of each. There are ten classes of 22 with a teacher each, and two cooks.
People meet in lessons (their class), in breaks (any pupils, those of one grade more often) and at
lunch (one half of the school eats, served by the cooks, while the other half plays). Meetings begin
at random, at a rate that differs from person to person, and end after each step with the same
probability.
"""

import csv
from pathlib import Path

import numpy as np

STEP = 20  # seconds between two looks
HOUR = 3600
CLASSES = [f"{grade}{letter}" for grade in range(1, 6) for letter in "AB"]
PUPILS = 22
# Begin and end in hours, and what is done; lunch has two turns.
DAY = (
    *(
        (8.5, 10, "lesson"),
        (10, 10.5, "break"),
        (10.5, 12, "lesson"),
        (12, 13, "lunch, first turn"),
    ),
    *((13, 14, "lunch, second turn"), (14, 15.5, "lesson"), (15.5, 15.75, "break")),
    (15.75, 16.5, "lesson"),
)
# Meetings that a person begins in an hour, and the probability that one goes on for another step.
RATE = {"lesson": 3.0, "break": 9.0, "lunch": 7.0}
GOES_ON = 0.55


def people():
    """Names of all people, and the class of each."""
    pupils = [(f"{name}-{k:02}", name) for name in CLASSES for k in range(1, PUPILS + 1)]
    teachers = [(f"teacher-{name}", name) for name in CLASSES]
    cooks = [("cook-1", "kitchen"), ("cook-2", "kitchen")]
    return [*pupils, *teachers, *cooks]


def closeness(kind):
    """How likely a meeting is with whom, for each pair of people, in a part of the day."""
    group = np.array([at for _, at in people()])
    grade = np.array([at[0] for at in group])
    teaches = np.array([name.startswith("teacher") for name, _ in people()])
    cooks = group == "kitchen"
    same = group[:, np.newaxis] == group
    if kind == "lesson":
        near = same.astype(float)
    else:
        near = np.where(same, 1.0, np.where(grade[:, np.newaxis] == grade, 0.4, 0.03))
        near[teaches | cooks] = near[:, teaches | cooks] = 0.01
    if kind.startswith("lunch"):
        eats = np.isin(group, CLASSES[:5] if "first" in kind else CLASSES[5:])
        near *= eats[:, np.newaxis] == eats
        near[np.ix_(cooks, eats)] = near[np.ix_(eats, cooks)] = 0.3
    np.fill_diagonal(near, 0)
    return near


def contacts(seed=7):
    """Rows (time, person, person) of a day, in order of time."""
    rng = np.random.default_rng(seed)
    n = len(people())
    lively = rng.gamma(3, 1 / 3, n)  # how much more often than the mean a person meets others
    found = set()
    for begin, end, kind in DAY:
        near = closeness(kind) * lively
        near /= np.maximum(near.sum(axis=1, keepdims=True), 1e-12)
        rate = RATE[kind.partition(",")[0]] * (end - begin)
        for u, count in enumerate(rng.poisson(rate * lively)):
            if not near[u].any():
                continue
            times = rng.uniform(begin * HOUR, end * HOUR, count) // STEP * STEP
            others = rng.choice(n, count, p=near[u])
            steps = rng.geometric(1 - GOES_ON, count)
            for time, v, length in zip(times, others, steps, strict=True):
                last = min(time + STEP * length, end * HOUR)
                found |= {(t, min(u, v), max(u, v)) for t in range(int(time), int(last), STEP)}
    return sorted(found)


def table(seed=7):
    """Columns of the day: time, i, j, and their classes."""
    who = people()
    rows = [(time, who[u][0], who[v][0], who[u][1], who[v][1]) for time, u, v in contacts(seed)]
    titles = ("time", "i", "j", "class_i", "class_j")
    return dict(zip(titles, map(list, zip(*rows, strict=True)), strict=True))


if __name__ == "__main__":
    columns = table()
    with Path(__file__).with_suffix(".csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
