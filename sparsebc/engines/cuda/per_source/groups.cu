// Groups of nodes: the shortest paths that meet one, and those that a further node would add. A block of
// threads is alone with its source, by length; where edges have none, each is 1 long.
//
//     meet     met(v) = sum of met(u) over tight u -> v, for v not in C;  sigma(v) in C
//     pairs    c(C) += alpha met(v) / sigma(v)
//     gain     g(v) = (1 + delta(v)) / sigma(v)
//              delta(u) = sigma(u) * sum of g(v) over tight u -> v, v not in C
//              c(v) += alpha (1 - met(v) / sigma(v)) (1 + delta(v)), and alpha delta at the source
//
// The search and its path counts are those of weighted.cu; omega is 1 outside of a group and 0 in it.
// Sums run over nodes in the order of their numbers, or have one writer: they have the same bits on
// every run.
#include "weighted.cu"

// Passed by value.
template <class Pointer, class Length>
struct GroupState : State<double, Pointer, Length> {
#include "groups_state.gen.cuh"
};

template <class Pointer, class Length, bool WAVES>
struct Groups : Search<double, Pointer, Length, 0, false, WAVES> {
    using Base = Search<double, Pointer, Length, 0, false, WAVES>;
    using Base::distance, Base::each, Base::is_head, Base::is_reached, Base::is_tail;
    using Base::lane, Base::nodes, Base::in, Base::order, Base::out, Base::row, Base::sigma, Base::starts, Base::sum;
    using Base::threads, Base::tight_in, Base::tight_out;

    const GroupState<Pointer, Length> &s;
    double *met, *pairs;

    __device__ Groups(const GroupState<Pointer, Length> &s)
        : Base(s), s(s), met(s.met + (long long)blockIdx.x * s.n),
          pairs(s.pairs + (long long)blockIdx.x * s.size) {}

    // Rows of a level, nodes of a warp together: visit(whether the lane has one, which).
    template <class Visit>
    __device__ __forceinline__ void rows(int level, const Visit &visit) const {
        each(order + starts[level], starts[level + 1] - starts[level], visit);
        __syncthreads();
    }

    // Paths from the source that meet a node of the group.
    __device__ void meet(int depth, int source, const double *outside) const {
        if (threadIdx.x == 0) met[source] = 1 - outside[source];
        __syncthreads();
        for (int d = 1; d < depth; ++d)
            rows(d, [&](bool busy, int v) {
                const auto node = nodes[v];
                const auto up = [&](const auto &whose, const auto &look, double &total) {
                    constexpr int SIZE = sizeof(look.there) / sizeof(bool);
#pragma unroll
                    for (int j = 0; j < SIZE; ++j)
                        if (is_tail(whose, look, j)) total += met[look.arc[j].node];
                };
                const double paths =
                    sum<WAVES>(0.0, in, busy, v, row(distance(node, v)), up, tight_in(node));
                if (busy) met[v] = outside[v] ? paths : node.sigma;
            });
    }

    // The pairs from the source whose paths meet the group; all threads get their sum.
    __device__ double pairs_met(int source, const double *outside) const {
        __shared__ double parts[RESIDENT / WARP];
        const bool all = s.endpoints;
        double sum = 0;
        if (all || outside[source])
            for (int v = threadIdx.x; v < s.n; v += threads()) {
                const auto node = nodes[v];
                if (v == source || !is_reached(distance(node, v))) continue;
                if (all || outside[v]) sum += met[v] / node.sigma;
            }
        for (int step = WARP / 2; step; step /= 2) sum += across(sum, step);
        if (lane == 0) parts[threadIdx.x / WARP] = sum;
        __syncthreads();
        sum = 0;
        for (int k = 0; k < threads() / WARP; ++k) sum += parts[k];
        __syncthreads();
        return sum;
    }

    // What each node adds to the group, from the last level to the source; g in sigma's place.
    __device__ void gain(int depth, double alpha, const double *outside) const {
        for (int d = depth - 1; d >= 0; --d)
            rows(d, [&](bool busy, int v) {
                const auto node = nodes[v];
                const auto down = [&](const auto &whose, const auto &look, double &total) {
                    constexpr int SIZE = sizeof(look.there) / sizeof(bool);
#pragma unroll
                    for (int j = 0; j < SIZE; ++j)
                        if (is_head(whose, look, j) && outside[look.arc[j].node])
                            total += sigma(look, j);
                };
                const double sum_g =
                    sum<WAVES>(0.0, out, busy, v, row(distance(node, v)), down, tight_out(node));
                if (!busy) return;
                double g = node.sigma, delta;
                delta_update(true, sum_g, 1.0, g, delta);
                nodes[v].sigma = g;
                pairs[v] += alpha * (d ? (1 - met[v] / node.sigma) * (1 + delta) : delta);
            });
    }
};

// The sources from `begin` to `end`, for the workers from `first` on.
template <class Pointer, class Length, bool GAIN, bool WAVES>
__global__ void __launch_bounds__(RESIDENT, 1)
    look_for_groups(GroupState<Pointer, Length> s, int first, int begin, int end) {
    const Groups<Pointer, Length, WAVES> groups(s);
    double max_sigma = 0;
    for (int i = begin + first + blockIdx.x; i < end; i += s.workers) {
        const int source = s.sources[i];
        const double alpha = s.alpha[i];
        const int depth = groups.forward(source, max_sigma);
        if (!depth || is_beyond_limit(s, max_sigma)) return;
        if constexpr (GAIN) {
            groups.meet(depth, source, s.omega);
            groups.gain(depth, alpha, s.omega);
        } else {
            for (int k = 0; k < s.size; ++k) {
                const double *const outside = s.omega + (long long)k * s.n;
                groups.meet(depth, source, outside);
                const double pairs = alpha * groups.pairs_met(source, outside);
                if (threadIdx.x == 0) groups.pairs[k] += pairs;
            }
        }
    }
}
