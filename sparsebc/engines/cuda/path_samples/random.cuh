// Random numbers of `engines/cpu/common/random.py`, bit by bit: the i-th of a stream is a hash of its seed
// and i, so that lanes draw theirs side by side.
#pragma once
#include "../common/warp.cuh"


constexpr int THREADS = 256, WARPS = 8;  // of a block, a pair to each of its warps
// As in `cpu/path_samples`: searches of a pair, and the tries of a step.
constexpr int SEARCH = 64, MANY = 4096, EACH = 8, PER_TRY = 16;
constexpr double LARGEST = 3.1217485503159922e+144;  // path count of a half
// As in `cpu/common/random.py`: splitmix64, and the spacing of its numbers.
constexpr double ULP = 1.1102230246251565e-16;
constexpr unsigned long long GOLDEN = 11400714819323198485ull;
constexpr unsigned long long FIRST_FACTOR = 13787848793156543929ull;
constexpr unsigned long long SECOND_FACTOR = 10723151780598845931ull;

using Bits = unsigned long long;

__device__ __forceinline__ Bits mixed(Bits z) {
    z = (z ^ (z >> 30)) * FIRST_FACTOR;
    z = (z ^ (z >> 27)) * SECOND_FACTOR;
    return z ^ (z >> 31);
}

// The stream of a sample; every lane has a copy.
struct Stream {
    Bits state;

    __device__ Stream(Bits seed, Bits number) : state(mixed(seed ^ mixed(number * GOLDEN + GOLDEN))) {}

    __device__ void skip(int numbers) { state += Bits(numbers) * GOLDEN; }

    // In [0, 1), the number after so many others.
    __device__ double uniform(int others = 0) const {
        return double(mixed(state + Bits(others + 1) * GOLDEN) >> 11) * ULP;
    }

    // Below n, each as likely; low halves that would favour some numbers are drawn again.
    __device__ Bits below(Bits n) {
        Bits product = half() * n;
        if (unsigned(product) < n) {
            const Bits unfair = ((1ull << 32) - n) % n;
            while (unsigned(product) < unfair) product = half() * n;
        }
        return product >> 32;
    }

    __device__ Bits half() {
        state += GOLDEN;
        return mixed(state) >> 32;
    }
};

// One of several items, each as likely as its weight says: the k-th takes the place of those before it
// with probability w_k / (w_1 + ... + w_k), by the k-th number of the stream.
struct Choice {
    Stream &stream;
    bool whole;  // weights are integers
    double total = 0;

    // The items of this warp, in the order of the lanes: the lane of the last that is taken, or -1.
    __device__ int add(bool is_item, double weight) {
        const int lane = threadIdx.x % WARP;
        const unsigned items = __ballot_sync(ALL, is_item);
        if (!items) return -1;
        double sum = total + warp_scan(is_item ? weight : 0.0);
        double last = of_lane(sum, WARP - 1);
        if (!whole || last >= 0x1p53) {  // rounding depends on the order, which is that of the CPU
            last = total;
            for (unsigned rest = items; rest; rest &= rest - 1) {
                const int next = __ffs(rest) - 1;
                last += of_lane(weight, next);
                if (lane == next) sum = last;
            }
        }
        const int before = __popc(items & ((1u << lane) - 1));
        const bool is_taken = is_item && stream.uniform(before) * sum <= weight;
        total = last;
        stream.skip(__popc(items));
        const unsigned taken = __ballot_sync(ALL, is_taken);
        return taken ? WARP - 1 - __clz(taken) : -1;
    }
};
