// State of searches from many sources, many batches in flight.
//
// A batch is COLUMNS sources, a bit each (MS-BFS). Its row v is the slot batch * n + v: VECTORS vectors
// of 128 bits, a thread for each. Which rows pull is told by bits as well, 32 rows a word and `words`
// words a batch.
#pragma once

#include "../common/warp.cuh"
#include "constants.gen.cuh"

typedef long long Count;
typedef unsigned long long Total;

constexpr unsigned PIECE = 8;  // rows of a byte, the unit of work
// Direction-optimizing search: every row pulls (bottom-up) once the arcs out of the level before the
// last are more than the slots; else those alone that the last level has marked (top-down).
constexpr Total DENSE = 1;

// One level of all batches.
struct Level {
    unsigned long long fresh;  // rows that it holds
    unsigned long long arcs;   // out-degrees of these
};

// What the sources of a batch say about a row, apart from a source on itself.
struct alignas(SUMS_BYTES) Sums {
    double harmonic;    // sum of one over the distances
    Total total;        // sum of the distances
    unsigned reached;   // how many there are
    unsigned farthest;  // greatest distance
};

// Passed by value. Level d + 1 is found in the half of `seen` of d and
// written to the other one. A bit of an older level never hits: a neighbour's level is at most one
// more, so that the row has the column by then. So nothing is cleared between levels.
struct State {
    const Count *out_indptr;
    const int *out_indices;
    const Count *in_indptr;
    const int *in_indices;
    const unsigned *apart;  // (words,) hubs, rows that nothing leads to, what is no row
    const int *hubs;        // (hub_count,) rows of so many neighbours that a block shares them
    const int *sources;     // (batches * COLUMNS,) -1 where a column has none
    const uint4 *live;      // (batches, VECTORS) columns that have a source
    const int *more;        // (batches * COLUMNS,) what a source counts, less one
    uint4 *digits;          // (batches, most_digits, VECTORS) columns by its binary digits
    unsigned most_digits;
    uint4 *seen[2];         // (slots, VECTORS) columns whose level is even, and odd
    unsigned *marked[3];    // (batches, words) rows that pull: at level d of d % 3
    unsigned *done;         // (batches, words) rows that have all columns
    Level *levels;
    Sums *sums;             // (slots,) of the column that levels now go to, or null
    int *level;             // (sources, n) level of each node, or null
    unsigned n, words, batches, hub_count;

    __device__ Total slots() const { return Total(n) * batches; }

    // The same answer in every kernel of a level and of the one before.
    __device__ bool dense(int depth) const {
        return depth >= 2 && levels[depth - 2].arcs * DENSE > slots();
    }

    __device__ void mark(int depth, unsigned batch, unsigned row) const {
        unsigned *word = &marked[depth % 3][Count(batch) * words + row / 32];
        const unsigned bit = 1u << row % 32;
        if (!(__ldcg(word) & bit)) atomicOr(word, bit);
    }
};

__device__ __forceinline__ uint4 operator|(uint4 a, uint4 b) {
    return {a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w};
}

__device__ __forceinline__ uint4 operator&(uint4 a, uint4 b) {
    return {a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w};
}

// Columns of a that b has not.
__device__ __forceinline__ uint4 without(uint4 a, uint4 b) {
    return {a.x & ~b.x, a.y & ~b.y, a.z & ~b.z, a.w & ~b.w};
}

__device__ __forceinline__ bool any(uint4 a) { return a.x | a.y | a.z | a.w; }

__device__ __forceinline__ unsigned count(uint4 a) {
    return __popc(a.x) + __popc(a.y) + __popc(a.z) + __popc(a.w);
}

// Or over the threads of a team that are `first`, 2 `first`, ... below `last` apart.
__device__ __forceinline__ uint4 or_across(unsigned team, uint4 a, unsigned first, unsigned last) {
    for (unsigned step = first; step < last; step *= 2) {
        a.x |= __shfl_xor_sync(team, a.x, step);
        a.y |= __shfl_xor_sync(team, a.y, step);
        a.z |= __shfl_xor_sync(team, a.z, step);
        a.w |= __shfl_xor_sync(team, a.w, step);
    }
    return a;
}

// Add to a level what the threads of a block have found.
__device__ __forceinline__ void add_up(Level &level, unsigned fresh, Total arcs) {
    __shared__ Level block;
    if (threadIdx.x == 0) block = {0, 0};
    __syncthreads();
    fresh = warp_sum(fresh), arcs = warp_sum(arcs);
    if (threadIdx.x % WARP == 0 && fresh) {
        atomicAdd(&block.fresh, Total(fresh));
        atomicAdd(&block.arcs, arcs);
    }
    __syncthreads();
    if (threadIdx.x == 0 && block.fresh) {
        atomicAdd(&level.fresh, block.fresh);
        atomicAdd(&level.arcs, block.arcs);
    }
}
