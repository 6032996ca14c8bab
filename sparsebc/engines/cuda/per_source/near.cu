// Brandes' two phases from 64 near sources at once, on a deep graph of short rows, by length, or by edges
// of length one: a block of threads has a group of them, a warp a node, a lane two sources.
//
//     distance   d(v) = min over u of d(u) + w(u, v)
//     tight      d(u) + w(u, v) <= d(v) + rtol d(v), and equal to d(v) where lengths are whole
//     forward    sigma(v) = sum of sigma(u) over tight u -> v
//     backward   delta(u) = sigma(u) * sum of g(v) over tight u -> v,   g = (omega + delta) / sigma
//     arcs       eb(u -> v) += alpha sigma(u) g(v) where it is tight
//
// Near sources have nearly the same order of nodes, so nodes are numbered in that of a search from
// all of them, WITHIN a cutoff those that it reaches. Of all numbers that wait, a block looks at the
// lowest together, a round. Forward, a node whose row has changed has the heads of its tight arcs wait:
// distances and path counts end with the one fixpoint that there is, in whatever order rows are looked
// at. Backward all wait, the highest number first: g takes the place of sigma for the sources that it is
// known for at all heads, and a row that lacks others waits until more is known.
//
// A row has the arcs from a node and those to it, which are the same where the graph is SYMMETRIC.
//
// Sums over a row are in its order, and a round adds to the score of a node, or of an arc, once. Who is
// in a round backward hangs on the numbers alone. So results have the same bits on every run: worker k,
// a block, takes the groups k, k + workers, ..., one after the other, and the workers are added up in
// order. Groups of one region take about as long as each other; so all workers have some of each.
#include "../common/four_sums.cuh"
#include "../common/sums.cuh"
#include "../common/updates.cuh"
#include "near.gen.cuh"
#include "numbering.cuh"
#include "rounds.cuh"
#include "scores.cuh"
#include "sssp.cuh"

// An arc: the number of its head, and above it the place of the reverse arc in the row there, which has
// the same length.
template <class Length, bool SYMMETRIC>
struct alignas(2 * sizeof(Length)) Link {
    Length length;
    unsigned head;

    __device__ Length back() const { return length; }
};

// The same where lengths there and back differ: `unreached` for a way that is none.
template <class Length>
struct alignas(4 * sizeof(Length)) Link<Length, false> {
    Length length, reverse;
    unsigned head;

    __device__ Length back() const { return reverse; }
};

constexpr int EACH = NEAR_WIDTH / WARP;  // sources of a lane
static_assert(EACH == 2);
using Mask = unsigned long long;  // a bit for each source: lane l has l and l + WARP
constexpr Mask EVERY = ~Mask(0);

// What a lane has of a row: one read.
template <class T>
struct alignas(EACH * sizeof(T)) Own {
    T of[EACH];
};

// Passed by value.
template <class Real, class Pointer, class Length, bool SYMMETRIC>
struct State : SSSPState<float, Pointer, Length> {
    using Share = Real;

#include "near_state.gen.cuh"
};

// THREADS of a block take half as many numbers a round. SLOTS: arcs that a row has room for. WITHIN: a way
// beyond the cutoff is none.
template <class Real, class Pointer, class Length, bool SYMMETRIC, int THREADS, int SLOTS, bool WITHIN,
          int SUMS>
struct Near : Rounds<Mask, THREADS / 2> {
    using Waiting = Rounds<Mask, THREADS / 2>;
    using Waiting::have, Waiting::is_met, Waiting::meet, Waiting::met_wait, Waiting::none_waits;
    using Waiting::outside, Waiting::run, Waiting::turn, Waiting::wait, Waiting::waiting, Waiting::words;
    using Way = Link<Length, SYMMETRIC>;
    static constexpr int TOGETHER = WARP / SLOTS;  // nodes that a warp has in hand, a lane an arc
    static constexpr unsigned NUMBER = (1u << NUMBER_BITS) - 1;
    static constexpr unsigned ROW = SLOTS == WARP ? ALL : (1u << SLOTS % WARP) - 1;
    static constexpr int CHUNK = 4;  // arcs of a row that a lane looks at together

    const State<Real, Pointer, Length, SYMMETRIC> &s;
    const SSSP<float, Pointer, Length, WITHIN, true> search;
    int lane, slot, own[EACH];  // numbers of the lane's sources, -1 for none

    // What this block has of arrays: on the chip, lest they take a register each.
    struct Arrays {
        Way *arcs;
        Mask *tight, *known;
        Own<Length> *distances;
        Own<Real> *sigmas;
        Real *weights;
        double *sums, *shares;
        int *order, *place;
        bool is_far;  // a path count was found beyond the limit
    };

    __device__ Near(const State<Real, Pointer, Length, SYMMETRIC> &s)
        : Waiting(s.bits + blockIdx.x * 2ll * ((s.n + WARP - 1) / WARP)), s(s), search(s),
          lane(threadIdx.x % WARP), slot(threadIdx.x % SLOTS) {
        if (threadIdx.x) return;
        mine() = {of_block(s.arcs, SLOTS), of_block(s.tight, SLOTS), of_block(s.known),
                  of_block(s.distance, WARP), of_block(s.sigma, WARP), of_block(s.weights),
                  of_block(s.sums), of_block(s.shares, SLOTS), of_block(s.order), of_block(s.place)};
    }

    __device__ static Arrays &mine() {
        __shared__ Arrays arrays;
        return arrays;
    }

    // What this block has of an array, so many items of it a node.
    template <class T>
    __device__ T *of_block(T *all, int items = 1) const {
        return all + (long long)blockIdx.x * s.n * items;
    }

    // What the lane has of a node.
    template <class T>
    __device__ T &of(T *all, unsigned v) const {
        return all[(long long)v * WARP + lane];
    }

    __device__ Own<Length> &distance(unsigned v) const { return of(mine().distances, v); }
    __device__ Own<Real> &sigma(unsigned v) const { return of(mine().sigmas, v); }
    __device__ Own<Real> &g(unsigned v) const { return sigma(v); }  // once that is known

    __device__ static unsigned number(unsigned head) { return head & NUMBER; }

    __device__ static bool is_reached(Length distance) { return distance < unreached<Length>(); }

    // Longest of the ways to a node that tie with the shortest.
    __device__ Length latest(Length distance) const {
        return is_reached(distance) ? bound(distance, s.rtol) : distance;
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

    // Some arcs that are in hand, and what goes with them.
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

    // Lengths of the arcs that are in hand, away from the row.
    __device__ static Length *onward() {
        __shared__ Length of_warps[THREADS];
        return of_warps + threadIdx.x / WARP * WARP;
    }

    __device__ void hand_onward(Length length) const {
        onward()[lane] = length;
        __syncwarp();
    }

    // Number the nodes in the order of their distances from the sources, as far as buckets tell them
    // apart, and the arcs between them. What is found is listed where nothing is known yet.
    __device__ void renumber(const int *sources, int count) {
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
            if (slot) continue;
            mine().weights[i / SLOTS] = s.omega[mine().order[i / SLOTS]];
            if (!SYMMETRIC) mine().known[i / SLOTS] = EVERY;  // of a node that none leads to
        }
        __syncthreads();
        if (WITHIN) search.forget(mine().order, n);
    }

    __device__ bool is_beyond(const Own<Real> &paths) const {
        return max(paths.of[0], paths.of[1]) > Real(s.limit);
    }

    // Distances and path counts from the sources.
    __device__ void forward() {
        if (threadIdx.x == 0) mine().is_far = false;
        none_waits();
        if (threadIdx.x < WARP)
            for (int number : own)
                if (number >= 0) wait(number);
        this->template run<TOGETHER>([&](int v) { return pull(v); }, [&](int v, Mask) { meet(v); });
    }

    // The largest path count of a thread's, if one may be beyond the limit: until rows are as they stay,
    // a run may meet other counts than the next.
    __device__ double most_paths() const {
        Real most = 0;
        for (int v = threadIdx.x / WARP; mine().is_far && v < words * WARP; v += blockDim.x / WARP)
            if (is_met(v)) most = max(most, max(sigma(v).of[0], sigma(v).of[1]));
        return most;
    }

    // Of the nodes that the warp has in hand, -1 for none: their rows by those of their neighbours.
    // Where one of these is written meanwhile, whoever does so has the node wait again.
    __device__ Mask pull(int v) {
        const Way arc = arc_of(v);
        const bool is_met_there = arc.head != NO_ARC && is_met(number(arc.head));
        hand(is_met_there ? number(arc.head) : NO_ARC, arc.back());
        if constexpr (!SYMMETRIC) hand_onward(arc.length);
        const unsigned met_here = __ballot_sync(ALL, v >= 0 && is_met(v));
        const unsigned there = __ballot_sync(ALL, is_met_there);
        const Length FAR = unreached<Length>();
        Mask is_tight = 0, missing = 0;
        unsigned wakes = 0;
#pragma unroll 1
        for (int first = 0; first < WARP; first += SLOTS) {
            const int u = of_lane(v, first);
            if (u < 0) break;
            const unsigned met = there >> first & ROW;
            const int chunks = met >> CHUNK ? SLOTS / CHUNK : 1;
            const bool again = met_here >> first & 1;
            Own<Length> before = {FAR, FAR}, least;
            Own<Real> paths_before = {}, paths;
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                least.of[e] = own[e] == u ? 0 : FAR;
                paths.of[e] = own[e] == u;
            }
            if (again) before = distance(u), paths_before = sigma(u);
            Chunk<Length> some;
            Own<Length> away[CHUNK];  // from the sources to the row, by way of each arc
            const auto look = [&](int c) {
                some = hands<Length>()[first / CHUNK + c];
#pragma unroll
                for (int j = 0; j < CHUNK; ++j) {
                    away[j] = {FAR, FAR};
                    if (some.there(j)) away[j] = distance(some.head[j]);
                }
            };
#pragma unroll 1
            for (int c = chunks - 1; c >= 0; --c) {
                look(c);
#pragma unroll
                for (int j = 0; j < CHUNK; ++j)
#pragma unroll
                    for (int e = 0; e < EACH; ++e)
                        least.of[e] = min(least.of[e], away[j].of[e] + some.what[j]);
            }
#pragma unroll
            for (int e = 0; e < EACH; ++e)
                if (search.is_too_far(least.of[e])) least.of[e] = FAR;
#pragma unroll 1
            for (int c = 0; c < chunks; ++c) {
                if (c) look(c);
                bool is[CHUNK][EACH];
#pragma unroll
                for (int j = 0; j < CHUNK; ++j) {
                    Mask sources = 0;
#pragma unroll
                    for (int e = 0; e < EACH; ++e) {
                        is[j][e] = is_reached(least.of[e]) &&
                                   away[j].of[e] + some.what[j] <= latest(least.of[e]);
                        sources |= Mask(__ballot_sync(ALL, is[j][e])) << e * WARP;
                    }
                    if (lane == first + c * CHUNK + j) is_tight = sources;
                }
                Own<Real> counts[CHUNK];  // with no vote between them, all are on their way at once
#pragma unroll
                for (int j = 0; j < CHUNK; ++j) {
                    counts[j] = {};
                    if (is[j][0] || is[j][1]) counts[j] = sigma(some.head[j]);
                }
#pragma unroll
                for (int j = 0; j < CHUNK; ++j)
#pragma unroll
                    for (int e = 0; e < EACH; ++e)
                        paths.of[e] += is[j][e] ? counts[j].of[e] : Real(0);
            }
            bool changed[EACH];
            Mask missed = 0;
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                const bool reached = is_reached(least.of[e]);
                changed[e] = least.of[e] != before.of[e] ||
                             (reached && paths.of[e] != paths_before.of[e]);
                missed |= Mask(__ballot_sync(ALL, !reached)) << e * WARP;
            }
            if (lane == first) missing = missed;
            if (again && !__any_sync(ALL, changed[0] || changed[1])) continue;
            distance(u) = least;
            sigma(u) = paths;
            if (is_beyond(paths)) mine().is_far = true;
            wakes |= ROW << first & ~there;  // who has met nobody
#pragma unroll 1
            for (int c = chunks - 1; c >= 0; --c) {
                if (c < chunks - 1) look(c);
#pragma unroll
                for (int j = 0; j < CHUNK; ++j) {
                    const Length length =
                        SYMMETRIC ? some.what[j] : onward()[first + c * CHUNK + j];
                    bool passes = false;
#pragma unroll
                    for (int e = 0; e < EACH; ++e)
                        passes |= changed[e] && is_reached(least.of[e] + length) &&
                                  least.of[e] + length <= latest(away[j].of[e]);
                    if (__any_sync(ALL, passes)) wakes |= 1u << (first + c * CHUNK + j);
                }
            }
        }
        if (arc.head != NO_ARC) {
            mine().tight[number(arc.head) * SLOTS + (arc.head >> NUMBER_BITS)] = is_tight;
            if (leads_there(arc) && (wakes >> lane & 1)) wait(number(arc.head));
        }
        if (v >= 0 && slot == 0) mine().known[v] = missing;
        return 0;
    }

    // What the sources give to each node, each with its weight.
    __device__ void backward(const double (&alpha)[EACH]) {
        met_wait();
        this->template run<TOGETHER>(
            [&](int at) { return hand_down(at < 0 ? -1 : turn(at), alpha); },
            [&](int at, Mask ready) {
                if (ready) mine().known[turn(at)] = ready;
            });
    }

    // What the sources give to arcs of a node: g of their heads, where they are tight, is at hand.
    __device__ void along(long long first, const double (&alpha)[EACH], const Own<Real> &paths,
                          const Own<Real> (&values)[CHUNK]) const {
        double parts[CHUNK] = {};
#pragma unroll
        for (int j = 0; j < CHUNK; ++j)
#pragma unroll
            for (int e = 0; e < EACH; ++e)
                parts[j] += alpha[e] * double(paths.of[e] * values[j].of[e]);
        const double sum = sums_of_four<1>(parts);
        if (lane % 8 == 0 && sum != 0) atomicAdd(&mine().shares[first + lane / 8], sum);
    }

    // Of the nodes that the warp has in hand, -1 for none: g as far as that of their heads is known.
    // Returns what is known of them then, 0 where that is no more than before.
    __device__ Mask hand_down(int v, const double (&alpha)[EACH]) {
        const Way arc = arc_of(v);
        const Mask is_tight = leads_there(arc) ? mine().tight[v * SLOTS + slot] : 0;
        const Mask before = v >= 0 ? mine().known[v] : EVERY;
        const int node = v >= 0 ? mine().order[v] : 0;
        const Real weight = v >= 0 ? mine().weights[v] : Real(0);
        const Mask there = arc.head != NO_ARC ? mine().known[number(arc.head)] : EVERY;
        Mask ready = ~is_tight | there;
        for (int step = SLOTS / 2; step; step /= 2) ready &= across(ready, step);
        const Mask fresh = ready & ~before;
        hand(number(arc.head), is_tight & fresh);
        const unsigned busy = __ballot_sync(ALL, fresh != 0);
        const unsigned heads = __ballot_sync(ALL, (is_tight & fresh) != 0);
        double share = 0;  // of the node in hand, what lanes of one slot have
#pragma unroll 1
        for (int first = 0; first < WARP; first += SLOTS) {
            if (!(busy >> first & 1)) continue;
            const int u = of_lane(v, first);
            const Real omega = of_lane(weight, first);
            const Mask now = of_lane(fresh, first);
            const int chunks = heads >> first & ROW & ROW << CHUNK ? SLOTS / CHUNK : 1;
            Own<Real> value = sigma(u), sum = {};
#pragma unroll 1
            for (int c = 0; c < chunks; ++c) {
                const Chunk<Mask> some = hands<Mask>()[first / CHUNK + c];
                Own<Real> values[CHUNK];
#pragma unroll
                for (int j = 0; j < CHUNK; ++j) {
                    bool is[EACH];
#pragma unroll
                    for (int e = 0; e < EACH; ++e) is[e] = some.what[j] >> (lane + e * WARP) & 1;
                    values[j] = {};
                    if (is[0] || is[1]) values[j] = g(some.head[j]);
#pragma unroll
                    for (int e = 0; e < EACH; ++e)
                        if (!is[e]) values[j].of[e] = 0;
                }
#pragma unroll
                for (int j = 0; j < CHUNK; ++j)
#pragma unroll
                    for (int e = 0; e < EACH; ++e) sum.of[e] += values[j].of[e];
                if constexpr (SUMS & ARCS)
                    along((long long)of_lane(node, first) * SLOTS + c * CHUNK, alpha, value, values);
            }
            double part = 0;
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                const bool is_fresh = now >> (lane + e * WARP) & 1;
                Real delta;
                delta_update(is_fresh, sum.of[e], omega, value.of[e], delta);
                if (own[e] != u) part += alpha[e] * double(delta);
            }
            g(u) = value;
            for (int step = WARP / 2; step >= SLOTS; step /= 2) part += across(part, step);
            if (lane / SLOTS == first / SLOTS) share = part;
        }
        if (busy)
            for (int step = SLOTS / 2; step; step /= 2) share += across(share, step);
        if (slot == 0 && fresh) atomicAdd(&mine().sums[node], share);
        if (fresh && leads_back(arc) && there != EVERY) wait(turn(number(arc.head)));
        return fresh ? ready : 0;
    }
};

// The groups from `begin` to `end` of each worker's share, for the workers from `first` on.
template <class Real, class Pointer, class Length, bool SYMMETRIC, int THREADS, int SLOTS, bool WITHIN,
          int SUMS>
__global__ void __launch_bounds__(THREADS, NEAR_RESIDENT / THREADS)
    sweep(State<Real, Pointer, Length, SYMMETRIC> s, int first, int begin, int end) {
    Near<Real, Pointer, Length, SYMMETRIC, THREADS, SLOTS, WITHIN, SUMS> near(s);
    const int lane = threadIdx.x % WARP;
    const long long worker = first + blockIdx.x;
    if (WITHIN) near.search.clear();
    for (long long i = begin; i < end; ++i) {
        const long long k = worker + i * s.workers;
        if (k >= s.groups) break;
        const int start = s.begins[k], size = s.begins[k + 1] - start;
        near.renumber(s.sources + start, size);
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const int k = lane + e * WARP;
            near.own[e] = k < size ? near.mine().place[s.sources[start + k]] : -1;
        }
        near.forward();
        if (is_beyond_limit(s, near.most_paths())) return;
        double alpha[EACH];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const int k = lane + e * WARP;
            alpha[e] = k < size ? double(s.alpha[start + k]) : 0;
        }
        near.backward(alpha);
    }
}
