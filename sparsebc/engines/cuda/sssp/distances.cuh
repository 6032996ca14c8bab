// Lengths and distances, the state of a node in a search, and how a distance is lowered. Lengths are
// integers whose sum is below UNREACHED, or real numbers.
#pragma once
#include "../common/warp.cuh"

constexpr int RESIDENT = 1024;  // threads on a multiprocessor
// Most buckets of a ring; where there is none, the lists near, next, far and kept.
constexpr int RING = 32, LISTS = 4;
// Most arcs of a row in its own place: junctions have no more, and a warp waits for its longest row.
constexpr int SHORT = 6;
constexpr int WARP_DEGREE = 16;  // arcs of a row beyond which a warp shares it
// Whole lengths whose sum stays below this are kept in 32 bits. It marks the unreached, and twice as
// much has room too.
constexpr unsigned UNREACHED = 2147483647;

template <class Length>
struct alignas(2 * sizeof(Length)) Arc {
    Length length;
    int node;
};

__device__ __forceinline__ unsigned lower(unsigned *at, unsigned distance) {
    return atomicMin(at, distance);
}

// The same of a word where it is wanted, by a predicate in place of a branch: a thread has several on
// their way. Returns what was there, or 0.
__device__ __forceinline__ unsigned long long lower_if(bool wanted, void *at,
                                                       unsigned long long word) {
    unsigned long long before = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; @p atom.global.min.u64 %0, [%1], %2; }"
                 : "+l"(before)
                 : "l"(at), "l"(word), "r"(unsigned(wanted))
                 : "memory");
    return before;
}

__device__ __forceinline__ unsigned add_if(bool wanted, unsigned *at, unsigned number) {
    unsigned before = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; @p atom.global.add.u32 %0, [%1], %2; }"
                 : "+r"(before)
                 : "l"(at), "r"(number), "r"(unsigned(wanted))
                 : "memory");
    return before;
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

// Ways to a node at a distance that are no longer tie with the shortest.
__device__ __forceinline__ double bound(double distance, double tau) { return distance + tau; }

__device__ __forceinline__ unsigned bound(unsigned distance, double) { return distance; }

__device__ __forceinline__ void prefetch(const void *at) {
    asm volatile("prefetch.global.L1 [%0];" ::"l"(at));
}

// State of a node in a search, as it begins: distance 0 at the source, none elsewhere.
template <class Length, class Real, bool WAVES>
struct Node;

template <class Length>
struct Node<Length, void, false> {
    Length distance;

    Node() = default;
    __device__ explicit Node(bool source) : distance(source ? Length(0) : unreached<Length>()) {}
};

// In waves, with the last of them that found the node to be near; then with its tight tails, so many
// times TAIL, that are not counted yet, and the bits of the tight arcs of a short row, in and out.
template <>
struct alignas(8) Node<unsigned, void, true> {
    static constexpr unsigned TAIL = 1u << 2 * SHORT;
    unsigned pending;
    unsigned distance;

    __device__ unsigned tight() const { return pending; }
    __device__ void set_tight(unsigned tails, unsigned bits) { pending = TAIL * tails + bits; }

    Node() = default;
    __device__ explicit Node(bool source)
        : pending(0), distance(source ? 0 : unreached<unsigned>()) {}
};

template <>
struct alignas(16) Node<double, void, true> {
    static constexpr unsigned TAIL = 1;
    double distance;
    unsigned pending, arcs;

    __device__ unsigned tight() const { return arcs; }
    __device__ void set_tight(unsigned tails, unsigned bits) { pending = tails, arcs = bits; }

    Node() = default;
    __device__ explicit Node(bool source)
        : distance(source ? 0 : unreached<double>()), pending(0) {}
};

constexpr int aligned(int size) { return size > 16 ? 32 : size > 8 ? 16 : 8; }

template <class Length, class Real, bool WAVES>
struct alignas(aligned(sizeof(Node<Length, void, WAVES>) + sizeof(Real))) Node
    : Node<Length, void, WAVES> {
    Real sigma;  // path counts, then g or h

    Node() = default;
    __device__ explicit Node(bool source) : Node<Length, void, WAVES>(source), sigma(source) {}
};
