// Trees folded into their attachment nodes: nodes of degree one are removed again and again.
//
//     alpha(p) += alpha(v),  omega(p) += omega(v),  children(p) += alpha(v) omega(v)    for v folded into p
#include "rows.cuh"

// State of `fold` before anything is folded. links[v]: exclusive or of the neighbours of v, which is
// its neighbour once it has one alone, all zero before. surplus[v]: its degree less two, -2 in sum
// over a tree.
__global__ void unfolded(const Count *indptr, const int *indices, int n, Count *degree,
                         Count *surplus, Count *children, unsigned *links, int *parents) {
    const unsigned lane = threadIdx.x % WARP;
    share_rows(indptr, n, [=](int v, Count from, Count to) {
        unsigned link = 0;
        for (Count p = from + lane; p < to; p += WARP) link ^= indices[p];
        for (unsigned step = WARP / 2; step; step /= 2) link ^= across(link, step);
        if (lane == 0 && link) atomicXor(&links[v], link);
        if (lane || from != indptr[v]) return;
        degree[v] = indptr[v + 1] - indptr[v];
        surplus[v] = degree[v] - 2;
        children[v] = 0;
        parents[v] = -1;
    });
}

// A thread a node of degree one: hand its weights to its neighbour, and go on with that one if this
// leaves it with one neighbour, which happens to one thread alone. The node that a tree is labelled
// by stays, so that of two last nodes one is removed; `surplus` is summed by label.
__global__ void fold(int n, const Count *indptr, const int *label, const Count *surplus,
                     Word *degree, unsigned *links, Word *alpha, Word *omega, Word *children,
                     int *parents) {
    const Count first = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (first >= n || indptr[first + 1] - indptr[first] != 1) return;
    for (unsigned v = unsigned(first); label[v] != v || surplus[v] != -2;) {
        __threadfence();  // additions to v precede the decrease of its degree to one
        const Word a = atomicAdd(&alpha[v], 0ull), o = atomicAdd(&omega[v], 0ull);
        const unsigned parent = atomicXor(&links[v], 0u);
        parents[v] = int(parent);
        degree[v] = 0;
        atomicXor(&links[parent], v);
        atomicAdd(&alpha[parent], a);
        atomicAdd(&omega[parent], o);
        atomicAdd(&children[parent], a * o);
        __threadfence();
        if (atomicAdd(&degree[parent], ~0ull) != 2) return;
        v = parent;
    }
}
