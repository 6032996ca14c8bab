"""Measure temporal betweenness: random contacts, at distinct or at shared times.

A case is nodes x contacts, with ``:`` and the number of time steps if contacts share them, and
``w`` and a limit of waiting. Scores of a small network of the kind are first compared with those
of the reference engine.
"""

import re

import numpy as np

from sparsebc import temporal

from . import suite

CASES = ["500x100000", "500x100000:1000", "500x100000w1000", "10000x1000000"]
KINDS = ["shortest", "shortest foremost"]
SMALL = 60, 600  # nodes and contacts that are compared
LARGEST_DEVIATION = 1e-9
REFERENCE = {"device": "reference"}


def contacts_of(nodes, contacts, steps):
    """Random contacts of duration 0."""
    random = np.random.default_rng(1)
    ends = random.integers(0, nodes, (2, contacts))
    return temporal.Contacts(*ends, random.integers(0, steps, contacts), n=nodes)


def deviation(steps_each, wait_each, run):
    """Largest deviation from the reference, with as many steps and as long a wait per contact."""
    nodes, count = SMALL
    wait = None if wait_each is None else int(wait_each * count)
    small = contacts_of(nodes, count, max(1, int(steps_each * count)))
    one, two = (temporal.betweenness(small, wait=wait, **how) for how in (run, REFERENCE))
    largest = float(np.abs(one - two).max() / two.max())
    suite.check("beside the reference", largest, LARGEST_DEVIATION)
    return largest


def read(name, _):
    """Numbers of nodes, contacts and time steps of a case, and its limit of waiting."""
    parts = re.fullmatch(r"(\d+)x(\d+)(?::(\d+))?(?:w(\d+))?", name).groups()
    return name, *(None if part is None else int(part) for part in parts)


@suite.benchmark(
    cases=CASES,
    load=read,
    device="cpu",
    sources=suite.option(help="the first so many, by default all", type=int),
    kinds=suite.option(KINDS, choices=KINDS),
)
def main(options, case):
    """Yield the JSON row of each kind of walks."""
    name, nodes, count, steps, wait = case
    steps = steps or count
    contacts, run = contacts_of(nodes, count, steps), {"device": options.device}
    largest = deviation(steps / count, None if wait is None else wait / steps, run)
    sources = None if options.sources is None else np.arange(min(options.sources, nodes))
    for kind in options.kinds:
        (scores, seconds, used) = suite.timed(
            lambda kind=kind: temporal.betweenness(
                contacts, kind=kind, wait=wait, sources=sources, **run
            )
        )
        yield {
            "case": f"{name} {kind}",
            "nodes": nodes,
            "contacts": count,
            "steps": steps,
            "wait": wait,
            "device": options.device,
            "seconds": seconds,
            "processor_seconds": used,
            "sources": nodes if sources is None else sources.size,
            "sum": float(scores.sum()),
            "deviation": largest,
        }


if __name__ == "__main__":
    main()
