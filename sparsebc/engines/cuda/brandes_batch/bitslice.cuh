// Bit-sliced path counts: a lane adds up 32 columns at once, while the numbers are small.
//
// Slice p is the word of bit p of the counts of 32 columns, so that a full adder of bitwise operations
// adds 32 of them at once. A count is kept beside the real as COUNT_PARTS parts of three bits. A word
// of a row's columns has four words of a part: three slices, and the mask of the columns whose count
// has more parts.
#pragma once

#include "gather.cuh"

constexpr unsigned LIMIT = 1u << (PART_BITS * COUNT_PARTS);  // counts from here on are reals alone
constexpr unsigned FLIGHT = 4;  // neighbours that a lane reads at once

// How path counts are read: as reals, bit-sliced where slices are there, or not at all.
enum Counts { REALS, SLICED, ONES };

// Whether rows of some batch are gathered by this phase.
template <class Phase, class S>
__device__ bool any_batch(const S &s, int depth) {
    bool some = false;
    for (unsigned batch = threadIdx.x; batch < s.batches; batch += blockDim.x)
        some |= Phase::takes(s, depth, batch);
    return __syncthreads_or(some);
}

// A full adder: column by column, sum and carry of three bits.
__device__ __forceinline__ unsigned full_add(unsigned &sum, unsigned a, unsigned b) {
    const unsigned carry = (sum & a) | (sum & b) | (a & b);
    sum ^= a ^ b;
    return carry;
}

// A byte for each of four columns: one where the nibble has a bit.
__device__ __forceinline__ unsigned bytes_of(unsigned nibble) {
    return nibble * 0x204081u & 0x1010101u;
}

// Sums of the counts of a row's neighbours: lane w of each quad has the columns of word w, and each
// of a warp's eight quads takes other neighbours. The counts of levels 0 and 1 are ONES.
template <bool ONES>
struct SlicedSum {
    static constexpr bool kept = false, sliced = true;
    static constexpr unsigned QUADS = WARP / WORDS;
    // Slices of a quad's sum, and those of them that are in registers: the rest are rarely reached.
    static constexpr unsigned SLICES = 7 + (ONES ? 1 : PART_BITS * COUNT_PARTS), LOW = ONES ? 4 : 9;
    static_assert(LONGEST_ROW / QUADS == 1 << 7);

    const uint4 *slices;
    unsigned first, part;    // place of the lane's word in the batch's first slot; words of a part
    unsigned low[LOW] = {};  // the sum
    unsigned *high;          // its other slices, in shared memory, WARP words from one to the next
    unsigned high_used = 0;  // not zero if these may not be

    template <class S>
    __device__ SlicedSum(const S &s, unsigned base)
        : slices(s.slices),
          first(base * WORDS + threadIdx.x % WORDS),
          part(s.n * s.batches * WORDS) {
        __shared__ unsigned highs[THREADS / WARP][(SLICES - LOW) * WARP];
        high = highs[threadIdx.x / WARP] + threadIdx.x % WARP;
#pragma unroll
        for (unsigned p = LOW; p < SLICES; ++p) slice(p) = 0;
    }

    __device__ __forceinline__ unsigned &slice(unsigned p) {
        return p < LOW ? low[p] : high[(p - LOW) * WARP];
    }

    // sum += x[0] + .. + x[3], numbers of `bits` bits that begin at slice `from`
    template <unsigned bits>
    __device__ __forceinline__ void add(unsigned from, const unsigned (&x)[bits][FLIGHT]) {
        unsigned in[2 * FLIGHT], n = 0, p = from;  // inputs of slice p, then its carries
#pragma unroll
        for (; p < from + bits + 2; ++p) {  // one carry is left then
#pragma unroll
            for (unsigned j = 0; j < FLIGHT && p < from + bits; ++j) in[n++] = x[p - from][j];
            const unsigned pairs = (n + 1) / 2;
#pragma unroll
            for (unsigned i = 0; i < pairs; ++i) {
                const unsigned other = 2 * i + 1 < n ? in[2 * i + 1] : 0;
                in[i] = full_add(slice(p), in[2 * i], other);
            }
            n = pairs;
            if (p >= LOW) high_used |= slice(p);
        }
        unsigned carry = in[0];
#pragma unroll
        for (; p < LOW; ++p) {
            if (!carry) return;
            carry = full_add(low[p], carry, 0);
        }
        high_used |= carry;
#pragma unroll 1
        for (; carry; ++p) carry = full_add(high[(p - LOW) * WARP], carry, 0);
    }

    // The neighbours of the queue, a warp's look.
    __device__ __forceinline__ void take(const Queue &queue) {
        const unsigned quad = threadIdx.x % WARP / WORDS, word = threadIdx.x % WORDS;
        unsigned hit[1][FLIGHT];
#pragma unroll
        for (unsigned j = 0; j < FLIGHT; ++j) hit[0][j] = queue.hit[QUADS * j + quad].word[word];
        if constexpr (ONES) add(0, hit);
        else read(&queue.neighbors[quad], hit[0]);
    }

    // Their counts, in the columns that were hit, part by part.
    __device__ __forceinline__ void read(const unsigned *neighbors, unsigned (&hit)[FLIGHT]) {
        const uint4 *at = slices;
#pragma unroll
        for (unsigned from = 0; from < PART_BITS * COUNT_PARTS; from += PART_BITS, at += part) {
            uint4 x[FLIGHT];
#pragma unroll
            for (unsigned j = 0; j < FLIGHT; ++j)
                if (hit[j]) x[j] = at[first + neighbors[QUADS * j] * WORDS];
            unsigned bits[PART_BITS][FLIGHT], more = 0;
#pragma unroll
            for (unsigned j = 0; j < FLIGHT; ++j) {
                bits[0][j] = x[j].x & hit[j];
                bits[1][j] = x[j].y & hit[j];
                bits[2][j] = x[j].z & hit[j];
                more |= hit[j] &= x[j].w;
            }
            add(from, bits);
            if (!more) return;
        }
    }

    // The sums of the lane's four columns; returns the nibble of those that were hit.
    template <class Real>
    __device__ __forceinline__ unsigned close(Real (&sums)[4]) {
        return __any_sync(ALL, high_used) ? close<SLICES>(sums) : close<LOW>(sums);
    }

    // The lane's sums, where those of each quad have so many slices.
    template <unsigned FULL, class Real>
    __device__ __forceinline__ unsigned close(Real (&sums)[4]) {
        const unsigned lane = threadIdx.x % WARP;
        unsigned sum[FULL + 3];
#pragma unroll
        for (unsigned p = 0; p < FULL; ++p) sum[p] = slice(p);
#pragma unroll
        for (unsigned stage = 0; stage < 3; ++stage) {
            unsigned carry = 0;
#pragma unroll
            for (unsigned p = 0; p < FULL + stage; ++p)
                carry = full_add(sum[p], __shfl_xor_sync(ALL, sum[p], WORDS << stage), carry);
            sum[FULL + stage] = carry;
        }
        unsigned bytes[3] = {};  // bits 0 to 7 of the four sums, 8 to 15, 16 to 23
#pragma unroll
        for (unsigned p = 0; p < FULL + 3; ++p) {
            const unsigned nibble = __shfl_sync(ALL, sum[p], lane / 8) >> (lane % 8 * 4) & 15;
            bytes[p / 8] += bytes_of(nibble) << p % 8;
        }
        unsigned mine = 0;
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) {
            unsigned count = 0;
#pragma unroll
            for (unsigned b = 0; b < 3; ++b) count |= (bytes[b] >> 8 * i & 255) << 8 * b;
            sums[i] = Real(count), mine |= (count != 0) << i;
        }
        return mine;
    }
};

// Bits of x[0], .., x[3] that any of the eight lanes of a word has: those of x[j] in the lanes 2 j
// and 2 j + 1 of them.
__device__ __forceinline__ unsigned any_of_four(const unsigned (&x)[4]) {
    const bool high = threadIdx.x & 4, odd = threadIdx.x & 2;
    const unsigned a = (high ? x[2] : x[0]) | __shfl_xor_sync(ALL, high ? x[0] : x[2], 4);
    const unsigned b = (high ? x[3] : x[1]) | __shfl_xor_sync(ALL, high ? x[1] : x[3], 4);
    const unsigned any = (odd ? b : a) | __shfl_xor_sync(ALL, odd ? a : b, 2);
    return any | __shfl_xor_sync(ALL, any, 1);
}

// slices<F_depth> = sigma<F_depth> of a row, unless one is too large: then no slice of the batch is
// read from this level on. `found` has the row's new columns beside the lane's; other columns have
// no paths here. No other thread writes to the row at this time, and values that stay may be read.
template <class S, class Real>
__device__ __forceinline__ void write_slices(const S &s, int depth, unsigned slot, unsigned found,
                                      const Real (&paths)[4], Real most) {
    const unsigned lane = threadIdx.x % WARP;
    if (__any_sync(ALL, most >= LIMIT)) {
        if (lane == 0) atomicMin(&s.sliced_until[slot / s.n], unsigned(depth));
        return;
    }
    unsigned counts[4];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) counts[i] = unsigned(paths[i]);
    unsigned *at = reinterpret_cast<unsigned *>(s.slices + slot * WORDS) + lane / 2;
    for (;;) {
        unsigned x[4] = {};
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) {
#pragma unroll
            for (unsigned bit = 0; bit < PART_BITS; ++bit) x[bit] |= (counts[i] >> bit & 1) << i;
            counts[i] >>= PART_BITS;
            x[PART_BITS] |= (counts[i] != 0) << i;
        }
        const bool more = __any_sync(ALL, x[PART_BITS]);
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) x[j] <<= lane % 8 * 4;
        const unsigned fresh = any_of_four(x);
        if (lane % 2 == 0 && found) *at = (*at & ~found) | fresh;
        if (!more) return;
        at += (unsigned long long)s.n * s.batches * WORDS * 4;
    }
}
