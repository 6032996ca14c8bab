// Clustered sources, 64 to a block of threads, on a high-diameter graph of short rows, along lengths: the
// forward phase of the kernels that count paths and of those that sum distances.
//
//     distance   d(v) = min over u of d(u) + w(u, v)
//     tight      d(u) + w(u, v) <= d(v) + tau, and equal to d(v) where lengths are whole
//     counts     sigma(v) = sum of sigma(u) over tight u -> v
//
// A warp per node, two sources per lane. Clustered sources share nearly one order of nodes by distance, so
// nodes are numbered by a search from all of them (WITHIN a cutoff the nodes it reaches). Nodes to update
// are on a worklist; a round takes the lowest numbers of it together. A node whose row changed puts the
// heads whose rows may change on the worklist. Distances and path counts are the unique fixpoint, whatever
// the order of updates.
//
// A row has the arcs from a node and those to it, which are the same where the graph is SYMMETRIC.
#pragma once
#include "numbering.cuh"
#include "rounds.cuh"
#include "../sssp/sssp.cuh"

constexpr int CLUSTERED_WIDTH = 64;       // sources of a batch
constexpr int NUMBER_BITS = 27;           // of a number beside the place of an arc in its row
constexpr unsigned NO_ARC = 0xffffffff;   // in place of a head; its length is 0
constexpr int CLUSTERED_RESIDENT = 768;   // threads on a multiprocessor, of a block or of two

// An arc: the number of its head, and above it the place of the reverse arc in the row there, which has
// the same length.
template <class Length, bool SYMMETRIC>
struct alignas(2 * sizeof(Length)) Link {
    Length length;
    unsigned head;

    __device__ Length back() const { return length; }
};

// An arc whose lengths there and back differ: `unreached` for a way that is none.
template <class Length>
struct alignas(4 * sizeof(Length)) Link<Length, false> {
    Length length, reverse;
    unsigned head;

    __device__ Length back() const { return reverse; }
};

constexpr int EACH = CLUSTERED_WIDTH / WARP;  // sources of a lane
static_assert(EACH == 2);
using Mask = unsigned long long;  // a bit for each source: lane l has l and l + WARP

// The values of a lane in a row, in one read.
template <class T>
struct alignas(EACH * sizeof(T)) Own {
    T of[EACH];
};

// Arguments of every kernel of clustered sources, by value.
template <class Pointer, class Length, bool SYMMETRIC>
struct SharedOrder : SSSPState<void, Pointer, Length> {
    const Link<Length, SYMMETRIC> *given;  // (n, SLOTS) arcs of each node
    const int *begins;                     // (batches + 1,) first source of each
    Link<Length, SYMMETRIC> *arcs;         // (workers, n, SLOTS) the same by number
    Own<Length> *distance;                 // (workers, n, WARP)
    int *order;                            // (workers, n) nodes by number
    int *place;                            // (workers, n) numbers of the nodes
    Mask *known;                           // (workers, n) sources whose value is the last
    unsigned *bits;                        // (workers, 2, words) of numbers that wait, and that are met
    int batches;
};

// The type of path counts, and whether there are any.
template <class Real>
struct Counts {
    using Type = Real;
    static constexpr bool WANTED = true;
};

template <>
struct Counts<void> {
    using Type = float;
    static constexpr bool WANTED = false;
};

// THREADS of a block take half as many numbers a round. SLOTS: arcs that a row has room for. WITHIN: a way
// beyond the cutoff is none. Real: type of path counts, void where none are wanted.
template <class State, class Real, class Pointer, class Length, bool SYMMETRIC, int THREADS, int SLOTS,
          bool WITHIN>
struct Clustered : Rounds<Mask, THREADS / 2> {
    using Waiting = Rounds<Mask, THREADS / 2>;
    using Waiting::have, Waiting::is_met, Waiting::meet, Waiting::none_waits, Waiting::wait;
    using Waiting::outside, Waiting::waiting;
    using Way = Link<Length, SYMMETRIC>;
    static constexpr bool COUNTS = Counts<Real>::WANTED;
    using Count = typename Counts<Real>::Type;
    static constexpr int TOGETHER = WARP / SLOTS;  // nodes of a warp at once, a lane an arc
    static constexpr unsigned NUMBER = (1u << NUMBER_BITS) - 1;
    static constexpr unsigned ROW = SLOTS == WARP ? ALL : (1u << SLOTS % WARP) - 1;
    static constexpr int CHUNK = 4;  // arcs of a row that a lane looks at together

    const State &s;
    const SSSP<void, Pointer, Length, WITHIN, true> search;
    int lane, slot, own[EACH];  // numbers of the lane's sources, -1 for none

    // The arrays of this block: pointers in shared memory save registers.
    struct Arrays {
        Way *arcs;
        Own<Length> *distances;
        int *order, *place;
        double *sums;
        Mask *known;
        // Where paths are counted.
        Mask *tight;
        Own<Count> *sigmas;
        Count *weights;
        double *shares;
        bool may_be_beyond;  // some path count, not final perhaps, exceeds the limit
    };

    __device__ Clustered(const State &s)
        : Waiting(s.bits + blockIdx.x * 2ll * ((s.n + WARP - 1) / WARP)), s(s), search(s),
          lane(threadIdx.x % WARP), slot(threadIdx.x % SLOTS) {
        if (threadIdx.x) return;
        Arrays &a = mine();
        a.arcs = of_block(s.arcs, SLOTS), a.distances = of_block(s.distance, WARP);
        a.order = of_block(s.order), a.place = of_block(s.place), a.known = of_block(s.known);
    }

    __device__ static Arrays &mine() {
        __shared__ Arrays arrays;
        return arrays;
    }

    // The part of an array that this block owns, of so many items per node.
    template <class T>
    __device__ T *of_block(T *all, int items = 1) const {
        return all + (long long)blockIdx.x * s.n * items;
    }

    // The values of a node in this lane.
    template <class T>
    __device__ T &of(T *all, unsigned v) const {
        return all[(long long)v * WARP + lane];
    }

    __device__ Own<Length> &distance(unsigned v) const { return of(mine().distances, v); }
    __device__ Own<Count> &sigma(unsigned v) const { return of(mine().sigmas, v); }

    __device__ static unsigned number(unsigned head) { return head & NUMBER; }

    __device__ static bool is_reached(Length distance) { return distance < unreached<Length>(); }

    // Longest of the ways to a node that tie with the shortest.
    __device__ Length latest(Length distance) const {
        if constexpr (COUNTS) return bound(distance, s.tau);
        else return distance;
    }

    __device__ static Way none() {
        Way arc = {};
        arc.head = NO_ARC;
        return arc;
    }

    __device__ Way arc_of(int v) const { return v >= 0 ? mine().arcs[v * SLOTS + slot] : none(); }

    // Whether an arc leads from the row to its head, and whether one leads from there.
    __device__ static bool leads_there(const Way &arc) {
        return arc.head != NO_ARC && (SYMMETRIC || is_reached(arc.length));
    }

    __device__ static bool leads_back(const Way &arc) {
        return arc.head != NO_ARC && (SYMMETRIC || is_reached(arc.back()));
    }

    // Arcs in registers, and what goes with them.
    template <class What>
    struct alignas(16) Chunk {
        What what[CHUNK];
        unsigned head[CHUNK];

        __device__ bool there(int j) const { return head[j] != NO_ARC; }
    };

    __device__ static Chunk<Mask> *of_warp() {
        __shared__ Chunk<Mask> of_warps[THREADS / CHUNK];
        return of_warps + threadIdx.x / WARP * WARP / CHUNK;
    }

    template <class What>
    __device__ static Chunk<What> *hands() {
        return reinterpret_cast<Chunk<What> *>(of_warp());
    }

    // Every lane of a warp has an arc for all of them.
    template <class What>
    __device__ void hand(unsigned head, What what) const {
        Chunk<What> &mine = hands<What>()[lane / CHUNK];
        __syncwarp();
        mine.head[lane % CHUNK] = head, mine.what[lane % CHUNK] = what;
        __syncwarp();
    }

    // Lengths of the arcs in registers, away from the row.
    __device__ static Length *onward() {
        __shared__ Length of_warps[THREADS];
        return of_warps + threadIdx.x / WARP * WARP;
    }

    __device__ void hand_onward(Length length) const {
        onward()[lane] = length;
        __syncwarp();
    }

    // Number the nodes in the order of their distances from the sources, as far as buckets tell them
    // apart, and the arcs between them; visit(number, node) for each by one thread. Nodes found are
    // listed in `known`, which holds nothing yet.
    template <class Visit>
    __device__ void renumber(const int *sources, int count, const Visit &visit) {
        int *const found = reinterpret_cast<int *>(mine().known);
        const int n = search.by_waves(sources, count, found);
        if (WITHIN) sort_nodes(found, n, outside(), s.n);
        const auto distance_of = [&](int v) { return search.nodes[v].distance; };
        const auto node = [&](int i) { return WITHIN ? found[i] : i; };
        have(n);
        sort_by(node, distance_of, unreached<Length>(), n, waiting(), mine().order, mine().place);
        for (int i = threadIdx.x; i < n * SLOTS; i += blockDim.x) {
            Way arc = s.given[mine().order[i / SLOTS] * SLOTS + slot];
            if (WITHIN && arc.head != NO_ARC && !is_reached(distance_of(number(arc.head))))
                arc = none();
            if (arc.head != NO_ARC) arc.head = mine().place[number(arc.head)] | (arc.head & ~NUMBER);
            mine().arcs[i] = arc;
            if (slot == 0) visit(i / SLOTS, mine().order[i / SLOTS]);
        }
        __syncthreads();
        if (WITHIN) search.forget(mine().order, n);
        for (int e = 0; e < EACH; ++e) {
            const int k = lane + e * WARP;
            own[e] = k < count ? mine().place[sources[k]] : -1;
        }
    }

    __device__ bool is_beyond(const Own<Count> &paths) const {
        return max(paths.of[0], paths.of[1]) > Count(s.limit);
    }

    // Distances and path counts from the sources.
    __device__ void forward() {
        if (threadIdx.x == 0) mine().may_be_beyond = false;
        none_waits();
        if (threadIdx.x < WARP)
            for (int number : own)
                if (number >= 0) wait(number);
        this->template run<TOGETHER>([&](int v) { return pull(v); }, [&](int v, Mask) { meet(v); });
    }

    // Arcs of a row that a lane looks at together, and the ways by each from the lane's sources to the row.
    struct Ways {
        Chunk<Length> arcs;
        Own<Length> away[CHUNK];

        __device__ Length by(int j, int e) const { return away[j].of[e] + arcs.what[j]; }
    };

    // Those whose first arc is that of a lane.
    __device__ __forceinline__ void look(int at, Ways &ways) const {
        ways.arcs = hands<Length>()[at / CHUNK];
        for (int j = 0; j < CHUNK; ++j) {
            ways.away[j] = {unreached<Length>(), unreached<Length>()};
            if (ways.arcs.there(j)) ways.away[j] = distance(ways.arcs.head[j]);
        }
    }

    // Distances of node u, whose arcs are those of the lanes from the first on; `ways` has these afterwards.
    __device__ __forceinline__ Own<Length> nearest(int u, int first, int chunks, Ways &ways) const {
        Own<Length> least;
        for (int e = 0; e < EACH; ++e) least.of[e] = own[e] == u ? 0 : unreached<Length>();
#pragma unroll 1
        for (int c = chunks - 1; c >= 0; --c) {
            look(first + c * CHUNK, ways);
            for (int j = 0; j < CHUNK; ++j)
                for (int e = 0; e < EACH; ++e) least.of[e] = min(least.of[e], ways.by(j, e));
        }
        for (int e = 0; e < EACH; ++e)
            if (search.is_too_far(least.of[e])) least.of[e] = unreached<Length>();
        return least;
    }

    // Path counts of node u, over the arcs that are tight, and for each lane's arc the sources from which it is;
    // `ways` has the first arcs, and the last afterwards.
    __device__ __forceinline__ Own<Count> count(int u, int first, int chunks, const Own<Length> &least,
                                                Ways &ways, Mask &is_tight) const {
        Own<Count> paths;
        for (int e = 0; e < EACH; ++e) paths.of[e] = own[e] == u;
#pragma unroll 1
        for (int c = 0; c < chunks; ++c) {
            if (c) look(first + c * CHUNK, ways);
            bool is[CHUNK][EACH];
            for (int j = 0; j < CHUNK; ++j) {
                Mask sources = 0;
                for (int e = 0; e < EACH; ++e) {
                    is[j][e] = is_reached(least.of[e]) && ways.by(j, e) <= latest(least.of[e]);
                    sources |= Mask(__ballot_sync(ALL, is[j][e])) << e * WARP;
                }
                if (lane == first + c * CHUNK + j) is_tight = sources;
            }
            Own<Count> counts[CHUNK];  // with no vote between them, all are on their way at once
            for (int j = 0; j < CHUNK; ++j) {
                counts[j] = {};
                if (is[j][0] || is[j][1]) counts[j] = sigma(ways.arcs.head[j]);
            }
            for (int j = 0; j < CHUNK; ++j)
                for (int e = 0; e < EACH; ++e)
                    paths.of[e] += is[j][e] ? counts[j].of[e] : Count(0);
        }
        return paths;
    }

    // Lanes whose arcs lead to rows that may change, as the row has changed for some sources. `ways` has the
    // arcs that were looked at last.
    __device__ __forceinline__ unsigned passed_on(int first, int chunks, const Own<Length> &least,
                                                  const bool (&changed)[EACH], Ways &ways) const {
        unsigned wakes = 0;
#pragma unroll 1
        for (int i = 0; i < chunks; ++i) {
            const int c = COUNTS ? chunks - 1 - i : i;
            if (i) look(first + c * CHUNK, ways);
            for (int j = 0; j < CHUNK; ++j) {
                const Length length =
                    SYMMETRIC ? ways.arcs.what[j] : onward()[first + c * CHUNK + j];
                bool passes = false;
                for (int e = 0; e < EACH; ++e) {
                    const Length to = least.of[e] + length, now = ways.away[j].of[e];
                    const bool may_change = COUNTS ? to <= latest(now) : to < now;
                    passes |= changed[e] && is_reached(to) && may_change;
                }
                if (__any_sync(ALL, passes)) wakes |= 1u << (first + c * CHUNK + j);
            }
        }
        return wakes;
    }

    // Update the rows of the nodes of this warp (-1: none) from those of their neighbours. If another
    // warp writes one of these meanwhile, it puts the node on the worklist again.
    __device__ Mask pull(int v) {
        const Way arc = arc_of(v);
        const bool is_met_there = arc.head != NO_ARC && is_met(number(arc.head));
        hand(is_met_there ? number(arc.head) : NO_ARC, arc.back());
        if constexpr (!SYMMETRIC) hand_onward(arc.length);
        const unsigned met_here = __ballot_sync(ALL, v >= 0 && is_met(v));
        const unsigned there = __ballot_sync(ALL, is_met_there);
        Mask is_tight = 0, missing = 0;
        unsigned wakes = 0;
#pragma unroll 1
        for (int first = 0; first < WARP; first += SLOTS) {
            const int u = of_lane(v, first);
            if (u < 0) break;
            const int chunks = (there >> first & ROW) >> CHUNK ? SLOTS / CHUNK : 1;
            const bool again = met_here >> first & 1;
            Own<Length> before = {unreached<Length>(), unreached<Length>()};
            Own<Count> paths_before = {}, paths = {};
            if (again) before = distance(u);
            if (COUNTS && again) paths_before = sigma(u);
            Ways ways;
            const Own<Length> least = nearest(u, first, chunks, ways);
            if constexpr (COUNTS) paths = count(u, first, chunks, least, ways, is_tight);
            bool changed[EACH];
            Mask missed = 0;
            for (int e = 0; e < EACH; ++e) {
                const bool reached = is_reached(least.of[e]);
                changed[e] = least.of[e] != before.of[e] ||
                             (COUNTS && reached && paths.of[e] != paths_before.of[e]);
                missed |= Mask(__ballot_sync(ALL, !reached)) << e * WARP;
            }
            if (lane == first) missing = missed;
            if (again && !__any_sync(ALL, changed[0] || changed[1])) continue;
            distance(u) = least;
            if constexpr (COUNTS) {
                sigma(u) = paths;
                if (is_beyond(paths)) mine().may_be_beyond = true;
            }
            wakes |= ROW << first & ~there;  // who has met nobody
            wakes |= passed_on(first, chunks, least, changed, ways);
        }
        if (arc.head != NO_ARC) {
            if constexpr (COUNTS)
                mine().tight[number(arc.head) * SLOTS + (arc.head >> NUMBER_BITS)] = is_tight;
            if (leads_there(arc) && (wakes >> lane & 1)) wait(number(arc.head));
        }
        if (COUNTS && v >= 0 && slot == 0) mine().known[v] = missing;
        return 0;
    }
};

// visit(first source, how many) for the batches from `begin` to `end` of a worker's share, as long as it
// says so.
template <class State, class Visit>
__device__ __forceinline__ void each_batch(const State &s, int first, int begin, int end,
                                           const Visit &visit) {
    for (long long i = begin; i < end; ++i) {
        const long long k = first + blockIdx.x + i * s.workers;
        if (k >= s.batches || !visit(s.begins[k], s.begins[k + 1] - s.begins[k])) return;
    }
}
