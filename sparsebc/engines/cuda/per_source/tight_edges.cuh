// Distances along lengths: how they are stored, lowered and compared.
#pragma once

constexpr unsigned ALL = 0xffffffffu;
constexpr int WARP = 32;
constexpr int THREADS = 512;  // of a block: a lane
constexpr int BLOCKS = 2;     // on a multiprocessor
constexpr double MIN_GAIN = 0.8;  // as in lengths.py

template <class Length>
struct alignas(2 * sizeof(Length)) Arc {
    Length length;
    int node;
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

// What a search keeps of a node, set to where it begins.
template <class Length, class Real>
struct Node;

template <class Length>
struct Node<Length, void> {
    Length distance;

    Node() = default;
    __device__ explicit Node(bool source) : distance(source ? Length(0) : unreached<Length>()) {}
};

template <class Length, class Real>
struct alignas(sizeof(Length) + sizeof(Real) > 8 ? 16 : 8) Node : Node<Length, void> {
    Real sigma;  // path counts, then g or h

    Node() = default;
    __device__ explicit Node(bool source) : Node<Length, void>(source), sigma(source) {}
};

__device__ __forceinline__ unsigned bound(unsigned distance, double) { return distance; }

__device__ __forceinline__ double bound(double distance, double rtol) {
    return __dadd_rn(distance, __dmul_rn(rtol, distance));  // rounded twice, as on the CPU
}
