// Sums of distances from a source that a block of threads is alone with.
#pragma once

// Place of a node at distance d, among the sums of all columns.
template <bool WITHIN, class S>
__device__ __forceinline__ long long place_at(const S &s, int v, double d) {
    int column = 0;
    if (WITHIN)
        while (s.cutoffs[column] < d) ++column;
    return WITHIN ? (long long)column * s.n + v : v;
}

// Add the distance d from a source that counts `alpha` to the sums of node v, those that are wanted:
// reached, total, harmonic and farthest. Nobody else adds to the first three now, and the warp goes on
// meanwhile.
template <bool WITHIN, class S>
__device__ __forceinline__ void add(const S &s, int v, double d, double alpha = 1) {
    const long long size = WITHIN ? (long long)s.columns * s.n : s.n;
    const long long place = place_at<WITHIN>(s, v, d);
    double *const sums = s.sums + 3 * blockIdx.x * size + place;
    if (s.wanted & 1) atomicAdd(sums, alpha);
    if (s.wanted & 2) atomicAdd(sums + size, alpha * d);
    if (s.wanted & 4) atomicAdd(sums + 2 * size, alpha / d);
    if (s.wanted & 8) atomicMax(&s.farthest[place], __double_as_longlong(d));  // ordered like distances
}
