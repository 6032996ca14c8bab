// Sums of distances by length from 64 clustered sources at once; no paths are counted.
//
//     reached(v) += 1,  total(v) += d(v),  harmonic(v) += 1 / d(v),  farthest(v) = max d(v)
//
// With ACCESS, access_fk(v) += c_k f(d(v)) for each function f, of the places c_k of a source by kind. Worker
// k, a block of threads, takes the batches k, k + workers, ... in turn (shared_order.cuh), and the workers are
// summed in order; a maximum needs no order. Sums over a batch are in the order of its lanes, so that they
// have the same bits on every run.
#include "../common/decay.cuh"
#include "shared_order.cuh"

// Passed by value.
template <class Pointer, class Length, bool SYMMETRIC, bool ACCESS = false>
struct State : SharedOrder<Pointer, Length, SYMMETRIC> {
    double *sums;                  // (workers, 3, n) reached, total, harmonic
    unsigned long long *farthest;  // (n,) bits of doubles, of all workers
};

template <class Pointer, class Length, bool SYMMETRIC>
struct State<Pointer, Length, SYMMETRIC, true> : State<Pointer, Length, SYMMETRIC> {
    Access access;
};

template <class Pointer, class Length, bool SYMMETRIC, int THREADS, int SLOTS, bool WITHIN, bool ACCESS>
struct Distances : Clustered<State<Pointer, Length, SYMMETRIC, ACCESS>, void, Pointer, Length, SYMMETRIC,
                        THREADS, SLOTS, WITHIN> {
    using S = State<Pointer, Length, SYMMETRIC, ACCESS>;
    using Base = Clustered<S, void, Pointer, Length, SYMMETRIC, THREADS, SLOTS, WITHIN>;
    using Base::is_met, Base::is_reached, Base::lane, Base::mine, Base::own, Base::s, Base::words;

    __device__ Distances(const S &s) : Base(s) {
        if (threadIdx.x == 0) mine().sums = this->of_block(s.sums, width());
    }

    // Sums of a node.
    __device__ int width() const {
        if constexpr (ACCESS) return s.access.functions * s.access.kinds;
        else return 3;
    }

    // Add to each node the weights of the batch's places, from source `start` on, times functions of distance.
    __device__ void add_access(int start, int size) const {
        const Access &a = s.access;
        for (int v = threadIdx.x / WARP; v < words * WARP; v += blockDim.x / WARP) {
            if (!is_met(v)) continue;
            const Own<Length> away = this->distance(v);
            double *sum = mine().sums + (long long)mine().order[v] * width();
            for (int f = 0; f < a.functions; ++f) {
                double value[EACH];
                for (int e = 0; e < EACH; ++e) {
                    const bool counts =
                        lane + e * WARP < size && is_reached(away.of[e]) && own[e] != v;
                    value[e] = counts ? weight_of(a.decays + f * a.decay_size, away.of[e]) : 0;
                }
                for (int k = 0; k < a.kinds; ++k, ++sum) {
                    double part = 0;
                    for (int e = 0; e < EACH; ++e) {
                        const long long source = start + lane + e * WARP;
                        if (value[e] != 0) part += a.places[source * a.kinds + k] * value[e];
                    }
                    for (int step = WARP / 2; step; step /= 2) part += across(part, step);
                    if (lane == 0) *sum += part;
                }
            }
        }
        __syncthreads();
    }

    // Add the distances from the sources to the sums of each node.
    __device__ void add() const {
        const int warps = blockDim.x / WARP;
        for (int v = threadIdx.x / WARP; v < words * WARP; v += warps) {
            if (!is_met(v)) continue;
            const Own<Length> own_distance = this->distance(v);
            double sums[4] = {};  // reached, total, harmonic
            double farthest = 0;
            for (int e = 0; e < EACH; ++e) {
                if (!is_reached(own_distance.of[e]) || own[e] == v) continue;
                const double d = own_distance.of[e];
                sums[0] += 1, sums[1] += d, sums[2] += 1 / d;
                farthest = max(farthest, d);
            }
            const double sum = sums_of_four<1>(sums);
            farthest = warp_max(farthest);
            const int node = mine().order[v];
            if (lane % 8 == 0 && lane < 24) mine().sums[(long long)(lane / 8) * s.n + node] += sum;
            const unsigned long long bits = __double_as_longlong(farthest);  // ordered like them
            if (lane == 0 && bits > s.farthest[node]) atomicMax(&s.farthest[node], bits);
        }
        __syncthreads();
    }
};

// The batches from `begin` to `end` of each worker's share, for the workers from `first` on.
template <class Pointer, class Length, bool SYMMETRIC, int THREADS, int SLOTS, bool WITHIN, bool ACCESS>
__global__ void __launch_bounds__(THREADS, CLUSTERED_RESIDENT / THREADS)
    accumulate(State<Pointer, Length, SYMMETRIC, ACCESS> s, int first, int begin, int end) {
    Distances<Pointer, Length, SYMMETRIC, THREADS, SLOTS, WITHIN, ACCESS> batch(s);
    if (WITHIN) batch.search.clear();
    each_batch(s, first, begin, end, [&](int start, int size) {
        batch.renumber(s.sources + start, size, [](int, int) {});
        batch.forward();
        if constexpr (ACCESS) batch.add_access(start, size);
        else batch.add();
        return true;
    });
}
