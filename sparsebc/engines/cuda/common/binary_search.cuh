// Binary search in ascending numbers.
#pragma once

// The first place in [begin, end) whose number is not below a value, or the end.
template <class Number, class Place>
__device__ __forceinline__ Place lower_bound(const Number *rising, Place begin, Place end, Number value) {
    while (begin < end) {
        const Place middle = begin + (end - begin) / 2;
        if (rising[middle] < value) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

// The first place in [begin, end) whose number is above a value, or the end.
template <class Number, class Place>
__device__ __forceinline__ Place upper_bound(const Number *rising, Place begin, Place end, Number value) {
    while (begin < end) {
        const Place middle = begin + (end - begin) / 2;
        if (rising[middle] <= value) begin = middle + 1;
        else end = middle;
    }
    return begin;
}
