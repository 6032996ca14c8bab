// What is left to add up: the ends of pairs between the phases, the groups after them.
#pragma once

#include "state.cuh"

// Each pair (s, t), t reached from s, counts omega(t) at s and at t. Whole numbers, so that the order
// of the additions is of no account.
template <class Real, class Pointer, int WIDTH>
__global__ void ends(State<Real, Pointer, WIDTH> s, int depth) {
    using S = State<Real, Pointer, WIDTH>;
    for (int kind = ROWS; kind <= HUBS; ++kind) {
        const unsigned first = s.levels[0].count[kind];
        const unsigned last = s.begin(depth + 1, Kind(kind));
        for (unsigned i = first + blockIdx.x * blockDim.x + threadIdx.x; i < last;
             i += gridDim.x * blockDim.x) {
            const unsigned long long entry = s.entry(Kind(kind), i);
            const unsigned slot = s.slots[entry], row = slot % s.n, group = slot / s.n;
            const unsigned long long omega = (unsigned long long)s.omega[row];
            if (!omega) continue;
            for (unsigned w = 0; w < S::WORDS; ++w) {
                unsigned bits = s.masks[entry].word[w];
                atomicAdd(&s.ends[row], omega * __popc(bits));
                for (; bits; bits &= bits - 1) {
                    const unsigned column = group * S::COLUMNS + 32 * w + __ffs(bits) - 1;
                    atomicAdd(&s.ends[s.sources[column]], omega);
                }
            }
        }
    }
}

// Add the groups' sums, `size` of them each, to the total in the order of the groups.
__global__ void reduce(const double *sums, unsigned long long size, unsigned groups, double *total) {
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i >= size) return;
    double sum = total[i];
    for (unsigned g = 0; g < groups; ++g) sum += sums[g * size + i];
    total[i] = sum;
}
