// State of searches from many sources, many groups in flight.
//
// A group is 128 * LANES sources, a bit each. Its row v is the slot group * n + v: LANES words of 128
// bits, a lane for each. Which rows are looked at is told by bits as well, 32 rows a word and
// `words` words a group.
#pragma once

typedef long long Count;
typedef unsigned long long Total;

constexpr unsigned ALL = 0xffffffffu;
constexpr unsigned WARP = 32;
constexpr unsigned THREADS = 256;      // of a block of rows
constexpr unsigned HUB_THREADS = 512;  // of the block that shares one hub
constexpr unsigned PIECE = 8;          // rows of a byte, the unit of work
// Every row is looked at once the arcs out of the level before the last are more than the slots.
constexpr Total DENSE = 1;

// One level of all groups.
struct Level {
    Total fresh;  // rows that it holds
    Total arcs;   // out-degrees of these
};

// What the sources of a group say about a row, apart from a source on itself.
struct alignas(32) Sums {
    double harmonic;    // sum of one over the distances
    Total total;        // sum of the distances
    unsigned reached;   // how many there are
    unsigned farthest;  // greatest distance
};

// Passed by value; the launcher packs the same fields in the same order.
struct State {
    const Count *out_indptr;
    const int *out_indices;
    const Count *in_indptr;
    const int *in_indices;
    const unsigned *apart;   // (words,) hubs, rows that nothing leads to, and what is no row
    const int *hubs;         // (hub_count,) rows of so many neighbours that a block shares them
    const int *sources;      // (groups * 128 * LANES,) -1 where a column has none
    const uint4 *live;       // (groups, LANES) columns that have a source
    // (slots, LANES) Columns whose level is even, and odd. Level d + 1 is found in the half of d and
    // written to the other one. A bit of an older level never hits: a neighbour's level is at most one
    // more, so that the row has the column by then. So nothing is cleared between levels.
    uint4 *seen[2];
    unsigned *marked[3];  // (groups, words) rows to look at: at level d those of marked[d % 3]
    unsigned *done;       // (groups, words) rows that have all columns
    Level *levels;
    Sums *sums;  // (slots,) or null
    int *level;  // (sources, n) level of each node, or null
    unsigned n, words, groups, hub_count;

    __device__ Total slots() const { return Total(n) * groups; }

    // The same answer in every kernel of a level and of the one before.
    __device__ bool dense(int depth) const {
        return depth >= 2 && levels[depth - 2].arcs * DENSE > slots();
    }

    __device__ void mark(int depth, unsigned group, unsigned row) const {
        unsigned *word = &marked[depth % 3][Count(group) * words + row / 32];
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

// Or over lanes that are `first`, 2 `first`, ... below `last` apart.
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
    for (unsigned step = WARP / 2; step; step /= 2) {
        fresh += __shfl_xor_sync(ALL, fresh, step);
        arcs += __shfl_xor_sync(ALL, arcs, step);
    }
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
