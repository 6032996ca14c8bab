// What a block of threads that is alone with its source adds to the sums of distances.
#pragma once

// Of a node at distance d, among those of all columns.
template <bool WITHIN, class S>
__device__ __forceinline__ long long place_at(const S &s, int v, double d) {
    int column = 0;
    if (WITHIN)
        while (s.cutoffs[column] < d) ++column;
    return WITHIN ? (long long)column * s.n + v : v;
}

// Add the distance d from a source that counts `alpha` to the sums of node v: reached, total, harmonic
// and farthest. Nobody else adds to the first three now, and the warp goes on meanwhile.
template <bool WITHIN, class S>
__device__ __forceinline__ void add(const S &s, int v, double d, double alpha = 1) {
    const long long size = WITHIN ? (long long)s.columns * s.n : s.n;
    const long long place = place_at<WITHIN>(s, v, d);
    double *const sums = s.sums + 3 * blockIdx.x * size + place;
    atomicAdd(sums, alpha);
    atomicAdd(sums + size, alpha * d);
    atomicAdd(sums + 2 * size, alpha / d);
    atomicMax(&s.farthest[place], __double_as_longlong(d));  // ordered like the distances
}
