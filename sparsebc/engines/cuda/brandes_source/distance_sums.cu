// Sums of distances by edges, a block of threads to a source: the forward phase of `brandes_source.cu`, where
// no paths are counted.
//
//     reached(v) += alpha,  total(v) += alpha d(v),  harmonic(v) += alpha / d(v),  farthest(v) = max d(v)
//
// in the column of the first cutoff that is not below d(v). Worker k, a block, takes the sources k,
// k + workers, ... in turn, and the workers are summed in order; a maximum needs no order.
#include "../common/distance_sums.cuh"
#include "brandes_source.cuh"

// Passed by value; pointers to path counts are null.
template <class Pointer>
struct LevelSums : State<double, Pointer> {
    unsigned long long *farthest;  // (columns, n) bits of doubles, of all workers
    int wanted;                    // sums, a bit each: reached, total, harmonic, farthest
};

// The sources from `begin` to `end`, for the workers from `first` on.
template <class Pointer, int THREADS, class Marks, bool WITHIN>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS)
    accumulate(LevelSums<Pointer> s, int first, int begin, int end) {
    Search<double, Pointer, THREADS, Marks, false, 0, WITHIN> search(s);
    double none = 0;
    if (WITHIN) search.clear_marks();
    for (int i = begin + first + blockIdx.x; i < end; i += s.workers) {
        const double alpha = s.alpha[i];
        const int depth = search.forward(s.sources[i], none, [&](int v, int d) {
            if (d) add<WITHIN>(s, v, d, alpha);
        });
        __syncthreads();
        if (WITHIN) search.forget(search.starts[depth]);
    }
}
