// Brandes' two phases by length: a block of threads is alone with its source.
//
//     distance   d(v) = min over u of d(u) + w(u, v)
//     tight      d(u) + w(u, v) <= d(v) + rtol d(v)
//     level      nodes whose tight tails all lie on earlier levels [Kahn 1962]
//     forward    sigma(v) = sum of sigma(u) over tight u -> v
//     backward   delta(u) = sigma(u) * sum of g(v) over tight u -> v
//
// A row is pulled by one thread, or by one warp if it has many arcs. Each element has one writer
// and each sum a fixed order; a least distance and a count of whole numbers need none. So results
// have the same bits on every run: lane k takes the sources k, k + lanes, ... in turn, and the lanes
// are added up in order.
#include "tight.cuh"
#include "updates.cuh"

// One block and one source.
template <class Real, class Pointer, class Length>
struct Search {
    using A = Arc<Length>;
    using N = Node<Length, Real>;
    const State<Real, Pointer, Length> &s;
    N *nodes;
    double *dependency;
    int *order, *starts;
    unsigned *pending;
    int *lists;
    int warp, lane;  // first thread of the warp, and the thread in it

    __device__ Search(const State<Real, Pointer, Length> &s)
        : s(s), nodes(s.nodes + (long long)blockIdx.x * s.n),
          dependency(s.dependency + (long long)blockIdx.x * s.n),
          order(s.order + (long long)blockIdx.x * s.n),
          starts(s.starts + (long long)blockIdx.x * (s.n + 2)),
          pending(s.pending + (long long)blockIdx.x * s.n),
          lists(s.lists + (long long)blockIdx.x * s.n * (s.buckets ? s.buckets : LISTS)),
          warp(threadIdx.x / WARP * WARP), lane(threadIdx.x % WARP) {}

    // What a row needs to know of its own node.
    struct Row {
        Length distance, bound;  // lengths of its ways, and of those that tie
    };

    // Some arcs of a row, and the nodes at their other ends.
    template <int SIZE>
    struct Look {
        bool there[SIZE];
        A arc[SIZE];
        N node[SIZE];
    };

    __device__ Row row(Length distance) const { return {distance, bound(distance, s.rtol)}; }

    // Sum of what visit(row, look, sum) adds over the arcs of each thread's row, in a fixed order.
    // The warp calls it as one; its lanes share a row of many arcs.
    template <class Visit>
    __device__ __forceinline__ Real sum(const Pointer *indptr, const A *arcs, bool busy, int v,
                                        const Row &mine, const Visit &visit) const {
        Pointer begin = 0, end = 0;
        if (busy) begin = indptr[v], end = indptr[v + 1];
        const bool many = end - begin > MANY;
        const Pointer stop = many ? begin : end;
        Real total = 0;
        for (Pointer p = begin; __any_sync(ALL, p < stop); p += FEW) {
            Look<FEW> look;
#pragma unroll
            for (int j = 0; j < FEW; ++j) {
                look.there[j] = p + j < stop;
                look.arc[j] = look.there[j] ? arcs[p + j] : A{Length(0), 0};
            }
#pragma unroll
            for (int j = 0; j < FEW; ++j)
                look.node[j] = look.there[j] ? nodes[look.arc[j].node] : N{Length(0), Real(0)};
            visit(mine, look, total);
        }
        for (unsigned rest = __ballot_sync(ALL, many); rest; rest &= rest - 1) {
            const int owner = __ffs(rest) - 1;
            const Pointer last = __shfl_sync(ALL, end, owner);
            const Row whose{__shfl_sync(ALL, mine.distance, owner),
                            __shfl_sync(ALL, mine.bound, owner)};
            Real part = 0;
            for (Pointer p = __shfl_sync(ALL, begin, owner); p < last; p += WARP) {
                Look<1> look;
                look.there[0] = p + lane < last;
                look.arc[0] = look.there[0] ? arcs[p + lane] : A{Length(0), 0};
                look.node[0] = look.there[0] ? nodes[look.arc[0].node] : N{Length(0), Real(0)};
                visit(whose, look, part);
            }
            for (int step = WARP / 2; step; step /= 2) part += __shfl_xor_sync(ALL, part, step);
            if (lane == owner) total = part;
        }
        return total;
    }

    // Put the nodes that are fresh at the end of a list; the warp calls it as one.
    template <int SIZE>
    __device__ __forceinline__ void append(const bool (&fresh)[SIZE], const A (&arc)[SIZE],
                                           int *list, int *count) const {
        unsigned all[SIZE];
        int total = 0, place = 0;
#pragma unroll
        for (int j = 0; j < SIZE; ++j) {
            all[j] = __ballot_sync(ALL, fresh[j]);
            total += __popc(all[j]);
        }
        if (!total) return;
        if (lane == 0) place = atomicAdd(count, total);
        place = __shfl_sync(ALL, place, 0);
#pragma unroll
        for (int j = 0; j < SIZE; ++j) {
            if (fresh[j]) list[place + __popc(all[j] & ((1u << lane) - 1))] = arc[j].node;
            place += __popc(all[j]);
        }
    }

    __device__ void append(bool fresh, int node, int *list, int *count) const {
        const bool one[1] = {fresh};
        const A arc[1] = {{Length(0), node}};
        append(one, arc, list, count);
    }

    __device__ void clear(int source) const {
        for (int v = threadIdx.x; v < s.n; v += THREADS)
            nodes[v] = {v == source ? Length(0) : unreached<Length>(), Real(v == source)};
    }

    // d = min(d, d(u) + w(u, .)): near nodes reach out in waves until none is left, then the next are
    // near.
    __device__ void search(int source) const {
        __shared__ int near_count[3], far_count[2];
        __shared__ unsigned long long nearest;  // of those that stay far, bits of a double
        int *near = lists, *next = lists + s.n;
        int *far = lists + 2 * (long long)s.n, *kept = lists + 3 * (long long)s.n;
        clear(source);
        if (threadIdx.x == 0) {
            near[0] = source;
            near_count[0] = near_count[1] = near_count[2] = far_count[0] = far_count[1] = 0;
        }
        __syncthreads();
        Length begin = 0, end = Length(s.width);  // of what is near
        unsigned wave = 1;
        for (int size = 1, pile = 0; size; pile = !pile) {
            for (; size; ++wave) {
                int *const count = &near_count[(wave + 1) % 3];
                for (int at = warp; at < size; at += THREADS) {
                    const bool busy = at + lane < size;
                    const int u = busy ? near[at + lane] : 0;
                    const auto reach = [&](const Row &whose, const auto &look, Real &) {
                        constexpr int SIZE = sizeof(look.there) / sizeof(bool);
                        bool is_near[SIZE], is_far[SIZE];
#pragma unroll
                        for (int j = 0; j < SIZE; ++j) {
                            const int v = look.arc[j].node;
                            const Length now = whose.distance + look.arc[j].length;
                            is_near[j] = is_far[j] = false;
                            if (!look.there[j] || now >= look.node[j].distance) continue;
                            const Length before = lower(&nodes[v].distance, now);
                            if (now >= end)
                                is_far[j] = before == unreached<Length>();
                            else if (now < before)  // once a wave
                                is_near[j] = atomicExch(&pending[v], wave) != wave;
                        }
                        append(is_near, look.arc, next, count);
                        append(is_far, look.arc, far, &far_count[pile]);
                    };
                    sum(s.out_indptr, s.out_arcs, busy, u, Row{nodes[u].distance, end}, reach);
                }
                __syncthreads();
                if (threadIdx.x == 0) near_count[wave % 3] = 0;
                size = *count;
                swap(near, next);
            }
            // What was near is done; of the rest, the next are, or the nearest if none is.
            const int waiting = far_count[pile];
            begin = end;
            end += Length(s.width);
            for (bool again = true; again && waiting;) {
                if (threadIdx.x == 0) {
                    nearest = ~0ull;
                    far_count[!pile] = 0;
                }
                __syncthreads();
                Length least = unreached<Length>();
                for (int at = warp; at < waiting; at += THREADS) {
                    const bool busy = at + lane < waiting;
                    const int v = busy ? far[at + lane] : 0;
                    const Length d = nodes[v].distance;
                    const bool stays = busy && d >= end;
                    if (stays && d < least) least = d;
                    append(busy && d >= begin && d < end, v, near, &near_count[wave % 3]);
                    append(stays, v, kept, &far_count[!pile]);
                }
                for (int step = WARP / 2; step; step /= 2) {
                    const Length other = __shfl_xor_sync(ALL, least, step);
                    least = other < least ? other : least;
                }
                if (lane == 0)
                    atomicMin(&nearest, (unsigned long long)__double_as_longlong(double(least)));
                __syncthreads();
                size = near_count[wave % 3];
                again = !size && far_count[!pile];
                if (again) end = Length(__longlong_as_double(nearest)) + Length(s.width);
                __syncthreads();
            }
            if (threadIdx.x == 0) far_count[pile] = 0;
            __syncthreads();
            swap(far, kept);
        }
    }

    // Tight tails of each node; whether some distance is one to look at.
    __device__ bool count_tails() const {
        __shared__ bool passed;
        if (threadIdx.x == 0) passed = false;
        __syncthreads();
        for (int at = warp; at < s.n; at += THREADS) {
            const int v = at + lane;
            const Length d = v < s.n ? nodes[v].distance : unreached<Length>();
            const bool busy = d != unreached<Length>();
            if (busy && double(d) > s.clear) passed = true;
            const Real tails = sum(s.in_indptr, s.in_arcs, busy, v, row(d),
                                   [&](const Row &whose, const auto &look, Real &total) {
                                       constexpr int SIZE = sizeof(look.there) / sizeof(bool);
#pragma unroll
                                       for (int j = 0; j < SIZE; ++j)
                                           total += Real(is_tail(whose, look, j));
                                   });
            if (v < s.n) pending[v] = unsigned(tails);
        }
        __syncthreads();
        return passed;
    }

    template <class L>
    __device__ static bool is_tail(const Row &whose, const L &look, int j) {
        return look.there[j] && look.node[j].distance + look.arc[j].length <= whose.bound;
    }

    template <class L>
    __device__ bool is_head(const Row &whose, const L &look, int j) const {
        return look.there[j] &&
               whose.distance + look.arc[j].length <= bound(look.node[j].distance, s.rtol);
    }

    // Note an edge u -> v with d(v) - d(u) below TELLS of its length, or a distance that is too far.
    __device__ bool has_fault() const {
        __shared__ bool found;
        if (threadIdx.x == 0) found = false;
        __syncthreads();
        for (int u = threadIdx.x; u < s.n; u += THREADS) {
            const Length d = nodes[u].distance;
            if (d == unreached<Length>()) continue;
            if (double(d) > s.farthest) *s.too_far = found = true;
            for (Pointer p = s.out_indptr[u]; p < s.out_indptr[u + 1]; ++p) {
                const A arc = s.out_arcs[p];
                const Length there = nodes[arc.node].distance;
                if (d + arc.length <= bound(there, s.rtol) &&
                    double(there) - double(d) < TELLS * double(arc.length)) {
                    atomicMin(s.fault, (unsigned long long)u << 32 | arc.node);
                    found = true;
                }
            }
        }
        __syncthreads();
        return found;
    }

    // Sum of sigma over the tight tails of a row, and reach(row, look) for its arcs: by one look at
    // them where they are the same.
    template <class Reach>
    __device__ __forceinline__ Real pull(bool busy, int v, const Row &mine,
                                         const Reach &reach) const {
        const bool symmetric = s.in_arcs == s.out_arcs;
        if (!symmetric)
            sum(s.out_indptr, s.out_arcs, busy, v, mine,
                [&](const Row &whose, const auto &look, Real &) { reach(whose, look); });
        return sum(s.in_indptr, s.in_arcs, busy, v, mine,
                   [&](const Row &whose, const auto &look, Real &total) {
                       constexpr int SIZE = sizeof(look.there) / sizeof(bool);
#pragma unroll
                       for (int j = 0; j < SIZE; ++j)
                           if (is_tail(whose, look, j)) total += look.node[j].sigma;
                       if (symmetric) reach(whose, look);
                   });
    }

    // sigma = A' sigma over tight arcs; the next level is where no tail is pending. Returns the
    // number of levels.
    __device__ int forward(int source, double &worst) const {
        __shared__ int counts[3];
        if (threadIdx.x == 0) {
            counts[0] = counts[1] = counts[2] = 0;
            order[0] = source;
            starts[0] = 0;
        }
        __syncthreads();
        int depth = 0;
        for (int head = 0, size = 1; size; ++depth) {
            const int next = head + size;
            int *const count = &counts[(depth + 1) % 3];
            const auto release = [&](const Row &whose, const auto &look) {
                constexpr int SIZE = sizeof(look.there) / sizeof(bool);
                bool fresh[SIZE];
#pragma unroll
                for (int j = 0; j < SIZE; ++j)
                    fresh[j] = is_head(whose, look, j) &&
                               atomicSub(&pending[look.arc[j].node], 1) == 1;
                append(fresh, look.arc, order + next, count);
            };
            for (int at = warp; at < size; at += THREADS) {
                const bool busy = at + lane < size;
                const int v = busy ? order[head + at + lane] : 0;
                const Real paths = pull(busy, v, row(nodes[v].distance), release);
                if (!busy || !depth) continue;
                sigma_update(true, paths, nodes[v].sigma);
                worst = max(worst, double(paths));
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                starts[depth + 1] = next;
                counts[depth % 3] = 0;
            }
            head = next, size = *count;
        }
        __syncthreads();
        return depth;
    }

    // Distances and sigma at once where a bucket is narrower than the shortest length: it is a level
    // then. Returns the number of levels.
    __device__ int settle(int source, double &worst) const {
        __shared__ int counts[RING], found[2];
        const unsigned ring = s.buckets - 1;
        clear(source);
        if (threadIdx.x < RING) counts[threadIdx.x] = threadIdx.x == 0;
        if (threadIdx.x == 0) {
            lists[0] = source;
            found[0] = found[1] = 0;
            starts[0] = 0;
        }
        __syncthreads();
        const auto reach = [&](const Row &whose, const auto &look) {
            constexpr int SIZE = sizeof(look.there) / sizeof(bool);
#pragma unroll
            for (int j = 0; j < SIZE; ++j) {
                const int v = look.arc[j].node;
                const Length now = whose.distance + look.arc[j].length;
                if (!look.there[j] || now >= look.node[j].distance) continue;
                const Length before = lower(&nodes[v].distance, now);
                if (now >= before || (before != unreached<Length>() && place(before) == place(now)))
                    continue;
                const unsigned to = place(now) & ring;
                lists[(long long)to * s.n + atomicAdd(&counts[to], 1)] = v;
            }
        };
        int depth = 0, head = 0;
        for (long long bucket = 0, last = 1;; ++bucket) {
            while (bucket < last && !counts[bucket & ring]) ++bucket;
            __syncthreads();  // none fills a place in the ring that another still looks at
            if (bucket == last) return depth;
            last = bucket + s.buckets;
            const int size = counts[bucket & ring];
            const int *const list = lists + (bucket & ring) * s.n;
            int *const count = &found[depth % 2];
            for (int at = warp; at < size; at += THREADS) {
                const int v = at + lane < size ? list[at + lane] : 0;
                const Row mine = row(nodes[v].distance);
                const bool busy = at + lane < size && place(mine.distance) == bucket;  // not stale
                append(busy, v, order + head, count);
                const Real paths = pull(busy, v, mine, reach);
                if (!busy || !depth) continue;
                sigma_update(true, paths, nodes[v].sigma);
                worst = max(worst, double(paths));
            }
            __syncthreads();
            const int total = *count;
            if (threadIdx.x == 0) {
                starts[depth + 1] = head + total;
                found[(depth + 1) % 2] = 0;
                counts[bucket & ring] = 0;
            }
            head += total;
            depth += total > 0;
        }
    }

    __device__ long long place(Length distance) const {
        return (long long)(double(distance) * s.per_width);
    }

    // delta = sigma .* (A g) over tight arcs, g = (omega + delta) / sigma in sigma's place
    __device__ void backward(int depth, int source, double alpha) const {
        unsigned long long targets = 0;
        for (int d = depth - 1; d > 0; --d) {
            const int end = starts[d + 1];
            for (int at = starts[d] + warp; at < end; at += THREADS) {
                const bool busy = at + lane < end;
                const int v = busy ? order[at + lane] : 0;
                const N node = nodes[v];
                const Real below = sum(s.out_indptr, s.out_arcs, busy, v, row(node.distance),
                                       [&](const Row &whose, const auto &look, Real &total) {
                                           constexpr int SIZE = sizeof(look.there) / sizeof(bool);
#pragma unroll
                                           for (int j = 0; j < SIZE; ++j)
                                               if (is_head(whose, look, j))
                                                   total += look.node[j].sigma;
                                       });
                if (!busy) continue;
                const Real omega = s.omega[v];
                Real sigma = node.sigma, delta;
                delta_update(true, below, omega, sigma, delta);
                nodes[v].sigma = sigma;
                dependency[v] += alpha * double(delta);
                if (s.counts_ends && omega != Real(0)) {
                    atomicAdd(&s.ends[v], (unsigned long long)omega);
                    targets += (unsigned long long)omega;
                }
            }
            __syncthreads();
        }
        if (targets) atomicAdd(&s.ends[source], targets);
    }
};

// The sources from `begin` to `end`, a block a lane, for the lanes from `first` on.
template <class Real, class Pointer, class Length>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    sweep(State<Real, Pointer, Length> s, int first, int begin, int end) {
    __shared__ bool stop;
    const Search<Real, Pointer, Length> search(s);
    double worst = 0;
    for (int i = begin + first + blockIdx.x; i < end; i += s.lanes) {
        const int source = s.sources[i];
        int depth;
        if (s.buckets) {
            depth = search.settle(source, worst);
        } else {
            search.search(source);
            if (search.count_tails() && search.has_fault()) return;
            depth = search.forward(source, worst);
        }
        search.backward(depth, source, double(s.alpha[i]));
        const unsigned long long bits = __double_as_longlong(worst);  // ordered like the counts
        if (bits > *(volatile unsigned long long *)s.worst) atomicMax(s.worst, bits);
        __syncthreads();
        if (threadIdx.x == 0)
            stop = __longlong_as_double(*(volatile unsigned long long *)s.worst) > s.limit;
        __syncthreads();
        if (stop) return;
    }
}

// Add the lanes' sums to the total, in order.
template <class Real, class Pointer, class Length>
__global__ void reduce(State<Real, Pointer, Length> s, int lanes, double *total) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= s.n) return;
    double sum = total[v];
    for (int k = 0; k < lanes; ++k) sum += s.dependency[(long long)k * s.n + v];
    total[v] = sum;
}
