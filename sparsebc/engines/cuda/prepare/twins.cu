// Rows that differ by an exchange of two nodes: hashed, looked up in a table, and compared.
//
// A node has a word, and a row the sum of those of its columns. The word of the row of v is that of open
// twins; with the word of v added, that of closed ones. Of each kind there is a table, by hash: of those
// that have one, the smallest node is proposed as their leader.

#include "rows.cuh"

constexpr unsigned NOWHERE = ~0u;
enum Kind { OPEN, CLOSED, KINDS };

// The finalizer of splitmix64, one to one.
__device__ __forceinline__ Word scrambled(Word word) {
    word += 0x9e3779b97f4a7c15;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
}

// The word of a node, in rows of arcs out or back.
__device__ __forceinline__ Word word_of(int v, bool back) {
    const Word word = scrambled(Word(v));
    return back ? scrambled(word) : word;
}

// A node that no arc leads to is no target.
__device__ __forceinline__ double target(const double *omega, const Count *in_indptr, int v) {
    return in_indptr[v + 1] > in_indptr[v] ? omega[v] : 0.0;
}

// sums[v] += words of row v
__global__ void hash_rows(const Count *indptr, const int *indices, int n, bool back, Word *sums) {
    share_rows(indptr, n, [=](int v, Count from, Count to) {
        Word sum = 0;
        for (Count p = from + threadIdx.x % WARP; p < to; p += WARP) sum += word_of(indices[p], back);
        sum = warp_sum(sum);
        if (threadIdx.x % WARP == 0 && sum) atomicAdd(&sums[v], sum);
    });
}

// Put m nodes into tables of size mask + 1: first[k][place[k][v]] is the smallest node whose hash of kind
// k is that of v. All hashes are 0 before, which none is, and all of first and place NOWHERE.
__global__ void propose(int m, const int *nodes, int n, const Word *sums, const double *omega,
                        const Count *in_indptr, bool directed, unsigned mask, Word *hashes,
                        unsigned *first, unsigned *place) {
    const Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= m) return;
    const int v = nodes[i];
    Word sum = sums[v] + scrambled(__double_as_longlong(target(omega, in_indptr, v)));
    for (int kind = OPEN; kind < KINDS; ++kind) {
        const Word hash = sum | 1;
        unsigned at = unsigned(hash >> 32) & mask;
        for (;; at = (at + 1) & mask) {
            const Word other = atomicCAS(&hashes[at], Word(0), hash);
            if (other == 0 || other == hash) break;
        }
        atomicMin(&first[at], unsigned(v));
        place[v] = at;
        hashes += mask + 1ull, first += mask + 1ull, place += n;
        sum += word_of(v, false) + (directed ? word_of(v, true) : 0);
    }
}

// Mark the rows that are not those of the leaders proposed with the two exchanged; none is marked before.
// Closed twins, a leader before those it leads, are in the other's row and not in their own, so that what
// lies between them is one place earlier.
__global__ void compare(const Count *indptr, const int *indices, int n, unsigned mask,
                        const unsigned *first, const unsigned *place, bool *differs) {
    share_rows(indptr, n, [=](int v, Count from, Count to) {
        const Count begin = indptr[v], end = indptr[v + 1];
        for (int kind = OPEN; kind < KINDS; ++kind) {
            const unsigned at = place[kind * Count(n) + v];
            const int leader = at == NOWHERE ? v : int(first[kind * (mask + 1ull) + at]);
            if (leader == v) continue;
            const Count there = indptr[leader];
            bool other = indptr[leader + 1] - there != end - begin;
            if (kind == CLOSED && !other) {
                const Count p = lower_bound(indices, begin, end, leader);
                other = p == end || indices[p] != leader;
            }
            for (Count p = from + threadIdx.x % WARP; p < to && !other; p += WARP) {
                const int u = indices[p];
                if (kind == OPEN) other = indices[there + p - begin] != u;
                else if (u != leader) other = indices[there + p - begin + (u > v) - (u > leader)] != u;
            }
            if (other) differs[kind * Count(n) + v] = true;
        }
    });
}

// The leader of each node, itself where it has none.
__global__ void settle(int n, unsigned mask, const unsigned *first, const unsigned *place,
                       const bool *differs, const double *omega, const Count *in_indptr, int *leader) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (v >= n) return;
    leader[v] = int(v);
    for (int kind = OPEN; kind < KINDS; ++kind) {
        const unsigned at = place[kind * Count(n) + v];
        if (at == NOWHERE || differs[kind * Count(n) + v]) continue;
        const int one = int(first[kind * (mask + 1ull) + at]);
        if (one != v && target(omega, in_indptr, one) == target(omega, in_indptr, int(v)))
            leader[v] = one;
    }
}
