// Strongly connected components. Nodes of in- or out-degree zero are trimmed, repeatedly; the component of a
// pivot is the intersection of its forward and backward reach; all others follow by colouring [Orzan 2004].
//
// label[v] is a node of the component of v, or UNASSIGNED. Every result is a fixpoint, independent of the order in
// which warps run. *found is the last step that marked a node; the step after one
// that marked none returns at once.

#include "rows.cuh"

// A thread a node that no open one leads to: a component of its own. It may leave others like it,
// one of which the thread goes on with; the rest wait in `next`.
__global__ void peel(const Count *indptr, const int *indices, int size, const int *nodes, int *label,
                     Word *degree, int *next, int *found) {
    const Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= size) return;
    for (int v = nodes[i]; v != UNASSIGNED;) {
        label[v] = v;
        int after = UNASSIGNED;
        for (Count p = indptr[v]; p < indptr[v + 1]; ++p) {
            const int w = indices[p];
            if (atomicAdd(&degree[w], ~0ull) != 1) continue;
            if (after == UNASSIGNED) after = w;
            else next[atomicAdd(found, 1)] = w;
        }
        v = after;
    }
}

// Open nodes of the same colour that those of step i - 1 lead to: when[v] is the step at which v was
// found, 0 for none.
__global__ void reach(const Count *indptr, const int *indices, int n, int i, const int *label,
                      const unsigned *colour, int *when, int *found) {
    if (*(volatile int *)found < i - 1) return;
    const auto is_new = [=](int v) { return when[v] == i - 1; };
    share_rows(indptr, n, WARP, is_new, [=](int v, Count from, Count to) {
        for (Count p = from + threadIdx.x % WARP; p < to; p += WARP) {
            const int w = indices[p];
            if (label[w] == UNASSIGNED && colour[w] == colour[v] && when[w] == 0) when[w] = i, *found = i;
        }
    });
}

// colour[w] = max(colour[w], colour[v]) over open nodes, where that of v rose at step i - 1 or i.
__global__ void spread(const Count *indptr, const int *indices, int n, int i, const int *label,
                       unsigned *colour, volatile int *when, int *found) {
    if (*(volatile int *)found < i - 1) return;
    const auto is_new = [=](int v) { return label[v] == UNASSIGNED && when[v] >= i - 1; };
    share_rows(indptr, n, WARP, is_new, [=](int v, Count from, Count to) {
        const unsigned mine = ((volatile unsigned *)colour)[v];
        for (Count p = from + threadIdx.x % WARP; p < to; p += WARP) {
            const int w = indices[p];
            if (label[w] != UNASSIGNED || ((volatile unsigned *)colour)[w] >= mine) continue;
            if (atomicMax(&colour[w], mine) < mine) when[w] = i, *found = i;
        }
    });
}
