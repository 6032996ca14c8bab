// Numbers that wait, a bit each, for a block of threads to look at: the lowest of them together, a round,
// until none waits.
//
// Those that wait are close together, so a window of the bits is in shared memory, where rounds look, and
// moves with them. Bits of numbers far ahead or behind are in global memory.
#pragma once
#include "../common/warp.cuh"

constexpr int SPAN = 128;  // words that a round looks at
constexpr int PATIENCE = 16384;  // rounds that may go back to what waits behind
constexpr int WINDOW = 4096;     // words of each of two windows of bits in the same memory

// A round takes MOST of them.
template <class Found, int MOST>
struct Rounds {
    static constexpr int WORDS = 4;  // of a lane
    static constexpr int BACK = 4;  // one in so many words of the window lies behind a round
    static_assert(SPAN == WORDS * WARP && MOST >= WORDS * WARP && WINDOW >= 2 * SPAN);
    int words, round, low;  // and its first word

    // State of a round in shared memory, and results of two rounds.
    struct Lists {
        uint4 taken[WARP];  // words, and how many of the numbers are below each
        int4 below[WARP];
        int count[2], lowest[2], behind;
        int base;  // first word of the window
        unsigned *outside;  // (2, words) bits in global memory: of the words that are not in the window
        int number[2][MOST];
        Found found[2][MOST];
    };

    __device__ Rounds(unsigned *bits) : words(0), round(0), low(0) {
        if (threadIdx.x == 0) lists().outside = bits;
    }

    // Numbers there are.
    __device__ void have(int n) { words = (n + WARP - 1) / WARP; }

    __device__ static unsigned *outside() { return lists().outside; }
    __device__ static int base() { return lists().base; }

    __device__ static Lists &lists() {
        __shared__ Lists of_block;
        return of_block;
    }

    // Bits of the window: numbers that wait; and those that are met, as `meet` has told.
    __device__ static unsigned *waiting() {
        extern __shared__ __align__(16) unsigned bits[];
        return bits;
    }

    __device__ static unsigned *met() { return waiting() + WINDOW; }

    __device__ bool is_met(int number) const {
        const int word = number / WARP;
        const unsigned at = word - base();
        const unsigned bits = at < WINDOW ? ((volatile unsigned *)met())[at]
                                          : ((volatile unsigned *)outside())[words + word];
        return bits >> number % WARP & 1;
    }

    __device__ void meet(int number) const { set(number, met(), words); }

    // A bit of the window's, or of those outside from word `first` on.
    __device__ void set(int number, unsigned *inside, int first) const {
        const int word = number / WARP;
        const unsigned at = word - base(), bit = 1u << number % WARP;
        if (at < WINDOW) atomicOr(&inside[at], bit);
        else atomicOr(&outside()[first + word], bit);
    }

    __device__ void none_waits() {
        for (int i = threadIdx.x; i < 2 * words; i += blockDim.x) outside()[i] = 0;
        begin();
    }

    // Have all numbers that are met wait, in falling order.
    __device__ void met_wait() {
        leave();
        for (int i = threadIdx.x; i < words; i += blockDim.x)
            outside()[i] = __brev(__ldcg(&outside()[2 * words - 1 - i]));
        begin();
    }

    // The place of a number in that order, and the number of a place.
    __device__ int turn(int number) const { return words * WARP - 1 - number; }

    // The bits of the window go to where the others are.
    __device__ void leave() const {
        __syncthreads();
        for (int i = threadIdx.x; i < min(WINDOW, words - base()); i += blockDim.x) {
            outside()[base() + i] = waiting()[i];
            outside()[words + base() + i] = met()[i];
        }
        __syncthreads();
    }

    // The window begins at a word, with the bits that are there.
    __device__ void enter(int word) {
        __syncthreads();
        if (threadIdx.x == 0) lists().base = word;
        for (int i = threadIdx.x; i < WINDOW; i += blockDim.x) {
            const bool is_there = word + i < words;
            waiting()[i] = is_there ? __ldcg(&outside()[word + i]) : 0;
            met()[i] = is_there ? __ldcg(&outside()[words + word + i]) : 0;
        }
        __syncthreads();
    }

    __device__ void begin() {
        round = low = 0;
        if (threadIdx.x == 0) {
            Lists &l = lists();
            l.count[0] = l.count[1] = l.lowest[0] = l.lowest[1] = 0;
            l.behind = words;
        }
        enter(0);
    }

    // Have a number wait. The next round goes back to it, unless that has been done too often: then
    // all others come first, so that numbers in a bad order take sweeps of all of them, not more.
    __device__ void wait(int number) const {
        const int word = number / WARP;
        set(number, waiting(), 0);
        Lists &l = lists();
        int *const lowest = word < low && round > PATIENCE ? &l.behind : &l.lowest[(round + 1) & 1];
        if (word < *(volatile int *)lowest) atomicMin(lowest, word);
    }

    // The lowest numbers that wait do so no more: by one warp.
    __device__ void take(int lane) const {
        Lists &l = lists();
        uint4 &mine = reinterpret_cast<uint4 *>(waiting() + (low - base()))[lane];
        uint4 bits = mine;
        const int own = __popc(bits.x) + __popc(bits.y) + __popc(bits.z) + __popc(bits.w);
        const int top = warp_scan(own);
        const bool fits = top <= MOST;
        if (own && fits) mine = {0, 0, 0, 0};
        const unsigned left = __ballot_sync(ALL, own && !fits);
        const int last = __popc(__ballot_sync(ALL, fits)) - 1, size = of_lane(top, last);
        l.taken[lane] = fits ? bits : uint4{0, 0, 0, 0};
        const int first = top - own, second = first + __popc(bits.x);
        const int third = second + __popc(bits.y), fourth = third + __popc(bits.z);
        l.below[lane] = {first, second, third, fourth};
        if (lane) return;
        l.count[round & 1] = size;
        l.lowest[(round + 1) & 1] = low + (left ? WORDS * (__ffs(left) - 1) : SPAN);
    }

    // The numbers of those words, in order: a word to a thread.
    __device__ void list() const {
        if (threadIdx.x >= SPAN) return;
        Lists &l = lists();
        unsigned rest = reinterpret_cast<const unsigned *>(l.taken)[threadIdx.x];
        int at = reinterpret_cast<const int *>(l.below)[threadIdx.x];
        for (; rest; rest &= rest - 1)
            l.number[round & 1][at++] = (low + threadIdx.x) * WARP + __ffs(rest) - 1;
    }

    // visit(a number, or -1) for those that wait, one to each run of lanes that the warp has TOGETHER, or
    // to fewer of them where others had none; the next round begins with settle(number, result of visit).
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
            low = l.lowest[now] / WORDS * WORDS;
            if (low >= words) {
                low = l.behind / WORDS * WORDS;
                __syncthreads();
                if (low >= words) return;
                if (threadIdx.x == 0) l.behind = (words + WORDS - 1) / WORDS * WORDS;
            }
            if (low < base() || low + SPAN > base() + WINDOW) {
                leave();
                enter(max(0, low - WINDOW / BACK) / WORDS * WORDS);
            }
            if (warp == 0) take(lane);
            __syncthreads();
            list();
            __syncthreads();
            const int size = l.count[now];
            for (int first = 0, share; first < size; first += warps * share) {
                share = min(TOGETHER, (size - first + warps - 1) / warps);
                const int at = first + warp * share + lane / LANES;
                if (first + warp * share >= size) break;
                const bool busy = lane / LANES < share && at < size;
                const Found result = visit(busy ? l.number[now][at] : -1);
                if (busy && lane % LANES == 0) l.found[now][at] = result;
            }
            __syncthreads();
        }
    }
};
