// MS-BFS (Then et al. 2014): searches from many sources at once, by bits; no paths are counted.
//
//     F_{d+1} = (A' F_d)<not V_d>
//
// The search is direction-optimizing. A row that takes columns at a level pushes them to those of its
// neighbours that lack them, and marks these (top-down); where all rows gathering from their neighbours,
// until they have all columns, would read less, they pull (bottom-up). A row has one writer, and the
// order of the bits that are pushed to it changes nothing: columns and sums are the same from run to run.
//
// Many batches are in flight, of COLUMNS sources each, a bit for a source. Row v of a batch is the slot
// batch * n + v: VECTORS vectors of 128 bits, a thread for each. Bits mark the rows that were pushed to:
// 32 rows a word and `words` words a batch.
#include "../common/warp.cuh"

constexpr unsigned VECTORS = 8;     // of 128 bits, a bit for each source, that a row of a batch has
constexpr unsigned COLUMNS = 1024;  // sources of a batch
// Threads of a block of rows, and of the block that shares one hub.
constexpr unsigned THREADS = 256, HUB_THREADS = 512;
constexpr unsigned SUMS_BYTES = 32;  // of what the sources of a batch add up to at a node, aligned

typedef long long Count;
typedef unsigned long long Total;

constexpr unsigned PIECE = 8;  // rows of a byte, the unit of work
constexpr double PUSH = 8;     // cost of a vector that is pushed along an arc, in those that are pulled

// One level of all batches.
struct Level {
    unsigned long long fresh;   // rows that it holds
    unsigned long long pushes;  // vectors to push: out-degree of each, times those of its that are not 0
};

// Sums of the distances from the sources of a batch to a row, but for a source on itself.
struct alignas(SUMS_BYTES) Sums {
    double harmonic;    // sum of one over the distances
    Total total;        // sum of the distances
    unsigned reached;   // how many there are
    unsigned farthest;  // greatest distance
};

// Passed by value. Level d has its masks and marks at d % 3: while its rows are read, those of the next
// level are pushed to, and others pull from the last one. No mask is cleared: a bit of an older level
// never hits, since a neighbour's level is at most one more, so that the row has the column by then.
struct State {
    const Count *out_indptr;
    const int *out_indices;
    const Count *in_indptr;
    const int *in_indices;
    const unsigned *apart;  // (words,) hubs, rows without in-arcs, bits past the last row
    const int *hubs;        // (hub_count,) rows of so many neighbours that a block shares them
    const int *sources;     // (batches * COLUMNS,) -1 where a column has none
    const uint4 *live;      // (batches, VECTORS) columns that have a source
    const int *more;        // (batches * COLUMNS,) weight of a source, less one
    uint4 *digits;          // (batches, most_digits, VECTORS) columns by its binary digits
    unsigned most_digits;
    uint4 *seen;            // (slots, VECTORS) columns that have reached the row
    uint4 *found[3];        // (slots, VECTORS) those of a level, and others that the row had by then
    unsigned *marked[3];    // (batches, words) rows that a level was pushed to
    unsigned *done;         // (batches, words) rows that have all columns
    Level *levels;
    Sums *sums;             // (slots,) of the column that levels now go to, or null
    int *level;             // (sources, n) level of each node, or null
    unsigned n, words, batches, hub_count;

    // Whether all rows pull a level: the same answer in every kernel of the level and of the one before.
    // So the last level is not known yet, and grows by as much as the one before it did.
    __device__ bool pulls(int depth) const {
        if (depth < 2) return false;
        const Level &known = levels[depth - 2];
        const double last = known.pushes, before = depth == 2 ? known.fresh : levels[depth - 3].pushes;
        return PUSH * last * (last / before) > double(in_indptr[n]) * batches * VECTORS;
    }

    __device__ void mark(int depth, unsigned batch, unsigned row) const {
        unsigned *word = &marked[depth % 3][Count(batch) * words + row / 32];
        const unsigned bit = 1u << row % 32;
        if (!(__ldcg(word) & bit)) atomicOr(word, bit);
    }
};

__device__ __forceinline__ uint4 operator|(uint4 a, uint4 b) {
    return {a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w};
}

__device__ __forceinline__ uint4 operator&(uint4 a, uint4 b) {
    return {a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w};
}

// Columns of a that b has not.
__device__ __forceinline__ uint4 without(uint4 a, uint4 b) {
    return {a.x & ~b.x, a.y & ~b.y, a.z & ~b.z, a.w & ~b.w};
}

__device__ __forceinline__ bool any(uint4 a) { return a.x | a.y | a.z | a.w; }

__device__ __forceinline__ unsigned count(uint4 a) {
    return __popc(a.x) + __popc(a.y) + __popc(a.z) + __popc(a.w);
}

// Or over the teams of a warp.
__device__ __forceinline__ uint4 or_of_teams(uint4 a) {
    for (unsigned step = VECTORS; step < WARP; step *= 2) {
        a.x |= __shfl_xor_sync(ALL, a.x, step);
        a.y |= __shfl_xor_sync(ALL, a.y, step);
        a.z |= __shfl_xor_sync(ALL, a.z, step);
        a.w |= __shfl_xor_sync(ALL, a.w, step);
    }
    return a;
}

// Add the counts of the threads of a block to a level.
__device__ __forceinline__ void add_up(Level &level, unsigned fresh, Total pushes) {
    __shared__ Level block;
    if (threadIdx.x == 0) block = {0, 0};
    __syncthreads();
    fresh = warp_sum(fresh), pushes = warp_sum(pushes);
    if (threadIdx.x % WARP == 0 && fresh) {
        atomicAdd(&block.fresh, Total(fresh));
        atomicAdd(&block.pushes, pushes);
    }
    __syncthreads();
    if (threadIdx.x == 0 && block.fresh) {
        atomicAdd(&level.fresh, block.fresh);
        atomicAdd(&level.pushes, block.pushes);
    }
}

// Or of one vector of up to COUNT neighbours, every `step`-th entry from p.
template <unsigned COUNT>
__device__ __forceinline__ uint4 gather_or(const uint4 *masks, const int *indices, Count p,
                                           unsigned step, Count end) {
    int neighbors[COUNT];
    uint4 vectors[COUNT];
    for (unsigned j = 0; j < COUNT; ++j)
        neighbors[j] = p + j * step < end ? __ldg(&indices[p + j * step]) : -1;
    for (unsigned j = 0; j < COUNT; ++j)
        vectors[j] = neighbors[j] < 0 ? uint4{} : masks[Count(neighbors[j]) * VECTORS];
    uint4 all{};
    for (unsigned j = 0; j < COUNT; ++j) all = all | vectors[j];
    return all;
}

// A row, and one of its vectors, by the VECTORS threads of a team.
struct Row {
    const State &s;
    const int depth;
    const unsigned batch, v, vector, team;
    const Count base, at;  // vector of the batch's first row, and of this one
    const Count begin, end;  // out-arcs, read with the masks: `push` need not wait for them
    uint4 seen, want;

    __device__ Row(const State &s, int depth, unsigned batch, unsigned v)
        : s(s), depth(depth), batch(batch), v(v), vector(threadIdx.x % VECTORS),
          team(((1u << VECTORS) - 1) << threadIdx.x % WARP / VECTORS * VECTORS),
          base(Count(batch) * s.n * VECTORS + vector), at(base + Count(v) * VECTORS),
          begin(s.out_indptr[v]), end(s.out_indptr[v + 1]) {
        seen = s.seen[at];
        want = without(s.live[batch * VECTORS + vector], seen);
    }

    // Whether all of the columns that the row lacks are among these, for its team.
    __device__ bool has_all(uint4 hit) const { return !__any_sync(team, any(without(want, hit))); }

    // The columns that were pushed to the row, old ones too.
    __device__ uint4 pushed() const { return s.found[depth % 3][at]; }

    // The vectors of the last level, as neighbours are numbered.
    __device__ const uint4 *before() const { return s.found[(depth + 2) % 3] + base; }

    // Take the columns of level `depth`: how many of the row's vectors have some. `writes` where several
    // teams hold the same row.
    __device__ unsigned commit(uint4 hit, bool pulled, bool writes) {
        const unsigned vectors = __popc(__ballot_sync(team, any(hit)));
        if (!vectors) return 0;
        const bool finished = has_all(hit);
        unsigned columns = weigh(hit);
        for (unsigned step = 1; step < VECTORS; step *= 2)
            columns += __shfl_xor_sync(team, columns, step);
        if (!writes) return vectors;
        s.seen[at] = seen | hit;
        if (pulled) s.found[depth % 3][at] = hit;
        if (s.level) write_levels(hit);
        if (vector) return vectors;
        if (finished) atomicOr(&s.done[Count(batch) * s.words + v / 32], 1u << v % 32);
        if (s.sums) {  // nobody else adds to them now: the warp goes on meanwhile
            Sums &sums = s.sums[Count(batch) * s.n + v];
            atomicAdd(&sums.harmonic, columns / double(depth));
            atomicAdd(&sums.total, Total(depth) * columns);
            atomicAdd(&sums.reached, columns);
            sums.farthest = depth;
        }
        return vectors;
    }

    // Weight of the sources of some columns: one each, and each digit of their weight beyond that.
    __device__ unsigned weigh(uint4 hit) const {
        unsigned weight = count(hit);
        const uint4 *digits = s.digits + Count(batch) * s.most_digits * VECTORS + vector;
        for (unsigned i = 0; i < s.most_digits; ++i)
            weight += count(hit & __ldg(&digits[i * VECTORS])) << i;
        return weight;
    }

    __device__ void write_levels(uint4 hit) const {
        const unsigned words[4] = {hit.x, hit.y, hit.z, hit.w};
        const Count first = Count(batch) * VECTORS + vector;
        for (unsigned i = 0; i < 4; ++i)
            for (unsigned bits = words[i]; bits; bits &= bits - 1)
                s.level[(first * 128 + i * 32 + __ffs(bits) - 1) * s.n + v] = depth;
    }

    // Push the columns to the neighbours that lack them, VECTORS at a time by each of some teams, and mark
    // these, a thread each. Their writers may add to `seen` meanwhile: what is pushed in vain is no
    // column that they lack.
    __device__ void push(uint4 hit, unsigned first, unsigned teams) const {
        constexpr unsigned COUNT = 4;
        auto *next = reinterpret_cast<Total *>(s.found[(depth + 1) % 3] + base);
        for (Count p = begin + first * VECTORS; p < end; p += teams * VECTORS) {
            const int mine = p + vector < end ? __ldg(&s.out_indices[p + vector]) : -1;
            bool lacks_some = false;
            for (unsigned k = 0; k < VECTORS && p + k < end; k += COUNT) {
                int neighbors[COUNT];
                uint4 lacks[COUNT];
                for (unsigned j = 0; j < COUNT; ++j) {
                    neighbors[j] = __shfl_sync(team, mine, k + j, VECTORS);
                    lacks[j] = {};
                    if (neighbors[j] >= 0 && any(hit))
                        lacks[j] = without(hit, s.seen[base + Count(neighbors[j]) * VECTORS]);
                }
                for (unsigned j = 0; j < COUNT; ++j) {
                    const Total low = lacks[j].x | Total(lacks[j].y) << 32;
                    const Total high = lacks[j].z | Total(lacks[j].w) << 32;
                    Total *there = next + Count(neighbors[j]) * VECTORS * 2;
                    if (low) atomicOr(there, low);
                    if (high) atomicOr(there + 1, high);
                    lacks_some |= __any_sync(team, any(lacks[j])) && vector == k + j;
                }
            }
            if (lacks_some) s.mark(depth + 1, batch, mine);
        }
    }

    __device__ Count degree() const { return end - begin; }
};

// Rows that `advance` leaves out: those of more than `most` neighbours either way, which are listed for
// `advance_hubs`, those without in-arcs, and bits past the last row.
__global__ void set_apart(const Count *out_indptr, const Count *in_indptr, unsigned n, Count most,
                          unsigned *apart, int *hubs, unsigned *hub_count) {
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    const Count led_to = v < n ? in_indptr[v + 1] - in_indptr[v] : 0;
    const bool is_hub = v < n && max(led_to, out_indptr[v + 1] - out_indptr[v]) > most;
    const unsigned bits = __ballot_sync(ALL, is_hub || led_to == 0);
    if (is_hub) hubs[atomicAdd(hub_count, 1u)] = v;
    if (threadIdx.x % WARP == 0 && v < (n + WARP - 1) / WARP * WARP) apart[v / WARP] = bits;
}

// Level 0, pushed to level 1: a warp a source.
__global__ void start(State s) {
    const unsigned lane = threadIdx.x % WARP, warps = gridDim.x * (THREADS / WARP);
    unsigned fresh = 0;
    Total pushes = 0;
    for (unsigned i = blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP; i < s.batches * COLUMNS;
         i += warps) {
        const int source = s.sources[i];
        if (source < 0) continue;
        const unsigned batch = i / COLUMNS, word = i % COLUMNS / 32, bit = 1u << i % 32;
        const Count base = Count(batch) * s.n, begin = s.out_indptr[source];
        const Count end = s.out_indptr[source + 1];
        unsigned *seen = reinterpret_cast<unsigned *>(s.seen);
        unsigned *next = reinterpret_cast<unsigned *>(s.found[1]);
        for (Count p = begin + lane; p < end; p += WARP) {
            const int v = s.out_indices[p];
            atomicOr(&next[(base + v) * VECTORS * 4 + word], bit);
            s.mark(1, batch, v);
        }
        if (lane) continue;
        atomicOr(&seen[(base + source) * VECTORS * 4 + word], bit);
        if (s.level) s.level[Count(i) * s.n + source] = 0;
        unsigned *digits = reinterpret_cast<unsigned *>(s.digits) + batch * s.most_digits * VECTORS * 4;
        for (unsigned more = s.more[i]; more; more &= more - 1)
            atomicOr(&digits[(__ffs(more) - 1) * VECTORS * 4 + word], bit);
        ++fresh;
        pushes += end - begin;
    }
    add_up(s.levels[0], fresh, pushes);
}

// Level `depth` of all rows but the hubs, a team each.
__global__ void __launch_bounds__(THREADS, 4) advance(State s, int depth) {
    constexpr unsigned TEAMS = WARP / VECTORS, COUNT = 4;
    __shared__ unsigned found[THREADS / WARP][WARP * PIECE];
    if (!s.levels[depth - 1].fresh) return;
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const unsigned warps = gridDim.x * (THREADS / WARP);
    const bool pulls = s.pulls(depth), pushes_on = !s.pulls(depth + 1);
    // A byte of rows at a time where all of them pull, so that the warps stay close together and
    // share the cache; else some of them far apart, so that each warp gets its share of the
    // marked rows.
    const unsigned bytes = 4 * s.words, total = bytes * s.batches;
    const unsigned at_once = pulls ? 1 : min(max(total / (4 * warps), 1), WARP);
    const unsigned steps = (total + at_once - 1) / at_once;
    const auto *marked = reinterpret_cast<const unsigned char *>(s.marked[depth % 3]);
    const auto *done = reinterpret_cast<const unsigned char *>(s.done);
    const auto *apart = reinterpret_cast<const unsigned char *>(s.apart);
    auto *unmarked = reinterpret_cast<unsigned char *>(s.marked[(depth + 2) % 3]);
    unsigned fresh = 0;
    Total pushes = 0;
    for (unsigned i = blockIdx.x * (THREADS / WARP) + warp; i < steps; i += warps) {
        const unsigned piece = lane * steps + i;
        unsigned rows = 0;
        if (lane < at_once && piece < total) {
            rows = (pulls ? 0xff : marked[piece]) & ~(done[piece] | apart[piece % bytes]);
            unmarked[piece] = 0;
        }
        const unsigned end = warp_scan(unsigned(__popc(rows)));  // stream compaction
        for (unsigned at = end - __popc(rows); rows; rows &= rows - 1)
            found[warp][at++] = piece * PIECE + __ffs(rows) - 1;
        __syncwarp();
        const unsigned size = __shfl_sync(ALL, end, WARP - 1);
        for (unsigned j = lane / VECTORS; j < size; j += TEAMS) {
            const unsigned at = found[warp][j], batch = at / (bytes * PIECE);
            Row row(s, depth, batch, at - batch * bytes * PIECE);
            uint4 hit = pulls ? uint4{} : row.pushed();
            const Count stop = pulls ? s.in_indptr[row.v + 1] : 0;
            for (Count p = pulls ? s.in_indptr[row.v] : 0; p < stop; p += COUNT) {
                hit = hit | gather_or<COUNT>(row.before(), s.in_indices, p, 1, stop);
                if (row.has_all(hit)) break;
            }
            hit = hit & row.want;
            const unsigned vectors = row.commit(hit, pulls, true);
            if (!vectors) continue;
            if (pushes_on) row.push(hit, 0, 1);
            if (row.vector == 0) ++fresh, pushes += row.degree() * vectors;
        }
        __syncwarp();
    }
    add_up(s.levels[depth], fresh, pushes);
}

// Level `depth` of the hubs, a block each.
__global__ void __launch_bounds__(HUB_THREADS) advance_hubs(State s, int depth) {
    constexpr unsigned TEAMS = HUB_THREADS / VECTORS, COUNT = 4;
    __shared__ unsigned hits[VECTORS * 4];
    if (!s.levels[depth - 1].fresh) return;
    const unsigned lane = threadIdx.x % WARP, mine = threadIdx.x / VECTORS;
    const bool pulls = s.pulls(depth), pushes_on = !s.pulls(depth + 1);
    unsigned fresh = 0;
    Total pushes = 0;
    for (unsigned i = blockIdx.x; i < s.hub_count * s.batches; i += gridDim.x) {
        const unsigned batch = i / s.hub_count, v = s.hubs[i % s.hub_count], bit = 1u << v % 32;
        const Count word = Count(batch) * s.words + v / 32;
        if (s.done[word] & bit || !(pulls || s.marked[depth % 3][word] & bit)) continue;
        __syncthreads();  // all have read what the last hub left
        if (threadIdx.x < VECTORS * 4) hits[threadIdx.x] = 0;
        Row row(s, depth, batch, v);
        uint4 hit = pulls ? uint4{} : row.pushed();
        __syncthreads();  // all have read the row, before its writers change it
        const Count stop = pulls ? s.in_indptr[v + 1] : 0;
        for (Count p = pulls ? s.in_indptr[v] : 0; p < stop; p += COUNT * TEAMS) {
            hit = or_of_teams(
                gather_or<COUNT>(row.before(), s.in_indices, p + mine, TEAMS, stop));
            if (lane < VECTORS) {
                atomicOr(&hits[row.vector * 4], hit.x), atomicOr(&hits[row.vector * 4 + 1], hit.y);
                atomicOr(&hits[row.vector * 4 + 2], hit.z), atomicOr(&hits[row.vector * 4 + 3], hit.w);
            }
            __syncthreads();
            hit = reinterpret_cast<const uint4 *>(hits)[row.vector];
            if (__syncthreads_and(!any(without(row.want, hit)))) break;
        }
        hit = hit & row.want;
        const unsigned vectors = row.commit(hit, pulls, mine == 0);
        if (!vectors) continue;
        if (pushes_on) row.push(hit, mine, TEAMS);
        if (threadIdx.x == 0) ++fresh, pushes += row.degree() * vectors;
    }
    add_up(s.levels[depth], fresh, pushes);
}

// Add the batches up, in their order.
__global__ void reduce(State s, Count *reached, Count *total, double *harmonic, Count *farthest) {
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v >= s.n) return;
    for (unsigned batch = 0; batch < s.batches; ++batch) {
        const Sums sums = s.sums[Count(batch) * s.n + v];
        reached[v] += sums.reached;
        total[v] += sums.total;
        harmonic[v] += sums.harmonic;
        farthest[v] = max(farthest[v], Count(sums.farthest));
    }
}

// The first of a row's neighbours one level above it: a thread for each node and source.
__global__ void predecessors(const Count *indptr, const int *indices, int n, int sources,
                             const int *levels, int *out) {
    const Count at = Count(blockIdx.x) * THREADS + threadIdx.x;
    if (at >= Count(n) * sources) return;
    const int *level = levels + at / n * n;
    int before = NO_PREDECESSOR;
    if (levels[at] > 0) {
        Count p = indptr[at % n];
        while (level[indices[p]] != levels[at] - 1) ++p;
        before = indices[p];
    }
    out[at] = before;
}
