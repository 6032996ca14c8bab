// Shortest paths drawn at random, a warp to a pair, by a search from both ends: the same samples, from the
// same numbers, as `engines/cpu/path_samples.py`, which has the formulas.
//
//     guess    arcs (x, v) from a frontier, each as likely, until one leads across and is taken
//     meet     the arcs (x, v) between the two frontiers, one chosen as sigma_s(x) sigma_t(v) says
//     expand   F' = (A' F)<not V>, sigma<F'> = A' (sigma<F>), in the order in which arcs lead there
//     walk     from x and v to both ends, dependency += 1 at each node
//
// A warp looks at 32 arcs at a time, those of a row after the other, as one thread of the CPU would: queues
// have the same order, and every choice the same weights and numbers. Sums of integers below 2^53 have
// no rounding and no order; others are added up in that of the arcs. Nodes that are found lie in a hash table,
// whose keys are on the chip as long as they are few; where a search finds more, its sample is left to a
// launch with larger tables, and for the last of these each node has a slot of its own.
#include "../common/binary_search.cuh"
#include "random.cuh"

template <class Pointer>
struct State {
    const Pointer *out_indptr;
    const int *out_indices;
    const Pointer *in_indptr;
    const int *in_indices;
    const int *sources, *targets;                     // rows, component by component
    const long long *source_start, *target_start;     // (components + 1,)
    const double *source_ends, *target_ends;          // (sources,) weights so far; null: each counts one
    const double *weight;    // (components,) of the pairs of one and of those before
    double *dependency;      // (n,) paths through each node
    double *sigma;           // (workers, capacity) path counts of the nodes of a table
    long long *ends;         // (workers, room) edges of the nodes of a frontier up to each
    int *keys;               // (workers, capacity) node in each slot, -1 for none; null: on the chip
    int *mark;               // (workers, capacity) 1 + level from s, -1 - level from t
    int *queue;              // (workers, room) slots found from s from the front, from t the back
    const int *again;        // (count,) samples that a smaller table did not hold; null: all
    int *left;               // those that this one does not
    int *counters;           // samples that are taken, and those that are left
    unsigned long long seed;
    long long first;         // sample
    double growth;           // of the largest path count, from level to level, at most
    int components, count;   // how many, and samples
    int capacity;            // slots of a table: a power of two, or all nodes
    int room;                // nodes of a table
    int shift;               // of a hash; 0 where each node has the slot of its number
};

// Call f(is_arc, owner, arc, is_row) with the arcs of 32 rows one after the other, an arc a lane, as long as
// it says so for all lanes; `owner` is the lane of an arc's row, `is_row` says that there is one row alone.
// Lanes without a row have no arcs. Returns whether f went on to the end.
template <class Pointer, class F>
__device__ __forceinline__ bool for_arcs(Pointer begin, Pointer size, const F &f) {
    const int lane = threadIdx.x % WARP;
    const Pointer end = warp_scan(size), total = of_lane(end, WARP - 1), shift = begin - (end - size);
    for (Pointer first = 0; first < total; first += WARP) {
        const Pointer i = first + lane, last = min(first + WARP, total) - 1;
        int owner = __popc(__ballot_sync(ALL, end <= first));
        const bool is_row = owner == __popc(__ballot_sync(ALL, end <= last));
        if (!is_row) {
            owner = 0;
            for (int step = WARP / 2; step; step /= 2)
                if (of_lane(end, owner + step - 1) <= i) owner += step;
        }
        if (!f(i <= last, owner, of_lane(shift, owner) + i, is_row)) return false;
    }
    return true;
}

template <class Pointer>
struct Search {
    const State<Pointer> &s;
    int *keys, *mark, *queue;
    double *sigma;
    long long *ends;
    Stream stream;
    bool whole = true;  // path counts, as long as they are not scaled

    struct Side {
        const Pointer *indptr;
        const int *indices;
        int sign;  // 1 from s, -1 from t
        int low = 0, high = 1, level = 0;  // its frontier in the queue
        Pointer edges;  // that leave it
        double most = 1;  // largest path count

        __device__ int mark() const { return sign * (1 + level); }
    };

    __device__ int place(int i, const Side &side) const { return side.sign > 0 ? i : s.room - 1 - i; }

    __device__ int slot_of(int node) const {
        return s.shift ? int((unsigned(node) * 2654435769u) >> s.shift) : node;
    }

    __device__ int next(int slot) const { return (slot + 1) & (s.capacity - 1); }

    // The slot of a node, -1 if it is not there.
    __device__ int find(int node) const {
        for (int slot = slot_of(node);; slot = next(slot)) {
            const int key = keys[slot];
            if (key == node) return slot;
            if (key < 0) return -1;
        }
    }

    // A slot for a node that is not there; other lanes look for one as well.
    __device__ int insert(int node) {
        int slot = slot_of(node);
        while (atomicCAS(&keys[slot], -1, node) >= 0) slot = next(slot);
        return slot;
    }

    __device__ Side begin(const Pointer *indptr, const int *indices, int node, int sign) {
        Side side{indptr, indices, sign};
        side.edges = indptr[node + 1] - indptr[node];
        if (threadIdx.x % WARP == 0) {
            const int slot = insert(node);
            mark[slot] = sign, sigma[slot] = 1, queue[place(0, side)] = slot;
        }
        __syncwarp();
        return side;
    }

    // Leave no key behind, once all lanes have read them.
    __device__ void forget(const Side &side, int end) {
        __syncwarp();
        for (int i = threadIdx.x % WARP; i < end; i += WARP) keys[queue[place(i, side)]] = -1;
        __syncwarp();
    }

    __device__ double largest(const Side &side) const {
        double most = 0;
        for (int i = side.low + threadIdx.x % WARP; i < side.high; i += WARP)
            most = max(most, sigma[queue[place(i, side)]]);
        return warp_max(most);
    }

    // Bound of the counts of the next level, once those of a frontier leave room for them.
    __device__ void scale(Side &side) {
        if (side.most * s.growth > LARGEST) {
            const double factor = scalbn(1.0, -ilogb(largest(side)));
            for (int i = side.low + threadIdx.x % WARP; i < side.high; i += WARP)
                sigma[queue[place(i, side)]] *= factor;
            __syncwarp();
            side.most = 2, whole = false;
        }
        side.most *= s.growth;
    }

    // Call f(is_arc, x, paths, v, is_row) with the arcs of a frontier, as `for_arcs` does: x the slot of the
    // tail, v the head.
    template <class F>
    __device__ __forceinline__ void for_frontier(const Side &side, const F &f) const {
        for (int first = side.low; first < side.high; first += WARP) {
            const int i = first + threadIdx.x % WARP;
            int x = -1;
            Pointer begin = 0, size = 0;
            double paths = 0;
            if (i < side.high) {
                x = queue[place(i, side)], paths = sigma[x];
                const int node = keys[x];
                begin = side.indptr[node], size = side.indptr[node + 1] - begin;
            }
            const auto at = [&](bool is_arc, int owner, Pointer arc, bool is_row) {
                const int v = is_arc ? side.indices[arc] : -1;
                return f(is_arc, of_lane(x, owner), of_lane(paths, owner), v, is_row);
            };
            if (!for_arcs(begin, size, at)) return;
        }
    }

    // Whether an arc exists; rows are ascending.
    __device__ static bool has(const Side &side, int node, int head) {
        const Pointer end = side.indptr[node + 1];
        const Pointer at = lower_bound(side.indices, side.indptr[node], end, head);
        return at < end && side.indices[at] == head;
    }

    // An arc between two frontiers whose nodes are searched for in rows; -1 where there is none.
    __device__ void search(const Side &side, const Side &other, int &tail, int &head) {
        Choice choice{stream, whole};
        const long long others = other.high - other.low, pairs = (side.high - side.low) * others;
        for (long long first = 0; first < pairs; first += WARP) {
            const long long i = first + threadIdx.x % WARP;
            int x = -1, v = -1;
            bool meets = false;
            if (i < pairs) {
                x = queue[place(side.low + int(i / others), side)];
                v = queue[place(other.low + int(i % others), other)];
                meets = has(side, keys[x], keys[v]);
            }
            const double weight = meets ? sigma[x] * sigma[v] : 0;
            const int lane = choice.add(meets, weight);
            if (lane >= 0) tail = of_lane(x, lane), head = of_lane(v, lane);
        }
    }

    // An arc between two frontiers by rejection, 32 tries at a time; -1 where no try met.
    __device__ void guess(const Side &side, const Side &other, int &tail, int &head) {
        const int lane = threadIdx.x % WARP, nodes = side.high - side.low, across = other.mark();
        Pointer before = 0;
        for (int first = 0; first < nodes; first += WARP) {
            const int i = first + lane;
            const int node = i < nodes ? keys[queue[place(side.low + i, side)]] : 0;
            const Pointer size = i < nodes ? side.indptr[node + 1] - side.indptr[node] : 0;
            const Pointer end = before + warp_scan(size);
            if (i < nodes) ends[i] = end;
            before = of_lane(end, WARP - 1);
        }
        __syncwarp();
        const double top = largest(side) * largest(other);
        const Pointer tries = side.edges / PER_TRY;
        for (Pointer first = 0; first < tries; first += WARP) {
            bool meets = first + lane < tries;
            int x = -1, v = -1;
            if (meets) {
                const Pointer drawn = Pointer(stream.uniform(2 * lane) * double(side.edges));
                const Pointer at = min(drawn, side.edges - 1);
                const double share = stream.uniform(2 * lane + 1) * top;
                const int i = upper_bound(ends, 0, nodes, (long long)at);
                x = queue[place(side.low + i, side)];
                v = find(side.indices[side.indptr[keys[x] + 1] - (ends[i] - at)]);
                meets = v >= 0 && mark[v] == across && share < sigma[x] * sigma[v];
            }
            const unsigned taken = __ballot_sync(ALL, meets);
            if (taken) {
                const int one = __ffs(taken) - 1;
                tail = of_lane(x, one), head = of_lane(v, one);
                stream.skip(2 * (one + 1));
                return;
            }
            stream.skip(2 * int(min(Pointer(WARP), tries - first)));
        }
    }

    // An arc between two frontiers, by the slots of its ends; -1 where there is none. Where that may take less,
    // nodes of the one are searched for in rows of the other, or some arcs are tried first.
    __device__ void meet(const Side &side, const Side &other, int &tail, int &head) {
        const long long nodes = side.high - side.low, others = other.high - other.low;
        if (nodes * others * SEARCH < side.edges) return search(side, other, tail, head);
        if (side.edges >= max((long long)MANY, EACH * (nodes + others))) guess(side, other, tail, head);
        if (tail >= 0) return;
        Choice choice{stream, whole};
        const int across = other.mark();
        for_frontier(side, [&](bool is_arc, int x, double paths, int v, bool) {
            const int slot = is_arc ? find(v) : -1;
            const bool meets = slot >= 0 && mark[slot] == across;
            const double weight = meets ? paths * sigma[slot] : 0;
            const int lane = choice.add(meets, weight);
            if (lane >= 0) tail = of_lane(x, lane), head = of_lane(slot, lane);
            return true;
        });
    }

    // The next level of a side; whether the table holds it.
    __device__ bool expand(Side &side, const Side &other) {
        const int lane = threadIdx.x % WARP, next_mark = side.mark() + side.sign;
        int end = side.high;
        Pointer edges = 0;
        bool fits = true;
        for_frontier(side, [&](bool is_arc, int, double paths, int v, bool is_row) {
            fits = !s.shift || end + other.high + WARP <= s.room;
            if (!fits) return false;
            // A row has each head once.
            const unsigned same = is_row ? 1u << lane : __match_any_sync(ALL, is_arc ? v : -1 - lane);
            int slot = is_arc ? find(v) : -1;
            const bool is_first = is_arc && __ffs(same) - 1 == lane, is_new = is_first && slot < 0;
            const bool grows = is_first && (is_new || mark[slot] == next_mark);
            double sum = grows && !is_new ? sigma[slot] : 0;
            if (is_row)
                sum += paths;
            else
                for (unsigned rest = grows ? same : 0; __any_sync(ALL, rest); rest &= rest - 1) {
                    const double more = of_lane(paths, rest ? __ffs(rest) - 1 : lane);
                    if (rest) sum += more;
                }
            const unsigned fresh = __ballot_sync(ALL, is_new);
            if (is_new) {
                slot = insert(v);
                mark[slot] = next_mark;
                queue[place(end + __popc(fresh & ((1u << lane) - 1)), side)] = slot;
                edges += side.indptr[v + 1] - side.indptr[v];
            }
            if (grows) sigma[slot] = sum;
            end += __popc(fresh);
            __syncwarp();
            return true;
        });
        side.low = side.high, side.high = end, side.edges = warp_sum(edges);
        ++side.level;
        return fits;
    }

    // Count a node and those from there to the end of a path; rows of `back` lead there, of `ahead` from it.
    __device__ void walk(const Side &ahead, const Side &back, int slot, int end, int sign) {
        const int lane = threadIdx.x % WARP;
        for (int node = keys[slot]; node != end; node = keys[slot]) {
            if (lane == 0) atomicAdd(&s.dependency[node], 1.0);
            const int wanted = mark[slot] + sign;
            if (wanted == -sign) {  // the end is alone on its level
                stream.skip(1);
                return;
            }
            Choice choice{stream, whole};
            const Pointer row = back.indptr[node], size = back.indptr[node + 1] - row;
            const Pointer near = ahead.indptr[end], few = ahead.indptr[end + 1] - near;
            // The first level is the row of the end, whose nodes are searched for in a long row.
            const bool searches = wanted == -2 * sign && (long long)few * SEARCH < size;
            const int *indices = searches ? ahead.indices + near : back.indices + row;
            for (Pointer first = 0, count = searches ? few : size; first < count; first += WARP) {
                const int other = first + lane < count ? indices[first + lane] : -1;
                const int before = other >= 0 ? find(other) : -1;
                const bool is_before = before >= 0 && mark[before] == wanted
                                       && (!searches || has(back, node, other));
                const int taken = choice.add(is_before, is_before ? sigma[before] : 0);
                if (taken >= 0) slot = of_lane(before, taken);
            }
        }
    }

    // Count the nodes inside a path between two nodes, if there is one; whether the table holds the search.
    __device__ bool draw(int source, int target) {
        Side from_s = begin(s.out_indptr, s.out_indices, source, 1);
        Side from_t = begin(s.in_indptr, s.in_indices, target, -1);
        int tail = -1, head = -1;
        bool fits = true;
        while (fits && from_s.high > from_s.low && from_t.high > from_t.low) {
            const bool is_forward = from_s.edges <= from_t.edges;
            Side &side = is_forward ? from_s : from_t;
            const Side &other = is_forward ? from_t : from_s;
            scale(side);
            meet(side, other, tail, head);
            if (tail >= 0) {
                walk(from_s, from_t, is_forward ? tail : head, source, -1);
                walk(from_t, from_s, is_forward ? head : tail, target, 1);
                break;
            }
            fits = expand(side, other);
        }
        forget(from_s, from_s.high);
        forget(from_t, from_t.high);
        return fits;
    }
};

// One of the rows of a component, as likely as its weight says; rounded as on the CPU.
__device__ inline int draw_end(Stream &stream, const int *rows, const double *ends, const long long *start) {
    const long long first = start[0], last = start[1];
    if (!ends) return rows[first + stream.below(last - first)];
    const double before = first ? ends[first - 1] : 0, whole = ends[last - 1] - before;
    const double r = before + stream.uniform() * whole;
    stream.skip(1);
    return rows[min(upper_bound(ends, first, last, r), last - 1)];
}

// Rows of the source and the target of a sample, in one component.
template <class Pointer>
__device__ void draw_pair(const State<Pointer> &s, Stream &stream, int &source, int &target) {
    long long c = 0;
    if (s.components > 1) {
        const double r = stream.uniform() * s.weight[s.components - 1];
        stream.skip(1);
        c = upper_bound(s.weight, 0, s.components, r);
    }
    source = draw_end(stream, s.sources, s.source_ends, s.source_start + c);
    target = draw_end(stream, s.targets, s.target_ends, s.target_start + c);
}

// Nanoseconds after which a launch takes no more samples, so that a run may be stopped.
constexpr unsigned long long LAUNCH = 200000000;

__device__ inline unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

// Draw samples, each warp the next that is not taken; those that a table does not hold are left.
template <class Pointer>
__global__ void __launch_bounds__(THREADS) draw(State<Pointer> s) {
    extern __shared__ int on_chip[];
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const long long worker = (long long)blockIdx.x * WARPS + warp, first = worker * s.capacity;
    int *keys = s.keys ? s.keys + first : on_chip + warp * s.capacity;
    for (int i = lane; i < s.capacity; i += WARP) keys[i] = -1;
    __syncwarp();
    const unsigned long long end = nanoseconds() + LAUNCH;
    for (bool goes_on = true; goes_on; goes_on = of_lane(int(nanoseconds() < end), 0)) {
        int taken = 0;
        if (lane == 0) taken = atomicAdd(&s.counters[0], 1);
        taken = of_lane(taken, 0);
        if (taken >= s.count) return;
        const int number = s.again ? s.again[taken] : taken;
        Search<Pointer> search{s,
                               keys,
                               s.mark + first,
                               s.queue + worker * s.room,
                               s.sigma + first,
                               s.ends + worker * s.room,
                               Stream(s.seed, s.first + number)};
        int source, target;
        draw_pair(s, search.stream, source, target);
        if (source != target && !search.draw(source, target) && lane == 0)
            s.left[atomicAdd(&s.counters[1], 1)] = number;
    }
}
