// h in a byte: that of most nodes is small, since most searches end soon after them.
#pragma once

#include "state.cuh"

constexpr unsigned BYTE_OVERFLOW = 255;  // in place of an h from here on, which is with the reals

// A byte for each of four columns: one where the nibble has a bit.
__device__ __forceinline__ unsigned bytes_of(unsigned nibble) {
    return nibble * 0x204081u & 0x1010101u;
}

// SIMD within a register: sums of the bytes of up to 257 neighbours, in a lane's four columns.
struct ByteSums {
    unsigned even = 0, odd = 0;  // of the columns 0 and 2, and of 1 and 3

    // Add the bytes that the nibble asks for; returns the nibble of those that are BYTE_OVERFLOW.
    __device__ __forceinline__ unsigned add(unsigned bytes, unsigned nibble) {
        bytes &= bytes_of(nibble) * 255;
        const unsigned overflow = (((bytes & 0x7f7f7f7fu) + 0x1010101u) & bytes & 0x80808080u) >> 7;
        bytes &= ~(overflow * 255);
        even += bytes & 0xff00ffu;
        odd += bytes >> 8 & 0xff00ffu;
        return overflow * 0x10204080u >> 28;
    }

    template <class Real>
    __device__ __forceinline__ void close(Real (&sums)[4]) {
        sums[0] += Real(even & 0xffff), sums[1] += Real(odd & 0xffff);
        sums[2] += Real(even >> 16), sums[3] += Real(odd >> 16);
        even = odd = 0;
    }
};

// Four columns of a row, those of the nibble alone.
__device__ __forceinline__ void store(unsigned char *to, unsigned nibble, unsigned bytes) {
    if (nibble == 15) {
        *reinterpret_cast<unsigned *>(to) = bytes;
        return;
    }
    for (unsigned i = 0; i < 4; ++i)
        if (nibble >> i & 1) to[i] = bytes >> 8 * i & 255;
}
