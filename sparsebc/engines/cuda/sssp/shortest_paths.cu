// Shortest paths along lengths, from many sources at once: the Near-Far method (Davidson et al. 2014),
// delta-stepping with two buckets.
//
//     D = min(D, D (min .+) A)
//
// Node v has a row of 32 * words distances, a column a source, and a bit in `waiting` for each that
// fell since its edges were last relaxed. A step relaxes those up to a bound, which moves on once
// none of them waits below it. Sums are rounded on the way from the source, as Dijkstra's are, and
// rounding keeps the order: the fixpoint is the same whatever the order of relaxation.
#include "../common/warp.cuh"
#include "relaxation.cuh"

typedef long long Count;
typedef unsigned long long Bits;  // of a distance; those of floats from 0 to inf are in their order

constexpr unsigned SECTOR = 8;   // words that are read together
constexpr unsigned UNROLL = 4;
constexpr Bits INFINITE = 0x7ff0000000000000ull;
constexpr int NONE = 0x7fffffff;

struct Step {
    unsigned long long far;  // least distance that waits beyond the bound, its bits
    double bound;            // of the distances that are relaxed
    unsigned near;           // whether one waits within it
};

// Passed by value.
struct State {
    const Count *indptr;
    const int *indices;
    const double *lengths;
    const int *item_row;      // (items,) edges in chunks, so that a row of many is shared
    const Count *item_begin;
    double *distance;         // (n, 32 * words)
    unsigned *waiting[3];     // (n, words) step i reads those of i % 3, sets the next
    Step *steps;
    double stride;            // from the nearest that waits to the next bound
    unsigned items, words;

    __device__ Count slot(unsigned row, unsigned word) const {
        return (Count(row) * words + word) * 32;
    }
};

__device__ __forceinline__ Bits bits_of(double x) { return __double_as_longlong(x); }

// Bound of the distances of a step, and findings of a warp for the next step: whether a distance waits within
// the bound, and the least one beyond.
struct Ahead {
    double bound;
    bool near;
    Bits far;

    __device__ void waits(double distance) {
        if (distance <= bound) near = true;
        else far = min(far, bits_of(distance));
    }
};

// One edge for one column, or nothing where not `active`; whether the distance fell.
__device__ __forceinline__ bool shorten(double *distance, bool active, double seen, double length,
                                        Ahead &ahead) {
    if (!active || !(length < seen)) return false;
    const Bits bits = bits_of(length);
    if (bits >= atomicMin(reinterpret_cast<Bits *>(distance), bits)) return false;
    ahead.waits(length);
    return true;
}

// Edges [begin, end) of a row, for the columns `now` of a word of it: a lane a column, or a lane an
// edge and one column after the other, whichever takes fewer turns.
__device__ void relax_row(const State &s, unsigned *next, unsigned row, unsigned word, Count begin,
                          Count end, unsigned now, double mine, Ahead &ahead) {
    const unsigned lane = threadIdx.x % WARP;
    const Count edges = end - begin;
    if (__popc(now) * ((edges + WARP - 1) / WARP) < edges) {
        for (; now; now &= now - 1) {
            const unsigned column = __ffs(now) - 1;
            const double from = __shfl_sync(ALL, mine, column);
            for (Count p = begin + lane; p < end; p += WARP) {
                const int v = s.indices[p];
                double *at = &s.distance[s.slot(v, word) + column];
                if (shorten(at, true, __ldcg(at), from + s.lengths[p], ahead))
                    atomicOr(&next[Count(v) * s.words + word], 1u << column);
            }
        }
        return;
    }
    const bool active = now >> lane & 1;
    for (Count p = begin; p < end; p += UNROLL) {
        int v[UNROLL];
        double seen[UNROLL];
        for (unsigned j = 0; j < UNROLL; ++j) {
            v[j] = s.indices[min(p + j, end - 1)];
            seen[j] = active ? __ldcg(&s.distance[s.slot(v[j], word) + lane]) : 0;
        }
        for (unsigned j = 0; j < UNROLL; ++j) {
            if (p + j >= end) break;
            const bool fell = shorten(&s.distance[s.slot(v[j], word) + lane], active, seen[j],
                                      mine + s.lengths[p + j], ahead);
            const unsigned fallen = __ballot_sync(ALL, fell);
            if (lane == 0 && fallen) atomicOr(&next[Count(v[j]) * s.words + word], fallen);
        }
    }
}

// Step i, from the state that step i - 1 left.
__global__ void __launch_bounds__(THREADS) relax(State s, int i) {
    const Step last = s.steps[i - 1];
    if (!last.near && last.far == INFINITE) return;
    Ahead ahead{last.near ? last.bound : __longlong_as_double(last.far) + s.stride, false, INFINITE};
    const unsigned lane = threadIdx.x % WARP, warps = gridDim.x * (THREADS / WARP);
    const Count pairs = Count(s.items) * s.words, turns = (pairs + WARP - 1) / WARP;
    unsigned *now = s.waiting[i % 3], *next = s.waiting[(i + 1) % 3], *old = s.waiting[(i + 2) % 3];
    for (Count turn = blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP; turn < turns;
         turn += warps) {
        // A sector of words here, and more of them far from it, so that the work is spread.
        const Count pair = (lane / SECTOR * turns + turn) * SECTOR + lane % SECTOR;
        unsigned mask = 0, row = 0, word = 0;
        Count begin = 0, end = 0;
        if (pair < pairs) {
            row = s.item_row[pair / s.words];
            word = pair % s.words;
            begin = s.item_begin[pair / s.words];
            mask = now[Count(row) * s.words + word];
            end = min(begin + CHUNK, s.indptr[row + 1]);
            if (begin == s.indptr[row]) old[Count(row) * s.words + word] = 0;
        }
        for (unsigned full = __ballot_sync(ALL, mask); full; full &= full - 1) {
            const unsigned from = __ffs(full) - 1;
            const unsigned v = __shfl_sync(ALL, row, from), w = __shfl_sync(ALL, word, from);
            const Count first = __shfl_sync(ALL, begin, from), stop = __shfl_sync(ALL, end, from);
            const bool waits = __shfl_sync(ALL, mask, from) >> lane & 1;
            const double mine = waits ? __ldcg(&s.distance[s.slot(v, w) + lane]) : 0;
            const unsigned later = __ballot_sync(ALL, waits && mine > ahead.bound);
            const unsigned sooner = __ballot_sync(ALL, waits && mine <= ahead.bound);
            if (later && first == s.indptr[v]) {
                if (lane == 0) atomicOr(&next[Count(v) * s.words + w], later);
                if (later >> lane & 1) ahead.waits(mine);
            }
            if (sooner) relax_row(s, next, v, w, first, stop, sooner, mine, ahead);
        }
    }
    ahead.far = warp_min(ahead.far);
    const bool near = __any_sync(ALL, ahead.near);
    if (lane == 0 && near) s.steps[i].near = 1;
    if (lane == 0 && ahead.far < INFINITE) atomicMin(&s.steps[i].far, ahead.far);
    if (blockIdx.x == 0 && threadIdx.x == 0) s.steps[i].bound = ahead.bound;
}

// The smallest node whose edge makes up the distance, of those that are nearer. Lengths that rounding
// swallows leave nodes without: of `level`, true, are they given one that has one already.
__global__ void __launch_bounds__(THREADS)
    predecessors(State s, bool level, const int *had, int *before) {
    const unsigned lane = threadIdx.x % WARP, warps = gridDim.x * (THREADS / WARP);
    const Count pairs = Count(s.items) * s.words;
    for (Count pair = blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP; pair < pairs;
         pair += warps) {
        const int row = s.item_row[pair / s.words];
        const unsigned word = pair % s.words;
        const Count here = s.slot(row, word) + lane;
        const double mine = s.distance[here];
        const bool may = bits_of(mine) < INFINITE && (!level || mine == 0 || had[here] != NONE);
        if (!__any_sync(ALL, may)) continue;
        const Count begin = s.item_begin[pair / s.words];
        const Count end = min(begin + CHUNK, s.indptr[row + 1]);
        for (Count p = begin; p < end; ++p) {
            const Count there = s.slot(s.indices[p], word) + lane;
            const double theirs = s.distance[there];
            if (!may || mine + s.lengths[p] != theirs) continue;
            if (level ? mine == theirs && had[there] == NONE && theirs != 0 : mine < theirs)
                atomicMin(&before[there], row);
        }
    }
}
