// Union-find without locks: label[v] starts as v and is the parent in a forest in which every parent is
// smaller than its child, so that in the end a root is the smallest of its tree, in whatever order trees
// were joined.
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

// Join the trees of two nodes at their roots.
__device__ __forceinline__ void unite(int *label, int v, int u) {
    int high = find(label, v), low = find(label, u);
    while (high != low) {
        if (high < low) {
            const int other = high;
            high = low, low = other;
        }
        const int old = atomicCAS(&label[high], high, low);
        if (old == high) break;
        high = find(label, old);
    }
}

// Full path compression. Each thread writes its own label alone: another's shortcut could undo it.
__global__ void flatten(int n, volatile int *label) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int root = int(v);
    while (label[root] != root) root = label[root];
    label[v] = root;
}
