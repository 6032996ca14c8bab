// Brandes' two phases for one source a block, with path counts that have no bound, and every sum.
//
// A count is m 2^e with 1/2 <= m < 1, normalized once its row is summed. Counts never fall from a
// level to the next, so sigma(u) / sigma(v) of an arc u -> v has e(u) - e(v) <= 0, and scaling by a
// power of two rounds nothing: shares are as accurate as with plain floats. In place of sigma(v),
// g(v) keeps the exponent of sigma(v) and (omega + delta) / m for a mantissa.
//
// A block is a lane: it has the sources lane, lane + lanes, ... one after the other. A row is
// summed by one thread, or by one warp if it has more than FEW neighbours, so that each element has
// one writer and each sum a fixed order: results have the same bits on every run.

constexpr unsigned ALL = 0xffffffffu;
constexpr int WARP = 32;
constexpr int THREADS = 512;
constexpr int FEW = 16;
constexpr int UNVISITED = -1;
constexpr int LOWEST = -(1 << 30);  // exponent of no paths

// mantissa * 2^exponent
struct Count {
    double mantissa = 0;
    int exponent = LOWEST;

    __device__ Count() {}
    __device__ Count(double mantissa, int exponent) : mantissa(mantissa), exponent(exponent) {}
};

// What a look at a neighbour reads in one go.
struct alignas(16) Node {
    double mantissa;  // of sigma, then of g
    int exponent;     // of sigma
    int level;
};

// 2^-down for down >= 0; what is beyond is far below the last digit of any sum.
__device__ __forceinline__ double power(int down) {
    return down > 1022 ? 0.0 : __longlong_as_double((long long)(1023 - down) << 52);
}

__device__ __forceinline__ void add(Count &a, const Count &b) {
    const int up = b.exponent - a.exponent;
    if (up > 0) {
        a = {a.mantissa * power(up) + b.mantissa, b.exponent};
    } else {
        a.mantissa += b.mantissa * power(-up);
    }
}

// Passed by value; the launcher packs the same fields in the same order.
template <class Pointer>
struct State {
    const Pointer *out_indptr;
    const int *out_indices;
    const Pointer *in_indptr;
    const int *in_indices;
    const double *omega;       // (n,)
    const int *sources;        // (count,)
    const double *alpha;       // (count,)
    Node *nodes;               // (blocks, n) UNVISITED in between
    int *queue;                // (blocks, n) level d lies at starts[d]:starts[d + 1]
    int *starts;               // (blocks, n + 2)
    double *suffixes;          // (blocks, n) omega + lambda, if stress is wanted
    double *dependency;        // (blocks, n) sums over the sources of the lane; null if not wanted
    double *stress;            // (blocks, n)
    double *arcs;              // (blocks, size)
    unsigned long long *ends;  // (n,) pairs that begin or end at each node; null if not wanted
    long long size;            // arcs of the graph
    int n, count, lanes, unused;
};

// What one lane of a row's neighbours adds up to, over the lanes of a warp in a fixed order.
__device__ __forceinline__ void join(Count &sum) {
    for (int step = WARP / 2; step; step /= 2) {
        const double mantissa = __shfl_xor_sync(ALL, sum.mantissa, step);
        add(sum, {mantissa, __shfl_xor_sync(ALL, sum.exponent, step)});
    }
}

// Of a row on the way back: the shares of its successors, and the paths that they begin.
struct Below {
    double delta = 0, suffixes = 0;
};

__device__ __forceinline__ void join(Below &sum) {
    for (int step = WARP / 2; step; step /= 2) {
        sum.delta += __shfl_xor_sync(ALL, sum.delta, step);
        sum.suffixes += __shfl_xor_sync(ALL, sum.suffixes, step);
    }
}

// visit(own, p, sum) for every place p of the row of each thread that has one; `own` and the sum
// are those of the row.
template <class Pointer, class Sum, class Visit>
__device__ __forceinline__ void each(bool busy, int row, const Count &own, const Pointer *indptr,
                                     Sum &sum, const Visit &visit) {
    const int lane = threadIdx.x % WARP;
    const Pointer low = busy ? indptr[row] : 0, high = busy ? indptr[row + 1] : 0;
    const bool many = high - low > FEW;
    if (!many)
        for (Pointer p = low; p < high; ++p) visit(own, p, sum);
    for (unsigned rest = __ballot_sync(ALL, many); rest; rest &= rest - 1) {
        const int owner = __ffs(rest) - 1;
        const Pointer begin = __shfl_sync(ALL, low, owner), end = __shfl_sync(ALL, high, owner);
        const Count whose = {__shfl_sync(ALL, own.mantissa, owner),
                             __shfl_sync(ALL, own.exponent, owner)};
        Sum part = Sum();
        for (Pointer p = begin + lane; p < end; p += WARP) visit(whose, p, part);
        join(part);
        if (lane == owner) sum = part;
    }
}

// One block and one source.
template <class Pointer>
struct Search {
    const State<Pointer> &s;
    Node *const nodes;
    int *const queue, *const starts;

    __device__ Search(const State<Pointer> &s)
        : s(s), nodes(s.nodes + (long long)blockIdx.x * s.n),
          queue(s.queue + (long long)blockIdx.x * s.n),
          starts(s.starts + (long long)blockIdx.x * (s.n + 2)) {}

    // Row of a list entry, of all threads of a warp together.
    __device__ bool entry(int at, int end, int &row) const {
        row = at < end ? queue[at] : 0;
        return at < end;
    }

    // F_{d+1} = (A' F_d)<not V>;  sigma<F_{d+1}> = A' (sigma<F_d>). Returns the deepest level.
    __device__ int forward(int source) const {
        __shared__ int found[2];
        if (threadIdx.x == 0) {
            nodes[source] = {0.5, 1, 0};
            queue[0] = source;
            starts[0] = 0;
            starts[1] = 1;
            found[0] = found[1] = 0;
        }
        __syncthreads();
        int depth = 0;
        for (int low = 0, high = 1; low < high; ++depth) {
            const int first = low + threadIdx.x / WARP * WARP, lane = threadIdx.x % WARP;
            int &next = found[depth % 2];
            for (int i = first; i < high; i += THREADS) {
                int row;
                const bool busy = entry(i + lane, high, row);
                Count none;
                each(busy, row, none, s.out_indptr, none, [&](const Count &, Pointer p, Count &) {
                    const int v = s.out_indices[p];
                    if (nodes[v].level == UNVISITED &&
                        atomicCAS(&nodes[v].level, UNVISITED, depth + 1) == UNVISITED)
                        queue[high + atomicAdd(&next, 1)] = v;
                });
            }
            __syncthreads();
            const int end = high + next;
            for (int i = first - low + high; i < end; i += THREADS) {
                int row;
                const bool busy = entry(i + lane, end, row);
                Count sum;
                each(busy, row, sum, s.in_indptr, sum, [&](const Count &, Pointer p, Count &sum) {
                    const Node near = nodes[s.in_indices[p]];
                    if (near.level == depth) add(sum, {near.mantissa, near.exponent});
                });
                if (!busy) continue;
                int shift;
                nodes[row].mantissa = frexp(sum.mantissa, &shift);
                nodes[row].exponent = sum.exponent + shift;
            }
            if (threadIdx.x == 0) {
                starts[depth + 2] = end;
                found[(depth + 1) % 2] = 0;
            }
            __syncthreads();
            low = high, high = end;
        }
        return depth - 1;
    }

    // delta<F_d> = sigma .* (A g<F_{d+1}>);  g<F_d> = (omega + delta) ./ sigma
    // lambda<F_d> = A h<F_{d+1}>;  h<F_d> = omega + lambda
    // eb(u -> v) += alpha sigma(u) g(v), where level(v) = level(u) + 1
    __device__ void backward(int depth, double alpha) const {
        const long long from = (long long)blockIdx.x * s.n;
        double *const arcs = s.arcs ? s.arcs + blockIdx.x * s.size : nullptr;
        double *const suffixes = s.suffixes ? s.suffixes + from : nullptr;
        const int warp = threadIdx.x / WARP * WARP, lane = threadIdx.x % WARP;
        for (int d = depth; d >= (arcs ? 0 : 1); --d) {
            const int high = starts[d + 1];
            for (int i = starts[d] + warp; i < high; i += THREADS) {
                int row;
                const bool busy = entry(i + lane, high, row);
                const Node node = busy ? nodes[row] : Node{};
                const Count here = {node.mantissa, node.exponent};
                Below below;
                const auto visit = [&](const Count &u, Pointer p, Below &sum) {
                    const int v = s.out_indices[p];
                    const Node near = nodes[v];
                    if (near.level != d + 1) return;
                    const double part = u.mantissa * near.mantissa;
                    const double share = part * power(near.exponent - u.exponent);
                    sum.delta += share;
                    if (arcs) arcs[p] += alpha * share;
                    if (suffixes) sum.suffixes += suffixes[v];
                };
                each(busy, row, here, s.out_indptr, below, visit);
                if (!busy || d == 0) continue;
                if (s.dependency) s.dependency[from + row] += alpha * below.delta;
                if (suffixes) {
                    const double through = alpha * here.mantissa * below.suffixes;
                    s.stress[from + row] += scalbn(through, here.exponent);
                    suffixes[row] = s.omega[row] + below.suffixes;
                }
                nodes[row].mantissa = (s.omega[row] + below.delta) / here.mantissa;
            }
            __syncthreads();
        }
    }

    // Leave every level UNVISITED, and count the ends of pairs: whole numbers, in any order.
    __device__ void finish(int depth, int source) const {
        unsigned long long reached = 0;
        const int all = starts[depth + 1];
        for (int i = threadIdx.x; i < all; i += THREADS) {
            const int t = queue[i];
            nodes[t].level = UNVISITED;
            const unsigned long long omega = (unsigned long long)s.omega[t];
            if (!s.ends || i == 0 || !omega) continue;
            atomicAdd(&s.ends[t], omega);
            reached += omega;
        }
        if (reached) atomicAdd(&s.ends[source], reached);
        __syncthreads();
    }
};

// The sources from:to of as many lanes as there are blocks, the first of which is `lane`.
template <class Pointer>
__global__ void __launch_bounds__(THREADS, 2) sweep(State<Pointer> s, int lane, int from, int to) {
    const Search<Pointer> search(s);
    for (int i = from + lane + blockIdx.x; i < to; i += s.lanes) {
        const int depth = search.forward(s.sources[i]);
        search.backward(depth, s.alpha[i]);
        search.finish(depth, s.sources[i]);
    }
}

// Add the sums of some lanes, `size` of them each, to the total in order.
__global__ void reduce(const double *sums, long long size, int lanes, double *total) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    double sum = total[i];
    for (int k = 0; k < lanes; ++k) sum += sums[k * size + i];
    total[i] = sum;
}
