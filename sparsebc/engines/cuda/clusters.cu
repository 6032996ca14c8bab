// Clusters of a graph that grow by joining: each joins another that it has an edge to, the smallest.

#include "union_find.cuh"

// What cluster a prefers of the clusters it has edges to: the least of all keys; all bits set before. A
// key has the two sizes in sum, capped, 8 bits of chance that both ends agree on, and the other cluster,
// so that it hangs on no order. cluster[v] is -1 for nodes that take no part.
__global__ void prefer(const Count *indptr, const int *indices, int n, const int *cluster,
                       const Count *size, Word *preferred) {
    share_rows(indptr, n, [=](int v, Count from, Count to) {
        const int a = cluster[v];
        if (a < 0) return;
        Word least = ~Word(0);
        for (Count p = from + threadIdx.x % WARP; p < to; p += WARP) {
            const int b = cluster[indices[p]];
            if (b < 0 || b == a) continue;
            const Word both = min(size[a] + size[b], Count(1) << 24) - 1;
            const unsigned chance = (min(a, b) * 2654435761u + max(a, b) * 2246822519u) >> 24;
            least = min(least, both << 40 | Word(chance) << 32 | unsigned(b));
        }
        for (unsigned step = WARP / 2; step; step /= 2)
            least = min(least, __shfl_xor_sync(ALL, least, step));
        if (threadIdx.x % WARP == 0 && ~least) atomicMin(&preferred[a], least);
    });
}

// label[a] starts as a; clusters that none has an edge to prefer none.
__global__ void join_preferred(int m, const Word *preferred, int *label) {
    const Count a = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (a < m && ~preferred[a]) unite(label, int(a), int(unsigned(preferred[a])));
}

// The place of each node in its cluster becomes that in the cluster that this has joined.
__global__ void climb(int n, const Count *offset, const int *number, int *cluster, Count *place) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (v >= n || cluster[v] < 0) return;
    place[v] += offset[cluster[v]];
    cluster[v] = number[cluster[v]];
}
