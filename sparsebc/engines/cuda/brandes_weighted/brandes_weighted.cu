// Brandes' two phases by length, a block of threads to a source.
//
//     distance   d(v) = min over u of d(u) + w(u, v)
//     tight      d(u) + w(u, v) <= d(v) + tau
//     level      nodes whose tight tails all lie on earlier levels [Kahn 1962]
//     forward    sigma(v) = sum of sigma(u) over tight u -> v
//     backward   delta(u) = sigma(u) * sum of g(v) over tight u -> v,   g = (omega + delta) / sigma
//     arcs       eb(u -> v) += alpha sigma(u) g(v)  over tight u -> v
//     stress     lambda(u) = sum of h(v) over tight u -> v,   h = omega + lambda
//
// Each element has one writer and each sum a fixed order; a least distance and a count of whole
// numbers need none. So results have the same bits on every run: worker k, a block, takes the
// sources k, k + workers, ... in turn, and the workers are added up in order.
//
// Each column of the sums, the last first, has a backward phase of its own, of the nodes within its cutoff.
#include "../common/scores.cuh"
#include "../common/seeds.cuh"
#include "../sssp/sssp.cuh"

// Passed by value.
template <class Real, class Pointer, class Length>
struct State : SSSPState<Real, Pointer, Length> {
    using Share = Real;

    const Pointer *in_indptr;
    const Arc<Length> *in_arcs;
    const void *in_inline;
#include "../common/path_fields.cuh"
    Real *h;                    // (workers, n) unless it takes sigma's place
    double *shares;             // (workers, columns, arcs) of alpha * sigma(u) g(v)
    unsigned long long *too_far;  // whether a distance exceeds `farthest`
    double tau, farthest;
    long long arcs;             // of the graph
    Share *seeds;               // (workers, n) omega of a worker's source; its demand before that
    PairWeights of_pairs;
};

// One block and one source.
template <class Real, class Pointer, class Length, int SUMS, bool WITHIN, bool WAVES>
struct Search : SSSP<Real, Pointer, Length, WITHIN, WAVES> {
    using Base = SSSP<Real, Pointer, Length, WITHIN, WAVES>;
    using Base::append, Base::each, Base::nodes, Base::out, Base::sum, Base::threads;
    using typename Base::A, typename Base::N;
    static constexpr bool OF_ARCS = SUMS & ARCS, BOTH = both(SUMS), TO_SOURCE = at_source(SUMS);
    static constexpr bool SEEDS = SUMS & SEEDED;
    using Seeded = Targets<State<Real, Pointer, Length>>;

    const State<Real, Pointer, Length> &s;
    const Rows<A, Pointer> in;
    Real *h;
    double *sums, *shares;
    int *order, *starts;
    int column;  // of the sums

    // A search whose backward phase adds to the sums of a column.
    __device__ Search(const State<Real, Pointer, Length> &s, int column = 0)
        : Base(s), s(s), in{s.in_indptr, s.in_arcs, (const ShortRow<A> *)s.in_inline},
          h(s.h + (long long)blockIdx.x * s.n),
          sums(s.sums + place<WITHIN>(s, column) * s.n * sums_by_node<SUMS>),
          shares(s.shares + place<WITHIN>(s, column) * s.arcs),
          order(s.order + (long long)blockIdx.x * s.n),
          starts(s.starts + (long long)blockIdx.x * (s.n + 2)), column(column) {}

    __device__ __forceinline__ const Real *omega() const {
        if constexpr (SEEDS) return Seeded(s).omega;
        else return s.omega;
    }

    // Weights of the `found` nodes of the order, at their distances.
    __device__ void seed(int found) const {
        for (int i = threadIdx.x; i < found; i += threads())
            Seeded(s).seed(order[i], weight_of(s.of_pairs.decay, double(nodes[order[i]].distance)));
        __syncthreads();
    }

    // The distance of a row's own node, which decides what arcs are tight.
    struct Row {
        Length distance, bound;  // lengths of its ways, and of those that tie

        __device__ Row of_lane(int lane) const {
            return {::of_lane(distance, lane), ::of_lane(bound, lane)};
        }
    };

    // The path count besides, where arcs have shares.
    struct Tail : Row {
        Real sigma;

        __device__ Tail of_lane(int lane) const {
            return {Row::of_lane(lane), ::of_lane(sigma, lane)};
        }
    };

    __device__ Row row(Length distance) const { return {distance, bound(distance, s.tau)}; }

    __device__ auto tail(Length distance, Real sigma) const {
        if constexpr (OF_ARCS) return Tail{row(distance), sigma};
        else return row(distance);
    }

    __device__ bool is_within(Length distance) const {
        if constexpr (WITHIN) return double(distance) <= s.cutoffs[column];
        else return true;
    }

    template <class L>
    __device__ static bool is_tail(const Row &whose, const L &look, int j) {
        return look.there[j] &&
               (L::KNOWN || look.distance[j] + look.arc[j].length <= whose.bound);
    }

    template <class L>
    __device__ bool is_head(const Row &whose, const L &look, int j) const {
        return look.there[j] &&
               (L::KNOWN ||
                whose.distance + look.arc[j].length <= bound(look.distance[j], s.tau));
    }

    // Which arcs of a short row are tight.
    __device__ static unsigned tight_in(const N &node) {
        if constexpr (WAVES) return node.tight();
        else return 0;
    }

    __device__ static unsigned tight_out(const N &node) { return tight_in(node) >> SHORT; }

    // Set the number of tight tails of each node, of `count` nodes in the order or of all, as pending.
    // Returns whether some distance is too far.
    __device__ bool find_tight(int count) const {
        __shared__ bool is_too_far;
        if (threadIdx.x == 0) is_too_far = false;
        __syncthreads();
        each(WITHIN ? order : nullptr, count, [&](bool there, int v) {
            const Length d = there ? nodes[v].distance : unreached<Length>();
            const bool busy = d != unreached<Length>();
            if (busy && double(d) > s.farthest) *s.too_far = is_too_far = true;
            using Tight = unsigned long long;  // how many tails, above the bits of a short row
            constexpr Tight ONE = 1u << 2 * SHORT;
            const bool symmetric = s.in_arcs == s.out_arcs;
            const auto heads = [&](const Row &whose, const auto &look, Tight &found) {
                constexpr int SIZE = sizeof(look.there) / sizeof(bool);
                for (int j = 0; j < SIZE; ++j)
                    if (look.WHOLE && is_head(whose, look, j)) found += 1u << (SHORT + j);
            };
            const auto tails = [&](const Row &whose, const auto &look, Tight &found) {
                constexpr int SIZE = sizeof(look.there) / sizeof(bool);
                for (int j = 0; j < SIZE; ++j)
                    if (is_tail(whose, look, j)) found += look.WHOLE ? ONE | 1u << j : ONE;
                if (symmetric) heads(whose, look, found);
            };
            Tight found = sum(Tight(0), in, busy, v, row(d), tails);
            if (!symmetric) found += sum(Tight(0), out, busy, v, row(d), heads);
            if (there) nodes[v].set_tight(found / ONE, found % ONE);
        });
        __syncthreads();
        return is_too_far;
    }

    // Sum of sigma over the tight tails of a row, and leave(row, look) for its arcs: by one look at
    // them where they are the same.
    template <class Leave>
    __device__ __forceinline__ Real pull(bool busy, int v, const Row &mine,
                                         const Leave &leave) const {
        const bool symmetric = s.in_arcs == s.out_arcs;
        if (!symmetric)
            sum(0, out, busy, v, mine,
                [&](const Row &whose, const auto &look, int &) { leave(whose, look); });
        return sum(Real(0), in, busy, v, mine,
                   [&](const Row &whose, const auto &look, Real &total) {
                       constexpr int SIZE = sizeof(look.there) / sizeof(bool);
                       Real paths[SIZE];  // on their way together
                       for (int j = 0; j < SIZE; ++j)
                           paths[j] = is_tail(whose, look, j) ? look.node[j].sigma : Real(0);
                       if (symmetric) leave(whose, look);
                       for (int j = 0; j < SIZE; ++j) total += paths[j];
                   });
    }

    // sigma = A' sigma over tight arcs, where distances are known; the next level is where no tail is
    // pending. Returns the number of levels.
    __device__ int forward_by_levels(int source, double &max_sigma) const {
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
            const auto up = [&](const Row &whose, const auto &look, Real &total) {
                constexpr int SIZE = sizeof(look.there) / sizeof(bool);
                for (int j = 0; j < SIZE; ++j)
                    if (is_tail(whose, look, j)) total += look.node[j].sigma;
            };
            const auto release = [&](const Row &whose, const auto &look, int &) {
                constexpr int SIZE = sizeof(look.there) / sizeof(bool);
                bool fresh[SIZE];
                unsigned before[SIZE];
                for (int j = 0; j < SIZE; ++j)
                    before[j] = add_if(is_head(whose, look, j),
                                       &nodes[look.arc[j].node].pending, -N::TAIL);
                for (int j = 0; j < SIZE; ++j) fresh[j] = before[j] / N::TAIL == 1;
                append(fresh, look.arc, order + next, count);
            };
            each(order + head, size, [&](bool busy, int v) {
                const N node = nodes[v];
                const Row mine = row(node.distance);
                const Real paths =
                    sum<true>(Real(0), in, busy, v, mine, up, tight_in(node));
                sum<true>(0, out, busy, v, mine, release, tight_out(node));
                if (!busy || !depth) return;
                sigma_update(true, paths, nodes[v].sigma);
                max_sigma = max(max_sigma, double(paths));
            });
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

    // Distances and sigma at once: a bucket is a level. Returns the number of levels.
    __device__ int forward_by_buckets(int source, double &max_sigma) const {
        __shared__ int found[2];
        int depth = 0, head = 0;
        if (threadIdx.x == 0) found[0] = found[1] = starts[0] = 0;
        const auto visit = [&](bool busy, int v, Length distance, const auto &relax) {
            append(busy, v, order + head, &found[depth % 2]);
            const Real paths = pull(busy, v, row(distance), relax);
            if (!busy || !depth) return;
            sigma_update(true, paths, nodes[v].sigma);
            max_sigma = max(max_sigma, double(paths));
        };
        Base::by_buckets(source, visit, [&] {
            const int total = found[depth % 2];
            if (threadIdx.x == 0) {
                starts[depth + 1] = head + total;
                found[(depth + 1) % 2] = 0;
            }
            head += total;
            depth += total > 0;
        });
        return depth;
    }

    // Distances, path counts, and the order. Returns the number of levels, 0 if a distance is too far.
    __device__ int forward(int source, double &max_sigma) const {
        if constexpr (!WAVES) return forward_by_buckets(source, max_sigma);
        else {
            const int found = Base::by_waves(&source, 1, order);
            if (find_tight(found)) return 0;
            return forward_by_levels(source, max_sigma);
        }
    }

    // Before the backward phase of a column: restore the path counts that g has overwritten.
    __device__ void begin(int found, int column) const {
        if (s.columns == 1) return;
        Real *const counts = s.counts + (long long)blockIdx.x * s.n;
        for (int i = threadIdx.x; i < found; i += threads()) {
            if (column == s.columns - 1) counts[i] = nodes[order[i]].sigma;
            else nodes[order[i]].sigma = counts[i];
        }
        __syncthreads();
    }

    // delta = sigma .* (A g) over tight arcs, g = (omega + delta) / sigma in sigma's place
    // lambda = A h over tight arcs, h = omega + lambda; in sigma's place if there is no g
    // eb(u -> v) += alpha sigma(u) g(v)
    __device__ void backward(int depth, int source, double alpha, double &max_sigma) const {
        int end = starts[depth], begin = starts[depth - 1];
        for (int d = depth - 1; d >= (TO_SOURCE ? 0 : 1); --d) {
            const int next = d ? starts[d - 1] : 0, ahead = next + threadIdx.x;
            const int u = ahead < begin ? order[ahead] : NOWHERE;  // of the next level
            each(order + begin, end - begin, [&](bool there, int v) {
                const N node = nodes[v];
                const Real omega = this->omega()[v];
                const bool busy = there && is_within(node.distance);
                const auto mine = tail(node.distance, node.sigma);
                const auto down = [&](const auto &whose, const auto &look, Real &total) {
                    constexpr int SIZE = sizeof(look.there) / sizeof(bool);
                    Real value[SIZE];  // on their way together
                    for (int j = 0; j < SIZE; ++j) {
                        const bool counts =
                            is_head(whose, look, j) && is_within(look.distance[j]);
                        value[j] = counts ? look.node[j].sigma : Real(0);
                    }
                    for (int j = 0; j < SIZE; ++j) {
                        total += value[j];
                        if constexpr (OF_ARCS)
                            if (value[j] != Real(0))  // nobody else adds to it now
                                atomicAdd(&shares[look.first + j * look.step],
                                          alpha * double(whose.sigma * value[j]));
                    }
                };
                const unsigned tight = tight_out(node);
                const Real sum_g = sum<WAVES>(Real(0), out, busy, v, mine, down, tight);
                Real sum_h = sum_g;
                if constexpr (BOTH) {
                    const auto down_h = [&](const auto &whose, const auto &look, Real &total) {
                        constexpr int SIZE = sizeof(look.there) / sizeof(bool);
                        Real value[SIZE];
                        for (int j = 0; j < SIZE; ++j) {
                            const bool counts =
                                is_head(whose, look, j) && is_within(look.distance[j]);
                            value[j] = counts ? h[look.arc[j].node] : Real(0);
                        }
                        for (int j = 0; j < SIZE; ++j) total += value[j];
                    };
                    sum_h = sum<WAVES>(Real(0), out, busy, v, mine, down_h, tight);
                }
                if (!busy) return;
                double *const scores = sums + (long long)v * sums_by_node<SUMS>;
                if (TO_SOURCE && d == 0) {
                    finish_source<SUMS>(scores, alpha, node.sigma, sum_g);
                    return;
                }
                Real value[1 + BOTH];  // g, or h, in sigma's place; or both
                finish_row<SUMS>(scores, alpha, omega, node.sigma, sum_g, sum_h, value[0],
                                 value[BOTH], max_sigma);
                nodes[v].sigma = value[0];
                if constexpr (BOTH) h[v] = value[1];
            });
            if (WAVES && u != NOWHERE) {
                prefetch(&nodes[u]);
                prefetch(&out.inlined[u]);
                prefetch(&omega()[u]);
            }
            __syncthreads();
            end = begin, begin = next;
        }
    }
};

// The sources from `begin` to `end`, for the workers from `first` on.
template <class Real, class Pointer, class Length, int SUMS, bool WITHIN, bool WAVES>
__global__ void __launch_bounds__(RESIDENT, 1)
    sweep(State<Real, Pointer, Length> s, int first, int begin, int end) {
    using S = Search<Real, Pointer, Length, SUMS, WITHIN, WAVES>;
    const S search(s);
    const typename S::Seeded targets(s);
    double max_sigma = 0;
    if (WITHIN) search.clear();
    if constexpr (S::SEEDS) targets.clear();
    for (int i = begin + first + blockIdx.x; i < end; i += s.workers) {
        const int source = s.sources[i];
        if constexpr (S::SEEDS) targets.begin(source);
        const int depth = search.forward(source, max_sigma);
        if (!depth) return;
        if constexpr (S::SEEDS) search.seed(search.starts[depth]);
        const double alpha = double(s.alpha[i]);
        if constexpr (WITHIN) {
            const int found = search.starts[depth];
            for (int column = s.columns - 1; column >= 0; --column) {
                search.begin(found, column);
                S(s, column).backward(depth, source, alpha, max_sigma);
            }
            search.forget(search.order, found);
        } else {
            search.backward(depth, source, alpha, max_sigma);
        }
        if constexpr (S::SEEDS) targets.end(source);
        if (is_beyond_limit(s, max_sigma)) return;
    }
}
