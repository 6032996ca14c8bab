// Brandes' two phases from 64 clustered sources at once, on a high-diameter graph of short rows, by length
// or by edges of length one: a block of threads per batch, a warp per node, two sources per lane.
//
//     forward    distances and path counts (shared_order.cuh)
//     backward   delta(u) = sigma(u) * sum of g(v) over tight u -> v,   g = (omega + delta) / sigma
//     arcs       eb(u -> v) += alpha sigma(u) g(v) where it is tight
//
// The backward phase starts with all nodes on the worklist, in descending order of their numbers. For each
// source, g(u) overwrites sigma(u) once g(v) is known at all tight heads v; a node with a new g puts its tails
// on the worklist again.
//
// Results have the same bits on every run. A row's sum is in the order of its arcs; a round adds once to the
// score of a node or an arc; the nodes of a backward round depend on their numbers alone. Worker k, a
// block, takes the batches k, k + workers, ... in turn, and the workers are summed in order. Batches of one
// region take about equally long, so that this deals each worker some of every region.
#include "../common/seeds.cuh"
#include "../common/sums.cuh"
#include "../common/updates.cuh"
#include "shared_order.cuh"
#include "../common/scores.cuh"

constexpr Mask EVERY = ~Mask(0);

// Passed by value.
template <class Real, class Pointer, class Length, bool SYMMETRIC>
struct State : SharedOrder<Pointer, Length, SYMMETRIC> {
    using Share = Real;

    const Share *omega;             // (n,)
    const Share *alpha;             // (count,)
    double *sums;                   // (workers, n) over the sources of a worker
    double *shares;                 // (workers, n, SLOTS) of arcs, the same
    unsigned long long *max_sigma;  // bits of the largest path count, as a double
    Mask *tight;                    // (workers, n, SLOTS) sources that an arc is tight for
    Own<Real> *sigma;               // (workers, n, WARP) then g
    Real *weights;                  // (workers, n) omega by number
    double tau;
    double limit;                   // path count from which the results are of no use
    Own<Real> *seeds;               // (workers, n, WARP) omega by number, of each source
    PairWeights of_pairs;
};

template <class Real, class Pointer, class Length, bool SYMMETRIC, int THREADS, int SLOTS, bool WITHIN,
          int SUMS>
struct Sweep : Clustered<State<Real, Pointer, Length, SYMMETRIC>, Real, Pointer, Length, SYMMETRIC, THREADS,
                    SLOTS, WITHIN> {
    using S = State<Real, Pointer, Length, SYMMETRIC>;
    using Base = Clustered<S, Real, Pointer, Length, SYMMETRIC, THREADS, SLOTS, WITHIN>;
    using Base::arc_of, Base::hand, Base::is_met, Base::lane, Base::leads_back, Base::leads_there;
    using Base::met_wait, Base::mine, Base::number, Base::own, Base::s, Base::sigma, Base::slot;
    using Base::turn, Base::wait, Base::words, Base::CHUNK, Base::ROW, Base::TOGETHER;
    using typename Base::Way;
    static constexpr bool SEEDS = SUMS & SEEDED;
    template <class What>
    using Chunk = typename Base::template Chunk<What>;

    __device__ Sweep(const S &s) : Base(s) {
        if (threadIdx.x) return;
        mine().tight = this->of_block(s.tight, SLOTS), mine().sigmas = this->of_block(s.sigma, WARP);
        mine().weights = this->of_block(s.weights), mine().sums = this->of_block(s.sums);
        mine().shares = this->of_block(s.shares, SLOTS);
    }

    __device__ Own<Real> &g(unsigned v) const { return sigma(v); }  // once that is known

    // The largest final path count among the nodes of this thread, if one may exceed the limit. Counts
    // before the fixpoint depend on the schedule, so that they must not decide.
    __device__ double most_paths() const {
        Real most = 0;
        for (int v = threadIdx.x / WARP; mine().may_be_beyond && v < words * WARP; v += blockDim.x / WARP)
            if (is_met(v)) most = max(most, max(sigma(v).of[0], sigma(v).of[1]));
        return most;
    }

    __device__ Own<Real> &seeds(unsigned v) const { return this->of(this->of_block(s.seeds, WARP), v); }

    // visit(number) for the nodes that are met, a warp to a node.
    template <class Visit>
    __device__ void each_met(const Visit &visit) const {
        for (int v = threadIdx.x / WARP; v < words * WARP; v += blockDim.x / WARP)
            if (is_met(v)) visit(v);
        __syncthreads();
    }

    // omega_s(t) = omega(t) f(d(s, t)) D(s, t) for the sources s of the batch, before the backward phase.
    __device__ void seed(const int *sources, int size) const {
        if (s.of_pairs.demand_indptr) {
            each_met([&](int v) { seeds(v) = {}; });
            for (int k = threadIdx.x / WARP; k < size; k += blockDim.x / WARP) {
                const long long end = s.of_pairs.demand_indptr[sources[k] + 1];
                for (long long p = s.of_pairs.demand_indptr[sources[k]] + lane; p < end; p += WARP) {
                    const int t = s.of_pairs.demand_indices[p];
                    const unsigned v = mine().place[t];  // of another batch if none of this meets t
                    if (v < s.n && mine().order[v] == t)
                        this->of_block(s.seeds, WARP)[(long long)v * WARP + k % WARP].of[k / WARP] =
                            Real(s.of_pairs.demand_values[p]);
                }
            }
            __syncthreads();
        }
        each_met([&](int v) {
            const Own<Length> away = this->distance(v);
            Own<Real> weight = {1, 1};
            if (s.of_pairs.demand_indptr) weight = seeds(v);
            for (int e = 0; e < EACH; ++e)
                weight.of[e] = !Base::is_reached(away.of[e])
                                   ? Real(0)
                                   : Real(mine().weights[v] * decay_of(s, double(away.of[e])) *
                                          weight.of[e]);
            seeds(v) = weight;
        });
    }

    // scores(v) += sum over the sources s of alpha(s) delta_s(v)
    __device__ void backward(const double (&alpha)[EACH]) {
        met_wait();
        this->template run<TOGETHER>(
            [&](int at) { return hand_down(at < 0 ? -1 : turn(at), alpha); },
            [&](int at, Mask ready) {
                if (ready) mine().known[turn(at)] = ready;
            });
    }

    // eb(u -> v) += sum over the sources s of alpha(s) sigma(u) g(v), for CHUNK arcs of a row; `values` has g
    // of their heads, 0 where an arc is not tight.
    __device__ void along(long long first, const double (&alpha)[EACH], const Own<Real> &paths,
                          const Own<Real> (&values)[CHUNK]) const {
        double parts[CHUNK] = {};
        for (int j = 0; j < CHUNK; ++j)
            for (int e = 0; e < EACH; ++e)
                parts[j] += alpha[e] * double(paths.of[e] * values[j].of[e]);
        const double sum = sums_of_four<1>(parts);
        if (lane % 8 == 0 && sum != 0) atomicAdd(&mine().shares[first + lane / 8], sum);
    }

    // g of the nodes of this warp (-1: none), for the sources whose g is known at all tight heads. Returns
    // the mask of sources whose g is known now, 0 if there is no new one.
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
        double share = 0;  // of the current node, over the lanes of one slot
#pragma unroll 1
        for (int first = 0; first < WARP; first += SLOTS) {
            if (!(busy >> first & 1)) continue;
            const int u = of_lane(v, first);
            const Real omega = of_lane(weight, first);
            Own<Real> seed = {};
            if constexpr (SEEDS) seed = seeds(u);
            const Mask now = of_lane(fresh, first);
            const int chunks = heads >> first & ROW & ROW << CHUNK ? SLOTS / CHUNK : 1;
            Own<Real> value = sigma(u), sum = {};
#pragma unroll 1
            for (int c = 0; c < chunks; ++c) {
                const Chunk<Mask> some = this->template hands<Mask>()[first / CHUNK + c];
                Own<Real> values[CHUNK];
                for (int j = 0; j < CHUNK; ++j) {
                    bool is[EACH];
                    for (int e = 0; e < EACH; ++e) is[e] = some.what[j] >> (lane + e * WARP) & 1;
                    values[j] = {};
                    if (is[0] || is[1]) values[j] = g(some.head[j]);
                    for (int e = 0; e < EACH; ++e)
                        if (!is[e]) values[j].of[e] = 0;
                }
                for (int j = 0; j < CHUNK; ++j)
                    for (int e = 0; e < EACH; ++e) sum.of[e] += values[j].of[e];
                if constexpr (SUMS & ARCS)
                    along((long long)of_lane(node, first) * SLOTS + c * CHUNK, alpha, value, values);
            }
            double part = 0;
            for (int e = 0; e < EACH; ++e) {
                const bool is_fresh = now >> (lane + e * WARP) & 1;
                Real delta;
                delta_update(is_fresh, sum.of[e], SEEDS ? seed.of[e] : omega, value.of[e], delta);
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

// The batches from `begin` to `end` of each worker's share, for the workers from `first` on.
template <class Real, class Pointer, class Length, bool SYMMETRIC, int THREADS, int SLOTS, bool WITHIN,
          int SUMS>
__global__ void __launch_bounds__(THREADS, CLUSTERED_RESIDENT / THREADS)
    sweep(State<Real, Pointer, Length, SYMMETRIC> s, int first, int begin, int end) {
    Sweep<Real, Pointer, Length, SYMMETRIC, THREADS, SLOTS, WITHIN, SUMS> batch(s);
    if (WITHIN) batch.search.clear();
    each_batch(s, first, begin, end, [&](int start, int size) {
        batch.renumber(s.sources + start, size, [&](int number, int node) {
            batch.mine().weights[number] = s.omega[node];
            if (!SYMMETRIC) batch.mine().known[number] = EVERY;  // of a node that none leads to
        });
        batch.forward();
        if (is_beyond_limit(s, batch.most_paths())) return false;
        if constexpr (bool(SUMS & SEEDED)) batch.seed(s.sources + start, size);
        double alpha[EACH];
        for (int e = 0; e < EACH; ++e) {
            const int k = batch.lane + e * WARP;
            alpha[e] = k < size ? double(s.alpha[start + k]) : 0;
        }
        batch.backward(alpha);
        return true;
    });
}
