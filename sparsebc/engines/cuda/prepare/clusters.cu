// Nested clusters of a graph, as in the algorithm of Boruvka: in each round a cluster joins the smallest
// that it has an edge to, and those that are linked become one. A cluster is known by its smallest node.

#include "union_find.cuh"

// What cluster a prefers of those that it has edges to: the least of all keys; all bits set before. A key
// has the two sizes in sum, capped, 8 bits of chance that both ends agree on, and the other cluster, so
// that it depends on no order. label[v] is the cluster of v, -1 for nodes that take no part. Nothing is
// done once a round has joined none. Where the pattern is not symmetric (one_way), an arc counts for both
// of its ends. So every cluster with a neighbour joins one, and a round halves their number at least.
__global__ void prefer(const Count *indptr, const int *indices, int n, bool one_way, int round,
                       const int *last, const int *label, const Count *size, Word *preferred) {
    if (*last < round - 1) return;
    share_rows(indptr, n, [=](int v, Count from, Count to) {
        const int a = label[v];
        if (a < 0) return;
        Word least = ~Word(0);
        for (Count p = from + threadIdx.x % WARP; p < to; p += WARP) {
            const int b = label[indices[p]];
            if (b < 0 || b == a) continue;
            const Word both = min(size[a] + size[b], Count(1) << 24) - 1;
            const unsigned chance = (min(a, b) * 2654435761u + max(a, b) * 2246822519u) >> 24;
            const Word key = both << 40 | Word(chance) << 32;
            least = min(least, key | unsigned(b));
            if (one_way && ((volatile Word *)preferred)[b] > (key | unsigned(a)))
                atomicMin(&preferred[b], key | unsigned(a));
        }
        least = warp_min(least);
        if (threadIdx.x % WARP == 0 && ~least) atomicMin(&preferred[a], least);
    });
}

// Clusters that have an edge to none prefer none.
__global__ void link(int n, int round, const int *last, const Word *preferred, int *label) {
    const Count a = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (a < n && *last >= round - 1 && ~preferred[a]) unite(label, int(a), int(unsigned(preferred[a])));
}

// The cluster of each node, which writes its own label alone. One that was a cluster until now has been
// joined to another in this round: when[v] = its key, the other and the round. Its size stays what it was.
__global__ void merge(int n, int round, int *last, Word *preferred, volatile int *label, Count *when,
                       Word *size) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (v >= n || *(volatile int *)last < round - 1 || label[v] < 0) return;
    int root = int(v);
    while (label[root] != root) root = label[root];
    label[v] = root;
    preferred[v] = ~Word(0);
    if (root == v || when[v] >= 0) return;
    when[v] = Count(root) * ROUNDS + round;
    atomicAdd(&size[root], size[v]);
    *last = round;
}

// Each node where its offset says in the cluster that it was joined to, and that one's in its own, upward.
__global__ void arrange(int m, const Count *nodes, const Count *offset, const Count *when,
                        Count *ordered) {
    const Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= m) return;
    Count v = nodes[i], place = offset[v];
    while (when[v] >= 0) {
        v = when[v] / ROUNDS;
        place += offset[v];
    }
    ordered[place] = nodes[i];
}
