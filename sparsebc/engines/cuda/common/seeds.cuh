// Weights of the targets of one source, by worker, where pairs count by distance and by themselves:
//
//     omega_s(t) = omega(t) f(d(s, t)) D(s, t)
//
// The row of the demand D is laid out by node before the forward phase; once a distance is known, the node's
// weight takes that place.
#pragma once
#include "decay.cuh"

// Decay and demand, of every kernel that takes seeds.
struct PairWeights {
    const double *by_level;          // f of each level, by edges; else null
    const double *decay;             // the function, as `decay.cuh` has it; by edges not needed
    const long long *demand_indptr;  // (n + 1,) rows of sources; null without demand
    const int *demand_indices;
    const double *demand_values;
};

// f of a distance, by edges of a level, from a table.
template <class State>
__device__ __forceinline__ double decay_of(const State &s, double d) {
    return s.of_pairs.by_level ? s.of_pairs.by_level[int(d)] : weight_of(s.of_pairs.decay, d);
}

// Weights of the targets of a block's source. Every call is followed by a barrier before another thread's part is read.
template <class State>
struct Targets {
    using Share = typename State::Share;
    const State &s;
    Share *const omega;

    __device__ explicit Targets(const State &s)
        : s(s), omega(s.seeds + (long long)blockIdx.x * s.n) {}

    // Once, before all sources: no node has demand.
    __device__ void clear() const {
        if (s.of_pairs.demand_indptr)
            for (int v = threadIdx.x; v < s.n; v += blockDim.x) omega[v] = 0;
        __syncthreads();
    }

    __device__ void begin(int source) const {
        each_trip(source, [&](int t, double trips) { omega[t] = Share(trips); });
    }

    // Weigh a node whose f(d) is known, by the one thread that has it.
    __device__ __forceinline__ void seed(int v, double by_distance) const {
        const double weight = double(s.omega[v]) * by_distance;
        omega[v] = Share(s.of_pairs.demand_indptr ? weight * double(omega[v]) : weight);
    }

    __device__ void end(int source) const {
        each_trip(source, [&](int t, double) { omega[t] = 0; });
    }

    // visit(target, demand) for the row of a source.
    template <class Visit>
    __device__ __forceinline__ void each_trip(int source, const Visit &visit) const {
        if (!s.of_pairs.demand_indptr) return;
        const long long end = s.of_pairs.demand_indptr[source + 1];
        for (long long p = s.of_pairs.demand_indptr[source] + threadIdx.x; p < end; p += blockDim.x)
            visit(s.of_pairs.demand_indices[p], s.of_pairs.demand_values[p]);
    }
};
