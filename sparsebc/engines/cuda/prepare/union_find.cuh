// Union-find without locks: label[v] starts as v and is the parent in a forest in which every parent
// comes before its child in some order of all nodes, so that in the end a root is the first of its tree,
// in whatever order trees were joined.
#pragma once
#include "rows.cuh"

// The root of a node's tree, with path halving.
__device__ __forceinline__ int find(volatile int *label, int v) {
    for (int up = label[v]; up != v; up = label[v]) {
        const int above = label[up];
        if (above != up) label[v] = above;
        v = up;
    }
    return v;
}

// The order of their numbers.
struct Smaller {
    __device__ bool operator()(int v, int u) const { return v < u; }
};

// Join the trees of two nodes at their roots.
template <class Before = Smaller>
__device__ __forceinline__ void unite(int *label, int v, int u, Before before = {}) {
    int high = find(label, v), low = find(label, u);
    while (high != low) {
        if (before(high, low)) {
            const int other = high;
            high = low, low = other;
        }
        const int old = atomicCAS(&label[high], high, low);
        if (old == high) break;
        high = find(label, old);
    }
}
