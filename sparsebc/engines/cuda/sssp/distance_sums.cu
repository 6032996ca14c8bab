// Sums of distances by length, a block of threads to a source; no paths are counted.
//
//     reached(v) += 1,  total(v) += d(v),  harmonic(v) += 1 / d(v),  farthest(v) = max d(v)
//
// in the column of the first cutoff that is not below d(v). With ACCESS, of the places c_k of a source by kind,
//
//     access_fk(v) += c_k f(d(v))
//
// for each function f in place of those. Worker k, a block, takes the sources k,
// k + workers, ... in turn, and the workers are summed in order; a maximum needs no order.
#include "../common/decay.cuh"
#include "../common/distance_sums.cuh"
#include "sssp.cuh"

// Passed by value.
template <class Pointer, class Length, bool ACCESS = false>
struct State : SSSPState<void, Pointer, Length> {
    double *sums;                  // (workers, 3, columns, n) reached, total, harmonic
    unsigned long long *farthest;  // (columns, n) bits of doubles, of all workers
    int *order;                    // (workers, n) nodes that are found, within cutoffs
    int wanted;                    // sums, a bit each: reached, total, harmonic, farthest
};

template <class Pointer, class Length>
struct State<Pointer, Length, true> : State<Pointer, Length> {
    Access access;
};

// Add the weights of the places of source i, times the functions of the distance d, to the sums of node v.
template <bool WITHIN, class S>
__device__ __forceinline__ void add_access(const S &s, int i, int v, double d) {
    const long long first = (long long)blockIdx.x * s.columns * s.n + place_at<WITHIN>(s, v, d);
    const Access &a = s.access;
    double *sum = s.sums + first * a.functions * a.kinds;
    for (int f = 0; f < a.functions; ++f) {
        const double value = weight_of(a.decays + f * a.decay_size, d);
        for (int k = 0; k < a.kinds; ++k) *sum++ += a.places[(long long)i * a.kinds + k] * value;
    }
}

// The sources from `begin` to `end`, for the workers from `first` on.
template <class Pointer, class Length, bool WITHIN, bool WAVES, bool ACCESS>
__global__ void __launch_bounds__(RESIDENT, 1)
    accumulate(State<Pointer, Length, ACCESS> s, int first, int begin, int end) {
    const SSSP<void, Pointer, Length, WITHIN, WAVES> search(s);
    int *const order = s.order + (long long)blockIdx.x * s.n;
    if (WITHIN) search.clear();
    for (int i = begin + first + blockIdx.x; i < end; i += s.workers) {
        const int source = s.sources[i], count = search.find(s.sources + i, order);
        // Each node once, by whatever thread; the next search begins with the same nodes of a thread,
        // or waits.
        for (int j = threadIdx.x; j < count; j += search.threads()) {
            const int v = WITHIN ? order[j] : j;
            const Length distance = search.nodes[v].distance;
            if (v != source && distance != unreached<Length>())
                if constexpr (ACCESS) add_access<WITHIN>(s, i, v, double(distance));
                else add<WITHIN>(s, v, double(distance));
        }
        if (WITHIN) search.forget(order, count);
    }
}
