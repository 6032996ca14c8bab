// Brandes' two phases on many batches of sources: one masked product, two epilogues.
//
//     forward    sigma<F_{d+1}> = A' (sigma<F_d>)
//     backward   delta<F_d> = sigma .* (A g<F_{d+1}>),   g = (omega + delta) ./ sigma
//     stress     lambda<F_d> = A h<F_{d+1}>,   h = omega + lambda
//     arcs       eb(u -> v) += alpha sigma(u) g(v)
//
// Sizes of levels stay on the device: launches need no counts, and a step past the last level does
// nothing. The search is direction-optimizing: a small frontier lists the rows that pull, or every
// unfinished row pulls. Atomic counters hand out work in any order; each element has one writer, and sums
// run in a fixed order, so that results have the same bits on every run.
#include "frontier.cuh"
#include "gather.cuh"
#include "bitslice.cuh"
#include "starts.cuh"
#include "state.cuh"
#include "../common/updates.cuh"

// Flag the batch of a row as out of range if a path count exceeds the exact range of Real, or is NaN. Such
// a batch has no part in the sums.
template <class S, class Real>
__device__ __forceinline__ void watch(const S &s, unsigned slot, Real paths) {
    if (!(paths <= Real(s.limit))) s.out_of_range[slot / s.n] = 1;
}

// sigma<F_{d+1}> = A' (sigma<F_d>), for d = depth - 1
template <class Real, class Pointer, Counts COUNTS, bool KEEPS>
struct Forward {
    using S = PathCounts<Real, Pointer>;

    static constexpr Work rows = COUNTS == REALS ? FORWARD : FORWARD_SLICED, hubs = FORWARD_HUBS;
    static constexpr bool forwards = true;
    static constexpr unsigned arrays = 1;  // sigma

    __device__ static auto terms(const S &s, unsigned slot, const Mask &) {
        if constexpr (COUNTS == REALS) return Terms();
        else return SlicedSum<COUNTS == ONES>(s, slot - slot % s.n);
    }

    // A batch's rows are gathered by slices if it has them.
    __device__ static bool takes(const S &s, int depth, unsigned batch) {
        return COUNTS == ONES || s.is_sliced(depth, batch) == (COUNTS == SLICED);
    }

    __device__ static bool idle(const S &s, int depth) { return s.finished(depth - 1); }

    __device__ static bool dense(const S &s, int depth) { return s.dense(depth - 1); }

    __device__ static auto indptr(const S &s) { return s.in_indptr; }

    __device__ static auto indices(const S &s) { return s.in_indices; }

    __device__ static auto want(const S &s, unsigned slot, unsigned long long) {
        return s.seen[slot].unseen();
    }

    __device__ static bool leaf(const S &, int) { return false; }

    // The lane's four sums become path counts. Returns the word of new columns to all of its lanes.
    __device__ static unsigned finish(const S &s, int depth, unsigned slot, bool source,
                                      unsigned mine, Real (&sum)[4]) {
        const unsigned lane = threadIdx.x % WARP;
        if (source) mine |= start_here(s, depth, slot, sum);
        Real paths[4], most = 0;
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) {
            sigma_update(mine >> i & 1, sum[i], paths[i]);
            most = max(most, sum[i]);  // zero where nothing is new
        }
        watch(s, slot, most);
        store(s.sigma + (unsigned long long)slot * COLUMNS + 4 * lane, mine, paths);
        unsigned found = mine << (lane % 8 * 4);
        for (unsigned step = 1; step < 8; step *= 2) found |= __shfl_xor_sync(ALL, found, step);
        if (lane % 8 == 0 && found) atomicOr(&s.seen[slot].half[depth & 1].word[lane / 8], found);
        if constexpr (KEEPS)
            if ((depth > LAST_ONES || s.last_start) && (COUNTS != REALS || s.is_sliced(depth + 1, slot / s.n)))
                write_slices(s, depth, slot, found, sum, most);
        return found;
    }
};

// delta<F_d> = sigma .* (A g<F_{d+1}>), g in sigma's place, for d = depth
// lambda<F_d> = A h<F_{d+1}>, h beside g or, without it, in sigma's place
template <class Real, class Pointer, int SUMS>
struct Backward {
    using S = Scores<Real, Pointer>;

    static constexpr Work rows = BACKWARD, hubs = BACKWARD_HUBS;
    static constexpr bool forwards = false;
    static constexpr bool delta = SUMS & DEPENDENCY, arcs = SUMS & ARCS;
    static constexpr bool stress = SUMS & STRESS, square = SUMS & SQUARES;
    static constexpr bool ends = SUMS & ENDS, to_source = at_source(SUMS);
    static constexpr unsigned arrays = delta + stress;  // that a row gathers

    __device__ static bool takes(const S &, int, unsigned) { return true; }

    __device__ static bool dense(const S &, int) { return false; }

    __device__ static auto indptr(const S &s) { return s.out_indptr; }

    __device__ static auto indices(const S &s) { return s.out_indices; }

    __device__ static auto want(const S &s, unsigned, unsigned long long entry) {
        return s.masks[entry];
    }

    // The deepest level has no successors.
    __device__ static bool leaf(const S &s, int depth) { return s.finished(depth + 1); }

    // Shares of arcs, or no more than the sum, from the terms of a row.
    __device__ static auto terms(const S &s, unsigned slot, const Mask &mask) {
        if constexpr (arcs) {
            const unsigned lane = threadIdx.x % WARP, batch = slot / s.n;
            const unsigned here = mask.word[lane / 8] >> (lane % 8 * 4) & 15;
            const unsigned long long at = (unsigned long long)slot * COLUMNS + 4 * lane;
            ArcTerms<Real> terms{s.shares + batch * s.graph_arcs};
#pragma unroll
            for (unsigned i = 0; i < 4; ++i)
                if (here >> i & 1)
                    terms.weight[i] = s.alpha[batch * COLUMNS + 4 * lane + i] * s.sigma[at + i];
            return terms;
        } else {
            return Terms();
        }
    }

    // Adds up the pairs that begin at a row: the delta of a source, whose sigma is 1, is the sum of
    // omega over its targets.
    __device__ static void begin_here(const S &s, unsigned slot, unsigned here,
                                      const Real (&sum_g)[4]) {
        const unsigned lane = threadIdx.x % WARP;
        const auto *alpha = s.alpha + slot / s.n * COLUMNS + 4 * lane;
        double pairs = 0;
#pragma unroll
        for (unsigned i = 0; i < 4; ++i)
            if (here >> i & 1) pairs += double(alpha[i]) * double(sum_g[i]);
        pairs = warp_sum(pairs);
        if (lane == 0) add(s.ends[slot], pairs);
    }

    // Set g and h from the lane's four sums, and add delta and stress to the row's totals; `word` has the
    // columns of the row in the lane's mask word. delta_s(s) is no part of the score of s.
    __device__ static void finish(const S &s, int depth, unsigned slot, bool source, unsigned word,
                                  Real (&sums)[arrays][4]) {
        const Real(&sum_g)[4] = sums[0], (&sum_h)[4] = sums[arrays - 1];
        const unsigned lane = threadIdx.x % WARP, row = slot % s.n, batch = slot / s.n;
        unsigned here = word >> (lane % 8 * 4) & 15;
        if (to_source && depth == 0) {
            if constexpr (ends) begin_here(s, slot, here, sum_g);
            return;
        }
        if (source) here &= ~columns_from_here(s, slot);
        double total = 0, through = 0, squares = 0, ending = 0;
        if (here) {
            const unsigned long long at = (unsigned long long)slot * COLUMNS + 4 * lane;
            const auto *alpha = s.alpha + batch * COLUMNS + 4 * lane;
            const auto omega = s.omega[row];
            Real own[4], h[4];  // sigma, then g, or h without g
            load(s.sigma + at, here, own);
#pragma unroll
            for (unsigned i = 0; i < 4; ++i) {
                Real part;
                if (here >> i & 1) {
                    if constexpr (ends) ending += double(alpha[i]) * double(omega);
                    if constexpr (stress) {
                        stress_update(true, sum_h[i], omega, own[i], h[i], part);
                        watch(s, slot, part);
                        through += double(alpha[i]) * double(part);
                    }
                    if constexpr (delta) {
                        delta_update(true, sum_g[i], omega, own[i], part);
                        total += double(alpha[i]) * double(part);
                        if constexpr (square)
                            squares += double(alpha[i]) * double(part) * double(part);
                    }
                }
            }
            if constexpr (delta) put_back(s.sigma + at, here, own);
            if constexpr (stress) store((delta ? s.h : s.sigma) + at, here, h);
        }
        for (unsigned step = WARP / 2; step; step /= 2) {
            if constexpr (delta) total += __shfl_xor_sync(ALL, total, step);
            if constexpr (stress) through += __shfl_xor_sync(ALL, through, step);
            if constexpr (square) squares += __shfl_xor_sync(ALL, squares, step);
            if constexpr (ends) ending += __shfl_xor_sync(ALL, ending, step);
        }
        if (lane == 0) {
            if constexpr (delta) add(s.dependency[slot], total);
            if constexpr (stress) add(s.stress[slot], through);
            if constexpr (square) add(s.squares[slot], squares);
            if constexpr (ends) add(s.ends[slot], ending);
        }
        if (lane % 8 == 0) s.seen[slot].half[depth & 1].word[lane / 8] = word;
    }
};

// A row to gather, found by one lane for the whole warp.
template <class Pointer>
struct Item {
    Mask want;
    unsigned slot, number;
    bool source;
    Pointer begin, end;  // of its neighbours
};

// One level of one phase, for every row but hubs: a warp to a row.
template <class Phase, class Real, class Pointer>
__device__ void rows_of_level(const typename Phase::S &s, int depth) {
    constexpr bool FORWARDS = Phase::forwards;
    __shared__ Queue queues[THREADS / WARP];
    __shared__ Stage<FORWARDS ? BATCHES : 1> stage;
    __shared__ Item<Pointer> items[THREADS / WARP][Pieces::MOST];
    if constexpr (FORWARDS)
        if (__syncthreads_or(Phase::idle(s, depth))) return;  // another block may have filled the list
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const bool dense = Phase::dense(s, depth), leaf = Phase::leaf(s, depth);
    const unsigned begin = s.begin(depth, ROWS);
    Pieces work(dense ? s.n * s.batches : s.stored(depth, ROWS));
    unsigned staged = 0;
    unsigned long long arcs = 0;
    for (;;) {
        const unsigned first = work.take(s.levels[depth].taken[Phase::rows]);
        if (first >= work.total) break;
        const unsigned number = first + lane;
        bool wants = lane < work.chunk && number < work.total;
        Item<Pointer> mine = {};
        if (wants) {
            const unsigned long long entry = s.entry(ROWS, begin + number);
            mine.slot = dense ? number : s.slots[entry], mine.number = number;
            mine.want = Phase::want(s, mine.slot, entry);
            mine.source = s.is_source(mine.slot);
            const unsigned row = mine.slot % s.n;
            if (!leaf) mine.begin = Phase::indptr(s)[row], mine.end = Phase::indptr(s)[row + 1];
            wants = Phase::takes(s, depth, mine.slot / s.n);
            if (dense) wants &= !s.is_hub(row) && (s.live[mine.slot / s.n] & mine.want).any();
        }
        const unsigned wanting = __ballot_sync(ALL, wants);
        if (wants) items[warp][__popc(wanting & ((1u << lane) - 1))] = mine;
        __syncwarp();
        const unsigned count = __popc(wanting);
        for (unsigned k = 0; k < count; ++k) {
            const Item<Pointer> &item = items[warp][k];
            const unsigned slot = item.slot;
            const unsigned long long base = slot - slot % s.n;
            Real sums[Phase::arrays][4] = {};
            constexpr unsigned AT_ONCE = FORWARDS && sizeof(Real) == 8 ? 2 : 4;
            const unsigned mine = gather<Phase::arrays, AT_ONCE>(
                s, base, Phase::indices(s), item.begin, item.end, item.want, ~depth & 1,
                queues[warp], sums, Phase::terms(s, slot, item.want));
            if constexpr (FORWARDS) {
                const unsigned found =
                    Phase::finish(s, depth, slot, item.source, mine, sums[0]);
                if (!dense) {
                    const unsigned long long entry = s.entry(ROWS, begin + item.number);
                    if (lane % 8 == 0) s.masks[entry].word[lane / 8] = found;
                    continue;
                }
                if (!__any_sync(ALL, found)) continue;
                if (lane == 0) stage.slots[warp][staged] = slot;
                if (lane % 8 == 0) stage.masks[warp][staged].word[lane / 8] = found;
                stage.spill(s, depth, ++staged, 1, arcs);
            } else {
                Phase::finish(s, depth, slot, item.source, item.want.word[lane / 8], sums);
            }
        }
        __syncwarp();
    }
    if constexpr (FORWARDS) {
        if (dense) stage.close(s, depth, staged, arcs);
    }
}

// One level of one phase, for every hub: a block to a hub, a run of its neighbours to each warp.
template <class Phase, class Real, class Pointer>
__device__ void hubs_of_level(const typename Phase::S &s, int depth) {
    constexpr bool FORWARDS = Phase::forwards;
    constexpr unsigned PARTS = HUB_THREADS / WARP;
    __shared__ Queue queues[PARTS];
    __shared__ Real shares[PARTS][WARP][4];
    __shared__ unsigned nibbles[PARTS][WARP];
    __shared__ unsigned claimed;
    if constexpr (FORWARDS)
        if (__syncthreads_or(Phase::idle(s, depth))) return;  // another block may have filled the list
    const unsigned lane = threadIdx.x % WARP, part = threadIdx.x / WARP;
    const bool dense = Phase::dense(s, depth), leaf = Phase::leaf(s, depth);
    const unsigned begin = s.begin(depth, HUBS);
    const unsigned total = dense ? s.hub_count * s.batches : s.stored(depth, HUBS);
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) claimed = atomicAdd(&s.levels[depth].taken[Phase::hubs], 1u);
        __syncthreads();
        const unsigned item = claimed;
        if (item >= total) break;
        unsigned long long entry = s.entry(HUBS, begin + item);
        const unsigned slot = dense ? item / s.hub_count * s.n + s.hubs[item % s.hub_count]
                                    : s.slots[entry];
        const unsigned row = slot % s.n;
        const unsigned long long base = slot - row;
        const Mask want = Phase::want(s, slot, entry);
        const unsigned word = FORWARDS ? 0 : s.masks[entry].word[lane / 8];
        if (dense && !(want & s.live[slot / s.n]).any()) continue;
        const Pointer low = Phase::indptr(s)[row], high = Phase::indptr(s)[row + 1];
        const Pointer length = ((high - low) / PARTS / WARP + 1) * WARP;
        const Pointer p = min(low + Pointer(part) * length, high), end = min(p + length, high);
        Real sums[Phase::arrays][4] = {};
        const unsigned mine = gather<Phase::arrays, 4>(
            s, base, Phase::indices(s), p, leaf ? p : end, want, ~depth & 1, queues[part], sums,
            Phase::terms(s, slot, want));
        if constexpr (FORWARDS) nibbles[part][lane] = mine;
        // The first warp gets the sums over the parts, in their order, and the columns that were hit.
        unsigned all = 0;
#pragma unroll
        for (unsigned a = 0; a < Phase::arrays; ++a) {
            if (a) __syncthreads();  // the shares of the array before have been read
#pragma unroll
            for (unsigned i = 0; i < 4; ++i) shares[part][lane][i] = sums[a][i], sums[a][i] = 0;
            __syncthreads();
            for (unsigned t = 0; t < PARTS && part == 0; ++t) {
                if constexpr (FORWARDS) all |= nibbles[t][lane];
#pragma unroll
                for (unsigned i = 0; i < 4; ++i) sums[a][i] += shares[t][lane][i];
            }
        }
        if (part) continue;
        const bool source = s.is_source(slot);
        if constexpr (FORWARDS) {
            const unsigned found = Phase::finish(s, depth, slot, source, all, sums[0]);
            if (dense) {
                if (!__any_sync(ALL, found)) continue;
                if (lane == 0) entry = append_hub(s, depth, slot);
                entry = __shfl_sync(ALL, entry, 0);
            }
            if (lane % 8 == 0) s.masks[entry].word[lane / 8] = found;
        } else {
            Phase::finish(s, depth, slot, source, word, sums);
        }
    }
}

// Level 0: each source that starts there on itself, with one path.
template <class Real, class Pointer>
__global__ void start(PathCounts<Real, Pointer> s) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s.batches * COLUMNS || s.sources[i] < 0) return;
    const unsigned slot = i / COLUMNS * s.n + s.sources[i], column = i % COLUMNS;
    if (s.last_start) {
        atomicOr(&s.starting[slot / 32], 1u << slot % 32);
        if (s.starts[i]) return;
        if (s.sliced) s.slices[slot * WORDS + column / 32] = {1u << column % 32, 0, 0, 0};
    }
    Mask mask = {};
    mask.word[column / 32] = 1u << column % 32;
    s.seen[slot].half[0] = mask;
    s.sigma[(unsigned long long)slot * COLUMNS + column] = 1;
    if (s.is_hub(s.sources[i])) {
        s.masks[append_hub(s, 0, slot)] = mask;
    } else {
        const unsigned at = atomicAdd(&s.levels[0].count[ROWS], 1u);
        atomicAdd(&s.levels[0].arcs, (unsigned long long)(s.degree[s.sources[i]] >> 1));
        s.slots[at] = slot;
        s.masks[at] = mask;
    }
}

template <class Real, class Pointer>
__global__ void __launch_bounds__(THREADS, FORWARD_RESIDENT)
    forward(PathCounts<Real, Pointer> s, int depth) {
    if (!any_batch<Forward<Real, Pointer, REALS, false>>(s, depth)) return;
    rows_of_level<Forward<Real, Pointer, REALS, false>, Real, Pointer>(s, depth);
}

template <class Real, class Pointer>
__global__ void __launch_bounds__(THREADS, FORWARD_RESIDENT)
    forward_sliced(PathCounts<Real, Pointer> s, int depth) {
    if (!any_batch<Forward<Real, Pointer, SLICED, true>>(s, depth)) return;
    rows_of_level<Forward<Real, Pointer, SLICED, true>, Real, Pointer>(s, depth);
}

// Level 1 or 2, of a graph whose batches begin with slices, and where no search starts later.
template <class Real, class Pointer>
__global__ void __launch_bounds__(THREADS, FORWARD_RESIDENT)
    forward_ones(PathCounts<Real, Pointer> s, int depth) {
    rows_of_level<Forward<Real, Pointer, ONES, true>, Real, Pointer>(s, depth);
}

template <class Real, class Pointer>
__global__ void __launch_bounds__(HUB_THREADS, 2)
    forward_hubs(PathCounts<Real, Pointer> s, int depth) {
    hubs_of_level<Forward<Real, Pointer, REALS, true>, Real, Pointer>(s, depth);
}

template <class Real, class Pointer, int SUMS>
__global__ void __launch_bounds__(THREADS, resident<Real> - (bool(SUMS & ARCS) || both(SUMS)))
    backward(Scores<Real, Pointer> s, int depth) {
    rows_of_level<Backward<Real, Pointer, SUMS>, Real, Pointer>(s, depth);
}

// Weights of arcs and float64 sums take more registers than two blocks of a hub leave to a thread.
template <class Real, int SUMS>
constexpr bool spills = (SUMS & ARCS) && sizeof(Real) == 8;

template <class Real, class Pointer, int SUMS>
__global__ void __launch_bounds__(HUB_THREADS, both(SUMS) || spills<Real, SUMS> ? 1 : 2)
    backward_hubs(Scores<Real, Pointer> s, int depth) {
    hubs_of_level<Backward<Real, Pointer, SUMS>, Real, Pointer>(s, depth);
}
