// The masked product's inner loop: one row pulls from its neighbours.
#pragma once

#include "state.cuh"

// Neighbours that matter to the rows of one warp, packed; a team uses its own LANES places.
template <int WORDS>
struct Queue {
    unsigned near[WARP];
    Mask<WORDS> hit[WARP];
};

// Four columns of a row, as far as the nibble asks for them; of a single column, that one.
template <int WIDTH>
__device__ __forceinline__ void load(const float *from, unsigned nibble, float (&x)[4]) {
    if (WIDTH == 1) {
        if (nibble) x[0] = *from;
    } else if (nibble) {
        const float4 q = *reinterpret_cast<const float4 *>(from);
        x[0] = q.x, x[1] = q.y, x[2] = q.z, x[3] = q.w;
    }
}

template <int WIDTH>
__device__ __forceinline__ void load(const double *from, unsigned nibble, double (&x)[4]) {
    if (WIDTH == 1) {
        if (nibble) x[0] = *from;
        return;
    }
    if (nibble & 3) {
        const double2 q = *reinterpret_cast<const double2 *>(from);
        x[0] = q.x, x[1] = q.y;
    }
    if (nibble & 12) {
        const double2 q = *reinterpret_cast<const double2 *>(from + 2);
        x[2] = q.x, x[3] = q.y;
    }
}

// Sum of `values` over the neighbours indices[p:end], in the columns wanted that they have seen on
// a level of this parity.
//
// Called by whole warps, a row a team (p == end where a team has none). Each lane looks at one
// neighbour's mask; those that matter are queued in order, and each lane adds up its four columns of
// them, four neighbours in flight. Returns the nibble of the lane's columns that were hit.
template <class S, class Pointer, class Real = typename S::Number>
__device__ __forceinline__ unsigned gather(const int *__restrict__ indices, Pointer p, Pointer end,
                                           typename S::Bits want, const Seen<S::WORDS> *seen,
                                           int parity, const Real *values, Queue<S::WORDS> &queue,
                                           Real (&sum)[4]) {
    constexpr unsigned LANES = S::LANES;
    const unsigned lane = threadIdx.x % LANES;
    const unsigned first = threadIdx.x % WARP - lane;
    const unsigned word = lane / 8, shift = lane % 8 * 4;
    values += 4 * lane;

    unsigned near = 0, mine = 0;
    typename S::Bits hit = {};
    const auto look = [&](Pointer at) {
        hit = {};
        if (at < end) {
            near = indices[at];
            hit = want & seen[near].half[parity];
        }
    };
    look(p + lane);
    while (__any_sync(ALL, p < end)) {
        const unsigned hits = __ballot_sync(ALL, hit.any()) >> first & (ALL >> (WARP - LANES));
        if (hit.any()) {
            const unsigned place = first + __popc(hits & ((1u << lane) - 1));
            queue.near[place] = near;
            queue.hit[place] = hit;
        }
        __syncwarp();
        p += LANES;
        look(p + lane);
        const unsigned count = __popc(hits);
        for (unsigned k = 0; __any_sync(ALL, k < count); k += 4) {
            Real x[4][4];
            unsigned nibble[4];
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                nibble[j] = 0;
                if (k + j < count) {
                    nibble[j] = queue.hit[first + k + j].word[word] >> shift & 15;
                    load<S::COLUMNS>(values + (unsigned long long)queue.near[first + k + j] * S::COLUMNS,
                         nibble[j], x[j]);
                }
            }
#pragma unroll
            for (unsigned j = 0; j < 4; ++j) {
                mine |= nibble[j];
#pragma unroll
                for (unsigned i = 0; i < 4; ++i)
                    if (nibble[j] >> i & 1) sum[i] += x[j][i];
            }
        }
        __syncwarp();
    }
    return mine;
}
