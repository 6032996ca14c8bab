"""Tables of every library that has named columns, and networks as dictionaries."""

import graph_texts
import numpy as np
import pytest


def edges(network):
    """{"source target": weight}."""
    return {" ".join(pair): weight for pair, weight in graph_texts.edges(network).items()}


class Series:
    """A column that NumPy alone cannot read, as cuDF's."""

    def __init__(self, values):
        self.values = values

    def to_numpy(self):
        return np.array(self.values)


class Frame:
    """What pandas, polars and cuDF have in common."""

    def __init__(self, columns):
        self.data = columns
        self.columns = list(columns)

    def __getitem__(self, title):
        return Series(self.data[title])


class Table(dict):
    """What pyarrow has: `columns` are data there."""

    columns = "data"

    @property
    def column_names(self):
        return list(self)


def library(name, make):
    """Frame of a library, where it is installed."""
    return lambda columns: make(pytest.importorskip(name), columns)


FRAMES = {
    "dict": dict,
    "frame": Frame,
    "table": Table,
    "pandas": library("pandas", lambda pd, columns: pd.DataFrame(columns)),
    "polars": library("polars", lambda pl, columns: pl.DataFrame(columns, strict=False)),
    "pyarrow": library("pyarrow", lambda pa, columns: pa.table(columns)),
}
