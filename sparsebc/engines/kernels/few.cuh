// Rows of few neighbours, of groups of one mask word.
//
// A warp takes one row a lane. Each lane looks at its row's neighbours; the columns that this leaves
// to compute are then shared out, one a lane at a time, so that no lane waits for a row of many.
#pragma once

#include "state.cuh"

// What the lanes of a warp tell each other, in shared memory.
template <class S>
struct FewRows {
    unsigned near[WARP][FEW], hit[WARP][FEW];  // slots of the neighbours, and what counts of them
    unsigned slot[WARP];
    typename S::Number omega[WARP];
    unsigned short task[WARP * S::COLUMNS];  // lane of the row, column
    double part[WARP];
};

// Work on the row of list entry `at`, if the lane has one that wants it and its neighbours are few;
// returns whether that was so.
template <class Phase, class S, class Real = typename S::Number>
__device__ __forceinline__ bool few_rows(const S &s, int depth, bool wants, unsigned at, bool leaf,
                                         FewRows<S> &rows, double &worst) {
    constexpr unsigned long long COLUMNS = S::COLUMNS;
    const unsigned lane = threadIdx.x % WARP;
    const unsigned slot = wants ? s.slots[at] : 0, row = slot % s.n, base = slot - row;
    const int4 near = wants ? Phase::few(s)[row] : int4{MANY, -1, -1, -1};
    const bool mine = near.x != MANY;
    if (!__any_sync(ALL, mine)) return false;

    const unsigned want = mine ? Phase::want(s, slot, at).word[0] : 0;
    const int nodes[FEW] = {near.x, near.y, near.z, near.w};
    unsigned reached = 0;
#pragma unroll
    for (unsigned j = 0; j < FEW; ++j) {
        const bool there = nodes[j] >= 0 && !leaf;
        const unsigned hit = there ? want & s.seen[base + nodes[j]].half[~depth & 1].word[0] : 0;
        rows.near[lane][j] = base + nodes[j];
        rows.hit[lane][j] = hit;
        reached |= hit;
    }
    const unsigned mask = Phase::columns(want, reached), count = __popc(mask);
    unsigned end = count;
    for (unsigned step = 1; step < WARP; step *= 2) {
        const unsigned before = __shfl_up_sync(ALL, end, step);
        if (lane >= step) end += before;
    }
    const unsigned total = __shfl_sync(ALL, end, WARP - 1), start = end - count;
    rows.slot[lane] = slot;
    rows.omega[lane] = mine ? s.omega[row] : Real(0);
    unsigned next = start;
    for (unsigned bits = mask; bits; bits &= bits - 1)
        rows.task[next++] = lane * COLUMNS + __ffs(bits) - 1;
    __syncwarp();

    double sum = 0;
    for (unsigned first = 0; first < total; first += WARP) {
        if (first + lane < total) {
            const unsigned owner = rows.task[first + lane] / COLUMNS;
            const unsigned column = rows.task[first + lane] % COLUMNS;
            const Real own = Phase::own(s.sigma[rows.slot[owner] * COLUMNS + column]);
            Real x[FEW], neighbours = 0;
#pragma unroll
            for (unsigned j = 0; j < FEW; ++j)
                x[j] = rows.hit[owner][j] >> column & 1
                           ? s.sigma[rows.near[owner][j] * COLUMNS + column]
                           : Real(0);
#pragma unroll
            for (unsigned j = 0; j < FEW; ++j) neighbours += x[j];
            rows.part[lane] = Phase::one(s, rows.slot[owner], column, neighbours, own,
                                         rows.omega[owner], worst);
        }
        if (Phase::rows == BACKWARD) {
            // In the order of the columns, whoever computed them.
            __syncwarp();
            for (unsigned t = max(start, first); t < min(end, first + WARP); ++t)
                sum += rows.part[t - first];
            __syncwarp();
        }
    }
    if (mine) Phase::close(s, depth, slot, at, mask, sum);
    __syncwarp();
    return mine;
}
