// Numbers that wait, a bit each in shared memory, for a block of threads to look at: the lowest of them
// together, a round, until none waits.
#pragma once
#include "../common/warp.cuh"

struct Rounds {
    static constexpr int MOST = SPAN * WARP;  // numbers of a round
    const int n, words;
    int round, low;  // and its first word
#ifdef CLOCKS
    int visits;
#endif

    // What the block knows of them, those of two rounds.
    struct Lists {
        int count[3], lowest[2], behind;
        int number[2][MOST];
        unsigned found[2][MOST];
    };

    __device__ explicit Rounds(int n) : n(n), words((n + WARP - 1) / WARP), round(0), low(0) {}

    __device__ static Lists &lists() {
        __shared__ Lists of_block;
        return of_block;
    }

    // The bits.
    __device__ static unsigned *waiting() {
        extern __shared__ unsigned bits[];
        return bits;
    }

    __device__ void none_waits() {
        for (int i = threadIdx.x; i < words; i += blockDim.x) waiting()[i] = 0;
        begin();
    }

    __device__ void all_wait() {
        for (int i = threadIdx.x; i < words; i += blockDim.x)
            waiting()[i] = i < n / WARP ? ALL : (1u << n % WARP) - 1;
        begin();
    }

    __device__ void begin() {
        round = low = 0;
        if (threadIdx.x == 0) {
            Lists &l = lists();
            l.count[0] = l.count[1] = l.count[2] = l.lowest[0] = l.lowest[1] = 0;
            l.behind = words;
        }
        __syncthreads();
    }

    // Have a number wait. The next round goes back to it, unless that has been done too often: then
    // all others come first, so that numbers in a bad order take sweeps of all of them, not more.
    __device__ void wait(int number) const {
        const int word = number / WARP;
        atomicOr(&waiting()[word], 1u << number % WARP);
        Lists &l = lists();
        int *const lowest = word < low && round > PATIENCE ? &l.behind : &l.lowest[(round + 1) & 1];
        if (word < *(volatile int *)lowest) atomicMin(lowest, word);
    }

    // visit(a number, or -1) for those that wait, one to each run of lanes that the warp has TOGETHER;
    // in the next round settle(number, what visit has returned) comes first.
    template <int TOGETHER, class Visit, class Settle>
    __device__ void run(const Visit &visit, const Settle &settle) {
        constexpr int LANES = WARP / TOGETHER;
        Lists &l = lists();
        const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
        __syncthreads();
        for (;; ++round) {
            low = l.lowest[round & 1];
            if (low >= words) {
                low = l.behind;
                __syncthreads();
                if (low == words) return;
                if (threadIdx.x == 0) l.behind = words;
            }
            int *const numbers = l.number[round & 1], *const count = &l.count[round % 3];
            const int last = !(round & 1), settled = l.count[(round + 2) % 3];
            for (int i = threadIdx.x; i < settled; i += blockDim.x)
                settle(l.number[last][i], l.found[last][i]);
            for (int word = low + warp; word < min(low + SPAN, words); word += warps) {
                const unsigned bits = waiting()[word];
                if (!bits) continue;
                __syncwarp();
                int place = 0;
                if (lane == 0) {
                    waiting()[word] = 0;
                    place = atomicAdd(count, __popc(bits));
                }
                place = of_lane(place, 0) + __popc(bits & ((1u << lane) - 1));
                if (bits >> lane & 1) numbers[place] = word * WARP + lane;
            }
            if (threadIdx.x == 0) {
                l.lowest[(round + 1) & 1] = low + SPAN;
                l.count[(round + 1) % 3] = 0;
            }
            __syncthreads();
            const int size = *count;
#ifdef CLOCKS
            visits += size;
#endif
            for (int first = warp * TOGETHER; first < size; first += warps * TOGETHER) {
                const int at = first + lane / LANES;
                const unsigned found = visit(at < size ? numbers[at] : -1);
                if (at < size && lane % LANES == 0) l.found[round & 1][at] = found;
            }
            __syncthreads();
        }
    }
};
