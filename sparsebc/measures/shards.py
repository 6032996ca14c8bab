"""Computation of one shard of a run over paths, as by a job of a job array."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from ..errors import InputError, InputTypeError, OptionError
from ..graph.read_matrix import Adjacency
from ..run.options import Run
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
    """Compute one shard of a run and save it, for a later call that merges all shards.

    For job arrays, whose jobs do not communicate: each computes a shard. Then a call of the measure
    itself, with the same `checkpoint`, merges the shards, to the bits of a call without shards.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    names : iterable of str
        Any of "betweenness", "edge_betweenness" and "stress", each once.
    part : tuple of two ints
        (i, N): number of the shard, from 1 on, and number of shards. Their numbers of blocks of
        sources differ by at most one; a shard of a small problem may have none.
    checkpoint : str or path-like
        Directory that all shards share. The folder ``part-i-of-N`` in it is the checkpoint of one
        shard, from which a job that was stopped resumes when it is started again.
    **options
        As in `centralities`, run options among them. With ``k``, ``rng`` must be an int.

    Returns
    -------
    int
        Number of sources of the shard that are summed.

    Raises
    ------
    TypeError
        If `part` is no pair of ints, or `checkpoint` no path.
    ValueError
        If i is not within 1..N; if `names` holds a measure of distances; if ``k`` comes without an
        int as ``rng``; if `checkpoint` is a file, or the folder of the shard is in use, damaged, or
        holds another run.
    OSError
        If `checkpoint` cannot be written.
    TypeError, ValueError, RuntimeError, MemoryError, OverflowError
        As `centralities` does.

    See Also
    --------
    centralities : With ``checkpoint`` it merges the shards, as do the functions of the measures.

    Notes
    -----
    Each job reads and prepares the graph; otherwise cost and memory are those of the share of the
    run. A shard stores at most two sums for each level of the tree of blocks, each of 8 bytes a
    node (for edges, an arc); the merge takes as much memory once, whatever N. Sources whose path
    counts exceed the range of ``dtype`` are left to the merging call.

    The merge raises a ValueError that names the shards if some are missing, unfinished or
    duplicate, or differ in graph, options, device or version.

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
                f"{name!r} is a measure of distances, and is not split into shards: name it only "
                "in the call that merges them"
            )
    if options.get("k") is not None and not isinstance(options.get("rng"), (int, np.integer)):
        raise OptionError(
            f"k={options['k']} draws other sources in each shard unless rng is an int, got "
            f"{options.get('rng')!r}: give the same seed to all",
            f"k={options['k']}",
        )
    directory = Run(checkpoint=checkpoint).directory
    if directory is None:
        raise InputTypeError("checkpoint must be the name of a directory, got None")
    place = Shard.within(directory, *_checked(part))
    try:
        centralities(A, asked, checkpoint=place, **options)
    except ShardDone as done:
        return done.sources
    raise AssertionError("a shard has no scores")


def _checked(part: Any) -> tuple[int, int]:
    """Number of a shard and number of shards, checked."""
    if not isinstance(part, (tuple, list)) or len(part) != 2 or not all(map(is_int, part)):
        raise InputTypeError(f"part must be two ints, (i, N) for shard i of N, got {part!r}")
    number, of = map(int, part)
    if not 1 <= number <= of:
        raise InputError(f"part must be (i, N) with i from 1 to N, got {part!r}")
    return number, of
