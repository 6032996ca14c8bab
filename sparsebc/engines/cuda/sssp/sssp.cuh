// Distances from one source, or from the nearest of several, by one block of threads: delta-stepping.
//
//     distance   d(v) = min over u of d(u) + w(u, v)
//
// A row of arcs is read by one thread, or by one warp if it is long. Nodes relax their arcs from
// narrow buckets, one after the other [Meyer and Sanders 2003], or in waves of near nodes
// [Davidson et al. 2014]; the least distance does not depend on the order in which paths are found.
//
// WITHIN cutoffs, paths longer than the last cutoff are ignored. Such a search reaches few nodes: it
// lists them, and clears the state of these alone.
#pragma once
#include "../common/warp.cuh"
#include "distances.cuh"

constexpr int AT_ONCE = 4;       // arcs in flight of a thread
constexpr int NOWHERE = -1;      // no node

// Arguments of every search, by value.
template <class Real, class Pointer, class Length>
struct SSSPState {
    const Pointer *out_indptr;
    const Arc<Length> *out_arcs;
    const int *sources;       // (count,)
    const void *out_inline;   // (n, SHORT) arcs of short rows, for waves
    void *nodes;              // (workers, n) of Node
    int *lists;               // (workers, buckets or LISTS, n) nodes that wait
    const double *cutoffs;    // (columns,) how far each column goes, ascending; or null
    double per_width, width;  // of a bucket, and 1 over it
    int n, workers;
    int buckets;              // 0: near and far
    int columns;              // of the sums
};

// The distance of a row's own node, from which its arcs are relaxed; `of_lane` has that of another lane.
template <class Length>
struct From {
    Length distance;

    __device__ From of_lane(int lane) const { return {::of_lane(distance, lane)}; }
};

// The arcs of a row, in its own place if they are few.
template <class A>
struct alignas(16) ShortRow {
    A arc[SHORT];
};

template <class A, class Pointer>
struct Rows {
    const Pointer *indptr;
    const A *arcs;
    const ShortRow<A> *inlined;
};

template <class Real, class Pointer, class Length, bool WITHIN, bool WAVES>
struct SSSP {
    using A = Arc<Length>;
    using N = Node<Length, Real, WAVES>;
    const SSSPState<Real, Pointer, Length> &s;
    const Rows<A, Pointer> out;
    N *nodes;
    int *lists;
    Length reach;  // the farthest distance that counts, within cutoffs
    int lane;      // thread in its warp

    __device__ SSSP(const SSSPState<Real, Pointer, Length> &s)
        : s(s), out{s.out_indptr, s.out_arcs, (const ShortRow<A> *)s.out_inline},
          nodes((N *)s.nodes + (long long)blockIdx.x * s.n),
          lists(s.lists + (long long)blockIdx.x * s.n * (WAVES ? LISTS : s.buckets)),
          reach(WITHIN ? Length(s.cutoffs[s.columns - 1]) : Length()),
          lane(threadIdx.x % WARP) {}

    // Some arcs of a row, and the nodes at their other ends.
    template <int SIZE, bool IS_WHOLE = false, bool IS_TIGHT = false>
    struct Look {
        static constexpr bool WHOLE = IS_WHOLE;  // it is the whole row
        static constexpr bool KNOWN = IS_TIGHT;  // all of its arcs are tight
        Pointer first;
        int step;  // between the places of two
        bool there[SIZE];
        A arc[SIZE];
        Length distance[SIZE];
        N node[SIZE];
    };

    template <int SIZE>
    __device__ __forceinline__ Look<SIZE> look(const A *arcs, Pointer p, int step,
                                               Pointer end) const {
        Look<SIZE> look;
        look.first = p, look.step = step;
        for (int j = 0; j < SIZE; ++j) {
            look.there[j] = p + j * step < end;
            look.arc[j] = look.there[j] ? arcs[p + j * step] : A{};
        }
        for (int j = 0; j < SIZE; ++j) {
            look.node[j] = look.there[j] ? nodes[look.arc[j].node] : N{};
            look.distance[j] = look.node[j].distance;
        }
        return look;
    }

    // Arcs of a short row, those that the bits of `wanted` ask for.
    template <bool KNOWN>
    __device__ __forceinline__ auto look(const ShortRow<A> &row, Pointer place,
                                         unsigned wanted) const {
        Look<SHORT, true, KNOWN> look;
        look.first = place, look.step = 1;
        for (int j = 0; j < SHORT; ++j) {
            look.arc[j] = row.arc[j];
            look.there[j] = row.arc[j].node >= 0 && (wanted >> j & 1);
            look.node[j] = look.there[j] ? nodes[row.arc[j].node] : N{};
            look.distance[j] = look.node[j].distance;
        }
        return look;
    }

    // Sum from zero of the terms of visit(row, look, sum) over the arcs of each thread's row, in a fixed
    // order. The whole warp calls it; its lanes share a long row. Where tight arcs are KNOWN, a short
    // row reads only the `wanted` ones.
    template <bool KNOWN = false, class Sum, class Row, class Visit>
    __device__ __forceinline__ Sum sum(Sum total, const Rows<A, Pointer> &rows, bool busy, int v,
                                       const Row &mine, const Visit &visit,
                                       unsigned wanted = ~0u) const {
        if constexpr (WAVES) {
            const ShortRow<A> row = rows.inlined[v];
            visit(mine, look<KNOWN>(row, rows.indptr[v], busy ? wanted : 0), total);
            busy = busy && row.arc[0].node == LONG_ROW;
        }
        Pointer begin = 0, end = 0;
        if (busy) begin = rows.indptr[v], end = rows.indptr[v + 1];
        const bool is_long = end - begin > WARP_DEGREE;
        const Pointer stop = is_long ? begin : end;
        for (Pointer p = begin; __any_sync(ALL, p < stop); p += AT_ONCE)
            visit(mine, look<AT_ONCE>(rows.arcs, p, 1, stop), total);
        sum_long_rows(is_long, total, [&](int owner) {
            const Pointer last = of_lane(end, owner);
            const Row whose = mine.of_lane(owner);
            Sum part = 0;
            for (Pointer p = of_lane(begin, owner); p < last; p += AT_ONCE * WARP)
                visit(whose, look<AT_ONCE>(rows.arcs, p + lane, WARP, last), part);
            return part;
        });
        return total;
    }

    // Put the nodes that are fresh at the end of a list; the warp calls it as one.
    template <int SIZE>
    __device__ __forceinline__ void append(const bool (&fresh)[SIZE], const A (&arc)[SIZE],
                                           int *list, int *count) const {
        ballot_append(fresh, count, [&](int j, int at) { list[at] = arc[j].node; });
    }

    __device__ void append(bool fresh, int node, int *list, int *count) const {
        const bool one[1] = {fresh};
        ballot_append(one, count, [&](int, int at) { list[at] = node; });
    }

    __device__ static int threads() { return blockDim.x; }

    // visit(whether the lane has a node, which) for a list of nodes, or without a list for all nodes: few
    // nodes are distributed over all warps. A whole warp calls it.
    template <class Visit>
    __device__ __forceinline__ void each(const int *list, int size, const Visit &visit) const {
        const int warps = threads() / WARP, share = min(WARP, (size + warps - 1) / warps);
        for (int first = threadIdx.x / WARP * share; first < size; first += warps * share) {
            const int at = first + lane;
            const bool busy = lane < share && at < size;
            visit(busy, !busy ? 0 : list ? list[at] : at);
        }
    }

    __device__ bool is_too_far(Length distance) const {
        if constexpr (WITHIN) return distance > reach;
        else return false;
    }

    // No node is reached but the source.
    __device__ void clear(int source) const {
        for (int v = threadIdx.x; v < s.n; v += threads()) nodes[v] = N(v == source);
    }

    // No node is reached: once, before searches that forget the nodes that they have found.
    __device__ void clear() const {
        clear(NOWHERE);
        __syncthreads();
    }

    // Reach the source, where no other node is reached.
    __device__ void set_out(int source) const {
        if (!WITHIN) clear(source);
        else if (threadIdx.x == 0) nodes[source] = N(true);
    }

    // Reach several sources, where no other node is reached.
    __device__ void set_out(const int *sources, int count) const {
        if (!WITHIN) clear();
        if (threadIdx.x < count) nodes[sources[threadIdx.x]] = N(true);
    }

    // The nodes that are found are reached no more.
    __device__ void forget(const int *found, int count) const {
        for (int i = threadIdx.x; i < count; i += threads()) nodes[found[i]] = N(false);
        __syncthreads();
    }

    // Distances from one source; within cutoffs the nodes that are found are listed, in any order. Returns
    // how many, else n. Without cutoffs the lists are free then.
    __device__ int find(const int *source, int *found) const {
        if constexpr (WAVES) return by_waves(source, 1, found);
        else {
            __shared__ int count;
            if (WITHIN && threadIdx.x == 0) count = 0;
            const auto visit = [&](bool busy, int v, Length distance, const auto &relax) {
                if (WITHIN) append(busy, v, found, &count);
                sum(0, out, busy, v, From<Length>{distance},
                    [&](const auto &whose, const auto &look, int &) { relax(whose, look); });
            };
            by_buckets(*source, visit, [] {});
            return WITHIN ? count : s.n;
        }
    }

    // Where a bucket is narrower than the shortest length, no two nodes of one wait for each other:
    // visit(busy, v, distance, relax) has the rows of a warp relax their arcs, each node once, when its
    // distance is known; passed() follows each bucket.
    template <class Visit, class Passed>
    __device__ __forceinline__ void by_buckets(int source, const Visit &visit,
                                               const Passed &passed) const {
        __shared__ int counts[RING];
        const unsigned ring = s.buckets - 1;
        set_out(source);
        if (threadIdx.x < RING) counts[threadIdx.x] = threadIdx.x == 0;
        if (threadIdx.x == 0) lists[0] = source;
        __syncthreads();
        const auto relax = [&](const auto &whose, const auto &look) {
            constexpr int SIZE = sizeof(look.there) / sizeof(bool);
            for (int j = 0; j < SIZE; ++j) {
                const int v = look.arc[j].node;
                const Length now = whose.distance + look.arc[j].length;
                if (!look.there[j] || now >= look.distance[j] || is_too_far(now)) continue;
                const Length before = lower(&nodes[v].distance, now);
                if (now >= before || (is_reached(before) && place(before) == place(now))) continue;
                const unsigned to = place(now) & ring;
                lists[(long long)to * s.n + atomicAdd(&counts[to], 1)] = v;
            }
        };
        for (long long bucket = 0, last = 1;; ++bucket) {
            while (bucket < last && !counts[bucket & ring]) ++bucket;
            __syncthreads();  // none fills a place in the ring that another still looks at
            if (bucket == last) return;
            last = bucket + s.buckets;
            const int size = counts[bucket & ring];
            const int *const list = lists + (bucket & ring) * s.n;
            each(list, size, [&](bool busy, int v) {
                const Length now = nodes[v].distance;
                const bool stale = (place(now) & ring) != (bucket & ring);
                visit(busy && !stale, v, now, relax);
            });
            __syncthreads();
            if (threadIdx.x == 0) counts[bucket & ring] = 0;
            passed();
        }
    }

    // Bucket of a distance, as far as the ring tells them apart.
    __device__ unsigned place(Length distance) const {
        return (long long)(double(distance) * s.per_width);
    }

    __device__ static bool is_reached(Length distance) {
        return distance != unreached<Length>();
    }

    // The first word of a node that is found in a wave, 0 if it stays far: its distance, and the wave too
    // where there is room.
    static constexpr bool HAS_WAVE = sizeof(Length) == sizeof(unsigned);

    __device__ static unsigned long long word(Length distance, unsigned wave) {
        if constexpr (HAS_WAVE) return (unsigned long long)distance << 32 | wave;
        else return __double_as_longlong(distance);
    }

    __device__ static Length distance_in(unsigned long long word) {
        if constexpr (HAS_WAVE) return word >> 32;
        else return __longlong_as_double(word);
    }

    // Whether a node was found before in a wave; it is now.
    __device__ __forceinline__ bool is_in(unsigned wave, int v, unsigned long long word) const {
        if constexpr (HAS_WAVE) return unsigned(word) == wave;
        else return atomicExch(&nodes[v].pending, wave) == wave;
    }

    // Near nodes relax their arcs in waves until none is left, then the next are near. Within cutoffs
    // the nodes found are listed, in any order; returns how many. A thread has each source.
    __device__ int by_waves(const int *sources, int count, int *found) const {
        __shared__ int near_count[3], far_count[2], found_count;
        __shared__ unsigned long long nearest;  // of those that stay far, bits of a double
        int *near = lists, *next = lists + s.n;
        int *far = lists + 2 * (long long)s.n, *kept = lists + 3 * (long long)s.n;
        set_out(sources, count);
        if (threadIdx.x < count) {
            near[threadIdx.x] = sources[threadIdx.x];
            if (WITHIN) found[threadIdx.x] = sources[threadIdx.x];
        }
        if (threadIdx.x == 0) {
            found_count = count;
            near_count[0] = near_count[1] = near_count[2] = far_count[0] = far_count[1] = 0;
        }
        __syncthreads();
        Length begin = 0, end = Length(s.width);  // of what is near
        unsigned wave = 1;
        for (int size = count, pile = 0; size; pile = !pile) {
            for (; size; ++wave) {
                int *const count = &near_count[(wave + 1) % 3];
                each(near, size, [&](bool busy, int u) {
                    const auto relax = [&](const auto &whose, const auto &look, int &) {
                        constexpr int SIZE = sizeof(look.there) / sizeof(bool);
                        bool is_near[SIZE], is_far[SIZE], is_new[SIZE];
                        unsigned long long before[SIZE];
                        for (int j = 0; j < SIZE; ++j) {
                            const Length now = whose.distance + look.arc[j].length;
                            const bool wanted =
                                look.there[j] && now < look.distance[j] && !is_too_far(now);
                            before[j] = lower_if(wanted, &nodes[look.arc[j].node],
                                                 word(now, now < end ? wave : 0));
                        }
                        for (int j = 0; j < SIZE; ++j) {
                            const int v = look.arc[j].node;
                            const Length now = whose.distance + look.arc[j].length;
                            const Length then = distance_in(before[j]);
                            is_near[j] = now < then && now < end && !is_in(wave, v, before[j]);
                            is_new[j] = now < then && !is_reached(then);
                            is_far[j] = is_new[j] && now >= end;
                        }
                        append(is_near, look.arc, next, count);
                        append(is_far, look.arc, far, &far_count[pile]);
                        if (WITHIN) append(is_new, look.arc, found, &found_count);
                    };
                    const From<Length> from{nodes[u].distance};
                    sum(0, out, busy, u, from, relax);
                });
                __syncthreads();
                if (threadIdx.x == 0) near_count[wave % 3] = 0;
                size = *count;
                swap(near, next);
            }
            // Near nodes are done. Of the others, those within the next width are near, or the nearest if none is.
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
                each(far, waiting, [&](bool busy, int v) {
                    const Length d = nodes[v].distance;
                    const bool stays = busy && d >= end;
                    if (stays && d < least) least = d;
                    append(busy && d >= begin && d < end, v, near, &near_count[wave % 3]);
                    append(stays, v, kept, &far_count[!pile]);
                });
                least = warp_min(least);
                if (lane == 0)
                    atomicMin(&nearest, (unsigned long long)__double_as_longlong(double(least)));
                __syncthreads();
                size = near_count[wave % 3];
                again = !size && far_count[!pile];
                if (again) end = Length(__longlong_as_double(nearest)) + Length(s.width);
                __syncthreads();
            }
            __syncthreads();  // all know how many were waiting
            if (threadIdx.x == 0) far_count[pile] = 0;
            swap(far, kept);
        }
        return WITHIN ? found_count : s.n;
    }

    __device__ static void swap(int *&a, int *&b) {
        int *const c = a;
        a = b, b = c;
    }
};
