// Brandes' two phases for graphs of thin levels, and for path counts beyond floats: a block of
// threads is alone with its source.
//
// A level is a few hundred nodes, so a block goes through them with none to wait for but its own
// threads. A row is pulled by one thread, or by one warp if it has more than FEW neighbours. Each
// element has one writer and each sum a fixed order, so that results have the same bits on every run:
// lane k takes the sources k, k + lanes, ... in turn, and the lanes are added up in order.
#include "extended.cuh"
#include "sums.cuh"
#include "updates.cuh"

constexpr unsigned ALL = 0xffffffffu;
constexpr int WARP = 32;
constexpr int FEW = 4;       // neighbours that a row has in its own place
constexpr int MANY = -2;     // in place of the first neighbour of a row that has more
constexpr int QUEUE = 1024;  // nodes of a level that are at hand in shared memory
// Levels are numbered on from source to source, so that nothing is cleared between them; beyond this
// they begin again.
constexpr int LAST_LEVEL = 1 << 30;

// What a look at a neighbour reads in one go; of use where the neighbour is seen.
template <class Real>
struct alignas(2 * sizeof(Real)) Node {
    Real sigma;  // then g, or h
    int level;

    __device__ Real value() const { return sigma; }
    __device__ void put(const Real &value) { sigma = value; }
};

template <>
struct alignas(16) Node<Extended> {
    double mantissa;
    int exponent, level;

    __device__ Extended value() const { return {mantissa, exponent}; }
    __device__ void put(const Extended &value) {
        mantissa = value.mantissa, exponent = value.exponent;
    }
};

__device__ __forceinline__ Node<float> load(const Node<float> *at) {
    const int2 bits = *reinterpret_cast<const int2 *>(at);
    return {__int_as_float(bits.x), bits.y};
}

__device__ __forceinline__ Node<double> load(const Node<double> *at) {
    const int4 bits = *reinterpret_cast<const int4 *>(at);
    return {__hiloint2double(bits.y, bits.x), bits.z};
}

__device__ __forceinline__ Node<Extended> load(const Node<Extended> *at) {
    const int4 bits = *reinterpret_cast<const int4 *>(at);
    return {__hiloint2double(bits.y, bits.x), bits.z, bits.w};
}

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

// What a row adds up of its neighbours: g, or g and h. Any reals stand in the place of g.
template <class Real, int ARRAYS>
struct Gathered {
    Real of[ARRAYS];

    __device__ Gathered &operator+=(const Gathered &other) {
#pragma unroll
        for (int a = 0; a < ARRAYS; ++a) of[a] += other.of[a];
        return *this;
    }
};

template <class Real, int ARRAYS>
__device__ __forceinline__ auto across(Gathered<Real, ARRAYS> sums, int step) {
#pragma unroll
    for (int a = 0; a < ARRAYS; ++a) sums.of[a] = across(sums.of[a], step);
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
    Node<Real> *nodes;    // (blocks, n)
    Real *suffixes;       // (blocks, n) h, unless it takes sigma's place
    double *dependency;   // (blocks, n) sums of alpha * delta over the sources of the lane
    double *stress;       // (blocks, n) of alpha * sigma * lambda; of alpha * sigma beside each, if
                          // arrivals are wanted
    double *squares;      // (blocks, n) of alpha * delta^2
    // (blocks, share_count) of alpha * sigma(u) g(v): FEW in a row's own place, then rows of many
    double *shares;
    int *order;           // (blocks, n) nodes, level by level
    int *starts;          // (blocks, n + 2) where each level starts
    int *base;            // (blocks,) level of the next source
    uint4 *seen;          // (blocks, words / 4) where there is no room in shared memory
    double *departures;   // (n,) lambda of each source itself
    unsigned long long *ends;   // (n,) pairs that begin or end at each node, if they are wanted
    unsigned long long *worst;  // bits of the largest path count, as a double
    double limit;         // path count from which the results are of no use
    long long share_count;  // shares of a block, so many that rows start on a sector
    int n, count, lanes, counts_ends, words;
};

extern __shared__ uint4 shared[];

// Nodes that have a level, a bit each.
template <bool SHARED>
struct Seen {
    unsigned *global;

    __device__ unsigned *words() const {
        return SHARED ? reinterpret_cast<unsigned *>(shared) : global;
    }

    __device__ bool operator[](int v) const { return words()[v / 32] >> v % 32 & 1; }

    // Whether the node is there already.
    __device__ bool add(int v) const {
        return atomicOr(&words()[v / 32], 1u << v % 32) >> v % 32 & 1;
    }
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
template <class Real, class Pointer, int THREADS, bool SHARED, bool SYMMETRIC, int SUMS>
struct Search {
    using Share = typename State<Real, Pointer>::Share;
    static constexpr bool DELTA = SUMS & DEPENDENCY, COUNTING = SUMS & STRESS;
    static constexpr bool OF_ARCS = SUMS & ARCS, OF_SQUARES = SUMS & SQUARES, BOTH = both(SUMS);
    static constexpr bool ARRIVING = SUMS & ARRIVALS, DEPARTING = SUMS & DEPARTURES;
    static constexpr bool TO_SOURCE = at_source(SUMS);
    using Term = Gathered<Real, BOTH ? 2 : 1>;

    const State<Real, Pointer> &s;
    Seen<SHARED> seen;
    Node<Real> *nodes;
    Real *suffixes;
    double *dependency, *squares, *stress, *shares;
    int *order, *starts;
    int first;  // level of the source

    __device__ Search(const State<Real, Pointer> &s)
        : s(s), seen{reinterpret_cast<unsigned *>(s.seen) + (long long)blockIdx.x * s.words},
          nodes(s.nodes + (long long)blockIdx.x * s.n),
          suffixes(s.suffixes + (long long)blockIdx.x * s.n),
          dependency(s.dependency + (long long)blockIdx.x * s.n),
          squares(s.squares + (long long)blockIdx.x * s.n),
          stress(s.stress + (long long)blockIdx.x * s.n * (1 + ARRIVING)),
          shares(s.shares + blockIdx.x * s.share_count),
          order(s.order + (long long)blockIdx.x * s.n),
          starts(s.starts + (long long)blockIdx.x * (s.n + 2)), first(s.base[blockIdx.x]) {}

    __device__ void clear() {
        uint4 *const all = reinterpret_cast<uint4 *>(seen.words());
#pragma unroll 1
        for (int i = threadIdx.x; i < s.words / 4; i += THREADS) all[i] = {0, 0, 0, 0};
        if (first > LAST_LEVEL) {
#pragma unroll 1
            for (int v = threadIdx.x; v < s.n; v += THREADS) nodes[v].level = 0;
            first = 1;
        }
        __syncthreads();
    }

    __device__ static void neighbours(const int4 *few, int row, int (&node)[FEW]) {
        const int4 four = row < 0 ? int4{-1, -1, -1, -1} : few[row];
        node[0] = four.x, node[1] = four.y, node[2] = four.z, node[3] = four.w;
    }

    // Sum of sigma over the neighbours on a level. Those not seen yet are appended to the next one,
    // if there is an `append`.
    template <class Append>
    __device__ Real pull(int row, const int4 *few, const Pointer *indptr, const int *indices,
                         int level, const Append &append) const {
        int node[FEW];
        neighbours(few, row, node);
        bool known[FEW], fresh[FEW];
        Node<Real> there[FEW];
        Real sum = {};
#pragma unroll
        for (int j = 0; j < FEW; ++j) {
            known[j] = node[j] >= 0 && (append.wanted && SHARED ? seen.add(node[j]) : seen[node[j]]);
            fresh[j] = node[j] >= 0 && append.wanted && !known[j];
        }
#pragma unroll
        for (int j = 0; j < FEW; ++j)
            there[j] = known[j] ? load(nodes + node[j]) : Node<Real>{};
        if (!SHARED) {
#pragma unroll
            for (int j = 0; j < FEW; ++j) fresh[j] = fresh[j] && !seen.add(node[j]);
        }
        append(fresh, node);
#pragma unroll
        for (int j = 0; j < FEW; ++j)
            if (there[j].level == level) sum += there[j].value();
        sum_many(node[0] == MANY, row, indptr, indices, sum, [&](int, Pointer, bool valid, int v) {
            const bool known = valid && seen[v];
            const bool fresh[1] = {append.wanted && valid && !known && !seen.add(v)};
            const int node[1] = {v};
            append(fresh, node);
            const Node<Real> there = known ? load(nodes + v) : Node<Real>{};
            return there.level == level ? there.value() : Real{};
        });
        return sum;
    }

    // The next level's list, in any order: first in shared memory, and all of it in `order`.
    struct Append {
        bool wanted;
        int &count;
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
    __device__ int forward(int source, double &worst) {
        __shared__ int queue[2][QUEUE];
        __shared__ int counts[3];
        clear();
        if (threadIdx.x == 0) {
            counts[1] = counts[2] = 0;
            seen.add(source);
            queue[0][0] = order[0] = source;
            starts[0] = 0;
        }
        __syncthreads();
        const int warp = threadIdx.x / WARP * WARP, lane = threadIdx.x % WARP;
        int depth = 0;
        for (int head = 0, size = 1; size; ++depth) {
            const int next = head + size, level = first + depth;
            const Append append = {true, counts[(depth + 1) % 3], queue[(depth + 1) % 2],
                                   order + next};
            for (int i = warp + lane; i - lane < size; i += THREADS) {
                const int v = i >= size ? -1 : i < QUEUE ? queue[depth % 2][i] : order[head + i];
                Real paths;
                if (SYMMETRIC) {
                    paths = pull(v, s.in_few, s.in_indptr, s.in_indices, level - 1, append);
                } else {
                    paths = pull(v, s.in_few, s.in_indptr, s.in_indices, level - 1,
                                 Append{false, append.count, append.queue, append.order});
                    pull(v, s.out_few, s.out_indptr, s.out_indices, -1, append);
                }
                if (v < 0) continue;
                Real sigma = {1};
                sigma_update(depth > 0, normal(paths), sigma);
                Node<Real> here;
                here.put(sigma), here.level = level;
                nodes[v] = here;
                worst = max(worst, double(sigma));
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
        unsigned below;  // the neighbours on the next level
        Real sigma;
        Share omega;
        double dependency;
        double2 stress;      // and arrivals
        double shares[FEW];  // of its arcs, if they are few
    };

    // g of a node, and h beside it.
    __device__ Term term(int v, const Real &g) const {
        if constexpr (BOTH) return {g, suffixes[v]};
        else return {g};
    }

    __device__ int entry(int at, int end) const { return at < end ? order[at] : -1; }

    __device__ void read(int v, int level, Row &r) const {
        r.v = v;
        neighbours(s.out_few, v, r.node);
        if (v < 0) return;
        r.sigma = nodes[v].value(), r.omega = s.omega[v];
        if (DELTA) r.dependency = dependency[v];
        if (ARRIVING) r.stress = reinterpret_cast<const double2 *>(stress)[v];
        else if (COUNTING) r.stress.x = stress[v];
        if (OF_ARCS) read_shares(v, r);
        r.below = 0;
#pragma unroll
        for (int j = 0; j < FEW; ++j) {
            if (r.node[j] < 0 || nodes[r.node[j]].level != level + 1) continue;
            r.below |= 1u << j;
        }
    }

    __device__ void read_shares(int v, Row &r) const {
#pragma unroll
        for (int j = 0; j < FEW; j += 2) {
            const double2 two = *reinterpret_cast<const double2 *>(shares + (long long)FEW * v + j);
            r.shares[j] = two.x, r.shares[j + 1] = two.y;
        }
    }

    __device__ void write_shares(const Row &r) const {
#pragma unroll
        for (int j = 0; j < FEW; j += 2)
            if (r.below >> j & 3)
                *reinterpret_cast<double2 *>(shares + (long long)FEW * r.v + j) =
                    {r.shares[j], r.shares[j + 1]};
    }

    // delta<F_d> = sigma .* (A g<F_{d+1}>), g = (omega + delta) / sigma in sigma's place
    // lambda<F_d> = A h<F_{d+1}>, h = omega + lambda; in sigma's place if there is no g
    // eb(u -> v) += alpha sigma(u) g(v), where level(v) = level(u) + 1
    __device__ void backward(int depth, int source, double alpha, double &worst) const {
        const int warp = threadIdx.x / WARP * WARP, lane = threadIdx.x % WARP;
        unsigned long long targets = 0;
        // Read ahead: the rows of the next level, the list of the one after it.
        int end = starts[depth], begin = starts[depth - 1], before = starts[max(depth - 2, 0)];
        Row r;
        read(entry(begin + threadIdx.x, end), first + depth - 1, r);
        int next = entry(before + threadIdx.x, begin);
        for (int d = depth - 1; d >= (TO_SOURCE ? 0 : 1); --d) {
            const int earlier = starts[max(d - 2, 0)], level = first + d;
            for (int at = begin + warp; at < end; at += THREADS) {
                if (at != begin + warp) read(entry(at + lane, end), level, r);
                Term few[FEW], sum = {};
#pragma unroll
                for (int j = 0; j < FEW; ++j)
                    few[j] = r.v >= 0 && r.below >> j & 1
                                 ? term(r.node[j], nodes[r.node[j]].value())
                                 : Term{};
#pragma unroll
                for (int j = 0; j < FEW; ++j) sum += few[j];
                sum_many(r.node[0] == MANY, r.v, s.out_indptr, s.out_indices, sum,
                         [&](int owner, Pointer p, bool valid, int v) {
                             const Node<Real> there = valid ? load(nodes + v) : Node<Real>{};
                             const bool hit = there.level == level + 1;
                             if constexpr (OF_ARCS) {
                                 const Real sigma = of_lane(r.sigma, owner);
                                 if (hit)
                                     shares[(long long)FEW * s.n + p] +=
                                         alpha * double(sigma * there.value());
                             }
                             return hit ? term(v, there.value()) : Term{};
                         });
                if constexpr (OF_ARCS) {
#pragma unroll
                    for (int j = 0; j < FEW; ++j)
                        if (r.v >= 0 && r.below >> j & 1)
                            r.shares[j] += alpha * double(r.sigma * few[j].of[0]);
                    if (r.v >= 0) write_shares(r);
                }
                if (r.v < 0) continue;
                const Real &below = sum.of[0], &beyond = sum.of[BOTH];
                if (TO_SOURCE && d == 0) {
                    if constexpr (DEPARTING) leave(r, beyond, worst);
                    continue;
                }
                finish(r, below, beyond, alpha, worst);
                if (s.counts_ends && r.omega != Share(0)) {
                    atomicAdd(&s.ends[r.v], (unsigned long long)r.omega);
                    targets += (unsigned long long)r.omega;
                }
            }
            read(next, level - 1, r);
            end = begin, begin = before, before = earlier;
            next = entry(before + threadIdx.x, begin);
            __syncthreads();
        }
        if (targets) atomicAdd(&s.ends[source], targets);
    }

    // What departs from the source is known.
    __device__ void leave(const Row &r, const Real &beyond, double &worst) const {
        s.departures[r.v] = double(beyond);
        worst = max(worst, double(beyond));
    }

    // The sums of a row become g, or h, and what passes goes to its scores.
    __device__ void finish(Row &r, const Real &below, const Real &beyond, double alpha,
                           double &worst) const {
        Share part;
        if constexpr (ARRIVING) r.stress.y += alpha * double(r.sigma);
        if constexpr (COUNTING) {
            Real h;
            stress_update(true, beyond, r.omega, r.sigma, h, part);
            if (BOTH) suffixes[r.v] = h;
            else nodes[r.v].put(h);
            r.stress.x += alpha * double(part);
            if constexpr (ARRIVING) reinterpret_cast<double2 *>(stress)[r.v] = r.stress;
            else stress[r.v] = r.stress.x;
            worst = max(worst, double(part));
        }
        if constexpr (DELTA) {
            delta_update(true, below, r.omega, r.sigma, part);
            nodes[r.v].put(r.sigma);
            dependency[r.v] = r.dependency + alpha * double(part);
            if (OF_SQUARES) squares[r.v] += alpha * double(part) * double(part);
        }
    }
};

// The sources of the lanes from `from` on, a block a lane.
template <class Real, class Pointer, int THREADS, bool SHARED, bool SYMMETRIC, int SUMS>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS) sweep(State<Real, Pointer> s, int from) {
    __shared__ bool stop;
    double worst = 0;
    for (int i = from + blockIdx.x; i < s.count; i += s.lanes) {
        Search<Real, Pointer, THREADS, SHARED, SYMMETRIC, SUMS> search(s);
        const int source = s.sources[i], depth = search.forward(source, worst);
        __syncthreads();
        search.backward(depth, source, double(s.alpha[i]), worst);
        const unsigned long long bits = __double_as_longlong(worst);  // ordered like the counts
        if (bits > *(volatile unsigned long long *)s.worst) atomicMax(s.worst, bits);
        __syncthreads();
        if (threadIdx.x == 0) {
            s.base[blockIdx.x] = search.first + depth + 1;
            stop = __longlong_as_double(*(volatile unsigned long long *)s.worst) > s.limit;
        }
        __syncthreads();
        if (stop) return;
    }
}
