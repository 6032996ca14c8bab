// Brandes' two phases, a block of threads to a source: for graphs of small frontiers, for small graphs, and
// for path counts beyond the range of floats.
//
//     forward    sigma(v) = sum of sigma(u) over u -> v, u on level d, v on level d + 1
//     backward   delta(u) = sigma(u) * sum of g(v) over u -> v,   g = (omega + delta) / sigma
//     stress     lambda(u) = sum of h(v) over u -> v,   h = omega + lambda
//
// Worker k, a block, takes the sources k, k + workers, ... in turn, and the workers are summed in order.
//
// WITHIN cutoffs a search reaches few nodes: its marks are reset node by node. Each column of the sums, the
// last first, has a backward phase of its own.
#include "brandes_source.cuh"

// The sources from `begin` to `end`, for the workers from `first` on.
template <class Real, class Pointer, int THREADS, class Marks, bool SYMMETRIC, int SUMS, bool WITHIN>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS)
    sweep(State<Real, Pointer> s, int first, int begin, int end) {
    using S = Search<Real, Pointer, THREADS, Marks, SYMMETRIC, SUMS, WITHIN>;
    const Targets<State<Real, Pointer>> targets(s);
    double max_sigma = 0;
    if (WITHIN) S(s).clear_marks();
    if constexpr (S::SEEDS) targets.clear();
    for (int i = begin + first + blockIdx.x; i < end; i += s.workers) {
        S search(s);
        const int source = s.sources[i];
        if constexpr (S::SEEDS) targets.begin(source);
        const int depth = search.forward(source, max_sigma);
        __syncthreads();
        const double alpha = double(s.alpha[i]);
        if constexpr (WITHIN) {
            const int found = search.starts[depth];
            for (int column = s.columns - 1; column >= 0; --column) {
                search.begin(found, column);
                const int levels = min(depth, s.cutoffs[column] + 1);
                S(s, column).backward(levels, alpha, max_sigma);
            }
            search.forget(found);
        } else {
            search.backward(depth, alpha, max_sigma);
        }
        if constexpr (S::SEEDS) targets.end(source);
        if (is_beyond_limit(s, max_sigma)) return;
    }
}

// Rows in their own places: the neighbours of a short one, -1 where there are no more; of a long one, where
// its arcs are.
template <class Pointer>
__global__ void short_rows(const Pointer *indptr, const int *indices, int n, int4 *rows) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    const Pointer begin = indptr[v];
    const int degree = int(indptr[v + 1] - begin);
    int node[INLINE_DEGREE];
    for (int j = 0; j < INLINE_DEGREE; ++j) node[j] = j < degree ? indices[begin + j] : -1;
    const long long first = begin;
    rows[v] = degree <= INLINE_DEGREE ? int4{node[0], node[1], node[2], node[3]}
                                      : int4{LONG_ROW, int(first), int(first >> 32), degree};
}
