// The masked product's inner loop: one row pulls from its neighbours.
#pragma once

#include "state.cuh"

// Neighbours that matter to the row of a warp, packed.
struct Queue {
    unsigned neighbors[WARP];
    Mask hit[WARP];

    // Partial sums, in the place of a mask that has been read.
    template <class Real>
    __device__ Real *parts(unsigned place) { return reinterpret_cast<Real *>(&hit[place]); }

    // Their sum.
    template <class Real>
    __device__ double share(unsigned place) {
        Real sum = 0;
#pragma unroll
        for (unsigned i = 0; i < sizeof(Mask) / sizeof(Real); ++i) sum += parts<Real>(place)[i];
        return double(sum);
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

// Write four columns of a row back, with those that were loaded beside them: no other thread writes to
// the row at this time, and values that stay may be read.
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

// Terms of a row's sum that are added up, and no more. Where they are sliced, they are added up elsewhere, and
// their neighbours lie in the queue where the lanes looked at them.
struct Terms {
    static constexpr bool kept = false, sliced = false;
};

// Adds to each arc of a row its terms, weighted and summed over the columns of the batch.
template <class Real>
struct ArcTerms {
    static constexpr bool kept = true, sliced = false;

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

// Masks of the neighbours indices[p:end] of a row, one for each lane of its warp, WARP of them at a time. The
// masks of the next are on their way meanwhile, and the indices of those after them.
template <class Pointer>
struct Looks {
    const Seen *seen;  // of the first slot of the batch
    const int *__restrict__ indices;
    Pointer p, end;
    int parity;  // of the level on which they are seen
    unsigned neighbor = 0, next = 0;
    Mask mask = {};

    __device__ Looks(const Seen *seen, const int *__restrict__ indices, Pointer p, Pointer end, int parity)
        : seen(seen), indices(indices), p(p), end(end), parity(parity) {
        if (end - p > Pointer(lane())) next = indices[p + lane()];
        ask();
    }

    __device__ static unsigned lane() { return threadIdx.x % WARP; }

    // All lanes or none, which the vote tells the compiler.
    __device__ bool any() const { return __any_sync(ALL, p < end); }

    __device__ Pointer arc() const { return p + lane(); }

    __device__ void advance() {
        p += WARP;
        ask();
    }

  private:
    // Neither is waited for before it is needed.
    __device__ void ask() {
        mask = {}, neighbor = next;
        if (end - p > Pointer(lane())) mask = seen[neighbor].half[parity];
        if (end - p > Pointer(WARP + lane())) next = indices[p + WARP + lane()];
    }
};

// Add the four columns of the lane of AT_ONCE queued neighbours, from place k on, to the sums. Returns the nibble
// of those that were hit.
template <unsigned ARRAYS, unsigned AT_ONCE, class Real, class Pointer, class Arcs>
__device__ __forceinline__ unsigned add_queued(const PathCounts<Real, Pointer> &s, unsigned long long base,
                                               Queue &queue, unsigned k, unsigned count,
                                               Real (&sums)[ARRAYS][4], const Arcs &arcs) {
    constexpr unsigned PARTS = sizeof(Mask) / sizeof(Real);
    const unsigned lane = threadIdx.x % WARP;
    const unsigned long long first = base * COLUMNS + 4 * lane;
    unsigned nibble[AT_ONCE], mine = 0;
#pragma unroll
    for (unsigned j = 0; j < AT_ONCE; ++j) {
        nibble[j] = k + j < count ? queue.hit[k + j].word[lane / 8] >> lane % 8 * 4 & 15 : 0;
        mine |= nibble[j];
    }
#pragma unroll
    for (unsigned a = 0; a < ARRAYS; ++a) {
        const Real *const from = (a ? s.h : s.sigma) + first;
        Real x[AT_ONCE][4], terms[AT_ONCE];  // on their way together
#pragma unroll
        for (unsigned j = 0; j < AT_ONCE; ++j)
            if (k + j < count)
                load(from + (unsigned long long)queue.neighbors[k + j] * COLUMNS, nibble[j], x[j]);
#pragma unroll
        for (unsigned j = 0; j < AT_ONCE; ++j)
#pragma unroll
            for (unsigned i = 0; i < 4; ++i)
                if (nibble[j] >> i & 1) sums[a][i] += x[j][i];
        if constexpr (Arcs::kept) {
            if (a) continue;
#pragma unroll
            for (unsigned j = 0; j < AT_ONCE; ++j) terms[j] = arcs.term(nibble[j], x[j]);
            const Real part = sums_of_four<PARTS>(terms);
            __syncwarp();  // the masks of these four have been read, and give way to their sums
            if (lane % 8 < PARTS) queue.parts<Real>(k + lane / 8)[lane % 8] = part;
        }
    }
    return mine;
}

// Sums of the reals in sigma's place, and of those in h's for two ARRAYS, over the neighbours indices[p:end]
// of a row of the batch whose first slot is `base`, in the columns wanted that they have seen on a level of
// this parity.
//
// Called by a whole warp. Each lane looks at one neighbour's mask; those that matter are queued in
// order, and each lane adds up its four columns of them, AT_ONCE rows in flight. Returns the nibble of
// the lane's columns that were hit.
template <unsigned ARRAYS, unsigned AT_ONCE, class Real, class Pointer, class Arcs>
__device__ __forceinline__ unsigned gather(const PathCounts<Real, Pointer> &s, unsigned long long base,
                                           const int *__restrict__ indices, Pointer p, Pointer end,
                                           Mask want, int parity, Queue &queue,
                                           Real (&sums)[ARRAYS][4], Arcs arcs) {
    const unsigned lane = threadIdx.x % WARP;
    Looks<Pointer> look(s.seen + base, indices, p, end, parity);
    unsigned mine = 0;
    while (look.any()) {
        // The arc that the lane looks at, whether it matters, and its place in the queue then.
        const Pointer arc = look.arc();
        const Mask hit = want & look.mask;
        const bool counts = hit.any();
        const unsigned hits = __ballot_sync(ALL, counts), count = __popc(hits);
        const unsigned place = Arcs::sliced ? lane : __popc(hits & ((1u << lane) - 1));
        if (counts || Arcs::sliced) queue.neighbors[place] = look.neighbor, queue.hit[place] = hit;
        __syncwarp();
        look.advance();
        if constexpr (Arcs::sliced) {
            if (count) arcs.take(queue);
        } else {
            for (unsigned k = 0; k < count; k += AT_ONCE)
                mine |= add_queued<ARRAYS, AT_ONCE>(s, base, queue, k, count, sums, arcs);
        }
        __syncwarp();
        if constexpr (Arcs::kept) {
            if (counts) add(arcs.sums[arc], queue.template share<Real>(place));
            __syncwarp();
        }
    }
    if constexpr (Arcs::sliced) mine = arcs.close(sums[0]);
    return mine;
}
