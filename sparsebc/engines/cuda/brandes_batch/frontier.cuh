// The frontier of a level that few rows lead to (top-down): marked bit by bit, then listed by stream
// compaction, a prefix sum over the marks.
#pragma once

#include "starts.cuh"
#include "state.cuh"

constexpr unsigned MARKED = 8;  // rows whose arcs a warp follows together

// Mark the rows of level `depth`, unless it is dense: those that level depth - 1 leads to, and the
// sources that start there.
template <class Pointer>
__global__ void __launch_bounds__(THREADS) mark(Frontier<Pointer> s, int depth) {
    const int from = depth - 1;
    if (s.finished(from)) return;
    if (blockIdx.x == 0 && threadIdx.x < 2)
        s.levels[depth].begin[threadIdx.x] = s.begin(depth, Kind(threadIdx.x));
    if (s.dense(from)) return;
    const unsigned lane = threadIdx.x % WARP;
    // A row for each lane that has one to mark. Many are of one span, whose count they share.
    const auto mark_rows = [&](bool wanted, unsigned slot) {
        const unsigned bit = 1u << slot % 32;
        const bool fresh = wanted && !(s.marked[slot / 32] & bit) &&
                           !(atomicOr(&s.marked[slot / 32], bit) & bit);
        if (!__any_sync(ALL, fresh)) return;
        const bool hub = fresh && s.hub_count && s.is_hub(slot % s.n);
        const unsigned span = slot / SPAN, alike = __match_any_sync(ALL, fresh ? 2 * span + hub : ALL);
        if (fresh && lane == __ffs(alike) - 1)
            atomicAdd(&s.span(depth)[span], __popc(alike) * (hub ? HUB_ONE : 1u));
    };
    // The heads of arcs of a batch whose first slot is `base`, each of a lane that has one.
    const auto follow = [&](bool there, unsigned base, Pointer arc, unsigned long long entry) {
        const unsigned to = there ? base + s.out_indices[arc] : 0;
        mark_rows(there && (s.masks[entry] & s.seen[to].unseen()).any(), to);
    };
    // A lane has the arcs of one entry, and the warp shares those of all: arc a of them, counted over
    // the entries, is the place `shift` + a.
    const unsigned begin = s.begin(from, ROWS);
    Pieces work(s.stored(from, ROWS), MARKED);
    for (;;) {
        const unsigned first = work.take(s.levels[depth].taken[MARK]);
        if (first >= work.total) break;
        unsigned base = 0, end = 0;
        Pointer shift = 0;
        if (lane < work.chunk && first + lane < work.total) {
            const unsigned slot = s.slots[begin + first + lane], row = slot % s.n;
            base = slot - row, shift = s.out_indptr[row];
            end = unsigned(s.out_indptr[row + 1] - shift);
        }
        const unsigned own = end;
        end = warp_scan<MARKED>(end);
        shift -= end - own;
        const unsigned all = __shfl_sync(ALL, end, MARKED - 1);
        for (unsigned a = lane; a - lane < all; a += WARP) {
            unsigned which = 0;
            for (unsigned i = 0; i + 1 < MARKED; ++i) which += __shfl_sync(ALL, end, i) <= a;
            const unsigned batch = __shfl_sync(ALL, base, which);
            const Pointer arc = __shfl_sync(ALL, shift, which) + a;
            follow(a < all, batch, arc, begin + first + which);
        }
    }
    const unsigned hubs = s.stored(from, HUBS);
    for (unsigned i = blockIdx.x; i < hubs; i += gridDim.x) {
        const unsigned long long entry = s.entry(HUBS, s.begin(from, HUBS) + i);
        const unsigned slot = s.slots[entry], row = slot % s.n;
        const Pointer end = s.out_indptr[row + 1];
        for (Pointer p = s.out_indptr[row] + (threadIdx.x - lane); p < end; p += THREADS)
            follow(end - p > Pointer(lane), slot - row, p + lane, entry);
    }
    mark_starts(s, depth, mark_rows);
}

// List the marked rows in ascending order, a block for each span of them: blocks that read the list
// are then on the same batch, and share the cache. `forward` reads their masks itself.
template <class Pointer>
__global__ void __launch_bounds__(THREADS) list(Frontier<Pointer> s, int depth) {
    __shared__ unsigned before[2], sums[2][THREADS / WARP];
    const int from = depth - 1;
    if (__syncthreads_or(s.finished(from))) return;
    if (threadIdx.x == 0) s.span(depth + 1)[blockIdx.x] = 0;
    if (threadIdx.x < 2) before[threadIdx.x] = 0;
    if (s.dense(from)) return;
    __syncthreads();
    // Rows and hubs that are marked in the spans before this one.
    for (unsigned i = threadIdx.x; i < blockIdx.x; i += THREADS) {
        const unsigned count = s.span(depth)[i];
        if (count % HUB_ONE) atomicAdd(&before[ROWS], count % HUB_ONE);
        if (count / HUB_ONE) atomicAdd(&before[HUBS], count / HUB_ONE);
    }
    // A thread has 32 rows.
    const unsigned word = blockIdx.x * THREADS + threadIdx.x;
    const unsigned marked = 32ull * word < (unsigned long long)s.n * s.batches ? s.marked[word] : 0;
    unsigned hubs = 0;
    unsigned long long arcs = 0;
    for (unsigned bits = marked; bits; bits &= bits - 1) {
        const unsigned degree = s.degree[(32 * word + __ffs(bits) - 1) % s.n];
        arcs += degree >> 1;
        if (degree & 1) hubs |= bits & -bits;
    }
    const unsigned mine[2] = {marked & ~hubs, hubs};
    for (int kind = ROWS; kind <= HUBS; ++kind) {
        // Exclusive prefix sum: entries of the threads before, and then of the warps before.
        unsigned place = __popc(mine[kind]);
        place = warp_scan(place);
        if (threadIdx.x % WARP == WARP - 1) sums[kind][threadIdx.x / WARP] = place;
        place -= __popc(mine[kind]);
        __syncthreads();
        for (unsigned w = 0; w < threadIdx.x / WARP; ++w) place += sums[kind][w];
        place += s.begin(depth, Kind(kind)) + before[kind];
        for (unsigned bits = mine[kind]; bits; bits &= bits - 1, ++place) {
            if (place < s.room[kind]) s.slots[s.entry(Kind(kind), place)] = 32 * word + __ffs(bits) - 1;
            else *s.full = 1;
        }
        if (blockIdx.x == gridDim.x - 1 && threadIdx.x == THREADS - 1)
            s.levels[depth].count[kind] = place - s.begin(depth, Kind(kind));
    }
    if (marked) s.marked[word] = 0;
    arcs = warp_sum(arcs);
    if (threadIdx.x % WARP == 0 && arcs) atomicAdd(&s.levels[depth].arcs, arcs);
}
