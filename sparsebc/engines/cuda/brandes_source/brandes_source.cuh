// Forward and backward phase of one source by a block of threads, which is a worker.
//
// A level ends with a barrier of the block alone. A row of up to INLINE_DEGREE neighbours is pulled by one
// thread, a longer one by 2, 8 or 32 lanes of a warp. Each element has one writer and each sum a fixed
// order, so that results have the same bits on every run.
#pragma once
#include "../common/extended.cuh"
#include "../common/warp.cuh"
#include "../common/scores.cuh"
#include "../common/seeds.cuh"
#include "marks.cuh"

constexpr int INLINE_DEGREE = 4;  // neighbours that a row has in its own place
constexpr int QUEUE = 1024;  // nodes of a level that are at hand in shared memory; WITHIN fewer
constexpr int FEWEST_LANES = 2;  // that share a long row: 2, 8 or all of a warp

// Numbers that are read and written together, in one sector of memory.
template <class Real, int SIZE>
struct alignas(SIZE % 2 || sizeof(Real) == 16 ? sizeof(Real) : 2 * sizeof(Real)) Together {
    Real of[SIZE];

    __device__ Together &operator+=(const Together &other) {
        for (int i = 0; i < SIZE; ++i) of[i] += other.of[i];
        return *this;
    }
};

template <class Real, int SIZE>
__device__ __forceinline__ auto across(Together<Real, SIZE> sums, int step) {
    for (int i = 0; i < SIZE; ++i) sums.of[i] = across(sums.of[i], step);
    return sums;
}

template <class Real, int SIZE>
__device__ __forceinline__ auto of_lane(Together<Real, SIZE> sums, int lane) {
    for (int i = 0; i < SIZE; ++i) sums.of[i] = of_lane(sums.of[i], lane);
    return sums;
}

// Passed by value.
template <class Real, class Pointer>
struct State {
    using Share = decltype(Real() * Real());  // a part of a sum

    const int *out_indices, *in_indices;
    const int4 *out_inline, *in_inline;  // (n,) rows in their own places
    const int *sources;                  // (count,)
#include "../common/path_fields.cuh"
    Real *sigma;                // (workers, n) then g, or h, if not both are wanted
    Real *pairs;                // (workers, n, 2) g and h beside each other, if they are
    double *shares;             // (workers, columns, share_count) of arcs: INLINE_DEGREE for each row, then long rows
    unsigned *mark_bits;        // (workers, words) where shared memory has no room for them
    unsigned char *mark_bytes;  // (workers, 32 words) where bits do not suffice
    const int *cutoffs;         // (columns,) last level of each column, ascending; or null
    long long share_count;      // of a worker, so many that rows start on a sector
    int n, workers;
    int words;                  // of the bits of marks, a multiple of 4
    int columns;                // of the sums
    Share *seeds;               // (workers, n) omega of a worker's source; its demand before that
    PairWeights of_pairs;
};

// A row in its own place: its neighbours, -1 where there are no more; or where its arcs are.
struct InPlace {
    int4 four;

    __device__ bool is_long() const { return four.x == LONG_ROW; }
    __device__ long long begin() const { return (long long)four.z << 32 | unsigned(four.y); }
    __device__ int degree() const { return is_long() ? four.w : 0; }

    __device__ void neighbours(int (&node)[INLINE_DEGREE]) const {
        node[0] = max(four.x, -1);
        node[1] = is_long() ? -1 : four.y;
        node[2] = is_long() ? -1 : four.z;
        node[3] = is_long() ? -1 : four.w;
    }
};

// Sum of a long row, for the thread that owns it, of look(owner's lane, INLINE_DEGREE neighbours, arc of
// the first, stride of the arcs). A team of 2, 8 or 32 lanes takes a row, so that each looks once if it
// can; a warp has several rows at a time.
template <class Term, class Pointer, class Look>
__device__ __forceinline__ void sum_long(const InPlace &row, const int *indices, Term &sum,
                                         const Look &look) {
    const int lane = threadIdx.x % WARP, degree = row.degree();
    const Pointer begin = row.begin();
    if (!__any_sync(ALL, degree)) return;
#pragma unroll 1
    for (int lanes = FEWEST_LANES, less = 0; lanes <= WARP; less = lanes, lanes *= 4) {
        const bool is_mine = degree > less * INLINE_DEGREE &&
                             (degree <= lanes * INLINE_DEGREE || lanes == WARP);
#pragma unroll 1
        for (unsigned rest = __ballot_sync(ALL, is_mine); rest;) {
            unsigned taken = rest;
            int owner = 0;
            for (int team = 0; team < WARP && rest; team += lanes, rest &= rest - 1)
                if (team <= lane) owner = __ffs(rest) - 1;
            taken ^= rest;
            const bool none = lane / lanes >= __popc(taken);
            const Pointer from = of_lane(begin, owner);
            const int many = of_lane(degree, owner), end = none ? 0 : many;
            Term whole = {};
#pragma unroll 1
            for (int i = lane % lanes; __any_sync(ALL, i < end); i += INLINE_DEGREE * lanes) {
                int node[INLINE_DEGREE];
                for (int j = 0; j < INLINE_DEGREE; ++j)
                    node[j] = i + j * lanes < end ? indices[from + i + j * lanes] : -1;
                whole += look(owner, node, from + i, lanes);
            }
            for (int step = lanes / 2; step; step /= 2) whole += across(whole, step);
            const int turn = __popc(taken & ((1u << lane) - 1));
            const Term given = of_lane(whole, turn * lanes % WARP);
            if (taken >> lane & 1) sum = given;
        }
    }
}

// One block and one source.
template <class Real, class Pointer, int THREADS, class Marks, bool SYMMETRIC, int SUMS, bool WITHIN>
struct Search {
    using Share = typename State<Real, Pointer>::Share;
    static constexpr bool OF_ARCS = SUMS & ARCS, BOTH = both(SUMS), TO_SOURCE = at_source(SUMS);
    static constexpr bool SEEDS = SUMS & SEEDED;
    static constexpr bool COUNTS = SUMS != 0;  // paths
    // g, or h, in the place of sigma; or both
    using Term = Together<Real, 1 + BOTH>;
    static constexpr int AT_HAND = WITHIN ? QUEUE / 4 : QUEUE;

    const State<Real, Pointer> &s;
    Marks marks;
    Real *sigmas;
    Term *terms;
    const Share *omega;
    double *sums, *shares;
    int *order, *starts;

    // The block's state, with the sums of a column.
    __device__ Search(const State<Real, Pointer> &s, int column = 0)
        : s(s), marks(s), sigmas(s.sigma + (long long)blockIdx.x * s.n),
          terms(reinterpret_cast<Term *>(BOTH ? s.pairs : s.sigma) + (long long)blockIdx.x * s.n),
          omega(SEEDS ? Targets<State<Real, Pointer>>(s).omega : s.omega),
          sums(s.sums + place<WITHIN>(s, column) * s.n * sums_by_node<SUMS>),
          shares(s.shares + place<WITHIN>(s, column) * s.share_count),
          order(s.order + (long long)blockIdx.x * s.n),
          starts(s.starts + (long long)blockIdx.x * (s.n + 2)) {}

    __device__ static int mark_of(int level) { return 1 + level % Marks::LEVELS; }

    __device__ static InPlace row_of(const int4 *in_place, int row) {
        return {row < 0 ? int4{-1, -1, -1, -1} : in_place[row]};
    }

    // Sum of sigma over the neighbours that have the mark of the parents' level. Neighbours that are not
    // found yet are appended to the next level, if `append` wants them. A sigma that is read while another
    // thread writes it belongs to no parent, and is not summed.
    template <class Append>
    __device__ Real pull(int row, const int4 *in_place, const int *indices, int parents,
                         const Append &append) const {
        const auto look = [&](const int (&node)[INLINE_DEGREE]) {
            bool may[INLINE_DEGREE], fresh[INLINE_DEGREE];
            Byte byte[INLINE_DEGREE];
            Real paths[INLINE_DEGREE], sum = {};
            for (int j = 0; j < INLINE_DEGREE; ++j) {
                const int bits = marks.bits(max(node[j], 0));  // no branch: all at once
                may[j] = Marks::may(bits, parents) & (node[j] >= 0);
                fresh[j] = append.wanted && node[j] >= 0 && !bits;
            }
            for (int j = 0; j < INLINE_DEGREE; ++j) {
                byte[j] = may[j] ? marks.byte(node[j]) : NONE;
                paths[j] = may[j] ? sigmas[node[j]] : Real{};
            }
            for (int j = 0; j < INLINE_DEGREE; ++j)
                fresh[j] = fresh[j] && marks.find(node[j], append.mark);
            append(fresh, node);
            for (int j = 0; j < INLINE_DEGREE; ++j)
                if (Marks::agrees(byte[j], parents)) sum += paths[j];
            return sum;
        };
        const InPlace mine = row_of(in_place, row);
        int node[INLINE_DEGREE];
        mine.neighbours(node);
        Real sum = {};
        if (__any_sync(ALL, node[0] >= 0)) sum = look(node);
        sum_long<Real, Pointer>(
            mine, indices, sum,
            [&](int, const int(&node)[INLINE_DEGREE], Pointer, int) { return look(node); });
        return sum;
    }

    // The next level's list, in any order: first in shared memory, and all of it in `order`.
    struct Append {
        bool wanted;
        int mark, &count;
        int *queue, *order;

        template <int SIZE>
        __device__ void operator()(const bool (&fresh)[SIZE], const int (&node)[SIZE]) const {
            ballot_append(fresh, &count, [&](int j, int place) {
                if (place < AT_HAND) queue[place] = node[j];
                order[place] = node[j];
            });
        }
    };

    __device__ void clear_marks() const {
        marks.clear_bits(s.words);
        marks.clear_bytes(s.words);
        __syncthreads();
    }

    // Before the way back of a column: path counts stand in their place, and no mark is in the way of
    // nodes that are found anew. `found` nodes have either.
    __device__ void begin(int found, int column) const {
        Real *const counts = s.counts + (long long)blockIdx.x * s.n;
        for (int i = threadIdx.x; i < found; i += THREADS) {
            const int v = order[i];
            if (!SYMMETRIC) marks.forget_bits(v);
            if (s.columns == 1) continue;
            if (column == s.columns - 1) counts[i] = sigmas[v];
            else sigmas[v] = counts[i];
        }
        __syncthreads();
    }

    // Forget all nodes that the search has found.
    __device__ void forget(int found) const {
        for (int i = threadIdx.x; i < found; i += THREADS) {
            marks.forget_bits(order[i]);
            marks.set_byte(order[i], NONE);
        }
        __syncthreads();
    }

    // sigma<F_d> = A' (sigma<F_{d-1}>) and F_{d+1} = (A' F_d)<not V>, by the same look at the
    // neighbours where they are the same; or F_{d+1} alone, and visit(v, d) for each node. Returns the
    // number of levels.
    template <class Visit>
    __device__ int forward(int source, double &max_sigma, const Visit &visit) {
        __shared__ int queue[2][AT_HAND];
        __shared__ int counts[3];
        if (!WITHIN) clear_marks();
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
            const Append append = {!WITHIN || depth < s.cutoffs[s.columns - 1], mark_of(depth + 1),
                                   counts[(depth + 1) % 3], queue[(depth + 1) % 2], order + next};
            for (int i = warp + lane; i - lane < size; i += THREADS) {
                const int v = i >= size ? -1 : i < AT_HAND ? queue[depth % 2][i] : order[head + i];
                Real paths;
                if (!COUNTS) {
                    pull(v, s.out_inline, s.out_indices, NOBODY, append);
                } else if (SYMMETRIC) {
                    paths = pull(v, s.in_inline, s.in_indices, parents, append);
                } else {
                    paths = pull(v, s.in_inline, s.in_indices, parents,
                                 Append{false, NONE, append.count, append.queue, append.order});
                    pull(v, s.out_inline, s.out_indices, NOBODY, append);
                }
                if (v < 0) continue;
                if constexpr (COUNTS) {
                    Real sigma = {1};
                    sigma_update(depth > 0, normal(paths), sigma);
                    sigmas[v] = sigma;
                    marks.set_byte(v, mark_of(depth));
                    max_sigma = max(max_sigma, double(sigma));
                }
                if constexpr (SEEDS) Targets<State<Real, Pointer>>(s).seed(v, s.of_pairs.by_level[depth]);
                visit(v, depth);
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

    __device__ int forward(int source, double &max_sigma) {
        return forward(source, max_sigma, [](int, int) {});
    }

    // What the row of a list entry needs but its neighbours' g, which are not known before the level
    // below is done.
    struct Row {
        int v;
        InPlace in_place;
        Byte byte[INLINE_DEGREE];  // of the neighbours' marks
        Real sigma;
        Share omega;
    };

    __device__ int entry(int at, int end) const { return at < end ? order[at] : -1; }

    __device__ void read(int v, Row &r) const {
        r.v = v;
        r.in_place = row_of(s.out_inline, v);
        int node[INLINE_DEGREE];
        r.in_place.neighbours(node);
        if (v >= 0) r.sigma = sigmas[v], r.omega = omega[v];
        for (int j = 0; j < INLINE_DEGREE; ++j)
            r.byte[j] = node[j] < 0 ? NONE : marks.byte(node[j]);
    }

    // Whether a neighbour may be on the next level, as far as its bits tell. Where arcs have counterparts, all
    // neighbours are found.
    __device__ bool may_be_child(int v, int children) const {
        return SYMMETRIC && !Marks::BITS_SUFFICE || Marks::may(marks.bits(v), children);
    }

    // Nobody else adds to a sum now, so that its order is fixed, and the warp goes on meanwhile.
    __device__ void share(long long place, double alpha, const Real &sigma, const Term &term) const {
        atomicAdd(&shares[place], alpha * double(sigma * term.of[0]));
    }

    // delta<F_d> = sigma .* (A g<F_{d+1}>), g = (omega + delta) / sigma
    // lambda<F_d> = A h<F_{d+1}>, h = omega + lambda
    // eb(u -> v) += alpha sigma(u) g(v), where level(v) = level(u) + 1
    __device__ void backward(int depth, double alpha, double &max_sigma) const {
        const int warp = threadIdx.x / WARP * WARP, lane = threadIdx.x % WARP;
        if (!SYMMETRIC && !WITHIN) {
            marks.clear_bits(s.words);
            __syncthreads();
        }
        // Read ahead: the rows of the next level, the list of the one after it.
        int end = starts[depth], begin = starts[depth - 1], before = starts[max(depth - 2, 0)];
        Row r;
        read(entry(begin + threadIdx.x, end), r);
        int next = entry(before + threadIdx.x, begin);
        for (int d = depth - 1; d >= (TO_SOURCE ? 0 : 1); --d) {
            const int earlier = starts[max(d - 2, 0)];
            const int children = WITHIN && d == depth - 1 ? NOBODY : mark_of(d + 1);
            for (int at = begin + warp; at < end; at += THREADS) {
                if (at != begin + warp) read(entry(at + lane, end), r);
                // Arc j of the neighbours has its share at place + j * apart.
                const auto look = [&](const int(&node)[INLINE_DEGREE],
                                      const Byte(&byte)[INLINE_DEGREE], const Real &sigma,
                                      long long place, int apart) {
                    bool child[INLINE_DEGREE];
                    Term terms_of[INLINE_DEGREE], sum = {};
                    for (int j = 0; j < INLINE_DEGREE; ++j)
                        child[j] = node[j] >= 0 && Marks::agrees(byte[j], children) &&
                                   may_be_child(node[j], children);
                    for (int j = 0; j < INLINE_DEGREE; ++j)
                        terms_of[j] = child[j] ? terms[node[j]] : Term{};
                    for (int j = 0; j < INLINE_DEGREE; ++j) sum += terms_of[j];
                    if constexpr (OF_ARCS) {
                        for (int j = 0; j < INLINE_DEGREE; ++j)
                            if (child[j]) share(place + j * apart, alpha, sigma, terms_of[j]);
                    }
                    return sum;
                };
                int node[INLINE_DEGREE];
                r.in_place.neighbours(node);
                Term sum = {};
                if (__any_sync(ALL, node[0] >= 0))
                    sum = look(node, r.byte, r.sigma, INLINE_DEGREE * (long long)r.v, 1);
                sum_long<Term, Pointer>(
                    r.in_place, s.out_indices, sum,
                    [&](int owner, const int(&node)[INLINE_DEGREE], Pointer arc, int apart) {
                        Byte byte[INLINE_DEGREE];
                        for (int j = 0; j < INLINE_DEGREE; ++j)
                            byte[j] = node[j] < 0 ? NONE : marks.byte(node[j]);
                        Real sigma = {};
                        if constexpr (OF_ARCS) sigma = of_lane(r.sigma, owner);
                        return look(node, byte, sigma, INLINE_DEGREE * (long long)s.n + arc, apart);
                    });
                if (r.v < 0) continue;
                if (!SYMMETRIC) marks.find(r.v, mark_of(d));
                const Real &sum_g = sum.of[0], &sum_h = sum.of[BOTH];
                double *const scores = sums + (long long)r.v * sums_by_node<SUMS>;
                if (TO_SOURCE && d == 0) {
                    finish_source<SUMS>(scores, alpha, r.sigma, sum_g);
                    continue;
                }
                Term here;
                finish_row<SUMS>(scores, alpha, r.omega, r.sigma, sum_g, sum_h, here.of[0],
                                 here.of[BOTH], max_sigma);
                terms[r.v] = here;
            }
            read(next, r);
            end = begin, begin = before, before = earlier;
            next = entry(before + threadIdx.x, begin);
            __syncthreads();
        }
    }
};
