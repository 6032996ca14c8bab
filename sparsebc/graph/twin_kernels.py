"""Nodes with the same neighbours on the host: rows are hashed, looked up in a table, and compared.

Hashing is universal [Carter and Wegman, "Universal classes of hash functions", Journal of Computer
and System Sciences 18, 143-154 (1979)]: a node has a word of 64 bits, and a row the sum of those of
its columns. The word of the row of v is that of open twins; with the word of v added, that of
closed ones.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit import interruptible, kernel, stopped
from .csr import CSR
from .indices import place_of


def leaders(
    ways: Sequence[CSR], nodes: NDArray[np.int32], omega: NDArray[np.float64]
) -> NDArray[np.int32]:
    """`GraphOps.twins`."""
    every = np.arange(omega.size, dtype=np.int32)
    target = np.where(ways[-1].degrees > 0, omega, 0.0)
    leader, work = every.copy(), sum(way.indices.size for way in ways)
    sums, words = scrambled(target.view(np.uint64)), every.astype(np.uint64)
    own = np.zeros_like(words)
    for way in ways:
        words = scrambled(words)
        interruptible(way.indices.size, add_words, *way, words, sums)
        own += words
    for is_closed in (False, True):
        proposed = every.copy()
        proposed[nodes] = first_alike(sums[nodes], nodes, work)
        same = (proposed != every) & (target == target[proposed])
        for way in ways:
            interruptible(work, compare, *way, proposed, is_closed, same)
        leader[same] = proposed[same]
        sums += own
    return leader


def scrambled(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Words that look random: the finalizer of splitmix64, one to one."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return words ^ (words >> np.uint64(31))


@kernel
def add_words(indptr, indices, words, sums, stop):
    """Add the words of each row, modulo 2**64."""
    for v in range(sums.size):
        if stopped(stop):
            break
        for p in range(indptr[v], indptr[v + 1]):
            sums[v] += words[indices[p]]


def first_alike(
    hashes: NDArray[np.uint64], nodes: NDArray[np.int32], work: int
) -> NDArray[np.int32]:
    """For each of some nodes the first that has its hash, by a table of twice as many places."""
    size = 1
    while size < 2 * nodes.size:
        size *= 2
    table, first = np.full(size, -1, dtype=np.int64), np.empty_like(nodes)
    interruptible(work, _look_up, hashes, nodes, table, first)
    return first


@kernel
def _look_up(hashes, nodes, table, first, stop):
    mask = np.uint64(table.size - 1)
    for i in range(nodes.size):
        if stopped(stop):
            break
        at = hashes[i] & mask
        while table[at] >= 0 and hashes[table[at]] != hashes[i]:
            at = (at + np.uint64(1)) & mask
        if table[at] < 0:
            table[at] = i
        first[i] = nodes[table[at]]


def classes(
    leader: NDArray[np.int32], sources: NDArray[np.int32], alpha: NDArray[np.float64]
) -> tuple[NDArray[Any], ...]:
    """Who is swept, with what weight, and by node its leader, one that is not swept, and its share.

    ``leader`` is that of each class among the sources.
    """
    n, first = leader.size, leader[sources]
    total = np.bincount(first, weights=alpha, minlength=n)  # one source after the other
    is_swept = first == sources
    other, share = np.arange(n), np.ones(n)
    other[first[~is_swept]] = sources[~is_swept]  # the last of each class
    share[sources] = alpha / total[first]
    swept = sources[is_swept]
    return swept, total[swept], leader.astype(np.int64), other, share


@kernel
def mixed(indptr, indices, values, leader, other, share, result, stop):
    """Write x(u -> v) where it mixes those of the leaders r and others o of u and v.

    x(u -> v) = l(v) x'(r(v)) + (1 - l(v)) x'(o(v))
    x'(w) = l(u) x(r(u) -> w) + (1 - l(u)) x(o(u) -> w)

    Within a class it is l(u) x(r -> v), or l(u) x(r -> u) if v is r.
    """
    for u in range(leader.size):
        if stopped(stop):
            break
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            if leader[u] == leader[v]:
                head = u if v == leader[u] else v
                result[p] = share[u] * values[place_of(indptr, indices, leader[u], head)]
            elif leader[u] != other[u] or leader[v] != other[v]:
                x = 0.0
                for head, part in ((leader[v], share[v]), (other[v], 1 - share[v])):
                    swept = values[place_of(indptr, indices, leader[u], head)]
                    beside = values[place_of(indptr, indices, other[u], head)]
                    x += part * (share[u] * swept + (1 - share[u]) * beside)
                result[p] = x


@kernel
def compare(indptr, indices, leader, is_closed, same, stop):
    """Unmark nodes whose row is not that of their leader with the two exchanged.

    Closed twins, a leader before those it leads, are in the other's row and not in their own, so
    that what lies between them is one place earlier.
    """
    for v in range(same.size):
        if stopped(stop):
            break
        if not same[v]:
            continue
        first, begin, end = leader[v], indptr[v], indptr[v + 1]
        there, met = indptr[first], False
        same[v] = indptr[first + 1] - there == end - begin
        for p in range(begin, end):
            if not same[v]:
                break
            u = indices[p]
            if is_closed and u == first:
                met = True
            else:
                shift = (u > v) - (u > first) if is_closed else 0
                same[v] = indices[there + p - begin + shift] == u
        if is_closed and not met:
            same[v] = False
