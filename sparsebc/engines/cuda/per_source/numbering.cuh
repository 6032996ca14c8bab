// Numbers in the order of distances, by a block of threads: a counting sort.
#pragma once
#include "../common/warp.cuh"

// Sort n nodes, node(0) to node(n - 1), by the distances that distance_of(node) tells, those at `none`
// last, as far as BUCKETS tell them apart: node order[i] has number i. `begin` is memory of so many
// numbers, on the chip.
template <class Node, class Distance>
__device__ void sort_by(const Node &node, const Distance &distance_of, unsigned none, int n,
                        unsigned *begin, int *order, int *place) {
    __shared__ unsigned farthest, of_warps[WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const int share = (BUCKETS + blockDim.x - 1) / blockDim.x;
    const int first = min(int(threadIdx.x) * share, BUCKETS), last = min(first + share, BUCKETS);
    if (threadIdx.x == 0) farthest = 0;
    for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x) begin[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const unsigned d = distance_of(node(i));
        if (d < none && d > *(volatile unsigned *)&farthest) atomicMax(&farthest, d);
    }
    __syncthreads();
    const float scale = (BUCKETS - 1) / (farthest + 1.0f);
    const auto bucket = [&](int v) {
        const unsigned d = distance_of(v);
        return d < none ? min(int(d * scale), BUCKETS - 2) : BUCKETS - 1;
    };
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&begin[bucket(node(i))], 1);
    __syncthreads();
    unsigned total = 0;
    for (int i = first; i < last; ++i) total += begin[i];
    unsigned below = total;
    for (int step = 1; step < WARP; step *= 2) {
        const unsigned other = __shfl_up_sync(ALL, below, step);
        if (lane >= step) below += other;
    }
    if (lane == WARP - 1) of_warps[warp] = below;
    __syncthreads();
    below -= total;
    for (int i = 0; i < warp; ++i) below += of_warps[i];
    for (int i = first; i < last; ++i) {
        const unsigned size = begin[i];
        begin[i] = below;
        below += size;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const int v = node(i), at = atomicAdd(&begin[bucket(v)], 1);
        order[at] = v;
        place[v] = at;
    }
    __syncthreads();
}
