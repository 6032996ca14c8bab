// Groups of nodes, on many groups of sources in step: the shortest paths that meet one, and those that
// a further node would add.
//
//     meet     met<F_{d+1} not in C> = A' (met<F_d>),  met<F_{d+1} in C> = sigma
//     pairs    c(C) += alpha met / sigma
//     gain     g<F_d not in C> = (1 + delta) / sigma,  delta<F_d> = sigma .* (A g<F_{d+1}>)
//              c(v) += alpha (1 - met / sigma) (1 + delta), and alpha delta at the sources
//
// Both walk the level lists of the search of brandes.cu, and fill `seen` again: the first with the
// columns that have met the group, since sums of no others are wanted, the second as its backward
// phase does. omega is 1 outside of C and 0 in it. What a phase gathers stands in the place of sigma,
// and the other of the two in that of h.
#include "brandes.cu"

// What is wanted of paths that meet a group: the pairs with both ends outside of it, or all of them; or
// their number for each row, which the gains take.
enum Wanted { PAIRS_OUTSIDE, ALL_PAIRS, COUNTS };

template <int WANTED>
struct Meet : Backward<DEPENDENCY> {
    template <class S>
    __device__ static auto indptr(const S &s) { return s.in_indptr; }

    template <class S>
    __device__ static auto indices(const S &s) { return s.in_indices; }

    template <class S>
    __device__ static bool leaf(const S &, int) { return false; }

    // The lane's four sums are paths that have met the group, as all do where the row is in it.
    template <class S>
    __device__ static void finish(const S &s, int depth, unsigned slot, bool, unsigned word,
                                  double (&paths)[1][4]) {
        const unsigned lane = threadIdx.x % WARP, here = word >> (lane % 8 * 4) & 15;
        const unsigned long long at = (unsigned long long)slot * COLUMNS + 4 * lane;
        const bool inside = s.omega[slot % s.n] == 0;
        if (inside) load(s.h + at, here, paths[0]);
        unsigned met = 0;
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) met |= (here >> i & 1 && paths[0][i] > 0) << i;
        store(s.sigma + at, WANTED == COUNTS ? here : met, paths[0]);
        if (!__any_sync(ALL, met)) return;
        if (WANTED == ALL_PAIRS || (WANTED == PAIRS_OUTSIDE && !inside)) {
            double total = 0, sigma[4];
            load(s.h + at, met, sigma);
#pragma unroll
            for (unsigned i = 0; i < 4; ++i)
                if (met >> i & 1)
                    total += s.alpha[slot / s.n * COLUMNS + 4 * lane + i] * (paths[0][i] / sigma[i]);
            for (unsigned step = WARP / 2; step; step /= 2)
                total += __shfl_xor_sync(ALL, total, step);
            if (lane == 0) add(s.dependency[slot], total);
        }
        unsigned found = met << (lane % 8 * 4);
        for (unsigned step = 1; step < 8; step *= 2) found |= __shfl_xor_sync(ALL, found, step);
        if (lane % 8 == 0) s.seen[slot].half[depth & 1].word[lane / 8] = found;
    }
};

struct Gain : Backward<DEPENDENCY> {
    // The lane's four sums become g, and what the row adds to the group goes to its total.
    template <class S>
    __device__ static void finish(const S &s, int depth, unsigned slot, bool, unsigned word,
                                  double (&sum_g)[1][4]) {
        const unsigned lane = threadIdx.x % WARP, here = word >> (lane % 8 * 4) & 15;
        const unsigned long long at = (unsigned long long)slot * COLUMNS + 4 * lane;
        const double omega = s.omega[slot % s.n];
        double total = 0, own[4], met[4];  // sigma, then g
        load(s.sigma + at, here, own);
        if (depth) load(s.h + at, here, met);
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) {
            if (!(here >> i & 1)) continue;
            const double around = depth ? 1 - met[i] / own[i] : 0;
            double delta;
            delta_update(true, sum_g[0][i], 1.0, own[i], delta);
            own[i] *= omega;
            total += s.alpha[slot / s.n * COLUMNS + 4 * lane + i] *
                     (depth ? around * (1 + delta) : delta);
        }
        put_back(s.sigma + at, here, own);
        for (unsigned step = WARP / 2; step; step /= 2) total += __shfl_xor_sync(ALL, total, step);
        if (lane == 0) add(s.dependency[slot], total);
        if (lane % 8 == 0) s.seen[slot].half[depth & 1].word[lane / 8] = word;
    }
};

// Level 0: the path of a source that is in the group has met it.
template <class Pointer>
__global__ void leave(State<double, Pointer> s) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s.groups * COLUMNS || s.sources[i] < 0 || s.omega[s.sources[i]] != 0) return;
    const unsigned slot = i / COLUMNS * s.n + s.sources[i], column = i % COLUMNS;
    Mask mask = {};
    mask.word[column / 32] = 1u << column % 32;
    s.seen[slot].half[0] = mask;
    s.sigma[(unsigned long long)slot * COLUMNS + column] = 1;
}

template <class Pointer, int WANTED>
__global__ void __launch_bounds__(THREADS, resident<double>)
    meet(State<double, Pointer> s, int depth) {
    rows_of_level<double, Pointer, Meet<WANTED>>(s, depth);
}

template <class Pointer, int WANTED>
__global__ void __launch_bounds__(HUB_THREADS, 2)
    meet_hubs(State<double, Pointer> s, int depth) {
    hubs_of_level<double, Pointer, Meet<WANTED>>(s, depth);
}

template <class Pointer>
__global__ void __launch_bounds__(THREADS, resident<double>)
    gain(State<double, Pointer> s, int depth) {
    rows_of_level<double, Pointer, Gain>(s, depth);
}

template <class Pointer>
__global__ void __launch_bounds__(HUB_THREADS, 2)
    gain_hubs(State<double, Pointer> s, int depth) {
    hubs_of_level<double, Pointer, Gain>(s, depth);
}

// Column k of the pairs of each group of sources, (groups, size): sums over its rows, a block each.
template <class Pointer>
__global__ void __launch_bounds__(HUB_THREADS)
    add_rows(State<double, Pointer> s, double *pairs, int k, int size) {
    __shared__ double parts[HUB_THREADS / WARP];
    double sum = 0;
    for (unsigned row = threadIdx.x; row < s.n; row += HUB_THREADS)
        sum += s.dependency[(unsigned long long)blockIdx.x * s.n + row];
    for (unsigned step = WARP / 2; step; step /= 2) sum += __shfl_xor_sync(ALL, sum, step);
    if (threadIdx.x % WARP == 0) parts[threadIdx.x / WARP] = sum;
    __syncthreads();
    if (threadIdx.x) return;
    sum = 0;
    for (const double part : parts) sum += part;
    pairs[(unsigned long long)blockIdx.x * size + k] = sum;
}
