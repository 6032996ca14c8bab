"""Updates of the sums by one level: of distances, or of functions of the distance.

    reached(v) += c,  total(v) += d c,  harmonic(v) += c / d,  farthest(v) = max(d + beyond)
    access_fk(v) += c_k table[d, f]

with c, or c_k by kind, the weight of the sources that first reach v on level d.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import inlined, subroutine
from ..common.simd import lowest

BYTE = np.uint64(255)


class Functions(NamedTuple):
    """Functions of the level."""

    table: NDArray[np.float64]  # (levels, functions)
    subsets: NDArray[np.float64]  # (8, 256, kinds): weight of each subset of eight sources


@subroutine
def add(sums, v, depth, count, beyond):
    """Add sources of weight ``count`` that reach node v on a level; ``beyond`` is their maximum."""
    sums.reached[v] += count
    sums.total[v] += depth * count
    sums.harmonic[v] += count / depth
    sums.farthest[v] = max(sums.farthest[v], depth + beyond)


@inlined
def add_places(table, depth, weights, v, sums):
    """Add the weights of one source, by kind, to the sums of node v on a level."""
    for function in range(table.shape[1]):
        value = table[depth, function]
        for kind in range(weights.size):
            sums.values[v, function * weights.size + kind] += value * weights[kind]


@inlined
def add_hit(functions, depth, hit, v, sums):
    """Add the weights of the sources of a mask to the sums of node v on a level."""
    table, subsets = functions
    kinds = subsets.shape[2]
    for kind in range(kinds):
        weight = 0.0
        for byte in range(subsets.shape[0]):
            weight += subsets[byte, hit >> np.uint64(8 * byte) & BYTE, kind]
        for function in range(table.shape[1]):
            sums.values[v, function * kinds + kind] += table[depth, function] * weight


@subroutine
def add_subsets(weights, subsets):
    """Fill the weight of each subset of eight sources, from that without its lowest source."""
    for byte in range(subsets.shape[0]):
        for bits in range(1, subsets.shape[1]):
            j = 8 * byte + lowest(np.uint64(bits))
            for kind in range(subsets.shape[2]):
                own = weights[j, kind] if j < weights.shape[0] else 0.0
                subsets[byte, bits, kind] = subsets[byte, bits & (bits - 1), kind] + own
