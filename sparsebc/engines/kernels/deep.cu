// Brandes' two phases for graphs of thin levels: a block of threads is alone with its source.
//
// A level is a few hundred nodes, so a block goes through them with none to wait for but its own
// threads. A row is pulled by one thread, or by one warp if it has more than FEW neighbours. Each
// element has one writer and each sum a fixed order, so that results have the same bits on every run:
// lane k takes the sources k, k + lanes, ... in turn, and the lanes are added up in order.
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
    Real sigma;  // then g
    int level;
};

__device__ __forceinline__ Node<float> load(const Node<float> *at) {
    const int2 bits = *reinterpret_cast<const int2 *>(at);
    return {__int_as_float(bits.x), bits.y};
}

__device__ __forceinline__ Node<double> load(const Node<double> *at) {
    const int4 bits = *reinterpret_cast<const int4 *>(at);
    return {__hiloint2double(bits.y, bits.x), bits.z};
}

// Passed by value; the launcher packs the same fields in the same order.
template <class Real, class Pointer>
struct State {
    const Pointer *out_indptr;
    const int *out_indices;
    const Pointer *in_indptr;
    const int *in_indices;
    const int4 *out_few;  // (n, FEW) neighbours of rows that have few, -1 where there are no more
    const int4 *in_few;
    const Real *omega;    // (n,)
    const int *sources;   // (count,)
    const Real *alpha;    // (count,)
    Node<Real> *nodes;    // (blocks, n)
    double *dependency;   // (blocks, n) sums of alpha * delta over the sources of the lane
    int *order;           // (blocks, n) nodes, level by level
    int *starts;          // (blocks, n + 2) where each level starts
    int *base;            // (blocks,) level of the next source
    uint4 *seen;          // (blocks, words / 4) where there is no room in shared memory
    unsigned long long *ends;   // (n,) pairs that begin or end at each node, if they are wanted
    unsigned long long *worst;  // bits of the largest path count, as a double
    double limit;         // path count from which the results are of no use
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
// in a fixed order, for the thread whose row it is.
template <class Real, class Pointer, class Visit>
__device__ __forceinline__ void sum_many(bool many, int row, const Pointer *indptr,
                                         const int *indices, Real &sum, const Visit &visit) {
    const int lane = threadIdx.x % WARP;
    for (unsigned rest = __ballot_sync(ALL, many); rest; rest &= rest - 1) {
        const int owner = __ffs(rest) - 1, whose = __shfl_sync(ALL, row, owner);
        const Pointer end = indptr[whose + 1];
        Real part = 0;
#pragma unroll 1
        for (Pointer p = indptr[whose]; p < end; p += WARP) {
            const bool there = p + lane < end;
            part += visit(there, there ? indices[p + lane] : 0);
        }
        for (int step = WARP / 2; step; step /= 2) part += __shfl_xor_sync(ALL, part, step);
        if (lane == owner) sum = part;
    }
}

// One block and one source.
template <class Real, class Pointer, int THREADS, bool SHARED, bool SYMMETRIC>
struct Search {
    const State<Real, Pointer> &s;
    Seen<SHARED> seen;
    Node<Real> *nodes;
    double *dependency;
    int *order, *starts;
    int first;  // level of the source

    __device__ Search(const State<Real, Pointer> &s)
        : s(s), seen{reinterpret_cast<unsigned *>(s.seen) + (long long)blockIdx.x * s.words},
          nodes(s.nodes + (long long)blockIdx.x * s.n),
          dependency(s.dependency + (long long)blockIdx.x * s.n),
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
        Real sum = 0;
#pragma unroll
        for (int j = 0; j < FEW; ++j) {
            known[j] = node[j] >= 0 && (append.wanted && SHARED ? seen.add(node[j]) : seen[node[j]]);
            fresh[j] = node[j] >= 0 && append.wanted && !known[j];
        }
#pragma unroll
        for (int j = 0; j < FEW; ++j)
            there[j] = known[j] ? load(nodes + node[j]) : Node<Real>{Real(0), 0};
        if (!SHARED) {
#pragma unroll
            for (int j = 0; j < FEW; ++j) fresh[j] = fresh[j] && !seen.add(node[j]);
        }
        append(fresh, node);
#pragma unroll
        for (int j = 0; j < FEW; ++j)
            if (there[j].level == level) sum += there[j].sigma;
        sum_many(node[0] == MANY, row, indptr, indices, sum, [&](bool valid, int v) {
            const bool known = valid && seen[v];
            const bool fresh[1] = {append.wanted && valid && !known && !seen.add(v)};
            const int node[1] = {v};
            append(fresh, node);
            const Node<Real> there = known ? load(nodes + v) : Node<Real>{Real(0), 0};
            return there.level == level ? there.sigma : Real(0);
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
                Node<Real> here = {Real(1), level};
                sigma_update(depth > 0, paths, here.sigma);
                nodes[v] = here;
                worst = max(worst, double(here.sigma));
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
        Real sigma, omega;
        double dependency;
    };

    __device__ int entry(int at, int end) const { return at < end ? order[at] : -1; }

    __device__ void read(int v, int level, Row &r) const {
        r.v = v;
        neighbours(s.out_few, v, r.node);
        if (v < 0) return;
        r.sigma = nodes[v].sigma, r.omega = s.omega[v], r.dependency = dependency[v];
        r.below = 0;
#pragma unroll
        for (int j = 0; j < FEW; ++j)
            if (r.node[j] >= 0 && nodes[r.node[j]].level == level + 1) r.below |= 1u << j;
    }

    // delta<F_d> = sigma .* (A g<F_{d+1}>), g = (omega + delta) / sigma in sigma's place
    __device__ void backward(int depth, int source, double alpha) const {
        const int warp = threadIdx.x / WARP * WARP, lane = threadIdx.x % WARP;
        unsigned long long targets = 0;
        // Read ahead: the rows of the next level, the list of the one after it.
        int end = starts[depth], begin = starts[depth - 1], before = starts[max(depth - 2, 0)];
        Row r;
        read(entry(begin + threadIdx.x, end), first + depth - 1, r);
        int next = entry(before + threadIdx.x, begin);
        for (int d = depth - 1; d > 0; --d) {
            const int earlier = starts[max(d - 2, 0)], level = first + d;
            for (int at = begin + warp; at < end; at += THREADS) {
                if (at != begin + warp) read(entry(at + lane, end), level, r);
                Real g[FEW], sum = 0, delta;
#pragma unroll
                for (int j = 0; j < FEW; ++j)
                    g[j] = r.v >= 0 && r.below >> j & 1 ? nodes[r.node[j]].sigma : Real(0);
#pragma unroll
                for (int j = 0; j < FEW; ++j) sum += g[j];
                sum_many(r.node[0] == MANY, r.v, s.out_indptr, s.out_indices, sum,
                         [&](bool valid, int v) {
                             const Node<Real> there = valid ? load(nodes + v) : Node<Real>{Real(0), 0};
                             return there.level == level + 1 ? there.sigma : Real(0);
                         });
                if (r.v < 0) continue;
                delta_update(true, sum, r.omega, r.sigma, delta);
                nodes[r.v].sigma = r.sigma;
                dependency[r.v] = r.dependency + alpha * double(delta);
                if (s.counts_ends && r.omega != Real(0)) {
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
};

// The sources of the lanes from `from` on, a block a lane.
template <class Real, class Pointer, int THREADS, bool SHARED, bool SYMMETRIC>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS) sweep(State<Real, Pointer> s, int from) {
    __shared__ bool stop;
    double worst = 0;
    for (int i = from + blockIdx.x; i < s.count; i += s.lanes) {
        Search<Real, Pointer, THREADS, SHARED, SYMMETRIC> search(s);
        const int source = s.sources[i], depth = search.forward(source, worst);
        __syncthreads();
        search.backward(depth, source, double(s.alpha[i]));
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

// Add the lanes' sums to the total, in order.
template <class Real, class Pointer>
__global__ void reduce(State<Real, Pointer> s, int lanes, double *total) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= s.n) return;
    double sum = total[v];
    for (int k = 0; k < lanes; ++k) sum += s.dependency[(long long)k * s.n + v];
    total[v] = sum;
}
