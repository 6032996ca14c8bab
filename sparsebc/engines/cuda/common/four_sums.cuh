// Four sums over a warp at once.
#pragma once
#include "warp.cuh"

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
