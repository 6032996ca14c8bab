// Shifted starts: the searches of a batch meet at the busiest node of their component.
//
// From sources that lie apart, most nodes are reached by way of the same few. So the levels of a row
// differ from one source s to another s' by about d(s, b) - d(s', b), b the busiest node. A search starts
// so many steps late that all of a batch reach theirs at one step,
//
//     start(s) = max over the batch of d(., b)  -  d(s, b)    (batching.by_branch)
//
// and then its columns share the entries of the level lists. A step stands in the place of a level: it
// is start(s) + level in the column of s. No level is empty before the last start, since the source that
// is the farthest from b is on its way there.
#pragma once

#include "state.cuh"

// The nibble of the lane's columns whose source is this row.
template <class S>
__device__ unsigned columns_from_here(const S &s, unsigned slot) {
    const unsigned lane = threadIdx.x % WARP, batch = slot / s.n;
    const int row = int(slot % s.n), *of = s.sources + batch * COLUMNS + 4 * lane;
    unsigned nibble = 0;
    for (unsigned i = 0; i < 4; ++i) nibble |= (of[i] == row) << i;
    return nibble;
}

// The nibble of the lane's columns that start at this row and step, each with one path.
template <class S, class Real>
__device__ unsigned start_here(const S &s, int depth, unsigned slot, Real (&paths)[4]) {
    const unsigned lane = threadIdx.x % WARP, nibble = columns_from_here(s, slot);
    unsigned now = 0;
    for (unsigned i = 0; i < 4; ++i)
        if (nibble >> i & 1 && s.starts[slot / s.n * COLUMNS + 4 * lane + i] == depth)
            now |= 1u << i, paths[i] = 1;
    return now;
}

// Mark the sources that start at a step; each thread of the grid looks at some.
template <class S, class Mark>
__device__ void mark_starts(const S &s, int depth, Mark mark_rows) {
    if (depth > int(s.last_start)) return;
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i - threadIdx.x % WARP < s.batches * COLUMNS;
         i += gridDim.x * THREADS) {
        const bool now = s.sources[i] >= 0 && s.starts[i] == depth;  // COLUMNS is a multiple of WARP
        mark_rows(now, now ? i / COLUMNS * s.n + s.sources[i] : 0);
    }
}
