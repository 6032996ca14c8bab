// Numbers that wait, a bit each in shared memory, for a block of threads to look at: the lowest of them
// together, a round, until none waits.
#pragma once
#include "../common/warp.cuh"

struct Rounds {
    static constexpr int EACH = 4;  // words of a lane
    static_assert(SPAN == EACH * WARP && MOST >= EACH * WARP);
    int words, round, low;  // and its first word

    // What the block knows of a round, and what was found in two of them.
    struct Lists {
        uint4 taken[WARP];
        int below[WARP], count[2], lowest[2], behind;
        int number[2][MOST];
        unsigned found[2][MOST];
    };

    __device__ Rounds() : words(0), round(0), low(0) {}

    // Numbers there are.
    __device__ void have(int n) { words = (n + WARP - 1) / WARP; }

    __device__ static Lists &lists() {
        __shared__ Lists of_block;
        return of_block;
    }

    // The bits, and a round of others that never wait.
    __device__ static unsigned *waiting() {
        extern __shared__ __align__(16) unsigned bits[];
        return bits;
    }

    // Behind them: numbers that have ever waited, as far as those who have them wait say so.
    __device__ unsigned *met() const { return waiting() + words + SPAN; }

    __device__ bool is_met(int number) const {
        return ((volatile unsigned *)met())[number / WARP] >> number % WARP & 1;
    }

    __device__ void meet(int number) const {
        atomicOr(&met()[number / WARP], 1u << number % WARP);
    }

    __device__ void none_waits() {
        for (int i = threadIdx.x; i < 2 * words + SPAN; i += blockDim.x) waiting()[i] = 0;
        begin();
    }

    // Those that are met, in falling order.
    __device__ void met_wait() {
        for (int i = threadIdx.x; i < words; i += blockDim.x)
            waiting()[i] = __brev(met()[words - 1 - i]);
        begin();
    }

    // The place of a number in that order, and the number of a place.
    __device__ int turn(int number) const { return words * WARP - 1 - number; }

    __device__ void begin() {
        round = low = 0;
        if (threadIdx.x == 0) {
            Lists &l = lists();
            l.count[0] = l.count[1] = l.lowest[0] = l.lowest[1] = 0;
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

    // The lowest numbers that wait do so no more: by one warp.
    __device__ void take(int lane) const {
        Lists &l = lists();
        uint4 &mine = reinterpret_cast<uint4 *>(waiting() + low)[lane];
        uint4 bits = mine;
        const int own = __popc(bits.x) + __popc(bits.y) + __popc(bits.z) + __popc(bits.w);
        int top = own;
        for (int step = 1; step < WARP; step *= 2) {
            const int below = __shfl_up_sync(ALL, top, step);
            if (lane >= step) top += below;
        }
        const bool fits = top <= MOST;
        if (own && fits) mine = {0, 0, 0, 0};
        const unsigned left = __ballot_sync(ALL, own && !fits);
        const int last = __popc(__ballot_sync(ALL, fits)) - 1, size = of_lane(top, last);
        l.taken[lane] = bits;
        l.below[lane] = fits ? top - own : size;
        if (lane) return;
        l.count[round & 1] = size;
        l.lowest[(round + 1) & 1] = low + (left ? EACH * (__ffs(left) - 1) : SPAN);
    }

    // The number of a place among those that were taken.
    __device__ int taken(int place, const uint4 &mine, int below) const {
        int owner = 0;
        for (int step = WARP / 2; step; step /= 2)
            if (of_lane(below, owner + step) <= place) owner += step;
        int left = place - of_lane(below, owner), at = (low + EACH * owner) * WARP;
        const unsigned words[EACH] = {of_lane(mine.x, owner), of_lane(mine.y, owner),
                                      of_lane(mine.z, owner), of_lane(mine.w, owner)};
        unsigned word = words[0];
        for (int j = 1; j < EACH; ++j) {
            const int size = __popc(word);
            if (left < size) break;
            left -= size, word = words[j], at += WARP;
        }
        for (int step = WARP / 2; step; step /= 2) {
            const int size = __popc(word & ((1u << step) - 1));
            if (left >= size) left -= size, word >>= step, at += step;
        }
        return at;
    }

    // visit(a number, or -1) for those that wait, one to each run of lanes that the warp has TOGETHER, or
    // to fewer of them where others had none; in the next round settle(number, what visit has returned)
    // comes first.
    template <int TOGETHER, class Visit, class Settle>
    __device__ void run(const Visit &visit, const Settle &settle) {
        constexpr int LANES = WARP / TOGETHER;
        Lists &l = lists();
        const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
        __syncthreads();
        for (;; ++round) {
            const int now = round & 1;
            for (int i = threadIdx.x; i < l.count[!now]; i += blockDim.x)
                settle(l.number[!now][i], l.found[!now][i]);
            low = l.lowest[now] / EACH * EACH;
            if (low >= words) {
                low = l.behind / EACH * EACH;
                __syncthreads();
                if (low >= words) return;
                if (threadIdx.x == 0) l.behind = (words + EACH - 1) / EACH * EACH;
            }
            if (warp == 0) take(lane);
            __syncthreads();
            const int size = l.count[now];
            const uint4 mine = l.taken[lane];
            const int below = l.below[lane];
            const int share = min(TOGETHER, (size + warps - 1) / warps);
            for (int first = warp * share; first < size; first += warps * share) {
                const int at = first + lane / LANES;
                const bool busy = lane / LANES < share && at < size;
                const int found = taken(at, mine, below), number = busy ? found : -1;
                const unsigned result = visit(number);
                if (busy && lane % LANES == 0)
                    l.number[now][at] = number, l.found[now][at] = result;
            }
            __syncthreads();
        }
    }
};
