// A number whose exponent has a word of its own: path counts where double runs out.
//
// Scaling by powers of two rounds nothing, and a term 2^1022 below the larger term of a sum is far
// below its last digit. The product of a count and the inverse of another one, a share of paths, is
// a plain double again.
#pragma once
#include "warp.cuh"

// 2^e, for e no farther from 0 than that.
__device__ __forceinline__ double power(int e) {
    return __hiloint2double((1023 + max(-1022, min(e, 1022))) << 20, 0);
}

// value * 2^e, of any e.
__device__ __forceinline__ double scaled(double value, int e) {
    e = max(-2044, min(e, 2044));
    return value * power(e / 2) * power(e - e / 2);
}

// mantissa * 2^exponent
struct Extended {
    double mantissa;
    int exponent;  // of no account where the mantissa is 0

    __device__ explicit operator double() const { return scaled(mantissa, exponent); }

    __device__ Extended &operator+=(const Extended &other) {
        const int top = mantissa == 0         ? other.exponent
                        : other.mantissa == 0 ? exponent
                                              : max(exponent, other.exponent);
        mantissa = mantissa * power(exponent - top) + other.mantissa * power(other.exponent - top);
        exponent = top;
        return *this;
    }
};

__device__ __forceinline__ double operator*(const Extended &a, const Extended &b) {
    return scaled(a.mantissa * b.mantissa, a.exponent + b.exponent);
}

__device__ __forceinline__ Extended operator+(double weight, Extended a) {
    return a += {weight, 0};
}

// The number with a mantissa in 1/2..1, if it is not 0.
__device__ __forceinline__ Extended normal(const Extended &a) {
    int shift;
    const double mantissa = frexp(a.mantissa, &shift);
    return {mantissa, a.exponent + shift};
}

__device__ __forceinline__ Extended operator/(double share, const Extended &a) {
    return normal({share / a.mantissa, -a.exponent});
}

// Floats are as they are.
template <class Real>
__device__ __forceinline__ Real normal(const Real &value) {
    return value;
}

__device__ __forceinline__ Extended of_lane(const Extended &mine, int lane) {
    return {of_lane(mine.mantissa, lane), of_lane(mine.exponent, lane)};
}

__device__ __forceinline__ Extended across(const Extended &mine, int step) {
    return {across(mine.mantissa, step), across(mine.exponent, step)};
}
