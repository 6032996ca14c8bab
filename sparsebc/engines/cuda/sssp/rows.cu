// Rows of distances by length and of predecessors, a block of threads to a source.
//
//     before(v) = min { u : d(u) + w(u, v) = d(v), d(u) < d(v) }
//
// Where rounding swallows lengths there may be no such u. Then it is the lowest u at the same distance that
// has a predecessor already, in as many rounds as it takes.
#include "sssp.cuh"

// Passed by value.
template <class Pointer, class Length>
struct State : SSSPState<void, Pointer, Length> {
    const Pointer *in_indptr;
    const Arc<Length> *in_arcs;
    double *distance;  // (count, n)
    int *before;       // (count, n)
};

// The lowest node of the row into v whose arc `is_tight`, or NO_PREDECESSOR; `far` is the distance of v. The
// whole warp calls it; its lanes share a long row.
template <class Pointer, class Length, class Tight>
__device__ __forceinline__ int lowest(const State<Pointer, Length> &s, bool wanted, int v,
                                      Length far, const Tight &is_tight) {
    const int lane = threadIdx.x % WARP;
    int found = NO_PREDECESSOR;
    Pointer begin = 0, end = 0;
    if (wanted) begin = s.in_indptr[v], end = s.in_indptr[v + 1];
    const bool is_long = end - begin > WARP_DEGREE;
    if (!is_long)
        for (Pointer p = begin; p < end && found == NO_PREDECESSOR; ++p)
            if (is_tight(s.in_arcs[p], far)) found = s.in_arcs[p].node;
    for (unsigned rest = __ballot_sync(ALL, is_long); rest; rest &= rest - 1) {
        const int owner = __ffs(rest) - 1;
        const Pointer last = of_lane(end, owner);
        const Length whose = of_lane(far, owner);
        unsigned tight = 0;
        for (Pointer p = of_lane(begin, owner); p < last && !tight; p += WARP) {
            const bool mine = p + lane < last && is_tight(s.in_arcs[p + lane], whose);
            tight = __ballot_sync(ALL, mine);
            if (tight && lane == owner) found = s.in_arcs[p + __ffs(tight) - 1].node;
        }
    }
    return found;
}

// Row i of both from source i, by block i.
template <class Pointer, class Length, bool WAVES>
__global__ void __launch_bounds__(RESIDENT, 1) fill(State<Pointer, Length> s) {
    const SSSP<void, Pointer, Length, false, WAVES> search(s);
    const auto *const nodes = search.nodes;
    const long long row = (long long)blockIdx.x * s.n;
    double *const distance = s.distance + row;
    int *const before = s.before + row, *const had = search.lists;
    const int source = s.sources[blockIdx.x];
    search.find(s.sources + blockIdx.x, nullptr);
    for (int v = threadIdx.x; v < s.n; v += search.threads()) {
        const Length d = nodes[v].distance;
        distance[v] = search.is_reached(d) ? double(d) : unreached<double>();
    }
    bool is_first = true, again = true;
    while (again) {
        bool is_orphan = false;
        search.each(nullptr, s.n, [&](bool busy, int v) {
            const Length far = nodes[v].distance;
            const bool may = busy && v != source && search.is_reached(far);
            const bool wanted = may && (is_first || had[v] == NO_PREDECESSOR);
            const auto is_tight = [&](const Arc<Length> &arc, Length whose) {
                const Length near = nodes[arc.node].distance;
                return near + arc.length == whose &&
                       (near < whose || (!is_first && had[arc.node] != NO_PREDECESSOR));
            };
            const int found = lowest(s, wanted, v, far, is_tight);
            if (busy && (is_first || wanted)) before[v] = found;
            is_orphan |= wanted && found == NO_PREDECESSOR;
        });
        is_first = false;
        again = __syncthreads_or(is_orphan);
        if (!again) break;
        for (int v = threadIdx.x; v < s.n; v += search.threads()) had[v] = before[v];
        __syncthreads();
    }
}
