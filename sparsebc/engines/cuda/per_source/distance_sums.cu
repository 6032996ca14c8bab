// How many sources reach each node and from how far, by length: no paths are counted.
//
//     reached(v) += 1,  total(v) += d(v),  harmonic(v) += 1 / d(v),  farthest(v) = max d(v)
//
// A block of threads is alone with its source. Each thread adds for nodes of its own: worker k, a
// block, takes the sources k, k + workers, ... in turn, and the workers are added up in order. The
// greatest of the distances needs none.
#include "sssp.cuh"

// Passed by value.
template <class Pointer, class Length>
struct State : SSSPState<void, Pointer, Length> {
#include "distance_sums_state.gen.cuh"
};

// The sources from `begin` to `end`, for the workers from `first` on.
template <class Pointer, class Length>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    accumulate(State<Pointer, Length> s, int first, int begin, int end) {
    const SSSP<void, Pointer, Length> search(s);
    double *const reached = s.sums + 3ll * blockIdx.x * s.n;
    double *const total = reached + s.n, *const harmonic = total + s.n;
    for (int i = begin + first + blockIdx.x; i < end; i += s.workers) {
        const int source = s.sources[i];
        if (s.buckets) {
            const auto visit = [&](bool busy, int v, Length distance, const auto &relax) {
                search.sum(0, s.out_indptr, s.out_arcs, busy, v, From<Length>{distance},
                           [&](const auto &whose, const auto &look, int &) { relax(whose, look); });
            };
            search.by_buckets(source, visit, [] {});
        } else {
            search.by_waves(source);
        }
        // The next search begins with the same nodes of a thread: none waits for another.
        for (int v = threadIdx.x; v < s.n; v += THREADS) {
            search.pending[v] = 0;
            const Length length = search.nodes[v].distance;
            if (v == source || length == unreached<Length>()) continue;
            const double d = double(length);
            reached[v] += 1;
            total[v] += d;
            harmonic[v] += 1 / d;
            const unsigned long long bits = __double_as_longlong(d);  // ordered like the distances
            if (bits > s.farthest[v]) atomicMax(&s.farthest[v], bits);
        }
    }
}
