// Brandes' two phases for graphs of thin levels, and for path counts beyond floats: a block of
// threads is alone with its source.
//
// A level is a few hundred nodes, so a block goes through them with none to wait for but its own
// threads. A row is pulled by one thread, or by one warp if it has more than FEW neighbours. Each
// element has one writer and each sum a fixed order, so that results have the same bits on every run:
// lane k takes the sources k, k + lanes, ... in turn, and the lanes are added up in order.
#include "../common/extended.cuh"
#include "../common/sums.cuh"
#include "../common/updates.cuh"

constexpr unsigned ALL = 0xffffffffu;
constexpr int WARP = 32;
constexpr int WORD = 32;     // bits
constexpr int FEW = 4;       // neighbours that a row has in its own place
constexpr int MANY = -2;     // in place of the first neighbour of a row that has more
constexpr int QUEUE = 1024;  // nodes of a level that are at hand in shared memory
constexpr int NONE = 0;      // mark of a node that is not found
constexpr int NOBODY = -1;   // mark that no node has

using Byte = unsigned char;

// What another lane of the warp has.
template <class Real>
__device__ __forceinline__ Real of_lane(const Real &mine, int lane) {
    return __shfl_sync(ALL, mine, lane);
}

__device__ __forceinline__ Extended of_lane(const Extended &mine, int lane) {
    return {__shfl_sync(ALL, mine.mantissa, lane), __shfl_sync(ALL, mine.exponent, lane)};
}

template <class Real>
__device__ __forceinline__ Real across(const Real &mine, int step) {
    return __shfl_xor_sync(ALL, mine, step);
}

__device__ __forceinline__ Extended across(const Extended &mine, int step) {
    return {__shfl_xor_sync(ALL, mine.mantissa, step), __shfl_xor_sync(ALL, mine.exponent, step)};
}

// Numbers that are read and written together: one sector of memory has them all.
template <class Real, int SIZE>
struct alignas(SIZE % 2 || sizeof(Real) == 16 ? sizeof(Real) : 2 * sizeof(Real)) Together {
    Real of[SIZE];

    __device__ Together &operator+=(const Together &other) {
#pragma unroll
        for (int i = 0; i < SIZE; ++i) of[i] += other.of[i];
        return *this;
    }
};

template <class Real, int SIZE>
__device__ __forceinline__ auto across(Together<Real, SIZE> sums, int step) {
#pragma unroll
    for (int i = 0; i < SIZE; ++i) sums.of[i] = across(sums.of[i], step);
    return sums;
}

// Passed by value; the launcher packs the same fields in the same order.
template <class Real, class Pointer>
struct State {
    using Share = decltype(Real() * Real());  // a part of a sum

    const Pointer *out_indptr;
    const int *out_indices;
    const Pointer *in_indptr;
    const int *in_indices;
    const int4 *out_few;  // (n, FEW) neighbours of rows that have few, -1 where there are no more
    const int4 *in_few;
    const Share *omega;   // (n,)
    const int *sources;   // (count,)
    const Share *alpha;   // (count,)
    Real *sigma;          // (blocks, n) then g, or h, if not both are wanted
    Real *pairs;          // (blocks, n, 2) g and h beside each other, if they are
    // (blocks, n, ...) over the sources of the lane: of alpha * delta, of alpha * delta^2, of
    // alpha * sigma * lambda, of alpha * sigma, as far as they are wanted
    double *sums;
    // (blocks, share_count) of alpha * sigma(u) g(v): FEW in a row's own place, then rows of many
    double *shares;
    int *order;           // (blocks, n) nodes, level by level
    int *starts;          // (blocks, n + 2) where each level starts
    unsigned *near;       // (blocks, words) of the marks, where shared memory has no room for them
    Byte *far;            // (blocks, words * WORD) marks, where what is near does not tell
    double *departures;   // (n,) lambda of each source itself
    unsigned long long *ends;   // (n,) pairs that begin or end at each node, if they are wanted
    unsigned long long *max_sigma;  // bits of the largest path count, as a double
    double limit;         // path count from which the results are of no use
    long long share_count;  // shares of a block, so many that rows start on a sector
    int n, count, lanes, counts_ends;
    int words;            // of what is near of the marks, a multiple of 4
};

extern __shared__ uint4 shared[];

__device__ __forceinline__ void clear(void *all, int bytes) {
#pragma unroll 1
    for (int i = threadIdx.x; i < bytes / 16; i += blockDim.x)
        static_cast<uint4 *>(all)[i] = {0, 0, 0, 0};
}

// Where a search is with a node: level d marks its nodes with 1 + d mod LEVELS. A row there has
// found neighbours on the levels d - 1, d and d + 1 alone, so that three marks are enough. (The head
// of an arc with no counterpart may be on any earlier level; but on the way back through a digraph
// nodes are found anew, the deepest first.)
//
// What is near of a mark is looked at first: a neighbour `may` have a mark or not. What is far takes
// as long to read as sigma, so both are read in one go: it `agrees` with the mark or not.
//   Phases  The mark is near, two bits of it: nothing is read but of neighbours that count.
//   Bytes   A bit is near, whether the node is found, and the mark is far.
// The less is near, the more memory a multiprocessor has for its first-level cache: Phases are for
// graphs so small that two blocks leave it enough, Bytes for larger ones.

// BITS a node, in shared memory if there is room: 0 until it is found.
template <int BITS, bool SHARED>
struct Near {
    static constexpr unsigned NODES = WORD / BITS, ALL_BITS = (1u << BITS) - 1;

    unsigned *global;

    __device__ unsigned *words() const {
        return SHARED ? reinterpret_cast<unsigned *>(shared) : global;
    }

    __device__ void clear_near(int count) const { clear(words(), count * 4); }

    // A node that is being found may look as if it were not: `find` tells.
    __device__ int near(unsigned v) const {
        return words()[v / NODES] >> v % NODES * BITS & ALL_BITS;
    }

    // Whether the node was not found; the bits are the same, whoever sets them.
    __device__ bool find(unsigned v, unsigned bits) const {
        const unsigned shift = v % NODES * BITS;
        return !(atomicOr(&words()[v / NODES], bits << shift) >> shift & ALL_BITS);
    }
};

struct Phases : Near<2, true> {
    static constexpr int LEVELS = 3;
    static constexpr bool NEAR_TELLS = true;

    template <class State>
    __device__ explicit Phases(const State &) : Near{nullptr} {}

    __device__ static bool may(int near, int mark) { return near == mark; }
    __device__ static bool agrees(Byte, int) { return true; }
    __device__ static Byte far(int) { return NONE; }
    __device__ static void keep(int, int) {}
    __device__ static void clear_far(int) {}
};

template <bool SHARED>
struct Bytes : Near<1, SHARED> {
    static constexpr int LEVELS = 255;
    static constexpr bool NEAR_TELLS = false;

    Byte *marks;

    template <class State>
    __device__ explicit Bytes(const State &s)
        : Near<1, SHARED>{s.near + (long long)blockIdx.x * s.words},
          marks(s.far + (long long)blockIdx.x * s.words * WORD) {}

    __device__ bool find(int v, int) const { return Near<1, SHARED>::find(v, 1); }
    __device__ static bool may(int near, int mark) { return near && mark != NOBODY; }
    __device__ static bool agrees(Byte far, int mark) { return far == mark; }
    __device__ Byte far(int v) const { return marks[v]; }
    __device__ void keep(int v, int mark) const { marks[v] = mark; }
    // A node is found before it has its mark, and must not have one of the source before.
    __device__ void clear_far(int count) const { clear(marks, count * WORD); }
};

// Sum of what the lanes of a warp make of the neighbours p, p + WARP, ... of each row that has many,
// in a fixed order, for the thread whose row it is: visit(its lane, p, whether there is one, which).
template <class Term, class Pointer, class Visit>
__device__ __forceinline__ void sum_many(bool many, int row, const Pointer *indptr,
                                         const int *indices, Term &sum, const Visit &visit) {
    const int lane = threadIdx.x % WARP;
    for (unsigned rest = __ballot_sync(ALL, many); rest; rest &= rest - 1) {
        const int owner = __ffs(rest) - 1, whose = __shfl_sync(ALL, row, owner);
        const Pointer end = indptr[whose + 1];
        Term part = {};
#pragma unroll 1
        for (Pointer p = indptr[whose]; p < end; p += WARP) {
            const bool there = p + lane < end;
            part += visit(owner, p + lane, there, there ? indices[p + lane] : 0);
        }
        for (int step = WARP / 2; step; step /= 2) part += across(part, step);
        if (lane == owner) sum = part;
    }
}

// One block and one source.
template <class Real, class Pointer, int THREADS, class Marks, bool SYMMETRIC, int SUMS>
struct Search {
    using Share = typename State<Real, Pointer>::Share;
    static constexpr bool DELTA = SUMS & DEPENDENCY, COUNTING = SUMS & STRESS;
    static constexpr bool OF_ARCS = SUMS & ARCS, OF_SQUARES = SUMS & SQUARES, BOTH = both(SUMS);
    static constexpr bool ARRIVING = SUMS & ARRIVALS, DEPARTING = SUMS & DEPARTURES;
    static constexpr bool TO_SOURCE = at_source(SUMS);
    // Where the sums of a row are.
    static constexpr int SQUARE = DELTA, PASSING = SQUARE + OF_SQUARES;
    static constexpr int ARRIVAL = PASSING + COUNTING, WANTED = ARRIVAL + ARRIVING;
    using Term = Together<Real, 1 + BOTH>;  // g, or h, in its place; or both

    const State<Real, Pointer> &s;
    Marks marks;
    Real *sigmas;
    Term *terms;
    double *sums, *shares;
    int *order, *starts;

    __device__ Search(const State<Real, Pointer> &s)
        : s(s), marks(s), sigmas(s.sigma + (long long)blockIdx.x * s.n),
          terms(reinterpret_cast<Term *>(BOTH ? s.pairs : s.sigma) + (long long)blockIdx.x * s.n),
          sums(s.sums + (long long)blockIdx.x * s.n * WANTED),
          shares(s.shares + blockIdx.x * s.share_count),
          order(s.order + (long long)blockIdx.x * s.n),
          starts(s.starts + (long long)blockIdx.x * (s.n + 2)) {}

    __device__ static int mark_of(int level) { return 1 + level % Marks::LEVELS; }

    __device__ static void neighbours(const int4 *few, int row, int (&node)[FEW]) {
        const int4 four = row < 0 ? int4{-1, -1, -1, -1} : few[row];
        node[0] = four.x, node[1] = four.y, node[2] = four.z, node[3] = four.w;
    }

    // Sum of sigma over the neighbours with a mark. Those not found yet are appended to the next
    // level, if that is `wanted`. A sigma that is being written, or not there yet, is no parent's.
    template <class Append>
    __device__ Real pull(int row, const int4 *few, const Pointer *indptr, const int *indices,
                         int parents, const Append &append) const {
        int node[FEW];
        neighbours(few, row, node);
        bool may[FEW], fresh[FEW];
        Byte far[FEW];
        Real paths[FEW], sum = {};
#pragma unroll
        for (int j = 0; j < FEW; ++j) {
            const int near = marks.near(max(node[j], 0));  // no branch: all at once
            may[j] = Marks::may(near, parents) & (node[j] >= 0);
            fresh[j] = append.wanted && node[j] >= 0 && !near;
        }
#pragma unroll
        for (int j = 0; j < FEW; ++j) {
            far[j] = may[j] ? marks.far(node[j]) : NONE;
            paths[j] = may[j] ? sigmas[node[j]] : Real{};
        }
#pragma unroll
        for (int j = 0; j < FEW; ++j) fresh[j] = fresh[j] && marks.find(node[j], append.mark);
        append(fresh, node);
#pragma unroll
        for (int j = 0; j < FEW; ++j)
            if (Marks::agrees(far[j], parents)) sum += paths[j];
        sum_many(node[0] == MANY, row, indptr, indices, sum, [&](int, Pointer, bool valid, int v) {
            const int near = marks.near(v);
            const bool may = valid && Marks::may(near, parents);
            const Byte far = may ? marks.far(v) : NONE;
            const Real paths = may ? sigmas[v] : Real{};
            const bool fresh[1] = {append.wanted && valid && !near && marks.find(v, append.mark)};
            const int node[1] = {v};
            append(fresh, node);
            return Marks::agrees(far, parents) ? paths : Real{};
        });
        return sum;
    }

    // The next level's list, in any order: first in shared memory, and all of it in `order`.
    struct Append {
        bool wanted;
        int mark, &count;
        int *queue, *order;

        template <int SIZE>
        __device__ void operator()(const bool (&fresh)[SIZE], const int (&node)[SIZE]) const {
            const int lane = threadIdx.x % WARP;
            int total = 0, place = 0;
#pragma unroll
            for (int j = 0; j < SIZE; ++j) {
                const unsigned all = __ballot_sync(ALL, fresh[j]);
                total += __popc(all);
                place += __popc(all & ((1u << lane) - 1));
            }
            if (!total) return;
            int start = 0;
            if (lane == 0) start = atomicAdd(&count, total);
            place += __shfl_sync(ALL, start, 0);
#pragma unroll
            for (int j = 0; j < SIZE; ++j) {
                if (!fresh[j]) continue;
                if (place < QUEUE) queue[place] = node[j];
                order[place++] = node[j];
            }
        }
    };

    // sigma<F_d> = A' (sigma<F_{d-1}>) and F_{d+1} = (A' F_d)<not V>, by the same look at the
    // neighbours where they are the same. Returns the number of levels.
    __device__ int forward(int source, double &max_sigma) {
        __shared__ int queue[2][QUEUE];
        __shared__ int counts[3];
        marks.clear_near(s.words);
        marks.clear_far(s.words);
        __syncthreads();
        if (threadIdx.x == 0) {
            counts[1] = counts[2] = 0;
            marks.find(source, mark_of(0));
            queue[0][0] = order[0] = source;
            starts[0] = 0;
        }
        __syncthreads();
        const int warp = threadIdx.x / WARP * WARP, lane = threadIdx.x % WARP;
        int depth = 0;
        for (int head = 0, size = 1; size; ++depth) {
            const int next = head + size, parents = mark_of(depth + Marks::LEVELS - 1);
            const Append append = {true, mark_of(depth + 1), counts[(depth + 1) % 3],
                                   queue[(depth + 1) % 2], order + next};
            for (int i = warp + lane; i - lane < size; i += THREADS) {
                const int v = i >= size ? -1 : i < QUEUE ? queue[depth % 2][i] : order[head + i];
                Real paths;
                if (SYMMETRIC) {
                    paths = pull(v, s.in_few, s.in_indptr, s.in_indices, parents, append);
                } else {
                    paths = pull(v, s.in_few, s.in_indptr, s.in_indices, parents,
                                 Append{false, NONE, append.count, append.queue, append.order});
                    pull(v, s.out_few, s.out_indptr, s.out_indices, NOBODY, append);
                }
                if (v < 0) continue;
                Real sigma = {1};
                sigma_update(depth > 0, normal(paths), sigma);
                sigmas[v] = sigma;
                marks.keep(v, mark_of(depth));
                max_sigma = max(max_sigma, double(sigma));
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                starts[depth + 1] = next;
                counts[depth % 3] = 0;
            }
            head = next, size = append.count;
        }
        return depth;
    }

    // What the row of a list entry needs but its neighbours' g, which are not known before the level
    // below is done.
    struct Row {
        int v;
        int node[FEW];
        Byte far[FEW];  // of the neighbours' marks
        Real sigma;
        Share omega;
    };

    __device__ int entry(int at, int end) const { return at < end ? order[at] : -1; }

    __device__ void read(int v, Row &r) const {
        r.v = v;
        neighbours(s.out_few, v, r.node);
        if (v >= 0) r.sigma = sigmas[v], r.omega = s.omega[v];
#pragma unroll
        for (int j = 0; j < FEW; ++j)
            r.far[j] = r.node[j] < 0 ? NONE : marks.far(r.node[j]);
    }

    // As far as what is near tells. Where arcs have counterparts, all neighbours are found.
    __device__ bool may_be_child(int v, int children) const {
        return SYMMETRIC && !Marks::NEAR_TELLS || Marks::may(marks.near(v), children);
    }

    // Nobody else adds to a sum now, so that its order is fixed, and the warp goes on meanwhile.
    __device__ void share(long long place, double alpha, const Real &sigma, const Term &term) const {
        atomicAdd(&shares[place], alpha * double(sigma * term.of[0]));
    }

    // delta<F_d> = sigma .* (A g<F_{d+1}>), g = (omega + delta) / sigma
    // lambda<F_d> = A h<F_{d+1}>, h = omega + lambda
    // eb(u -> v) += alpha sigma(u) g(v), where level(v) = level(u) + 1
    __device__ void backward(int depth, int source, double alpha, double &max_sigma) const {
        const int warp = threadIdx.x / WARP * WARP, lane = threadIdx.x % WARP;
        unsigned long long targets = 0;
        if (!SYMMETRIC) {
            marks.clear_near(s.words);
            __syncthreads();
        }
        // Read ahead: the rows of the next level, the list of the one after it.
        int end = starts[depth], begin = starts[depth - 1], before = starts[max(depth - 2, 0)];
        Row r;
        read(entry(begin + threadIdx.x, end), r);
        int next = entry(before + threadIdx.x, begin);
        for (int d = depth - 1; d >= (TO_SOURCE ? 0 : 1); --d) {
            const int earlier = starts[max(d - 2, 0)], children = mark_of(d + 1);
            for (int at = begin + warp; at < end; at += THREADS) {
                if (at != begin + warp) read(entry(at + lane, end), r);
                bool child[FEW];
                Term few[FEW], sum = {};
#pragma unroll
                for (int j = 0; j < FEW; ++j)
                    child[j] = r.node[j] >= 0 && Marks::agrees(r.far[j], children) &&
                               may_be_child(r.node[j], children);
#pragma unroll
                for (int j = 0; j < FEW; ++j) few[j] = child[j] ? terms[r.node[j]] : Term{};
#pragma unroll
                for (int j = 0; j < FEW; ++j) sum += few[j];
                if constexpr (OF_ARCS) {
#pragma unroll
                    for (int j = 0; j < FEW; ++j)
                        if (child[j]) share(FEW * (long long)r.v + j, alpha, r.sigma, few[j]);
                }
                sum_many(r.node[0] == MANY, r.v, s.out_indptr, s.out_indices, sum,
                         [&](int owner, Pointer p, bool valid, int v) {
                             const bool may = valid && may_be_child(v, children);
                             const Byte far = may ? marks.far(v) : NONE;
                             const Term there = may ? terms[v] : Term{};
                             const bool child = may && Marks::agrees(far, children);
                             if constexpr (OF_ARCS) {
                                 const Real sigma = of_lane(r.sigma, owner);
                                 if (child) share(FEW * (long long)s.n + p, alpha, sigma, there);
                             }
                             return child ? there : Term{};
                         });
                if (r.v < 0) continue;
                if (!SYMMETRIC) marks.find(r.v, mark_of(d));
                const Real &below = sum.of[0], &beyond = sum.of[BOTH];
                if (TO_SOURCE && d == 0) {
                    if constexpr (DEPARTING) leave(r, beyond, max_sigma);
                    continue;
                }
                finish(r, below, beyond, alpha, max_sigma);
                if (s.counts_ends && r.omega != Share(0)) {
                    atomicAdd(&s.ends[r.v], (unsigned long long)r.omega);
                    targets += (unsigned long long)r.omega;
                }
            }
            read(next, r);
            end = begin, begin = before, before = earlier;
            next = entry(before + threadIdx.x, begin);
            __syncthreads();
        }
        if (targets) atomicAdd(&s.ends[source], targets);
    }

    // What departs from the source is known.
    __device__ void leave(const Row &r, const Real &beyond, double &max_sigma) const {
        s.departures[r.v] = double(beyond);
        max_sigma = max(max_sigma, double(beyond));
    }

    // The sums of a row become g, or h, and what passes goes to its scores: nobody else adds to them
    // now, so that their order is fixed, and the warp goes on meanwhile.
    __device__ void finish(Row &r, const Real &below, const Real &beyond, double alpha,
                           double &max_sigma) const {
        Share part;
        Term here;
        double *const scores = sums + (long long)r.v * WANTED;
        if constexpr (ARRIVING) atomicAdd(&scores[ARRIVAL], alpha * double(r.sigma));
        if constexpr (COUNTING) {
            stress_update(true, beyond, r.omega, r.sigma, here.of[BOTH], part);
            atomicAdd(&scores[PASSING], alpha * double(part));
            max_sigma = max(max_sigma, double(part));
        }
        if constexpr (DELTA) {
            delta_update(true, below, r.omega, r.sigma, part);
            here.of[0] = r.sigma;
            atomicAdd(&scores[0], alpha * double(part));
            if (OF_SQUARES) atomicAdd(&scores[SQUARE], alpha * double(part) * double(part));
        }
        terms[r.v] = here;
    }
};

// The sources of the lanes from `from` on, a block a lane.
template <class Real, class Pointer, int THREADS, class Marks, bool SYMMETRIC, int SUMS>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS) sweep(State<Real, Pointer> s, int from) {
    __shared__ bool stop;
    double max_sigma = 0;
    for (int i = from + blockIdx.x; i < s.count; i += s.lanes) {
        Search<Real, Pointer, THREADS, Marks, SYMMETRIC, SUMS> search(s);
        const int source = s.sources[i], depth = search.forward(source, max_sigma);
        __syncthreads();
        search.backward(depth, source, double(s.alpha[i]), max_sigma);
        const unsigned long long bits = __double_as_longlong(max_sigma);  // ordered like the counts
        if (bits > *(volatile unsigned long long *)s.max_sigma) atomicMax(s.max_sigma, bits);
        __syncthreads();
        if (threadIdx.x == 0)
            stop = __longlong_as_double(*(volatile unsigned long long *)s.max_sigma) > s.limit;
        __syncthreads();
        if (stop) return;
    }
}
