// State of many batches of sources in flight, and the level lists.
//
// A batch is 128 sources, one column each. Its row v is the slot batch * n + v: 128 reals, and a mask
// of four 32-bit words. A warp holds a row, four columns a lane, so that eight lanes hold the columns
// of a word.
#pragma once

#include "../common/sums.cuh"
#include "../common/warp.cuh"

constexpr unsigned COLUMNS = 128;  // sources of a batch
constexpr int WORDS = 4;           // of a mask
// Threads of a block of rows, and of the block that shares one hub.
constexpr unsigned THREADS = 256, HUB_THREADS = 512;
constexpr unsigned SPAN = 8192;  // rows that a block looks through for those that are marked: 32 a thread
// Bit-sliced path counts: parts of a count and bits of a part, the last level that has no counts but
// ones, and most neighbours of a row that is no hub.
constexpr unsigned COUNT_PARTS = 4, PART_BITS = 3, LONGEST_ROW = 1024;
constexpr int LAST_ONES = 1;

// Blocks of rows on a multiprocessor: more of them hide more latency, and leave fewer registers.
constexpr unsigned FORWARD_RESIDENT = 4;
template <class Real>
constexpr unsigned resident = sizeof(Real) == 4 ? 4 : 3;
// Steps of a dense level whose rows are appended together: few, so that a list runs through the
// batches in order, and the blocks that read it later share the cache.
constexpr unsigned BATCHES = 8;
// Direction-optimizing search: a level is pulled by every unfinished row (bottom-up) once the arcs out
// of the level before are more than one in DENSE; else that level marks the rows that pull (top-down).
constexpr unsigned long long DENSE = 4;
constexpr unsigned HUB_ONE = 1 << 16;  // a hub in the counts of marked rows

enum Work { MARK, FORWARD, FORWARD_SLICED, FORWARD_HUBS, BACKWARD, BACKWARD_HUBS };
enum Kind { ROWS, HUBS };  // hubs are the rows with so many neighbours that a whole block shares them

struct alignas(4 * WORDS) Mask {
    unsigned word[WORDS];

    __device__ bool any() const {
        unsigned bits = 0;
        for (int i = 0; i < WORDS; ++i) bits |= word[i];
        return bits != 0;
    }
};

// Masks go by value, so that the compiler reads one from memory in one piece.
__device__ __forceinline__ Mask operator&(Mask a, Mask b) {
    for (int i = 0; i < WORDS; ++i) a.word[i] &= b.word[i];
    return a;
}

// Columns of a row whose level is even, and odd. Forward they hold the levels found so far, backward
// those done so far. A bit of an older level never hits: a neighbour's level differs by one at most in
// the direction of search, so that nothing is cleared between levels.
struct alignas(8 * WORDS) Seen {
    Mask half[2];

    // Columns that have no level.
    __device__ Mask unseen() const {
        Mask bits = half[0];
        const Mask odd = half[1];
        for (int i = 0; i < WORDS; ++i) bits.word[i] = ~(bits.word[i] | odd.word[i]);
        return bits;
    }
};

// One level of all batches: where its entries lie, and how much of each kernel's work is claimed.
struct Level {
    unsigned long long arcs;  // out-degrees of its rows, summed
    unsigned begin[2];        // first entries: rows, hubs
    unsigned count[2];        // entries: rows, hubs
    unsigned taken[6];        // of each Work, how much is claimed
};

// Arguments, by value: a kernel takes as much of the chain graph, frontier, path counts, scores as it reads.
template <class Pointer>
struct Graph {
    const Pointer *out_indptr;
    const int *out_indices;
    const Pointer *in_indptr;
    const int *in_indices;
    const unsigned *degree;         // (n,) twice the out-degree, plus one for a hub
    const int *hubs;                // (hub_count,)
    unsigned long long graph_arcs;
    unsigned n, hub_count;

    __device__ bool is_hub(unsigned row) const { return degree[row] & 1; }
};

// The searches of all batches, and their levels.
template <class Pointer>
struct Frontier : Graph<Pointer> {
    using Graph<Pointer>::n;

    const int *sources;        // (batches * COLUMNS,) -1 where a column has none
    const Mask *live;          // (batches,) columns that have a source
    const int *starts;         // (batches * COLUMNS,) step at which each search starts, if not all at 0
    Seen *seen;                // (slots,)
    unsigned *marked;          // one bit a slot, zero between levels
    unsigned *starting;        // one bit a slot: a source is there that may start late
    unsigned *spans;           // (2, spans) marked rows of each SPAN, and HUB_ONE for each hub
    unsigned *slots;           // the level lists: rows, then hubs
    Mask *masks;               // of their entries
    Level *levels;
    unsigned long long *full;  // set when a level list ran out of room
    unsigned long long arcs;   // of all batches
    unsigned room[2];          // entries there is room for: rows, hubs
    unsigned batches;
    unsigned last_start;       // of all starts; 0 where all are

    // The spans of a level; those of the next level are others.
    __device__ unsigned *span(int depth) const {
        return spans + (depth & 1) * (((unsigned long long)n * batches + SPAN - 1) / SPAN);
    }

    // The row is that of a source, of a batch whose searches do not all start at step 0.
    __device__ bool is_source(unsigned slot) const {
        return last_start && starting[slot / 32] >> slot % 32 & 1;
    }

    // Level `depth` is worth a pull by every row; the same answer in every kernel of a step.
    __device__ bool dense(int depth) const { return levels[depth].arcs * DENSE > arcs; }

    __device__ bool finished(int depth) const {
        return *full || levels[depth].count[ROWS] + levels[depth].count[HUBS] == 0;
    }

    // First entry of a level, given that the one before is complete.
    __device__ unsigned begin(int depth, Kind kind) const {
        return depth ? levels[depth - 1].begin[kind] + levels[depth - 1].count[kind] : 0;
    }

    __device__ unsigned long long entry(Kind kind, unsigned i) const {
        return (kind == HUBS ? (unsigned long long)room[ROWS] : 0ull) + i;
    }

    // Entries of a level; fewer than were counted once the list is full.
    __device__ unsigned stored(int depth, Kind kind) const {
        return min(levels[depth].count[kind], room[kind] - begin(depth, kind));
    }
};

// Path counts.
template <class Real, class Pointer>
struct PathCounts : Frontier<Pointer> {
    Real *sigma;             // (slots, COLUMNS) then g; set only where a bit is
    Real *h;                 // (slots, COLUMNS) beside g, if both are wanted; else in its place
    uint4 *slices;           // (COUNT_PARTS, slots, WORDS) bit-sliced counts, where rows are long
    unsigned *sliced_until;  // (batches,) levels before this one have slices of all counts
    unsigned *out_of_range;  // (batches,) set where a path count passes the limit
    double limit;            // largest path count that Real counts exactly
    unsigned sliced;         // whether path counts are bit-sliced too

    // The batch has slices of all levels before this one; the same answer in every kernel of a step.
    __device__ bool is_sliced(int depth, unsigned batch) const {
        return sliced && sliced_until[batch] >= unsigned(depth);
    }
};

template <class Real, class Pointer>
struct Scores : PathCounts<Real, Pointer> {
    const Real *omega;            // (n,)
    const Real *alpha;            // (batches * COLUMNS,)
    double *dependency, *stress;  // (slots,) sums of alpha * delta, and of alpha * sigma * lambda
    double *squares;              // (slots,) sums of alpha * delta^2
    double *ends;                 // (slots,) sums of alpha * omega, of alpha * delta at sources
    double *shares;               // (batches, graph_arcs) sums of alpha * sigma(u) g(v)
};

// Hands pieces of work to warps, `chunk` at a time. Much work goes to whoever is free, in order, so that
// the warps stay close together and share the cache; little work is dealt out in turn, since a counter
// that every warp adds to costs more.
class Pieces {
    unsigned next;
    bool dealt;

  public:
    static constexpr unsigned MOST = 4;  // pieces at a time
    const unsigned total, chunk;

    // Few at once where there are few, so that every warp gets some.
    __device__ Pieces(unsigned total, unsigned most = MOST)
        : total(total), chunk(min(max(total / (4 * warps()), 1), most)) {
        next = (blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP) * chunk;
        dealt = total <= warps() * chunk;
    }

    // First of the calling warp's next pieces; `total` or more when none are left.
    __device__ unsigned take(unsigned &taken) {
        unsigned first = next;
        if (dealt) {
            next += warps() * chunk;
        } else {
            if (threadIdx.x % WARP == 0) first = atomicAdd(&taken, chunk);
            first = __shfl_sync(ALL, first, 0);
        }
        return first;
    }

  private:
    __device__ static unsigned warps() { return gridDim.x * (blockDim.x / WARP); }
};

// Entries of level `depth` that the warps of a block have found and not yet appended to its list:
// one atomic for many. A warp's part is its own until the block is through.
template <unsigned SIZE>
struct Stage {
    unsigned slots[THREADS / WARP][SIZE];
    Mask masks[THREADS / WARP][SIZE];
    unsigned counts[THREADS / WARP];
    unsigned first;
    unsigned long long arcs;

    template <class S>
    __device__ void write(const S &s, unsigned first, unsigned count, unsigned long long &arcs) {
        const unsigned warp = threadIdx.x / WARP;
        for (unsigned i = threadIdx.x % WARP; i < count; i += WARP) {
            const unsigned slot = slots[warp][i];
            if (first + i < s.room[ROWS]) {
                s.slots[first + i] = slot;
                s.masks[first + i] = masks[warp][i];
            } else {
                *s.full = 1;
            }
            arcs += s.degree[slot % s.n] >> 1;
        }
    }

    // Append a warp's entries once there is no room for as many as the next step may bring.
    template <class S>
    __device__ void spill(const S &s, int depth, unsigned &count, unsigned next,
                          unsigned long long &arcs) {
        if (count + next <= SIZE) return;
        __syncwarp();
        unsigned first = 0;
        if (threadIdx.x % WARP == 0) first = atomicAdd(&s.levels[depth].count[ROWS], count);
        write(s, s.begin(depth, ROWS) + __shfl_sync(ALL, first, 0), count, arcs);
        __syncwarp();
        count = 0;
    }

    // Append the rest of the whole block.
    template <class S>
    __device__ void close(const S &s, int depth, unsigned count, unsigned long long arcs_seen) {
        const unsigned warp = threadIdx.x / WARP;
        if (threadIdx.x % WARP == 0) counts[warp] = count;
        if (threadIdx.x == 0) arcs = 0;
        __syncthreads();
        unsigned before = 0, all = 0;
        for (unsigned w = 0; w < THREADS / WARP; ++w) {
            before += w < warp ? counts[w] : 0;
            all += counts[w];
        }
        if (threadIdx.x == 0 && all)
            first = s.begin(depth, ROWS) + atomicAdd(&s.levels[depth].count[ROWS], all);
        __syncthreads();
        write(s, first + before, count, arcs_seen);
        arcs_seen = warp_sum(arcs_seen);
        if (threadIdx.x % WARP == 0 && arcs_seen) atomicAdd(&arcs, arcs_seen);
        __syncthreads();
        if (threadIdx.x == 0 && arcs) atomicAdd(&s.levels[depth].arcs, arcs);
    }
};

// Append one hub to level `depth`; returns its entry, or that of the list's end when it is full.
template <class Pointer>
__device__ unsigned long long append_hub(const Frontier<Pointer> &s, int depth, unsigned slot) {
    const unsigned i = s.begin(depth, HUBS) + atomicAdd(&s.levels[depth].count[HUBS], 1u);
    atomicAdd(&s.levels[depth].arcs, (unsigned long long)(s.degree[slot % s.n] >> 1));
    if (i >= s.room[HUBS]) {
        *s.full = 1;
        return s.entry(HUBS, s.room[HUBS] - 1);
    }
    s.slots[s.entry(HUBS, i)] = slot;
    return s.entry(HUBS, i);
}
