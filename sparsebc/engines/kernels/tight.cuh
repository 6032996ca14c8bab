// Distances along lengths: how they are stored, lowered and compared; what a launch gets.
#pragma once

constexpr unsigned ALL = 0xffffffffu;
constexpr int WARP = 32;
constexpr int THREADS = 512;  // of a block: a lane
constexpr int BLOCKS = 2;     // on a multiprocessor
constexpr int FEW = 4;        // arcs that a thread has in hand at once
constexpr int MANY = 16;      // arcs of a row from which a warp shares it
constexpr int RING = 32;      // most buckets
constexpr int LISTS = 4;      // where there are none: near, next, far, kept
constexpr double TELLS = 0.8;  // as in lengths.py

template <class Length>
struct alignas(2 * sizeof(Length)) Arc {
    Length length;
    int node;
};

template <class Length, class Real>
struct alignas(sizeof(Length) + sizeof(Real) > 8 ? 16 : 8) Node {
    Length distance;
    Real sigma;  // path counts, then g
};

// Whole lengths whose sum is below UNREACHED, or any others.
constexpr unsigned UNREACHED = 1u << 31;

__device__ __forceinline__ unsigned lower(unsigned *at, unsigned distance) {
    return atomicMin(at, distance);
}

__device__ __forceinline__ double lower(double *at, double distance) {  // bits in order: all >= 0
    return __longlong_as_double(atomicMin(reinterpret_cast<unsigned long long *>(at),
                                          (unsigned long long)__double_as_longlong(distance)));
}

template <class Length>
__device__ __forceinline__ Length unreached();
template <>
__device__ __forceinline__ unsigned unreached<unsigned>() {
    return UNREACHED;
}
template <>
__device__ __forceinline__ double unreached<double>() {
    return __longlong_as_double(0x7ff0000000000000ll);
}

__device__ __forceinline__ unsigned bound(unsigned distance, double) { return distance; }

__device__ __forceinline__ double bound(double distance, double rtol) {
    return __dadd_rn(distance, __dmul_rn(rtol, distance));  // rounded twice, as on the CPU
}

// Passed by value; the launcher packs the same fields in the same order.
template <class Real, class Pointer, class Length>
struct State {
    const Pointer *out_indptr;
    const Arc<Length> *out_arcs;
    const Pointer *in_indptr;
    const Arc<Length> *in_arcs;
    const Real *omega;         // (n,)
    const int *sources;        // (count,)
    const Real *alpha;         // (count,)
    Node<Length, Real> *nodes; // (blocks, n)
    double *dependency;        // (blocks, n) sums of alpha * delta over the sources of the lane
    int *order;                // (blocks, n) nodes, level by level
    int *starts;               // (blocks, n + 2) where each level starts
    unsigned *pending;         // (blocks, n) tight tails on no level yet; 0 in between
    int *lists;                // (blocks, buckets or LISTS, n) nodes that wait
    unsigned long long *ends;   // (n,) pairs that begin or end at each node, if they are wanted
    unsigned long long *worst;  // bits of the largest path count, as a double
    unsigned long long *fault;  // least tail << 32 | head of the edges that are too short
    unsigned long long *too_far;
    double limit;              // path count from which the results are of no use
    double rtol, farthest, clear;
    double per_width;          // 1 / width of a bucket
    double width;
    int n, lanes, counts_ends, buckets;  // 0 buckets: near and far
};

__device__ __forceinline__ void swap(int *&a, int *&b) {
    int *const c = a;
    a = b, b = c;
}
