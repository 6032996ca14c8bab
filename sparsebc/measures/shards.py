"""A shard of a run over paths, as a job of an array computes it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from ..errors import InputError, InputTypeError, OptionError
from ..graph.read_matrix import Adjacency
from ..run.shards import Shard, ShardDone
from . import distance_measures
from .arguments import is_int
from .centralities import Measure, centralities, checked


def compute_part(
    A: Adjacency,
    names: Iterable[Measure],
    part: tuple[int, int],
    *,
    checkpoint: str | os.PathLike[str],
    **options: Any,
) -> int:
    """Compute one of several parts of a run, and keep it until all of them are there.

    For job arrays, where processes do not talk to each other. Each job computes a part; then the
    call of the measure itself, with the same `checkpoint`, finds the parts and adds them up, to the
    bits that it would have had by itself.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    names : iterable of str
        Any of "betweenness", "edge_betweenness" and "stress", each once.
    part : tuple of two ints
        (i, N): part i, from 1 on, of N parts. Each has as many blocks of sources as the next, but
        for one; a part of a small problem may have none.
    checkpoint : str or path-like
        Directory that all parts share. Part i of N has a folder ``part-i-of-N`` there, a checkpoint
        of its own: a job that was killed goes on when it is started again.
    **options
        As in `centralities`, run options among them. With ``k``, ``rng`` must be an int.

    Returns
    -------
    int
        Sources that the part has summed.

    Raises
    ------
    TypeError
        If `part` is no pair of ints.
    ValueError
        If i is not within 1..N; if `names` holds a measure of distances; if ``k`` comes without a
        seed; if the folder of the part is in use, damaged, or holds another question.
    TypeError, ValueError, RuntimeError, MemoryError, OverflowError
        As `centralities` does.

    See Also
    --------
    centralities : With ``checkpoint``, what merges the parts; so do the functions of the measures.

    Notes
    -----
    Each job reads and prepares the graph. A part holds at most two sums for each level of the tree
    of blocks, 8 bytes a node (and an arc, for edges) each, and merging takes that once, whatever
    N. Sources with too many paths for the type asked for are left to the merging call.

    Merging is refused with a ValueError that names them where parts are missing, unfinished or
    there twice, or differ in graph, options, device or version.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from sparsebc import betweenness, compute_part, datasets
    >>> A, names = datasets.load("karate")
    >>> with tempfile.TemporaryDirectory() as kept:
    ...     for i in (1, 2):  # on two machines
    ...         _ = compute_part(A, ["betweenness"], (i, 2), checkpoint=kept, directed=False)
    ...     scores = betweenness(A, checkpoint=kept, directed=False)
    >>> bool(np.array_equal(scores, betweenness(A, directed=False)))
    True
    """
    asked = cast(list[Measure], checked(names))
    for name in asked:
        if name in distance_measures.MEASURES:
            raise InputError(
                f"{name!r} looks at distances, and is not cut in parts: leave it to the call that "
                "merges them"
            )
    if options.get("k") is not None and not isinstance(options.get("rng"), (int, np.integer)):
        raise OptionError(
            f"k={options['k']} draws other sources in each part unless rng is an int, got "
            f"{options.get('rng')!r}: give the same seed to all",
            f"k={options['k']}",
        )
    place = Shard.within(checkpoint, *_checked(part))
    try:
        centralities(A, asked, checkpoint=place, **options)
    except ShardDone as done:
        return done.sources
    raise AssertionError("a part has no scores")


def _checked(part: Any) -> tuple[int, int]:
    """Number of a part and number of parts, checked."""
    if not isinstance(part, (tuple, list)) or len(part) != 2 or not all(map(is_int, part)):
        raise InputTypeError(f"part must be two ints, (i, N) for part i of N, got {part!r}")
    number, of = map(int, part)
    if not 1 <= number <= of:
        raise InputError(f"part must be (i, N) with i from 1 to N, got {part!r}")
    return number, of
