// Weights of the targets of one source, by worker, where pairs count by distance and by themselves:
//
//     omega_s(t) = omega(t) f(d(s, t)) D(s, t)
//
// The row of the demand D is laid out by node before the forward phase; once a distance is known, the node's
// weight takes that place.
#pragma once
#include "decay.cuh"

// f of a distance, by edges of a level, from a table.
template <class State>
__device__ __forceinline__ double decay_of(const State &s, double d) {
    return s.by_level ? s.by_level[int(d)] : weight_of(s.decay, d);
}

// Of the source of a block. Every call is followed by a barrier before another thread's part is read.
template <class State>
struct Targets {
    using Share = typename State::Share;
    const State &s;
    Share *const omega;

    __device__ explicit Targets(const State &s)
        : s(s), omega(s.seeds + (long long)blockIdx.x * s.n) {}

    // Once, before all sources: no node has demand.
    __device__ void clear() const {
        if (s.demand_indptr)
            for (int v = threadIdx.x; v < s.n; v += blockDim.x) omega[v] = 0;
        __syncthreads();
    }

    __device__ void begin(int source) const {
        each_trip(source, [&](int t, double trips) { omega[t] = Share(trips); });
    }

    // By the one thread that has the node, whose f(d) is known.
    __device__ __forceinline__ void seed(int v, double by_distance) const {
        const double weight = double(s.omega[v]) * by_distance;
        omega[v] = Share(s.demand_indptr ? weight * double(omega[v]) : weight);
    }

    __device__ void end(int source) const {
        each_trip(source, [&](int t, double) { omega[t] = 0; });
    }

    // visit(target, demand) for the row of a source.
    template <class Visit>
    __device__ __forceinline__ void each_trip(int source, const Visit &visit) const {
        if (!s.demand_indptr) return;
        const long long end = s.demand_indptr[source + 1];
        for (long long p = s.demand_indptr[source] + threadIdx.x; p < end; p += blockDim.x)
            visit(s.demand_indices[p], s.demand_values[p]);
    }
};
