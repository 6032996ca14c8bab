// Small path counts in shared memory: half a byte of each node, beside its distance.
//
//     bits 0-2   sigma if it is 1 to 6, or IN_MEMORY: it is more, or has given its place to g
//     bit 3      HAS_HEADS: some tight arc leaves the node
//
// None leaves about half of all nodes, or more. Those have no delta, and g = omega / sigma needs no
// place.
#pragma once
#include "../common/warp.cuh"

struct Codes {
    static constexpr unsigned IN_MEMORY = 7, HAS_HEADS = 8, BITS = 4, EACH = 32 / BITS;
    unsigned *words;  // in shared memory

    __device__ unsigned of(int v) const {
        return words[v / EACH] >> v % EACH * BITS & ((1 << BITS) - 1);
    }

    __device__ void add(int v, unsigned bits) const {
        atomicOr(&words[v / EACH], bits << v % EACH * BITS);
    }

    __device__ static bool is_small(unsigned code) { return (code & IN_MEMORY) != IN_MEMORY; }

    // sigma of a node that is met, if it is small, or 0.
    __device__ unsigned small(int v) const {
        const unsigned code = of(v);
        return is_small(code) ? code & IN_MEMORY : 0;
    }

    // One path leads to the source, and none to others.
    __device__ void clear(int n, int source) const {
        for (int i = threadIdx.x; i < (n + EACH - 1) / EACH; i += blockDim.x)
            words[i] = i == source / EACH ? 1u << source % EACH * BITS : 0;
    }
};
