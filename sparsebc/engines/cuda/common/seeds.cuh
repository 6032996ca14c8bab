// Weights of the targets of one source, by worker, where pairs count by distance and by themselves:
//
//     omega_s(t) = omega(t) f(d(s, t)) D(s, t)
//
// f is that of `engines/decay.py`. The row of the demand D is laid out by node before the forward phase; once
// a distance is known, the node's weight takes that place.
#pragma once
#include "seeds.gen.cuh"

// Linear between two knots, the first weight before all, 0 beyond the last; knots are distances, then weights.
__device__ inline double between_knots(const double *knots, int count, double d) {
    int k = 0;  // the first that is not nearer
    for (int end = count; k < end;) {
        const int middle = k + (end - k) / 2;
        if (knots[middle] < d) k = middle + 1;
        else end = middle;
    }
    if (k == count) return 0;
    const double *const weights = knots + count;
    if (k == 0 || knots[k] == d) return weights[k];
    const double share = (d - knots[k - 1]) / (knots[k] - knots[k - 1]);
    return weights[k - 1] + share * (weights[k] - weights[k - 1]);
}

// f(d), 0 where it is below LEAST; by edges from a table of the levels.
template <class State>
__device__ __forceinline__ double weight_of(const State &s, double d) {
    if (s.by_level) return s.by_level[(long long)d];
    const double p = s.decay_parameter;
    double f = 1;
    switch (Decay(s.decay)) {
        case Decay::CONSTANT: break;
        case Decay::EXPONENTIAL: f = exp(-p * d); break;
        case Decay::LINEAR: f = 1 - d / p; break;
        case Decay::POWER: f = d > 0 ? pow(d, -p) : 0; break;
        case Decay::GAUSSIAN: f = exp(-0.5 * (d / p) * (d / p)); break;
        case Decay::TABLE: f = between_knots(s.knots, s.knot_count, d); break;
    }
    return f >= LEAST ? f : 0;
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
