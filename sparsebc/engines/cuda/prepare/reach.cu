// Sums over the components that reach a chosen one, and over those that it reaches, in an acyclic graph.
//
//     masks[0][c] = own bit | OR of masks[0][v] over arcs c -> v    chosen components that c reaches
//     masks[1][c] = own bit | OR of masks[1][u] over arcs u -> c    chosen components that reach c
//
// `plane` is the number of components. No arc leaves a block: in its block a chosen component has a rank,
// which is its bit, and a round takes the ranks from `base` on.

#include "reach.gen.cuh"

typedef long long Count;
typedef unsigned long long Word;

// A thread a chosen component: its own bit.
__global__ void mark(Count size, const Count *chosen, const Count *rank, Count base, int words,
                     Count plane, Word *masks) {
    const Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= size || rank[i] < base || rank[i] >= base + words * WORD) return;
    const Count at = chosen[i] * words + (rank[i] - base) / WORD;
    masks[at] = masks[plane * words + at] = Word(1) << (rank[i] - base) % WORD;
}

// A thread a word of an arc, one step: either end hands on what the other lacks. Nothing to do if the
// step before had not. In whatever order, the end is the one fixpoint.
__global__ void hand_on(Count arcs, const int *tails, const int *heads, int step, int words,
                        Count plane, Word *masks, int *found) {
    if (*(volatile int *)found < step - 1) return;
    const Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= arcs * words) return;
    const auto give = [=](Word *from, Word *to) {
        const Word missing = *(volatile Word *)from & ~*(volatile Word *)to;
        if (missing) atomicOr(to, missing), *found = step;
    };
    Word *tail = masks + tails[i / words] * Count(words) + i % words;
    Word *head = masks + heads[i / words] * Count(words) + i % words;
    give(head, tail);
    give(tail + plane * words, head + plane * words);
}

// A block of threads a chosen component: the values of the components of its block that have its bit.
__global__ void add_marked(Count size, const Count *chosen, const Count *rank, Count base, int words,
                       Count plane, const Word *masks, const Count *block, const Count *first,
                       const Word *values, Word *sums) {
    const Count i = blockIdx.x;
    if (rank[i] < base || rank[i] >= base + words * WORD) return;
    const Count word = (rank[i] - base) / WORD, bit = (rank[i] - base) % WORD;
    Word sum[2] = {0, 0};
    for (Count c = first[block[i]] + threadIdx.x; c < first[block[i] + 1]; c += blockDim.x)
        for (int k = 0; k < 2; ++k)
            if (masks[(k * plane + c) * words + word] >> bit & 1) sum[k] += values[k * plane + c];
    for (int k = 0; k < 2; ++k)
        if (sum[k]) atomicAdd(&sums[k * size + i], sum[k]);
}
