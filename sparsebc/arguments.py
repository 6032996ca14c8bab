"""Checks of arguments: flags, choices, numbers, lists of nodes, values of nodes by their names."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InputError, InputTypeError
from .foreign import on_host

# Libraries whose columns have an index of labels.
LABELLED = ("pandas", "geopandas", "modin", "cudf")
LARGEST = float(np.finfo(np.float64).max)  # an int may be larger


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Refuse an argument that is none of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name} must be {' or '.join(map(repr, choices))}, got {value!r}", name)


def is_int(value: Any) -> bool:
    """Whether a value is an int of Python or NumPy, and no bool."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def check_int(
    name: str,
    value: Any,
    most: int | None = None,
    said: str = "",
    advice: str = "",
    least: int = 1,
) -> int:
    """The argument as an int in least..most; messages have ``said`` in place of ``most``."""
    if not is_int(value):
        raise InputTypeError(f"{name} must be an int, got {value!r}{advice}")
    if value < least or (most is not None and value > most):
        wanted = f"be at least {least}" if most is None else f"lie in {least}..{said or most}"
        raise InputError(f"{name} must {wanted}, got {value}{advice}", name)
    return int(value)  # of NumPy it may be of 8 bits, which products leave


def is_number(value: Any) -> bool:
    """Whether a value is a real number of Python or NumPy, and no bool."""
    kinds = (int, float, np.integer, np.floating)
    return isinstance(value, kinds) and not isinstance(value, bool)


def check_between(name: str, value: Any, most: float) -> float:
    """An argument as a number above 0 and below ``most``."""
    if not is_number(value):
        raise InputTypeError(f"{name} must be a number, got {value!r}: try {name}=0.1")
    if isinstance(value, np.floating):
        value = float(value)  # beside a float of fewer bits, LARGEST would overflow
    if not (0 < value < most and value <= LARGEST):
        wanted = f"between 0 and {most}" if most < np.inf else "a finite number above 0"
        raise InputError(f"{name} must be {wanted}, got {value}", name)
    return float(value)


def check_flags(**flags: Any) -> None:
    """Refuse a flag that is neither True nor False."""
    for name, value in flags.items():
        if not isinstance(value, (bool, np.bool_)):
            raise InputTypeError(f"{name} must be True or False, got {value!r}")


def array_of(name: str, values: Any, kinds: str, wanted: str) -> NDArray[Any]:
    """Array of an argument, on the host; unless empty, its dtype is of one of the ``kinds``."""
    if np.ma.is_masked(values):
        raise InputError(f"{name} has masked values: fill them, as with {name}.filled(0)", name)
    try:
        array = np.asarray(on_host(values, name))
    except ValueError as error:
        raise InputError(
            f"{name} must be one-dimensional, got rows of unequal length", name
        ) from error
    if array.size and array.dtype.kind not in kinds:
        raise InputTypeError(f"{name} must {wanted}, got {values!r:.60}")
    return array


def listed(
    name: str,
    nodes: ArrayLike,
    n: int,
    *,
    instead: str = "list at least one node",
    repeats: bool = True,
) -> NDArray[np.int32]:
    """Array of the node numbers in an argument, or those of its mask; shape (m,), m >= 1.

    ``repeats`` are allowed. ``instead`` is the advice in the message for an empty argument.
    """
    wanted = f"hold node numbers (ints, or a mask with a bool for each of the {n} nodes)"
    array = array_of(name, nodes, "iub", wanted)
    if array.size and array.dtype.kind == "b":
        if array.shape != (n,):
            raise InputTypeError(f"{name} must {wanted}, got {nodes!r:.60}")
        array = np.flatnonzero(array)
    if array.size == 0:
        raise InputError(f"{name} is empty: {instead}", name)
    if array.ndim != 1:
        raise InputError(
            f"{name} must be one-dimensional, got {array.ndim} dimensions: wrap {name} in a list",
            name,
        )
    if n == 0:
        raise InputError(f"A has no nodes, got {name}={nodes!r:.60}: {instead}")
    if not 0 <= array.min() <= array.max() < n:
        outside = (array < 0) | (array >= n)
        raise InputError(f"{name} must lie in 0..{n - 1}, got {array[outside][0]}", name)
    if not repeats:
        values, counts = np.unique(array, return_counts=True)
        if values.size < array.size:
            raise InputError(
                f"{name} names node {values[counts > 1][0]} more than once: use "
                f"numpy.unique({name})",
                name,
            )
    return array.astype(np.int32)


def as_mask(name: str, nodes: ArrayLike | None, n: int) -> NDArray[np.bool_]:
    """Mask of the nodes in an argument, shape (n,); of all nodes for None."""
    marked = np.zeros(n, dtype=bool)
    if nodes is None:
        marked[:] = True
    else:
        advice = "leave it out to take every node"
        marked[listed(name, nodes, n, instead=advice, repeats=False)] = True
    return marked


def generator(rng: Any) -> np.random.Generator:
    """Random number generator of a seed."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        refused = InputTypeError if isinstance(error, TypeError) else InputError
        raise refused(
            f"rng must be None, a seed or a numpy.random.Generator, got {rng!r}: {error}"
        ) from error


def by_node(name: str, values: Any, names: Sequence[Any] | None = None) -> Any:
    """Values in the order of the nodes; those with labels by the ``names``, if known.

    ``names`` may be a Series, by its labels; these may repeat if the values have the same index.

    Raises
    ------
    ValueError
        If labels are neither the names nor 0, 1, 2, ... in order.
    """
    if not _has_labels(values):
        return values
    labels, n = list(values.index), len(values)
    if _has_labels(names):
        if names.index.equals(values.index):  # type: ignore[union-attr]
            return values.to_numpy()
        names = list(names.index)  # type: ignore[union-attr, arg-type]
    if names is not None:
        row = {label: k for k, label in enumerate(labels)}
        if len(row) == n == len(names) and all(name in row for name in names):
            return values.to_numpy()[np.array([row[name] for name in names], dtype=np.int64)]
    if labels == list(range(n)):
        return values.to_numpy()
    begins = ", ".join(map(repr, labels[:3])) + ", ..." * (n > 3)
    known = "the names of the nodes, nor " if names is not None else ""
    raise InputError(
        f"{name} has an index ({begins}) that is not {known}0..{n - 1} in order, and values are "
        f"taken by position: use {name}.reindex(names).to_numpy() with the names of the nodes in "
        f"the order of the rows, or {name}.to_numpy() if they are in that order"
    )


def check_one_index(columns: Mapping[str, Any]) -> None:
    """Raise for labelled columns whose labels differ, or are in another order."""
    labelled = [(title, column) for title, column in columns.items() if _has_labels(column)]
    for title, column in labelled[1:]:
        if not column.index.equals(labelled[0][1].index):
            raise InputError(
                f"columns {labelled[0][0]!r} and {title!r} have other indices, and rows are "
                "matched by position: give a pandas.DataFrame of them, or their to_numpy()"
            )


def _has_labels(values: Any) -> bool:
    kinds = {base.__module__.partition(".")[0] for base in type(values).__mro__}
    return not kinds.isdisjoint(LABELLED) and hasattr(values, "index")
