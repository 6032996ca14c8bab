"""Columns of the tables that the commands write."""

import csv
from pathlib import Path

TEXT = {"node", "source", "target", "group", "predecessor", "stop"}


def columns(path="out.csv"):
    """Columns of a csv file by title: numbers, except in columns of names."""
    table = csv.reader(Path(path).read_text(encoding="utf-8").splitlines())
    return {
        title: cells if title in TEXT else [*map(float, cells)]
        for title, *cells in zip(*table, strict=True)
    }
