// Edges of a matrix of lengths that a triangle rules out.
//
//     needed(u, v) = none of the paths u -> x -> v has w(u, x) + w(x, v) < w(u, v) - slack

#include "rows.cuh"

// Blocks of `rule_out` on a multiprocessor; that of compute capability 7.5 has room for four.
#if __CUDA_ARCH__ == 750
constexpr unsigned RESIDENT = 4;
#else
constexpr unsigned RESIDENT = 6;
#endif

// needed[p] = false for each entry p, u -> v, where a way u -> x -> v is shorter by more than `slack`.
//
// A block has an item: a part of a row u, CHUNK entries u -> x; items are numbered by row, ends[u] of
// them up to and with row u. A table in shared memory maps the columns v of the row to their places,
// and each warp takes one x after the other. A mark is only ever cleared.
//
// With `places` each triangle u, x, v is looked at once, for all its edges: the rows are those of one
// half of a symmetric matrix, of each edge one entry p; places[p] is where it stands in that matrix.
__global__ void __launch_bounds__(THREADS, RESIDENT)
    rule_out(const Count *indptr, const int *indices, int n, const Count *ends,
             const double *lengths, double slack, const Count *places, const Count *all_indptr,
             const int *all_indices, bool *needed) {
    constexpr unsigned SLOTS = 8192, SHARED = 1u << 31;  // several columns have the slot
    __shared__ unsigned slots[SLOTS];                    // in the row, from one on; zero for none
    for (unsigned i = threadIdx.x; i < SLOTS; i += THREADS) slots[i] = 0;
    const unsigned lane = threadIdx.x % WARP;
    const auto leave_out = [&](Count p, Count u, int v) {
        if (!places) needed[p] = false;
        else if (needed[places[p]]) {
            const Count back = lower_bound(all_indices, all_indptr[v], all_indptr[v + 1], int(u));
            needed[places[p]] = needed[back] = false;
        }
    };
    for (Count item = blockIdx.x; item < ends[n - 1]; item += gridDim.x) {
        const Count u = lower_bound(ends, Count(0), Count(n - 1), item + 1);  // the first with ends[u] > item
        const Count begin = indptr[u], end = indptr[u + 1];
        const Count first = begin + (item - (u ? ends[u - 1] : 0)) * CHUNK;
        const Count last = first + CHUNK < end ? first + CHUNK : end;
        __syncthreads();
        for (Count p = begin + threadIdx.x; p < end; p += THREADS) {
            unsigned *const slot = &slots[indices[p] % SLOTS];
            if (atomicCAS(slot, 0u, unsigned(p - begin + 1))) atomicOr(slot, SHARED);
        }
        __syncthreads();
        for (Count p = first + threadIdx.x / WARP; p < last; p += THREADS / WARP) {
            const double step = lengths[p];
            const int x = indices[p];
            const Count stop = indptr[x + 1];
            for (Count q = indptr[x] + lane; q < stop; q += WARP) {
                const int v = indices[q];
                const unsigned place = slots[v % SLOTS];
                if (!place) continue;
                Count at = begin + (place & ~SHARED) - 1;
                if (indices[at] != v) {
                    if (!(place & SHARED)) continue;
                    at = lower_bound(indices, begin, end, v);
                    if (at == end || indices[at] != v) continue;
                }
                const double next = lengths[q], direct = lengths[at];
                if (step + next + slack < direct) leave_out(at, u, v);
                if (places && step + direct + slack < next) leave_out(q, x, v);
                if (places && next + direct + slack < step) leave_out(p, u, x);
            }
        }
        __syncthreads();
        for (Count p = begin + threadIdx.x; p < end; p += THREADS) slots[indices[p] % SLOTS] = 0;
    }
}
