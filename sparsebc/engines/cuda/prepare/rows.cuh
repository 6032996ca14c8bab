// Rows of a CSR pattern, shared out among warps.
#pragma once
#include "../common/binary_search.cuh"
#include "../common/warp.cuh"

constexpr unsigned THREADS = 256;
constexpr int CHUNK = 256;  // entries of a row of which a block looks at the triangles
constexpr int ALIKE = 8;    // nodes of a lane whose numbers are added up by label
constexpr int LONG = 2048;  // entries of a row beyond which several warps share it
constexpr unsigned OUTSIDE = 1, UNTIDY = 2, ONE_WAY = 4;  // what may be wrong with a pattern
constexpr int UNASSIGNED = -1;  // label of a node without a strong component yet
constexpr int ROUNDS = 64;      // in which clusters join, more than there can be: each halves them at least

typedef long long Count;
typedef unsigned long long Word;

// Facts about a pattern that `traits` and `advance` find, all zero before.
struct Traits {
    unsigned long long busiest;  // node of the largest degree: degree, 2**32 - 1 - node
    unsigned leaves;             // nodes of degree one
    unsigned smallest;           // node on some level, as 2**32 - 1 - node
    int last;                    // level that has a node
};

__device__ __forceinline__ Count first_row() {
    return (Count(blockIdx.x) * blockDim.x + threadIdx.x) / WARP;
}

__device__ __forceinline__ Count row_stride() { return Count(gridDim.x) * blockDim.x / WARP; }

// Whether entries [begin, end) are a row that many warps share.
__device__ __forceinline__ bool is_long(Count begin, Count end) { return end - begin > LONG; }

// work(v, from, to) for the entries [from, to) of a row v that fall to this warp, in all of them for
// every entry of a long row once. In each run of LONG entries a long row has the first or the last.
template <class Work>
__device__ __forceinline__ void share_long_rows(const Count *indptr, int n, Count entries,
                                                Work work) {
    for (Count from = first_row() * LONG; from < entries; from += row_stride() * LONG) {
        const Count to = min(from + LONG, entries);
        // The last row that begins at or before an entry has it.
        const int last = upper_bound(indptr, 1, n, to - 1) - 1;
        for (int v = upper_bound(indptr, 1, n, from) - 1;; v = last) {
            const Count begin = indptr[v], end = indptr[v + 1];
            if (begin >= 0 && end <= entries && is_long(begin, end))
                work(v, max(begin, from), min(end, to));
            if (v == last) break;
        }
    }
}

// work(v, from, to) for all rows: a short one once, in one warp; long ones as above.
template <class Work>
__device__ __forceinline__ void share_rows(const Count *indptr, int n, Work work) {
    for (Count v = first_row(); v < n; v += row_stride())
        if (!is_long(indptr[v], indptr[v + 1])) work(int(v), indptr[v], indptr[v + 1]);
    share_long_rows(indptr, n, indptr[n], work);
}

// work(v, from, to) for the rows that `wanted` marks. A warp asks of so many at once, up to 32: of few where
// many are.
template <class Wanted, class Work>
__device__ __forceinline__ void share_rows(const Count *indptr, int n, unsigned at_once, Wanted wanted,
                                           Work work) {
    const unsigned lane = threadIdx.x % WARP;
    for (Count first = first_row() * at_once; first < n; first += row_stride() * at_once) {
        const Count v = first + lane;
        unsigned rows = __ballot_sync(
            ALL, lane < at_once && v < n && wanted(int(v)) && !is_long(indptr[v], indptr[v + 1]));
        for (; rows; rows &= rows - 1) {
            const int row = int(first) + __ffs(rows) - 1;
            work(row, indptr[row], indptr[row + 1]);
        }
    }
    share_long_rows(indptr, n, indptr[n], [=](int v, Count from, Count to) {
        if (wanted(v)) work(v, from, to);
    });
}
