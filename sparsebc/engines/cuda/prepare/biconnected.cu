// Biconnected components (blocks) from a BFS tree of each component, and arcs between their rows.
//
// A node v other than a root stands for the edge of the tree from its parent. An edge u - v outside of
// the tree leads to neither's ancestor, and closes a cycle with the paths up to where they meet: the
// edges of these are in one block. So a union-find over them, in which those nearer to the root come
// first, leaves each block its nodes but the top, known by one of the first. Nodes that are not `left`
// take no part.

#include "union_find.cuh"

// A key above all others, signed or not.
constexpr Word NONE = ~Word(0) >> 1;

// Numbers of blocks and nodes, all zero before.
struct Found {
    unsigned blocks;   // how many there are
    unsigned roots;    // of trees, one for each component
    unsigned nodes;    // that are no roots
    unsigned largest;  // most of them in a block
};

// Whether the edge above node a is nearer to the root than that above b, or of a smaller number.
struct Nearer {
    const int *level;
    __device__ bool operator()(int a, int b) const {
        return level[a] != level[b] ? level[a] < level[b] : a < b;
    }
};

// The number that some lane of the warp has that is not negative, or -1; the first's.
__device__ __forceinline__ int some(int mine) {
    const unsigned here = __ballot_sync(ALL, mine >= 0);
    return here ? __shfl_sync(ALL, mine, __ffs(here) - 1) : -1;
}

// The larger, the more neighbours either way; the first of several.
__device__ __forceinline__ Word busy(Count v, const Count *outgoing, const Count *incoming) {
    const Word degree = outgoing[v + 1] - outgoing[v] + incoming[v + 1] - incoming[v];
    return degree << 32 | ~unsigned(v);
}

// busiest[label[v]]: the busiest node left of each component, zero before.
__global__ void elect(int n, const Count *outgoing, const Count *incoming, const bool *left,
                      const int *label, Word *busiest) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    const bool here = v < n && left[v];
    const int mine = here ? label[v] : -1, one = some(mine);
    Word key = here ? busy(v, outgoing, incoming) : 0;
    if (__all_sync(ALL, mine == one || !here)) {
        key = warp_max(key);
        if (threadIdx.x % WARP == 0 && key) atomicMax(&busiest[one], key);
    } else if (here) {
        atomicMax(&busiest[mine], key);
    }
}

// The roots, on level 0; others have no level yet, -1, nor parents, n; but in the component that a search
// has gone through from its root, if there is one, they have theirs. Every edge is a block of its own.
__global__ void plant(int n, const Count *outgoing, const Count *incoming, const bool *left,
                      const int *label, const Word *busiest, const int *known, const Traits *traits,
                      int *level, int *parent, int *joined, Found *found) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    const bool root = v < n && left[v] && busiest[label[v]] == busy(v, outgoing, incoming);
    const unsigned roots = __ballot_sync(ALL, root);
    if (threadIdx.x % WARP == 0 && roots) atomicAdd(&found->roots, __popc(roots));
    if (v >= n) return;
    const bool is_known = known && known[v] >= 0 && left[int(~unsigned(traits->busiest))];
    level[v] = is_known ? known[v] : root ? 0 : -1;
    parent[v] = n;
    joined[v] = int(v);
}

// Join all edges of each cycle that an edge closes, of the first entries of each row, those to larger nodes
// if they lead `upward` only. Let a and b be the first in the blocks, as known so far, of the two ends. As
// long as these hang below different nodes, that of the deeper one is either below where the paths meet, or
// inside of the block that the other is known to have: its edge is in the block.
__global__ void join_cycles(const Count *indptr, const int *indices, int n, bool upward, Count most,
                            const bool *left, const int *level, const int *parent, int *joined) {
    const Nearer nearer = {level};
    share_rows(indptr, n, [=](int v, Count from, Count to) {
        if (!left[v]) return;
        const Count end = min(to, indptr[v] + most);
        for (Count p = from + threadIdx.x % WARP; p < end; p += WARP) {
            const int w = indices[p];
            if ((upward && w < v) || !left[w] || parent[v] == w || parent[w] == v) continue;
            int a = find(joined, v), b = find(joined, w);
            while (a != b) {
                if (parent[a] == parent[b]) {
                    unite(joined, a, b, nearer);
                    break;
                }
                if (level[a] < level[b]) {
                    const int other = a;
                    a = b, b = other;
                }
                unite(joined, a, parent[a], nearer);
                a = find(joined, a);
            }
        }
    });
}

// size[v]: nodes but the top of a block that is known by node v, zero before.
__global__ void count_nodes(int n, const bool *left, const int *parent, const int *joined,
                            unsigned *size) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    const int mine = v < n && left[v] && parent[v] < n ? joined[v] : -1, one = some(mine);
    const unsigned alike = __ballot_sync(ALL, mine >= 0 && mine == one);
    if (threadIdx.x % WARP == 0 && alike) atomicAdd(&size[one], __popc(alike));
    if (mine >= 0 && mine != one) atomicAdd(&size[mine], 1u);
}

// keys: level * 2**32 + v for each block that is known by node v, in any order.
__global__ void first_edges(int n, const int *level, const unsigned *size, Word *keys, Found *found) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned all = v < n ? size[v] : 0, most = all;
    if (all) keys[atomicAdd(&found->blocks, 1u)] = Word(level[v]) << 32 | v;
    all = warp_sum(all), most = warp_max(most);
    if (threadIdx.x % WARP || !all) return;
    atomicAdd(&found->nodes, all);
    atomicMax(&found->largest, most);
}

// Blocks in the order of the keys: their tops, and the number of each at the node that it is known by.
__global__ void number_blocks(int blocks, const Word *keys, const int *parent, int *tops, int *number) {
    const Count b = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    const int v = int(unsigned(keys[b]));
    tops[b] = parent[v];
    number[v] = int(b);
}

// block[v]: the block of the edge above v, -1 where there is none.
__global__ void blocks_of(int n, const bool *left, const int *parent, const int *joined,
                          const int *number, int *block) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (v < n) block[v] = left[v] && parent[v] < n ? number[joined[v]] : -1;
}

// keys[p] = row of the tail * 2**32 + row of the head, in the larger of their blocks; larger where an
// end is not left.
__global__ void arc_keys(const Count *indptr, const int *indices, int n, const bool *left,
                         const int *block, const Count *start, const Count *own_row, Word *keys) {
    share_rows(indptr, n, [=](int v, Count from, Count to) {
        for (Count p = from + threadIdx.x % WARP; p < to; p += WARP) {
            const int w = indices[p], b = max(block[v], block[w]);
            if (!left[v] || !left[w]) {
                keys[p] = NONE;
                continue;
            }
            const Count tail = block[v] == b ? own_row[v] : start[b];
            const Count head = block[w] == b ? own_row[w] : start[b];
            keys[p] = Word(tail) << 32 | head;
        }
    });
}
