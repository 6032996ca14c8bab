// The masked product's inner loop: one row pulls from its neighbours.
#pragma once

#include "state.cuh"

// Neighbours that matter to the rows of one warp, packed; a team uses its own LANES places.
template <int WORDS>
struct Queue {
    unsigned near[WARP];
    Mask<WORDS> hit[WARP];
};

// The neighbours of a row that has few, and the columns of each that matter, in registers.
template <class Real>
class Few {
    static constexpr unsigned BATCH = 2;
    const Real *values;
    unsigned near[FEW], hit[FEW];

  public:
    __device__ Few(const int *__restrict__ indices, unsigned count, Mask<1> want,
                   const Seen<1> *seen, int parity, const Real *values)
        : values(values) {
#pragma unroll
        for (unsigned j = 0; j < FEW; ++j) near[j] = j < count ? indices[j] : 0;
#pragma unroll
        for (unsigned j = 0; j < FEW; ++j)
            hit[j] = j < count ? want.word[0] & seen[near[j]].half[parity].word[0] : 0;
    }

    __device__ unsigned hits() const {
        unsigned bits = 0;
#pragma unroll
        for (unsigned j = 0; j < FEW; ++j) bits |= hit[j];
        return bits;
    }

    // Call `use(column, sum)` for every column of the mask: the sum of the values in that column, in
    // the order of the neighbours. All loads of a batch of columns come before its first use, which
    // may store where the compiler cannot tell that no load looks.
    template <class Use>
    __device__ void each(unsigned mask, Use use) const {
        while (mask) {
            const unsigned batch = mask;
            Real sums[BATCH];
#pragma unroll
            for (unsigned i = 0; i < BATCH; ++i, mask &= mask - 1) {
                Real x[FEW];
                const unsigned column = __ffs(mask) - 1;
#pragma unroll
                for (unsigned j = 0; j < FEW; ++j)
                    x[j] = mask && hit[j] >> column & 1 ? values[near[j] * 32ull + column] : Real(0);
                sums[i] = 0;
#pragma unroll
                for (unsigned j = 0; j < FEW; ++j) sums[i] += x[j];
            }
            unsigned left = batch;
#pragma unroll
            for (unsigned i = 0; i < BATCH; ++i, left &= left - 1)
                if (left) use(__ffs(left) - 1, sums[i]);
        }
    }
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

// Sum of `values` over the neighbours indices[p:end], in the columns wanted that they have seen on
// a level of this parity.
//
// Called by whole warps, a row a team (p == end where a team has none). Each lane looks at one
// neighbour's mask; those that matter are queued in order, and each lane adds up its four columns of
// them, four neighbours in flight. Returns the nibble of the lane's columns that were hit.
template <class Real, class Pointer, int WORDS>
__device__ __forceinline__ unsigned gather(const int *__restrict__ indices, Pointer p, Pointer end,
                                           Mask<WORDS> want,
                                           const Seen<WORDS> *seen, int parity,
                                           const Real *values, Queue<WORDS> &queue,
                                           Real (&sum)[4]) {
    using S = State<Real, Pointer, WORDS>;
    constexpr unsigned LANES = S::LANES;
    const unsigned lane = threadIdx.x % LANES;
    const unsigned first = threadIdx.x % WARP - lane;
    const unsigned word = lane / 8, shift = lane % 8 * 4;
    values += 4 * lane;

    unsigned near = 0, mine = 0;
    Mask<WORDS> hit = {};
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
                    load(values + (unsigned long long)queue.near[first + k + j] * S::COLUMNS,
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
