// Sums of distances by length from 64 clustered sources at once; no paths are counted.
//
//     reached(v) += 1,  total(v) += d(v),  harmonic(v) += 1 / d(v),  farthest(v) = max d(v)
//
// Worker k, a block of threads, takes the batches k, k + workers, ... in turn (shared_order.cuh), and the workers are
// summed in order; a maximum needs no order. Sums over a batch are in the order of its lanes, so that they
// have the same bits on every run.
#include "../common/four_sums.cuh"
#include "shared_order.cuh"

// Passed by value.
template <class Pointer, class Length, bool SYMMETRIC>
struct State : SSSPState<void, Pointer, Length> {
#include "distance_sums_state.gen.cuh"
};

template <class Pointer, class Length, bool SYMMETRIC, int THREADS, int SLOTS, bool WITHIN>
struct Distances : Near<State<Pointer, Length, SYMMETRIC>, void, Pointer, Length, SYMMETRIC, THREADS, SLOTS,
                        WITHIN> {
    using S = State<Pointer, Length, SYMMETRIC>;
    using Base = Near<S, void, Pointer, Length, SYMMETRIC, THREADS, SLOTS, WITHIN>;
    using Base::is_met, Base::is_reached, Base::lane, Base::mine, Base::own, Base::s, Base::words;

    __device__ Distances(const S &s) : Base(s) {
        if (threadIdx.x == 0) mine().sums = this->of_block(s.sums, 3);
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
template <class Pointer, class Length, bool SYMMETRIC, int THREADS, int SLOTS, bool WITHIN>
__global__ void __launch_bounds__(THREADS, CLUSTERED_RESIDENT / THREADS)
    accumulate(State<Pointer, Length, SYMMETRIC> s, int first, int begin, int end) {
    Distances<Pointer, Length, SYMMETRIC, THREADS, SLOTS, WITHIN> near(s);
    if (WITHIN) near.search.clear();
    each_batch(s, first, begin, end, [&](int start, int size) {
        near.renumber(s.sources + start, size, [](int, int) {});
        near.forward();
        near.add();
        return true;
    });
}
