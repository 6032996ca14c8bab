// Counting sort of nodes by distance, by a block of threads.
#pragma once
#include "../common/warp.cuh"

constexpr int BUCKETS = 8192;    // distances that are told apart
constexpr int NODES_AHEAD = 4;  // nodes of a lane whose distances are on their way together

// Exclusive prefix sum over the threads of a block.
__device__ inline unsigned sum_before(unsigned own) {
    __shared__ unsigned of_warps[WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    unsigned below = warp_scan(own);
    __syncthreads();
    if (lane == WARP - 1) of_warps[warp] = below;
    __syncthreads();
    below -= own;
    for (int i = 0; i < warp; ++i) below += of_warps[i];
    return below;
}

// Sort n different nodes below `all`, by memory of a bit for each that there may be.
__device__ inline void sort_nodes(int *nodes, int n, unsigned *bits, int all) {
    const int words = (all + WARP - 1) / WARP, share = (words + blockDim.x - 1) / blockDim.x;
    const int first = min(int(threadIdx.x) * share, words), last = min(first + share, words);
    for (int i = threadIdx.x; i < words; i += blockDim.x) bits[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicOr(&bits[nodes[i] / WARP], 1u << nodes[i] % WARP);
    __syncthreads();
    int own = 0;
    for (int i = first; i < last; ++i) own += __popc(__ldcg(&bits[i]));
    int at = sum_before(own);
    for (int i = first; i < last; ++i)
        for (unsigned rest = __ldcg(&bits[i]); rest; rest &= rest - 1)
            nodes[at++] = i * WARP + __ffs(rest) - 1;
    __syncthreads();
}

// Sort n nodes, node(0) to node(n - 1), by the bucket of distance_of(node), one of BUCKETS, those at
// `none` last, and within a bucket as they are given: node order[i] has number i.
// `begin` is shared memory of so many numbers.
template <class Node, class DistanceOf, class Distance>
__device__ void sort_by(const Node &node, const DistanceOf &distance_of, Distance none, int n,
                        unsigned *begin, int *order, int *place) {
    __shared__ unsigned farthest;
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const int share = (BUCKETS + blockDim.x - 1) / blockDim.x;
    const int first = min(int(threadIdx.x) * share, BUCKETS), last = min(first + share, BUCKETS);
    if (threadIdx.x == 0) farthest = 0;
    for (int i = threadIdx.x; i < BUCKETS; i += blockDim.x) begin[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const Distance d = distance_of(node(i));
        const unsigned bits = __float_as_uint(float(d));  // in the order of the distances
        if (d < none && bits > *(volatile unsigned *)&farthest) atomicMax(&farthest, bits);
    }
    __syncthreads();
    const float scale = farthest ? (BUCKETS - 1) / __uint_as_float(farthest) : 0;
    const auto bucket = [&](int v) {
        const Distance d = distance_of(v);
        return d < none ? min(int(float(d) * scale), BUCKETS - 2) : BUCKETS - 1;
    };
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&begin[bucket(node(i))], 1);
    __syncthreads();
    unsigned total = 0;
    for (int i = first; i < last; ++i) total += begin[i];
    unsigned below = sum_before(total);
    for (int i = first; i < last; ++i) {
        const unsigned size = begin[i];
        begin[i] = below;
        below += size;
    }
    __syncthreads();
    // A stable sort: one warp takes the nodes in their order, so that they have the same numbers on
    // every run.
    for (int i = lane; warp == 0 && i - lane < n; i += NODES_AHEAD * WARP) {
        int v[NODES_AHEAD], b[NODES_AHEAD];
        for (int j = 0; j < NODES_AHEAD; ++j) {
            v[j] = i + j * WARP < n ? node(i + j * WARP) : -1;
            b[j] = v[j] < 0 ? BUCKETS : bucket(v[j]);
        }
        for (int j = 0; j < NODES_AHEAD; ++j) {
            const unsigned alike = __match_any_sync(ALL, b[j]);
            const int before = __popc(alike & ((1u << lane) - 1));
            if (v[j] >= 0) {
                const int at = begin[b[j]] + before;
                order[at] = v[j];
                place[v[j]] = at;
            }
            __syncwarp();
            if (v[j] >= 0 && before == 0) begin[b[j]] += __popc(alike);
            __syncwarp();
        }
    }
    __syncthreads();
}
