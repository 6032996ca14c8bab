// Scores from the paths of a source, by any kernel that counts them: a block of threads is alone with its
// source, and each row has one writer, so that sums have a fixed order.
#pragma once
#include "sums.cuh"
#include "updates.cuh"

// A row's g = (omega + delta) / sigma and h = omega + lambda, of which those that are wanted are
// set, from the sums of both over the row's successors. What passes through the row goes to its
// scores: nobody else adds to them now, and the warp goes on meanwhile.
template <int SUMS, class Real, class Share>
__device__ __forceinline__ void finish_row(double *scores, double alpha, Share omega,
                                           const Real &sigma, const Real &sum_g, const Real &sum_h,
                                           Real &g, Real &h, double &max_sigma) {
    Share part;
    if constexpr (SUMS & STRESS) {
        stress_update(true, sum_h, omega, sigma, h, part);
        atomicAdd(&scores[place_of<SUMS, STRESS>], alpha * double(part));
        max_sigma = max(max_sigma, double(part));
    }
    if constexpr (SUMS & DEPENDENCY) {
        g = sigma;
        delta_update(true, sum_g, omega, g, part);
        atomicAdd(&scores[place_of<SUMS, DEPENDENCY>], alpha * double(part));
        if constexpr (SUMS & SQUARES)
            atomicAdd(&scores[place_of<SUMS, SQUARES>], alpha * double(part) * double(part));
    }
    if constexpr (SUMS & ENDS) atomicAdd(&scores[place_of<SUMS, ENDS>], alpha * double(omega));
}

// The pairs that begin at the source: its own delta is the sum of omega over the targets it reaches.
template <int SUMS, class Real>
__device__ __forceinline__ void finish_source(double *scores, double alpha, const Real &sigma,
                                              const Real &sum_g) {
    if constexpr (SUMS & ENDS)
        atomicAdd(&scores[place_of<SUMS, ENDS>], alpha * double(sigma * sum_g));
}

// Place of the sums of a column and worker, in units of such sums.
template <bool WITHIN, class State>
__device__ __forceinline__ long long place(const State &s, int column) {
    return WITHIN ? (long long)blockIdx.x * s.columns + column : blockIdx.x;
}

// Tells all blocks of the largest path count; whether it is beyond the limit, for all of a block.
template <class State>
__device__ __forceinline__ bool is_beyond_limit(const State &s, double max_sigma) {
    __shared__ bool beyond;
    const unsigned long long bits = __double_as_longlong(max_sigma);  // ordered like the counts
    if (bits > *(volatile unsigned long long *)s.max_sigma) atomicMax(s.max_sigma, bits);
    __syncthreads();
    if (threadIdx.x == 0)
        beyond = __longlong_as_double(*(volatile unsigned long long *)s.max_sigma) > s.limit;
    __syncthreads();
    return beyond;
}
