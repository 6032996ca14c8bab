// The masked product's inner loop: one row pulls from its neighbours.
#pragma once

#include "state.cuh"

// Neighbours that matter to the row of a warp, packed.
struct Queue {
    unsigned near[WARP];
    Mask hit[WARP];
};

// Four columns of a row, as far as the nibble asks for them.
__device__ __forceinline__ void load(const float *from, unsigned nibble, float (&x)[4]) {
    if (nibble) {
        const float4 q = *reinterpret_cast<const float4 *>(from);
        x[0] = q.x, x[1] = q.y, x[2] = q.z, x[3] = q.w;
    }
}

__device__ __forceinline__ void load(const double *from, unsigned nibble, double (&x)[4]) {
    if (nibble & 3) {
        const double2 q = *reinterpret_cast<const double2 *>(from);
        x[0] = q.x, x[1] = q.y;
    }
    if (nibble & 12) {
        const double2 q = *reinterpret_cast<const double2 *>(from + 2);
        x[2] = q.x, x[3] = q.y;
    }
}

// What a row does with the terms of its sum besides adding them up: nothing.
struct Terms {
    static constexpr bool kept = false;
};

// Adds to each arc of a row its terms, weighted and summed over the columns of the group.
template <class Real>
struct ArcTerms {
    static constexpr bool kept = true;

    double *sums;   // by arc
    Real weight[4];  // alpha .* sigma of the row in the lane's columns

    __device__ Real term(unsigned nibble, const Real (&x)[4]) const {
        Real sum = 0;
#pragma unroll
        for (unsigned i = 0; i < 4; ++i)
            if (nibble >> i & 1) sum += weight[i] * x[i];
        return sum;
    }
};

// Sums of x[0], .., x[3] over a warp: that of x[j] in lanes 8 j, .., 8 j + 7. Which of the four it is
// makes no difference to the order of the additions.
template <class Real>
__device__ __forceinline__ Real sums_of_four(const Real (&x)[4]) {
    const bool high = threadIdx.x & 16, odd = threadIdx.x & 8;
    const Real a = (high ? x[2] : x[0]) + __shfl_xor_sync(ALL, high ? x[0] : x[2], 16);
    const Real b = (high ? x[3] : x[1]) + __shfl_xor_sync(ALL, high ? x[1] : x[3], 16);
    Real sum = (odd ? b : a) + __shfl_xor_sync(ALL, odd ? a : b, 8);
    for (unsigned step = 4; step; step /= 2) sum += __shfl_xor_sync(ALL, sum, step);
    return sum;
}

// Sum of `values` over the neighbours indices[p:end], in the columns wanted that they have seen on
// a level of this parity.
//
// Called by a whole warp. Each lane looks at one neighbour's mask; those that matter are queued in
// order, and each lane adds up its four columns of them, four neighbours in flight. Returns the nibble
// of the lane's columns that were hit.
template <class Pointer, class Real, class Arcs = Terms>
__device__ __forceinline__ unsigned gather(const int *__restrict__ indices, Pointer p, Pointer end,
                                           Mask want, const Seen *seen, int parity,
                                           const Real *values, Queue &queue, Real (&sum)[4],
                                           const Arcs &arcs = {}) {
    const unsigned lane = threadIdx.x % WARP;
    const unsigned word = lane / 8, shift = lane % 8 * 4;
    values += 4 * lane;

    unsigned near = 0, mine = 0;
    Mask hit = {};
    const auto look = [&](Pointer at) {
        hit = {};
        if (at < end) {
            near = indices[at];
            hit = want & seen[near].half[parity];
        }
    };
    look(p + lane);
    while (__any_sync(ALL, p < end)) {  // all or none, which the vote tells the compiler
        // The arc that the lane looks at, whether it matters, and its place in the queue then.
        const Pointer arc = p + lane;
        const bool counts = hit.any();
        const unsigned hits = __ballot_sync(ALL, counts);
        const unsigned place = __popc(hits & ((1u << lane) - 1));
        if (counts) {
            queue.near[place] = near;
            queue.hit[place] = hit;
        }
        __syncwarp();
        double shares = 0;
        if constexpr (Arcs::kept)
            if (counts) shares = arcs.sums[arc];
        p += WARP;
        look(p + lane);
        const unsigned count = __popc(hits);
        for (unsigned k = 0; k < count; k += 4) {
            Real x[4][4];
            unsigned nibble[4];
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                nibble[j] = 0;
                if (k + j < count) {
                    nibble[j] = queue.hit[k + j].word[word] >> shift & 15;
                    load(values + (unsigned long long)queue.near[k + j] * COLUMNS, nibble[j], x[j]);
                }
            }
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                mine |= nibble[j];
#pragma unroll
                for (unsigned i = 0; i < 4; ++i)
                    if (nibble[j] >> i & 1) sum[i] += x[j][i];
            }
            if constexpr (Arcs::kept) {
                Real terms[4];
#pragma unroll
                for (unsigned j = 0; j < 4; ++j) terms[j] = arcs.term(nibble[j], x[j]);
                const auto own = __shfl_sync(ALL, sums_of_four(terms), place % 4 * 8);
                if (place / 4 == k / 4) shares += double(own);
            }
        }
        if constexpr (Arcs::kept)
            if (counts) arcs.sums[arc] = shares;
        __syncwarp();
    }
    return mine;
}
