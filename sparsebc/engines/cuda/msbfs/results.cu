// What searches have found, put together: sums over the batches, and predecessors.
#include "msbfs.cuh"

// Add the batches up, in their order.
__global__ void reduce(State s, Count *reached, Count *total, double *harmonic, Count *farthest) {
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v >= s.n) return;
    for (unsigned batch = 0; batch < s.batches; ++batch) {
        const Sums sums = s.sums[Count(batch) * s.n + v];
        reached[v] += sums.reached;
        total[v] += sums.total;
        harmonic[v] += sums.harmonic;
        farthest[v] = max(farthest[v], Count(sums.farthest));
    }
}

// Of a row's neighbours one level above it the first: a thread a node and source.
__global__ void predecessors(const Count *indptr, const int *indices, int n, int sources, int none,
                             const int *levels, int *out) {
    const Count at = Count(blockIdx.x) * THREADS + threadIdx.x;
    if (at >= Count(n) * sources) return;
    const int *level = levels + at / n * n;
    int before = none;
    if (levels[at] > 0) {
        Count p = indptr[at % n];
        while (level[indices[p]] != levels[at] - 1) ++p;
        before = indices[p];
    }
    out[at] = before;
}
