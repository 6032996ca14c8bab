// Shuffles, reductions and compaction of a warp; numbers that kernels and launchers share.
#pragma once

constexpr unsigned ALL = 0xffffffffu;  // mask of all lanes
constexpr int WARP = 32;
constexpr int WORD = 32;      // bits of a word
constexpr int LONG_ROW = -2;  // in place of the first neighbour, if the row has more than that place holds
constexpr int NO_PREDECESSOR = -9999;  // as in scipy.sparse.csgraph

// The value of another lane of the warp.
template <class T>
__device__ __forceinline__ T of_lane(const T &mine, int lane) {
    return __shfl_sync(ALL, mine, lane);
}

template <class T>
__device__ __forceinline__ T across(const T &mine, int step) {
    return __shfl_xor_sync(ALL, mine, step);
}

// Sum over the warp, for all of its lanes, in a fixed order.
template <class T>
__device__ __forceinline__ T warp_sum(T sum) {
    for (int step = WARP / 2; step; step /= 2) sum += across(sum, step);
    return sum;
}

template <class T>
__device__ __forceinline__ T warp_max(T most) {
    for (int step = WARP / 2; step; step /= 2) most = max(most, across(most, step));
    return most;
}

template <class T>
__device__ __forceinline__ T warp_min(T least) {
    for (int step = WARP / 2; step; step /= 2) least = min(least, across(least, step));
    return least;
}

// Sums of x[0], .., x[3] over a warp, as far as `PARTS` lanes that are left to be added up: that of
// x[j] in lanes 8 j, .., 8 j + PARTS - 1. Which of the four it is makes no difference to the order of
// the additions.
template <unsigned PARTS, class Real>
__device__ __forceinline__ Real sums_of_four(const Real (&x)[4]) {
    const bool high = threadIdx.x & 16, odd = threadIdx.x & 8;
    const Real a = (high ? x[2] : x[0]) + across(high ? x[0] : x[2], 16);
    const Real b = (high ? x[3] : x[1]) + across(high ? x[1] : x[3], 16);
    Real sum = (odd ? b : a) + across(odd ? a : b, 8);
    for (unsigned step = 4; step >= PARTS; step /= 2) sum += across(sum, step);
    return sum;
}

// Inclusive prefix sum over the first WIDTH lanes.
template <int WIDTH = WARP, class T>
__device__ __forceinline__ T warp_scan(T sum) {
    const int lane = threadIdx.x % WARP;
    for (int step = 1; step < WIDTH; step *= 2) {
        const T before = __shfl_up_sync(ALL, sum, step);
        if (lane >= step) sum += before;
    }
    return sum;
}

// Sums of the long rows of a warp, one row after the other: part(owner) is the partial sum of this lane
// for the row of the lane `owner`, which gets the sum over the warp.
template <class Sum, class Part>
__device__ __forceinline__ void sum_long_rows(bool is_long, Sum &sum, const Part &part) {
    for (unsigned rest = __ballot_sync(ALL, is_long); rest; rest &= rest - 1) {
        const int owner = __ffs(rest) - 1;
        const Sum whole = warp_sum(part(owner));
        if (int(threadIdx.x) % WARP == owner) sum = whole;
    }
}

// Append the `fresh` items to a list of `count` entries: write(j, place) for item j of this thread.
template <int SIZE, class Write>
__device__ __forceinline__ void ballot_append(const bool (&fresh)[SIZE], int *count,
                                              const Write &write) {
    const int lane = threadIdx.x % WARP;
    int total = 0, place = 0;
    for (int j = 0; j < SIZE; ++j) {
        const unsigned all = __ballot_sync(ALL, fresh[j]);
        total += __popc(all);
        place += __popc(all & ((1u << lane) - 1));
    }
    if (!total) return;
    int start = 0;
    if (lane == 0) start = atomicAdd(count, total);
    place += __shfl_sync(ALL, start, 0);
    for (int j = 0; j < SIZE; ++j)
        if (fresh[j]) write(j, place++);
}
