// What the threads of a warp do as one.
#pragma once

constexpr unsigned ALL = 0xffffffffu;  // threads
constexpr int WARP = 32;

// What another lane of the warp has.
template <class T>
__device__ __forceinline__ T of_lane(const T &mine, int lane) {
    return __shfl_sync(ALL, mine, lane);
}

template <class T>
__device__ __forceinline__ T across(const T &mine, int step) {
    return __shfl_xor_sync(ALL, mine, step);
}

// Rows that are long, one after the other: part(owner) is what a lane makes of its part of the row
// of the lane `owner`, whose `sum` becomes that of all parts, in a fixed order.
template <class Sum, class Part>
__device__ __forceinline__ void share_rows(bool is_long, Sum &sum, const Part &part) {
    for (unsigned rest = __ballot_sync(ALL, is_long); rest; rest &= rest - 1) {
        const int owner = __ffs(rest) - 1;
        Sum whole = part(owner);
        for (int step = WARP / 2; step; step /= 2) whole += across(whole, step);
        if (int(threadIdx.x) % WARP == owner) sum = whole;
    }
}

// Append what is `fresh` to a list of `count` entries: write(j, place) for item j of this thread.
template <int SIZE, class Write>
__device__ __forceinline__ void ballot_append(const bool (&fresh)[SIZE], int *count,
                                              const Write &write) {
    const int lane = threadIdx.x % WARP;
    int total = 0, place = 0;
#pragma unroll
    for (int j = 0; j < SIZE; ++j) {
        const unsigned all = __ballot_sync(ALL, fresh[j]);
        total += __popc(all);
        place += __popc(all & ((1u << lane) - 1));
    }
    if (!total) return;
    int start = 0;
    if (lane == 0) start = atomicAdd(count, total);
    place += __shfl_sync(ALL, start, 0);
#pragma unroll
    for (int j = 0; j < SIZE; ++j)
        if (fresh[j]) write(j, place++);
}
