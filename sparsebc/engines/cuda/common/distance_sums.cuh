// Sums of distances from a source, by one block of threads.
#pragma once

// Place of a node at distance d, among the sums of all columns.
template <bool WITHIN, class S>
__device__ __forceinline__ long long place_at(const S &s, int v, double d) {
    int column = 0;
    if (WITHIN)
        while (s.cutoffs[column] < d) ++column;
    return WITHIN ? (long long)column * s.n + v : v;
}

// Add the distance d from a source of weight `alpha` to the wanted sums of node v: reached, total,
// harmonic and farthest. No other thread adds to the first three at that time; the warp does not wait
// for the additions.
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
