// Sums of distances by length, a block of threads to a source; no paths are counted.
//
//     reached(v) += 1,  total(v) += d(v),  harmonic(v) += 1 / d(v),  farthest(v) = max d(v)
//
// in the column of the first cutoff that is not below d(v). Worker k, a block, takes the sources k,
// k + workers, ... in turn, and the workers are summed in order; a maximum needs no order.
#include "sssp.cuh"

// Passed by value.
template <class Pointer, class Length>
struct State : SSSPState<void, Pointer, Length> {
#include "distance_sums_state.gen.cuh"
};

// Add the distance d from a source to the sums of node v.
template <bool WITHIN, class Pointer, class Length>
__device__ __forceinline__ void add(const State<Pointer, Length> &s, int v, double d) {
    int column = 0;
    if (WITHIN)
        while (s.cutoffs[column] < d) ++column;
    const long long size = WITHIN ? (long long)s.columns * s.n : s.n;
    const long long place = WITHIN ? (long long)column * s.n + v : v;
    double *const reached = s.sums + 3 * blockIdx.x * size + place;
    double *const total = reached + size, *const harmonic = total + size;
    *reached += 1;
    *total += d;
    *harmonic += 1 / d;
    const unsigned long long bits = __double_as_longlong(d);  // ordered like the distances
    if (bits > s.farthest[place]) atomicMax(&s.farthest[place], bits);
}

// The sources from `begin` to `end`, for the workers from `first` on.
template <class Pointer, class Length, bool WITHIN, bool WAVES>
__global__ void __launch_bounds__(RESIDENT, 1)
    accumulate(State<Pointer, Length> s, int first, int begin, int end) {
    const SSSP<void, Pointer, Length, WITHIN, WAVES> search(s);
    int *const order = s.order + (long long)blockIdx.x * s.n;
    __shared__ int found;
    if (WITHIN) search.clear();
    for (int i = begin + first + blockIdx.x; i < end; i += s.workers) {
        const int source = s.sources[i];
        int count = s.n;
        if constexpr (!WAVES) {
            if (WITHIN && threadIdx.x == 0) found = 0;
            const auto visit = [&](bool busy, int v, Length distance, const auto &relax) {
                if (WITHIN) search.append(busy, v, order, &found);
                search.sum(0, search.out, busy, v, From<Length>{distance},
                           [&](const auto &whose, const auto &look, int &) { relax(whose, look); });
            };
            search.by_buckets(source, visit, [] {});
            if (WITHIN) count = found;
        } else {
            count = search.by_waves(&source, 1, order);
        }
        // Each node once, by whatever thread; the next search begins with the same nodes of a thread,
        // or waits.
        for (int j = threadIdx.x; j < count; j += search.threads()) {
            const int v = WITHIN ? order[j] : j;
            const Length distance = search.nodes[v].distance;
            if (v != source && distance != unreached<Length>()) add<WITHIN>(s, v, double(distance));
        }
        if (WITHIN) search.forget(order, count);
    }
}
