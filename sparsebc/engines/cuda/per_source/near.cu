// Brandes' two phases from 32 near sources at once, on a deep symmetric graph, by length, or by edges of
// length one: a block of threads has a group of them, a warp a node, a lane a source.
//
//     distance   d(v) = min over u of d(u) + w(u, v)
//     forward    sigma(v) = sum of sigma(u) over tight u -> v,   d(u) + w(u, v) = d(v)
//     backward   delta(u) = sigma(u) * sum of g(v) over tight u -> v,   g = (omega + delta) / sigma
//     arcs       eb(u -> v) += alpha sigma(u) g(v) where it is tight
//
// Near sources have nearly the same order of nodes, so nodes are numbered in that of a search from
// all of them, WITHIN a cutoff those that it reaches. Of all numbers that wait, a block looks at the
// lowest together, a round. Forward, a node whose row has changed has the heads of its tight arcs wait:
// distances and path counts end with the one fixpoint that there is, in whatever order rows are looked
// at. Backward all wait, the highest number first, and a row that lacks something waits until more is
// known.
//
// Sums over a row are in its order, and the score of a node, or of an arc, has one addition for each
// group. So results have the same bits on every run: worker k, a block, takes the groups k, k + workers,
// ..., one after the other, and the workers are added up in order. Groups of one region take about as
// long as each other; so all workers have some of each.
#include "../common/four_sums.cuh"
#include "../common/sums.cuh"
#include "../common/updates.cuh"
#include "near.gen.cuh"
#include "numbering.cuh"
#include "rounds.cuh"
#include "sssp.cuh"

// An arc: the number of its head, and above it the place of the reverse arc in the row there.
struct Link {
    unsigned head, length;
};

// Passed by value.
template <class Real, class Pointer>
struct State : SSSPState<float, Pointer, unsigned> {
    using Share = Real;

#include "near_state.gen.cuh"
};

// SLOTS: arcs that a row has room for. WITHIN: a way beyond the cutoff is none.
template <class Real, class Pointer, int SLOTS, bool WITHIN, int SUMS>
struct Near : Rounds {
    static constexpr int TOGETHER = WARP / SLOTS;  // nodes that a warp has in hand, a lane an arc
    static constexpr unsigned NUMBER = (1u << NUMBER_BITS) - 1;
    static constexpr unsigned ROW = SLOTS == WARP ? ALL : (1u << SLOTS % WARP) - 1;
    static constexpr int CHUNK = 4;  // arcs of a row that a lane looks at together
    static constexpr unsigned FAR = UNREACHED;

    const State<Real, Pointer> &s;
    const SSSP<float, Pointer, unsigned, WITHIN, true> search;
    Link *arcs;
    unsigned *tight;     // sources that an arc is tight for
    unsigned *known;     // sources whose value there is the last; unreached ones too
    unsigned *distance;  // a row for each node, as in sigma and g
    Real *sigma, *g;
    double *sums, *shares;
    int *order, *place;
    int lane, slot, own;  // number of the lane's source, -1 for none

    __device__ Near(const State<Real, Pointer> &s)
        : s(s), search(s), arcs(of_block(s.arcs, SLOTS)), tight(of_block(s.tight, SLOTS)),
          known(of_block(s.known, 1)), distance(of_block(s.distance, WARP)),
          sigma(of_block(s.sigma, WARP)), g(of_block(s.g, WARP)), sums(of_block(s.sums, 1)),
          shares(of_block(s.shares, SLOTS)), order(of_block(s.order, 1)),
          place(of_block(s.place, 1)), lane(threadIdx.x % WARP), slot(threadIdx.x % SLOTS), own(-1) {}

    // What this block has of an array, so many items of it a node.
    template <class T>
    __device__ T *of_block(T *all, int items) const {
        return all + (long long)blockIdx.x * s.n * items;
    }

    __device__ static unsigned number(unsigned head) { return head & NUMBER; }

    __device__ Link arc_of(int v) const {
        return v >= 0 ? arcs[v * SLOTS + slot] : Link{NO_ARC, 0};
    }

    // Some arcs that are in hand.
    struct Chunk {
        uint4 half[CHUNK / 2];

        __device__ unsigned head(int j) const { return j % 2 ? half[j / 2].z : half[j / 2].x; }
        __device__ unsigned length(int j) const { return j % 2 ? half[j / 2].w : half[j / 2].y; }
        __device__ bool there(int j) const { return head(j) != NO_ARC; }
    };

    __device__ static Link *hands() {
        __shared__ __align__(16) Link of_warps[NEAR_THREADS];
        return of_warps + threadIdx.x / WARP * WARP;
    }

    // Every lane of a warp has an arc for all of them.
    __device__ void hand(Link arc) const {
        __syncwarp();
        hands()[lane] = arc;
        __syncwarp();
    }

    __device__ Chunk in_hand(int chunk) const {
        Chunk some;
#pragma unroll
        for (int j = 0; j < CHUNK / 2; ++j)
            some.half[j] = reinterpret_cast<const uint4 *>(hands())[chunk * (CHUNK / 2) + j];
        return some;
    }

    // Number the nodes in the order of their distances from the sources, as far as buckets tell them
    // apart, and the arcs between them. What is found is listed where nothing is known yet.
    __device__ void renumber(const int *sources, int count) {
        int *const found = reinterpret_cast<int *>(known);
        const int n = search.by_waves(sources, count, found);
        const auto distance_of = [&](int v) { return search.nodes[v].distance; };
        const auto node = [&](int i) { return WITHIN ? found[i] : i; };
        have(n);
        sort_by(node, distance_of, FAR, n, waiting(), order, place);
        for (int i = threadIdx.x; i < n * SLOTS; i += blockDim.x) {
            Link arc = s.given[order[i / SLOTS] * SLOTS + slot];
            if (WITHIN && arc.head != NO_ARC && distance_of(number(arc.head)) == FAR)
                arc = {NO_ARC, 0};
            if (arc.head != NO_ARC) arc.head = place[number(arc.head)] | (arc.head & ~NUMBER);
            arcs[i] = arc;
        }
        __syncthreads();
        if (WITHIN) search.forget(order, n);
    }

    // Distances and path counts from the sources, a lane each.
    __device__ void forward() {
        none_waits();
        if (threadIdx.x < WARP && own >= 0) wait(own);
        run<TOGETHER>([&](int v) { return pull(v); }, [&](int v, unsigned) { meet(v); });
    }

    // Of the nodes that the warp has in hand, -1 for none: their rows by those of their neighbours.
    // Where one of these is written meanwhile, whoever does so has the node wait again.
    __device__ unsigned pull(int v) {
        const Link arc = arc_of(v);
        const bool is_met_there = arc.head != NO_ARC && is_met(number(arc.head));
        hand({is_met_there ? number(arc.head) : NO_ARC, arc.length});
        const unsigned met_here = __ballot_sync(ALL, v >= 0 && is_met(v));
        const unsigned there = __ballot_sync(ALL, is_met_there);
        unsigned is_tight = 0, unreached = 0, wakes = 0;
        for (int first = 0; first < WARP; first += SLOTS) {
            const int u = of_lane(v, first);
            if (u < 0) break;
            const unsigned met = there >> first & ROW;
            const int chunks = met >> CHUNK ? SLOTS / CHUNK : 1;
            const bool again = met_here >> first & 1;
            const unsigned before = again ? distance[u * WARP + lane] : FAR;
            const Real paths_before = again ? sigma[u * WARP + lane] : Real(0);
            Chunk some;
            unsigned away[CHUNK], least = own == u ? 0 : FAR;
            const auto look = [&](int c) {
                some = in_hand(first / CHUNK + c);
#pragma unroll
                for (int j = 0; j < CHUNK; ++j)
                    away[j] = some.there(j) ? distance[some.head(j) * WARP + lane] : FAR;
            };
            for (int c = chunks - 1; c >= 0; --c) {
                look(c);
#pragma unroll
                for (int j = 0; j < CHUNK; ++j) least = min(least, away[j] + some.length(j));
            }
            if (search.is_too_far(least)) least = FAR;
            Real paths = own == u;
            for (int c = 0; c < chunks; ++c) {
                if (c) look(c);
                Real counts[CHUNK];
#pragma unroll
                for (int j = 0; j < CHUNK; ++j) {
                    const bool is = away[j] + some.length(j) == least && least < FAR;
                    counts[j] = is ? sigma[some.head(j) * WARP + lane] : Real(0);
                    const unsigned sources = __ballot_sync(ALL, is);
                    if (lane == first + c * CHUNK + j) is_tight = sources;
                }
#pragma unroll
                for (int j = 0; j < CHUNK; ++j) paths += counts[j];
            }
            const bool reached = least < FAR;
            const bool changed = least != before || (reached && paths != paths_before);
            const unsigned missed = __ballot_sync(ALL, !reached);
            if (lane == first) unreached = missed;
            if (again && !__any_sync(ALL, changed)) continue;
            distance[u * WARP + lane] = least;
            sigma[u * WARP + lane] = paths;
            wakes |= ROW << first & ~there;  // who has met nobody
            for (int c = chunks - 1; c >= 0; --c) {
                if (c < chunks - 1) look(c);
#pragma unroll
                for (int j = 0; j < CHUNK; ++j) {
                    const bool passes = changed && least + some.length(j) <= away[j] && reached;
                    if (__any_sync(ALL, passes)) wakes |= 1u << (first + c * CHUNK + j);
                }
            }
        }
        if (arc.head != NO_ARC) {
            tight[number(arc.head) * SLOTS + (arc.head >> NUMBER_BITS)] = is_tight;
            if (wakes >> lane & 1) wait(number(arc.head));
        }
        if (v >= 0 && slot == 0) known[v] = unreached;
        return 0;
    }

    // What the sources give to each node, a lane each with its weight.
    __device__ void backward(double alpha, double &max_sigma) {
        met_wait();
        run<TOGETHER>(
            [&](int at) { return hand_down(at < 0 ? -1 : turn(at), alpha, max_sigma); },
            [&](int at, unsigned ready) {
                if (ready) known[turn(at)] = ready;
            });
    }

    // What the sources give to arcs of a node: g of their heads, where they are tight, is at hand.
    __device__ void share(long long first, double alpha, Real paths,
                          const Real (&values)[CHUNK]) const {
        double parts[CHUNK];
#pragma unroll
        for (int j = 0; j < CHUNK; ++j) parts[j] = alpha * double(paths * values[j]);
        const double sum = sums_of_four<1>(parts);
        if (lane % 8 == 0 && sum != 0) atomicAdd(&shares[first + lane / 8], sum);
    }

    // Of the nodes that the warp has in hand, -1 for none: g as far as that of their heads is known.
    // Returns what is known of them then, 0 where that is no more than before.
    __device__ unsigned hand_down(int v, double alpha, double &max_sigma) {
        const Link arc = arc_of(v);
        const unsigned is_tight = arc.head != NO_ARC ? tight[v * SLOTS + slot] : 0;
        const unsigned before = v >= 0 ? known[v] : ALL;
        const unsigned there = arc.head != NO_ARC ? known[number(arc.head)] : ALL;
        unsigned ready = ~is_tight | there;
        for (int step = SLOTS / 2; step; step /= 2) ready &= across(ready, step);
        const bool learns = ready & ~before;
        const int node = learns ? order[v] : 0;
        const Real weight = learns ? s.omega[node] : Real(0);
        hand({number(arc.head), is_tight});
        const unsigned busy = __ballot_sync(ALL, learns), full = __ballot_sync(ALL, ready == ALL);
        const unsigned heads = __ballot_sync(ALL, is_tight);
        for (int first = 0; first < WARP; first += SLOTS) {
            if (!(busy >> first & 1)) continue;
            const int u = of_lane(v, first);
            const Real omega = of_lane(weight, first);
            const int whose = of_lane(node, first);
            const bool is_last = full >> first & 1;
            Real value = sigma[u * WARP + lane], sum = 0;
            const int chunks = heads >> first & ROW & ROW << CHUNK ? SLOTS / CHUNK : 1;
            for (int c = 0; c < chunks; ++c) {
                const Chunk some = in_hand(first / CHUNK + c);
                Real values[CHUNK];
#pragma unroll
                for (int j = 0; j < CHUNK; ++j)
                    values[j] = some.length(j) >> lane & 1 ? g[some.head(j) * WARP + lane] : Real(0);
#pragma unroll
                for (int j = 0; j < CHUNK; ++j) sum += values[j];
                if constexpr (SUMS & ARCS)
                    if (is_last) share((long long)whose * SLOTS + c * CHUNK, alpha, value, values);
            }
            const bool is_reached = value != Real(0);
            max_sigma = max(max_sigma, double(value));
            Real delta;
            delta_update(is_reached, sum, omega, value, delta);
            g[u * WARP + lane] = value;
            if (!is_last) continue;
            double part = own == u ? 0 : alpha * double(delta);
            for (int step = WARP / 2; step; step /= 2) part += across(part, step);
            if (lane == 0) atomicAdd(&sums[whose], part);
        }
        if (learns && arc.head != NO_ARC && there != ALL) wait(turn(number(arc.head)));
        return learns ? ready : 0;
    }
};

// The groups from `begin` to `end` of each worker's share, for the workers from `first` on.
template <class Real, class Pointer, int SLOTS, bool WITHIN, int SUMS>
__global__ void __launch_bounds__(NEAR_THREADS, NEAR_BLOCKS)
    sweep(State<Real, Pointer> s, int first, int begin, int end) {
    Near<Real, Pointer, SLOTS, WITHIN, SUMS> near(s);
    const int lane = threadIdx.x % WARP;
    const long long worker = first + blockIdx.x;
    double max_sigma = 0;
    if (WITHIN) near.search.clear();
    for (long long i = begin; i < end; ++i) {
        const long long k = worker + i * s.workers;
        if (k >= s.groups) break;
        const int start = s.begins[k], size = s.begins[k + 1] - start;
        const int source = lane < size ? s.sources[start + lane] : -1;
        const double alpha = lane < size ? double(s.alpha[start + lane]) : 0;
        near.renumber(s.sources + start, size);
        near.own = source < 0 ? -1 : near.place[source];
        near.forward();
        near.backward(alpha, max_sigma);
    }
    const unsigned long long bits = __double_as_longlong(max_sigma);  // ordered like the counts
    if (bits > *(volatile unsigned long long *)s.max_sigma) atomicMax(s.max_sigma, bits);
}
