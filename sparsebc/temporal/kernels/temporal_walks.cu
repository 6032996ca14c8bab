// Walks in time from 64 sources a batch, level by level of the graph of events (`temporal/events.py`), and
// back; formulas as in `temporal/kernels/walks.py`.
//
//     forward      (h, c)(event) = sum of (h + 1, c)(event that the edge leaves) over its arrivals
//     find_ends    the optimal walks to each node
//     backward     (-h, g)(event) = sum of (-h, g(e)) over its departures,  b(v) += c g
//
// A warp has an event, and a lane two of its columns. The events of a level are independent of each other,
// and so are batches. A launch has one level; or, with a block for each batch, several that are narrow. A
// level that repeats has chained events, whose edges lead back: it is summed until nothing changes. Warps
// then read rows while others write them, which is sound: the last round changes no row, and the equations
// have one solution. The warp of an event alone writes its row. Rows of a node, its windows and scores, have
// one writer at a time as well, since no two events of a node are on one level.
#include "../../engines/cuda/common/warp.cuh"

// The last are those of `in_range.py`, too.
constexpr int WIDTH = 64;   // sources of a batch, two to a lane
constexpr int ALONE = 512;  // threads of a block that is alone with a batch
constexpr float MOST_EDGES = 16777216;
constexpr double LARGEST = 7.022238808055922e+305, LEAST = 1e-270;

// Arrivals or departures (`graph.events.Side`).
struct Side {
    const int *begin, *end;    // (events,)
    const int *own;            // (m,) event of each entry
    const int *row;            // (m,) row of the event at the other end of its edge
    const int *node;           // (m,) node of that
    const int *step;           // (m,) step in which it arrives
    const int *nodes;          // (n + 1,) where the entries of a node begin
    const int *turn, *front;   // (events,) the first entry that gets a front sum, and that of the window
    const int *room;           // (n + 1,) where the front sums of a node are
};

struct State {
    Side arrivals, departures;
    const int *node;               // (events,)
    const int *before, *after;     // (events,) the event before at the node, and after
    const unsigned char *chained;  // (events,) whether it is one of a set
    const int *last;               // (n,) the last event of a node
    const int *out, *back;         // (events,) row of what its departures take, and its arrivals, or -1
    const int *order;              // (events,) level by level
    const int *starts;             // (levels + 1,) where each level begins
    const unsigned char *repeats;  // (levels,) whether it has sets, and nothing else
    const signed char *lane;       // (batches, n) column of the source that a node is, or -1
    float *keys;                   // (batches, rows, WIDTH) h, and on the way back -h
    double *sums;                  // (batches, rows, WIDTH) c, and on the way back g
    float *front_keys;             // (batches, room, WIDTH) front sums
    double *front_sums;
    float *rest_keys;              // (batches, n, WIDTH) sums of the rest of windows
    double *rest_sums;
    float *best;                   // (batches, n, WIDTH) h of the optimal walks to a node
    double *counts;                // (batches, n, WIDTH) their number, then one over it
    int *first;                    // (batches, n, WIDTH) step in which it is reached
    double *scores;                // (batches, n) b(v)
    int *exceeded;                 // (3, batches, WIDTH) too large: counts, numbers of edges; too small: counts
    const double *weight;          // (batches, WIDTH) of an edge: c is times its power h, g over it
    int n, rows;
    int room;                      // front sums of a batch
    int limited;                   // whether there is a limit of waiting
    int foremost;
};

// Key of no walk.
__device__ __forceinline__ float never() { return __int_as_float(0x7f800000); }

// Keys and sums of two columns.
struct Pair {
    float key[2] = {never(), never()};
    double x[2] = {0, 0};

    // The sum has the smaller key; terms of that key are added up.
    __device__ __forceinline__ void add(const Pair &other) {
        for (int j = 0; j < 2; ++j) {
            if (other.key[j] < key[j]) key[j] = other.key[j], x[j] = 0;
            if (other.key[j] == key[j]) x[j] += other.x[j];
        }
    }

    __device__ __forceinline__ bool differs(const Pair &other) const {
        return key[0] != other.key[0] || key[1] != other.key[1] || x[0] != other.x[0] || x[1] != other.x[1];
    }
};

// Rows of keys and sums of a batch; a thread has its columns of each.
struct Rows {
    float2 *keys;
    double2 *sums;

    __device__ Rows(float *keys, double *sums, size_t rows)
        : keys(reinterpret_cast<float2 *>(keys) + blockIdx.y * rows * WARP + threadIdx.x % WARP),
          sums(reinterpret_cast<double2 *>(sums) + blockIdx.y * rows * WARP + threadIdx.x % WARP) {}

    __device__ __forceinline__ Pair load(int row) const {
        const float2 key = keys[size_t(row) * WARP];
        const double2 x = sums[size_t(row) * WARP];
        return {{key.x, key.y}, {x.x, x.y}};
    }

    __device__ __forceinline__ void store(int row, const Pair &pair) const {
        keys[size_t(row) * WARP] = {pair.key[0], pair.key[1]};
        sums[size_t(row) * WARP] = {pair.x[0], pair.x[1]};
    }
};

struct Batch {
    const State &s;
    const Rows events, front, rest, ends;
    const signed char *lane;
    int2 *first;
    double weight[2];

    __device__ explicit Batch(const State &s)
        : s(s),
          events(s.keys, s.sums, s.rows),
          front(s.front_keys, s.front_sums, s.room),
          rest(s.rest_keys, s.rest_sums, s.n),
          ends(s.best, s.counts, s.n),
          lane(s.lane + size_t(blockIdx.y) * s.n),
          first(reinterpret_cast<int2 *>(s.first) + size_t(blockIdx.y) * s.n * WARP + threadIdx.x % WARP) {
        for (int j = 0; j < 2; ++j) weight[j] = s.weight[column(j)];
    }

    // Column j of this lane, of all batches.
    __device__ __forceinline__ int column(int j) const {
        return blockIdx.y * WIDTH + threadIdx.x % WARP * 2 + j;
    }

    __device__ __forceinline__ void flag(int which, int j) const {
        s.exceeded[which * gridDim.y * WIDTH + column(j)] = 1;
    }

    // Whether a node is the source of column j of this lane.
    __device__ __forceinline__ bool is_source(int v, int j) const {
        return lane[v] == int(threadIdx.x % WARP) * 2 + j;
    }

    __device__ __forceinline__ void check(const Pair &pair) const {
        for (int j = 0; j < 2; ++j) {
            if (!(pair.x[j] <= LARGEST)) flag(0, j);
            if (pair.x[j] < LEAST && pair.key[j] < never()) flag(2, j);
            if (pair.key[j] >= MOST_EDGES && pair.key[j] < never()) flag(1, j);
        }
    }

    // (h(e), c(e)) of an edge that arrives.
    __device__ __forceinline__ Pair arrival(const Side &side, int i) const {
        Pair pair = events.load(side.row[i]);
        for (int j = 0; j < 2; ++j) pair.key[j] += 1, pair.x[j] *= weight[j];
        return pair;
    }

    // (-h, g(e)) of an edge that departs, times its weight, from its event's (h, c). Where no wait is limited and walks need not
    // be the first, their ends are in the sum of the last event of a node.
    __device__ __forceinline__ Pair departure(const Side &side, int i, const Pair &own) const {
        const Pair onward = events.load(side.row[i]);
        Pair pair, end;
        int2 reached = {0, 0};
        int step = 0;
        if (s.foremost || s.limited) end = ends.load(side.node[i]);
        if (s.foremost) reached = first[size_t(side.node[i]) * WARP], step = side.step[i];
        for (int j = 0; j < 2; ++j) {
            const float h = own.key[j] + 1;
            const bool last = end.key[j] == h && (j ? reached.y : reached.x) == step;
            pair.key[j] = -own.key[j];
            pair.x[j] = weight[j] * ((onward.key[j] == -h ? onward.x[j] : 0) + (last ? end.x[j] : 0));
        }
        return pair;
    }

    // Let entries come to the window of an event's node before it looks; stacks turn. Those of a chained
    // event come when its neighbour looks.
    template <class Entry>
    __device__ void slide(const Side &side, int k, int neighbour, const Entry &entry) const {
        const int v = s.node[k], turn = side.turn[k];
        const int begin = side.begin[neighbour >= 0 && s.chained[neighbour] ? neighbour : k];
        const int end = s.chained[k] ? side.begin[k] : side.end[k];
        Pair pair = neighbour >= 0 ? rest.load(v) : Pair();
        for (int i = begin; i < end; ++i) pair.add(entry(i));
        if (turn >= 0) {
            pair = Pair();
            for (int i = end - 1; i >= turn; --i) {
                pair.add(entry(i));
                front.store(side.room[v] + i - turn, pair);
            }
            pair = Pair();
        }
        rest.store(v, pair);
    }

    // Sum of the window of an event, or the row of its neighbour without a limit of waiting.
    __device__ __forceinline__ Pair window(const Side &side, int k, int neighbour) const {
        if (!s.limited) return neighbour >= 0 ? events.load(neighbour) : Pair();
        Pair pair = rest.load(s.node[k]);
        if (side.front[k] >= 0) pair.add(front.load(side.front[k]));
        return pair;
    }

    // Row of an event, with entries beside its window; whether it changed.
    __device__ bool sum_arrivals(int k, int begin, int end, bool compares) const {
        const Side &side = s.arrivals;
        const int to = s.out[k];
        if (to < 0) return false;
        Pair pair = window(side, k, s.before[k]);
#pragma unroll 4
        for (int i = begin; i < end; ++i) pair.add(arrival(side, i));
        for (int j = 0; j < 2; ++j)
            if (is_source(s.node[k], j)) pair.key[j] = 0, pair.x[j] = 1;
        if (!compares) check(pair);  // else a row may be half written
        const bool changed = compares && pair.differs(events.load(to));
        events.store(to, pair);
        return changed;
    }

    __device__ bool sum_departures(int k, int begin, int end, bool compares, bool counts) const {
        const Side &side = s.departures;
        const int after = s.after[k], to = s.back[k];
        if (to < 0) return false;
        const Pair own = s.out[k] >= 0 ? events.load(s.out[k]) : Pair();
        Pair pair = window(side, k, after >= 0 ? s.back[after] : after);
        if (after < 0 && !s.foremost && !s.limited) {
            pair = ends.load(s.node[k]);
            for (int j = 0; j < 2; ++j) pair.key[j] = -pair.key[j];
        }
        double through = 0;
#pragma unroll 4
        for (int i = begin; i < end; ++i) {
            const Pair g = departure(side, i, own);
            pair.add(g);
            through += passed(own, g, s.node[k]);
        }
        if (counts) score(s.node[k], through);
        const bool changed = compares && pair.differs(events.load(to));
        events.store(to, pair);
        return changed;
    }

    // Walks by way of a node that go on by an edge.
    __device__ __forceinline__ double passed(const Pair &own, const Pair &g, int v) const {
        return (is_source(v, 0) ? 0 : own.x[0] * g.x[0]) + (is_source(v, 1) ? 0 : own.x[1] * g.x[1]);
    }

    __device__ __forceinline__ void score(int v, double through) const {
        through = warp_sum(through);
        if (threadIdx.x % WARP == 0 && through) s.scores[size_t(blockIdx.y) * s.n + v] += through;
    }

    __device__ void slide_back(int k) const {
        const Side &side = s.departures;
        double through = 0;
        slide(side, k, s.after[k], [&](int i) { return departure(side, i, events.load(s.out[side.own[i]])); });
        if (s.chained[k] || s.out[k] < 0) return;
        const Pair own = events.load(s.out[k]);
        for (int i = side.begin[k]; i < side.end[k]; ++i)
            through += passed(own, departure(side, i, own), s.node[k]);
        score(s.node[k], through);
    }
};

// Call f with the events of a level that this warp has.
template <class F>
__device__ __forceinline__ void for_events(const State &s, int level, const F &f) {
    const int warps = blockDim.x / WARP, warp = threadIdx.x / WARP;
    for (int i = s.starts[level] + blockIdx.x * warps + warp; i < s.starts[level + 1]; i += gridDim.x * warps)
        f(s.order[i]);
}

// Levels from the first to the last; more than one, or one that repeats, by a single block.
template <class Once, class Again>
__device__ __forceinline__ void for_levels(const State &s, int first, int last, const Once &once,
                                           const Again &again) {
    for (int level = first; level < last; ++level) {
        if (level > first) __syncthreads();
        for_events(s, level, once);
        if (!s.repeats[level]) continue;
        bool changed = true;
        while (__syncthreads_or(changed)) {
            changed = false;
            for_events(s, level, [&](int k) { changed |= again(k, true); });
        }
        for_events(s, level, [&](int k) { again(k, false); });
    }
}

extern "C" __global__ void __launch_bounds__(ALONE) forward(const State s, int first, int last) {
    const Batch batch(s);
    const Side &side = s.arrivals;
    for_levels(
        s, first, last,
        [&](int k) {
            if (s.limited) batch.slide(side, k, s.before[k], [&](int i) { return batch.arrival(side, i); });
            const bool alone = s.limited || s.chained[k];
            batch.sum_arrivals(k, side.begin[k], alone ? side.begin[k] : side.end[k], false);
        },
        [&](int k, bool compares) {
            return batch.sum_arrivals(k, side.begin[k], side.end[k], compares);
        });
}

// The optimal walks to each node: of the last event, of all arrivals within a limit of waiting, or of those
// of the first step that has any.
extern "C" __global__ void __launch_bounds__(ALONE) find_ends(const State s) {
    const Batch batch(s);
    const Side &side = s.arrivals;
    const int warps = blockDim.x / WARP;
    for (int v = blockIdx.x * warps + threadIdx.x / WARP; v < s.n; v += gridDim.x * warps) {
        Pair pair;
        int reached[2] = {-1, -1};
        if (!s.foremost && !s.limited) {
            if (s.last[v] >= 0) pair = batch.events.load(s.last[v]);
        } else
            for (int i = side.nodes[v]; i < side.nodes[v + 1]; ++i) {
                Pair more = pair;
                more.add(batch.arrival(side, i));
                if (!s.foremost) {
                    pair = more;
                    continue;
                }
                const int step = side.step[i];
                bool open = false;
                for (int j = 0; j < 2; ++j) {
                    const bool now = reached[j] == step || (reached[j] < 0 && more.key[j] < never());
                    if (now) pair.key[j] = more.key[j], pair.x[j] = more.x[j], reached[j] = step;
                    open |= now || reached[j] < 0;
                }
                if (!__any_sync(ALL, open)) break;
            }
        batch.check(pair);
        batch.ends.store(v, pair);
        batch.first[size_t(v) * WARP] = {reached[0], reached[1]};
    }
}

// One over the number of walks to each node, where it is no source.
extern "C" __global__ void __launch_bounds__(ALONE) begin_back(const State s) {
    const Batch batch(s);
    const int warps = blockDim.x / WARP;
    for (int v = blockIdx.x * warps + threadIdx.x / WARP; v < s.n; v += gridDim.x * warps) {
        Pair pair = batch.ends.load(v);
        for (int j = 0; j < 2; ++j)
            pair.x[j] = pair.x[j] > 0 && !batch.is_source(v, j) ? 1 / pair.x[j] : 0;
        batch.ends.store(v, pair);
    }
}

extern "C" __global__ void __launch_bounds__(ALONE) backward(const State s, int first, int last) {
    const Batch batch(s);
    const Side &side = s.departures;
    for_levels(
        s, first, last,
        [&](int k) {
            if (s.limited) batch.slide_back(k);
            const bool alone = s.limited || s.chained[k];
            batch.sum_departures(k, side.begin[k], alone ? side.begin[k] : side.end[k], false, !alone);
        },
        [&](int k, bool compares) {
            return batch.sum_departures(k, side.begin[k], side.end[k], compares, !compares);
        });
}
