// The masked product's inner loop: one row pulls from its neighbours.
#pragma once

#include "state.cuh"

// Neighbours that matter to the row of a warp, packed.
template <bool BOTH>
struct Queue {
    unsigned near[WARP];
    Mask hit[WARP];

    // What takes the place of a mask that is of no more use.
    template <class Real>
    __device__ Real *parts(unsigned place) { return reinterpret_cast<Real *>(&hit[place]); }
};

// With what the sum of lambda needs, too.
template <>
struct Queue<true> : Queue<false> {
    unsigned omega[WARP];
    Mask inner[WARP];  // columns where it is not zero
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

// Four columns of a row back, and with them those that were loaded beside them: no one else writes to
// the row now, and what stays the same may be read meanwhile.
__device__ __forceinline__ void put_back(float *to, unsigned nibble, const float (&x)[4]) {
    if (nibble) *reinterpret_cast<float4 *>(to) = {x[0], x[1], x[2], x[3]};
}

__device__ __forceinline__ void put_back(double *to, unsigned nibble, const double (&x)[4]) {
    if (nibble & 3) *reinterpret_cast<double2 *>(to) = {x[0], x[1]};
    if (nibble & 12) *reinterpret_cast<double2 *>(to + 2) = {x[2], x[3]};
}

// Four columns of a row, those of the nibble alone.
__device__ __forceinline__ void store(float *to, unsigned nibble, const float (&x)[4]) {
    if (nibble == 15) {
        *reinterpret_cast<float4 *>(to) = {x[0], x[1], x[2], x[3]};
        return;
    }
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
        if (nibble >> i & 1) to[i] = x[i];
}

__device__ __forceinline__ void store(double *to, unsigned nibble, const double (&x)[4]) {
#pragma unroll
    for (unsigned i = 0; i < 4; i += 2) {
        if ((nibble >> i & 3) == 3) *reinterpret_cast<double2 *>(to + i) = {x[i], x[i + 1]};
        else if (nibble >> i & 1) to[i] = x[i];
        else if (nibble >> i & 2) to[i + 1] = x[i + 1];
    }
}

// Add to a sum that no one else writes to now, so that its order is fixed; the warp goes on meanwhile.
__device__ __forceinline__ void add(double &sum, double value) { atomicAdd(&sum, value); }

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

// Sums of x[0], .., x[3] over a warp, as far as `PARTS` lanes that are left to be added up: that of
// x[j] in lanes 8 j, .., 8 j + PARTS - 1. Which of the four it is makes no difference to the order of
// the additions.
template <unsigned PARTS, class Real>
__device__ __forceinline__ Real sums_of_four(const Real (&x)[4]) {
    const bool high = threadIdx.x & 16, odd = threadIdx.x & 8;
    const Real a = (high ? x[2] : x[0]) + __shfl_xor_sync(ALL, high ? x[0] : x[2], 16);
    const Real b = (high ? x[3] : x[1]) + __shfl_xor_sync(ALL, high ? x[1] : x[3], 16);
    Real sum = (odd ? b : a) + __shfl_xor_sync(ALL, odd ? a : b, 8);
#pragma unroll
    for (unsigned step = 4; step >= PARTS; step /= 2) sum += __shfl_xor_sync(ALL, sum, step);
    return sum;
}

// Sums of g over the neighbours indices[p:end] of a row of the group whose first slot is `base`, in the
// columns wanted that they have seen on a level of this parity; if there are two, the other is that of
// omega + lambda. Any reals stand in the place of g.
//
// Called by a whole warp. Each lane looks at one neighbour's mask; those that matter are queued in
// order, and each lane adds up its four columns of them, four rows of reals in flight. Most columns of
// most neighbours are the ends of their searches, with a lambda of zero, which is not read. Returns the
// nibble of the lane's columns that were hit.
template <class Real, class Pointer, unsigned SUMS, class Arcs>
__device__ __forceinline__ unsigned gather(const State<Real, Pointer> &s, unsigned long long base,
                                           const int *__restrict__ indices, Pointer p, Pointer end,
                                           Mask want, int parity, Queue<SUMS == 2> &queue,
                                           Real (&sums)[SUMS][4], const Arcs &arcs) {
    constexpr unsigned PARTS = sizeof(Mask) / sizeof(Real);
    constexpr unsigned AT_ONCE = 4;  // neighbours
    constexpr bool both = SUMS == 2;
    const unsigned lane = threadIdx.x % WARP;
    const unsigned word = lane / 8, shift = lane % 8 * 4;
    const Seen *const seen = s.seen + base;
    const Real *const g = s.sigma + base * COLUMNS + 4 * lane;
    const Real *const lambda = s.lambda + base * COLUMNS + 4 * lane;

    unsigned near = 0, mine = 0;
    unsigned targets[4] = {};  // sums of omega: fewer than there are nodes
    Mask hit = {}, inner = {};
    unsigned omega = 0;
    const auto look = [&](Pointer at) {
        hit = {};
        if (at < end) {
            near = indices[at];
            hit = want & seen[near].half[parity];
            if constexpr (both) {
                if (hit.any()) {
                    inner = hit & s.inner[base + near].half[parity];
                    omega = unsigned(s.omega[near]);
                }
            }
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
            if constexpr (both) queue.omega[place] = omega, queue.inner[place] = inner;
        }
        __syncwarp();
        double shares = 0;
        if constexpr (Arcs::kept)
            if (counts) shares = arcs.sums[arc];
        p += WARP;
        look(p + lane);
        const unsigned count = __popc(hits);
        unsigned wanting = 0;  // the queued rows whose lambda is to be read
        if constexpr (both) wanting = __ballot_sync(ALL, lane < count && queue.inner[lane].any());
        for (unsigned k = 0; k < count; k += AT_ONCE) {
            Real x[AT_ONCE][4], terms[AT_ONCE];
            unsigned nibble[AT_ONCE];
            // Four columns of the queued rows, as far as the masks ask for them.
            const auto read = [&](const Real *from, const Mask *masks) {
#pragma unroll
                for (unsigned j = 0; j < AT_ONCE; ++j) {
                    nibble[j] = 0;
                    if (k + j < count) {
                        nibble[j] = masks[k + j].word[word] >> shift & 15;
                        load(from + (unsigned long long)queue.near[k + j] * COLUMNS, nibble[j], x[j]);
                    }
                }
            };
            const auto add_up = [&](Real (&sum)[4]) {
#pragma unroll
                for (unsigned j = 0; j < AT_ONCE; ++j)
#pragma unroll
                    for (unsigned i = 0; i < 4; ++i)
                        if (nibble[j] >> i & 1) sum[i] += x[j][i];
            };
            read(g, queue.hit);
            add_up(sums[0]);
#pragma unroll
            for (unsigned j = 0; j < AT_ONCE; ++j) {
                mine |= nibble[j];
                if constexpr (both) {
                    const unsigned weight = queue.omega[(k + j) % WARP];
#pragma unroll
                    for (unsigned i = 0; i < 4; ++i)
                        if (nibble[j] >> i & 1) targets[i] += weight;
                }
                if constexpr (Arcs::kept) terms[j] = arcs.term(nibble[j], x[j]);
            }
            if constexpr (both) {
                if (wanting >> k & 15) {
                    read(lambda, queue.inner);
                    add_up(sums[1]);
                }
            }
            if constexpr (Arcs::kept) {
                const Real part = sums_of_four<PARTS>(terms);
                __syncwarp();  // the masks of these four have been read, and give way to their sums
                if (lane % 8 < PARTS) queue.template parts<Real>(k + lane / 8)[lane % 8] = part;
            }
        }
        __syncwarp();
        if constexpr (Arcs::kept) {
            if (counts) {
                Real share = 0;
#pragma unroll
                for (unsigned i = 0; i < PARTS; ++i) share += queue.template parts<Real>(place)[i];
                arcs.sums[arc] = shares + double(share);
            }
            __syncwarp();
        }
    }
#pragma unroll
    for (unsigned i = 0; i < 4 && both; ++i) sums[SUMS - 1][i] += Real(targets[i]);
    return mine;
}
