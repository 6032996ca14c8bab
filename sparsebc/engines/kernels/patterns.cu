// What is done with CSR patterns before any sweep: checks, folding, components, depth, sub-patterns.
//
// Row kernels give a row to a warp. Every result is independent of the order in which warps run.

constexpr unsigned ALL = 0xffffffffu;
constexpr unsigned WARP = 32;

typedef long long Count;
typedef unsigned long long Word;

__device__ __forceinline__ Count first_row() {
    return (Count(blockIdx.x) * blockDim.x + threadIdx.x) / WARP;
}

__device__ __forceinline__ Count row_stride() { return Count(gridDim.x) * blockDim.x / WARP; }

// found[0]: some row does not rise strictly; found[1]: some entry is on the diagonal.
extern "C" __global__ void inspect(const Count *indptr, const int *indices, int n, int *found) {
    const unsigned lane = threadIdx.x % WARP;
    bool unsorted = false, diagonal = false;
    for (Count v = first_row(); v < n; v += row_stride()) {
        for (Count p = indptr[v] + lane; p < indptr[v + 1]; p += WARP) {
            unsorted |= p > indptr[v] && indices[p - 1] >= indices[p];
            diagonal |= indices[p] == v;
        }
    }
    if (unsorted) found[0] = 1;
    if (diagonal) found[1] = 1;
}

// found[0]: some entry (v, u) has no entry (u, v). Rows are sorted.
extern "C" __global__ void asymmetric(const Count *indptr, const int *indices, int n, int *found) {
    const unsigned lane = threadIdx.x % WARP;
    for (Count v = first_row(); v < n; v += row_stride()) {
        if (*(volatile int *)found) return;
        for (Count p = indptr[v] + lane; p < indptr[v + 1]; p += WARP) {
            const int u = indices[p];
            Count low = indptr[u], high = indptr[u + 1];
            while (low < high) {
                const Count middle = (low + high) / 2;
                if (indices[middle] < v) low = middle + 1;
                else high = middle;
            }
            if (low == indptr[u + 1] || indices[low] != v) *found = 1;
        }
    }
}

// keys[p] = row * n + column, or column * n + row
extern "C" __global__ void keys(const Count *indptr, const int *indices, int n, bool transposed,
                                Count *keys) {
    const unsigned lane = threadIdx.x % WARP;
    for (Count v = first_row(); v < n; v += row_stride())
        for (Count p = indptr[v] + lane; p < indptr[v + 1]; p += WARP)
            keys[p] = transposed ? Count(indices[p]) * n + v : v * n + indices[p];
}

// links[v]: exclusive or of the neighbours of v, which is its neighbour once it has one alone.
extern "C" __global__ void links(const Count *indptr, const int *indices, int n, unsigned *links) {
    const unsigned lane = threadIdx.x % WARP;
    for (Count v = first_row(); v < n; v += row_stride()) {
        unsigned link = 0;
        for (Count p = indptr[v] + lane; p < indptr[v + 1]; p += WARP) link ^= indices[p];
        for (unsigned step = WARP / 2; step; step /= 2) link ^= __shfl_xor_sync(ALL, link, step);
        if (lane == 0) links[v] = link;
    }
}

// A thread a node of degree one: hand its weights to its neighbour, and go on with that one if this
// leaves it with one neighbour, which happens to one thread alone. `root` marks one node of every
// tree, which stays, so that of two last nodes one is removed.
extern "C" __global__ void fold(int n, const bool *leaf, const bool *root, Word *degree,
                                unsigned *links, Word *alpha, Word *omega, Word *children,
                                int *parents) {
    const Count first = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (first >= n || !leaf[first]) return;
    for (unsigned v = unsigned(first); !root[v];) {
        __threadfence();  // what was added to v came before its degree fell to one
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

__device__ __forceinline__ int find(volatile int *label, int v) {
    for (int up = label[v]; up != v; up = label[v]) {
        const int above = label[up];
        if (above != up) label[v] = above;
        v = up;
    }
    return v;
}

// label[v] starts as v and ends in the smallest node of its component: a forest in which every label
// is smaller than its node, and each entry joins two trees.
extern "C" __global__ void join(const Count *indptr, const int *indices, int n, int *label) {
    const unsigned lane = threadIdx.x % WARP;
    for (Count v = first_row(); v < n; v += row_stride()) {
        for (Count p = indptr[v] + lane; p < indptr[v + 1]; p += WARP) {
            int high = find(label, int(v)), low = find(label, indices[p]);
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
    }
}

// Each thread writes its own label alone: another's shortcut could undo it.
extern "C" __global__ void flatten(int n, volatile int *label) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int root = int(v);
    while (label[root] != root) root = label[root];
    label[v] = root;
}

// Level depth + 1 of a search: what level `depth` leads to and no level holds (-1).
extern "C" __global__ void advance(const Count *indptr, const int *indices, int n, int depth,
                                   int *level) {
    const unsigned lane = threadIdx.x % WARP;
    for (Count v = first_row(); v < n; v += row_stride()) {
        if (level[v] != depth) continue;
        for (Count p = indptr[v] + lane; p < indptr[v + 1]; p += WARP)
            if (level[indices[p]] < 0) level[indices[p]] = depth + 1;
    }
}

// Entries of rows `nodes` in columns that have a number, at least 0.
extern "C" __global__ void count_kept(const Count *indptr, const int *indices, int m,
                                      const Count *nodes, const int *number, Count *count) {
    const unsigned lane = threadIdx.x % WARP;
    for (Count i = first_row(); i < m; i += row_stride()) {
        const Count v = nodes[i];
        unsigned kept = 0;
        for (Count p = indptr[v] + lane; p < indptr[v + 1]; p += WARP)
            kept += number[indices[p]] >= 0;
        for (unsigned step = WARP / 2; step; step /= 2) kept += __shfl_xor_sync(ALL, kept, step);
        if (lane == 0) count[i] = kept;
    }
}

// keys = i * m + number of the column, for those entries of row nodes[i], from start[i] on.
extern "C" __global__ void renumber(const Count *indptr, const int *indices, int m,
                                    const Count *nodes, const int *number, const Count *start,
                                    Count *keys) {
    const unsigned lane = threadIdx.x % WARP;
    for (Count i = first_row(); i < m; i += row_stride()) {
        const Count v = nodes[i], end = indptr[v + 1];
        Count to = start[i];
        for (Count p = indptr[v]; p < end; p += WARP) {
            const int column = p + lane < end ? number[indices[p + lane]] : -1;
            const unsigned kept = __ballot_sync(ALL, column >= 0);
            if (column >= 0) keys[to + __popc(kept & ((1u << lane) - 1))] = i * m + column;
            to += __popc(kept);
        }
    }
}
