// Operations on CSR patterns before any sweep: checks, keys, components, levels, sub-patterns.
//
// Row kernels give a row to a warp, and a long one to many; entries are numbered in 64 bits. Every result
// is independent of the order in which warps run.

#include "rows.cuh"
#include "union_find.cuh"

// Faults of a pattern: row pointers or columns that point outside; a row that is not strictly
// increasing, or has an entry on the diagonal; an entry (v, u) without an entry (u, v), or with
// one of another value if there are values. After the first of these, the others mean nothing, and
// after the second, not the third.
//
// *found: all faults. Nothing is followed that points outside of `entries`.
__global__ void inspect(const Count *indptr, const int *indices, int n, Count entries,
                        const double *values, unsigned *found) {
    const unsigned lane = threadIdx.x % WARP;
    unsigned wrong = indptr[0] != 0 || indptr[n] != entries ? OUTSIDE : 0;
    const auto look = [&](int v, Count from, Count to) {
        const bool one_way = *(volatile unsigned *)found & ONE_WAY;
        for (Count p = from + lane; p < to; p += WARP) {
            const int u = indices[p];
            if (u < 0 || u >= n) {
                wrong |= OUTSIDE;
                continue;
            }
            if (u == v || (p > indptr[v] && indices[p - 1] >= u)) wrong |= UNTIDY;
            if (one_way) continue;
            const Count stop = min(indptr[u + 1], entries);
            const Count back = lower_bound(indices, max(indptr[u], Count(0)), stop, v);
            if (back >= stop || indices[back] != v || (values && values[back] != values[p]))
                wrong |= ONE_WAY;
        }
        if (wrong & ONE_WAY && !one_way) atomicOr(found, ONE_WAY);
    };
    for (Count v = first_row(); v < n; v += row_stride()) {
        const Count begin = indptr[v], end = indptr[v + 1];
        if (begin < 0 || begin > end || end > entries) wrong |= OUTSIDE;
        else if (!is_long(begin, end)) look(int(v), begin, end);
    }
    share_long_rows(indptr, n, entries, look);
    if (wrong) atomicOr(found, wrong);
}

// keys[p] = row * n + column, or column * n + row
__global__ void keys(const Count *indptr, const int *indices, int n, bool transposed, Count *keys) {
    share_rows(indptr, n, [=](Count v, Count from, Count to) {
        for (Count p = from + threadIdx.x % WARP; p < to; p += WARP)
            keys[p] = transposed ? Count(indices[p]) * n + v : v * n + indices[p];
    });
}

// rows[p] = row of entry p
__global__ void rows(const Count *indptr, const int *indices, int n, int *rows) {
    share_rows(indptr, n, [=](int v, Count from, Count to) {
        for (Count p = from + threadIdx.x % WARP; p < to; p += WARP) rows[p] = v;
    });
}

// places[i]: where entry (tails[i], heads[i]) stands, which is there.
__global__ void locate(Count size, const int *tails, const int *heads, const Count *indptr,
                     const int *indices, Count *places) {
    const Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= size) return;
    places[i] = lower_bound(indices, indptr[tails[i]], indptr[tails[i] + 1], heads[i]);
}

// sums[p] += values[i] of entry p = (tails[i], heads[i]), which is there, unless one of them is below 0.
__global__ void add_along(Count size, const int *tails, const int *heads, const double *values,
                          const Count *indptr, const int *indices, double *sums) {
    const Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= size || tails[i] < 0 || heads[i] < 0) return;
    sums[lower_bound(indices, indptr[tails[i]], indptr[tails[i] + 1], heads[i])] += values[i];
}

// kept[p] = 1 for each of the keys, in order, that is the first of its kind and off the diagonal, where
// it is row * (n + 1).
__global__ void distinct(Count size, Count n, const Count *keys, Count *kept) {
    const Count p = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (p < size) kept[p] = keys[p] % (n + 1) != 0 && (p == 0 || keys[p] != keys[p - 1]);
}

// indptr[v]: entries that are kept before row v; places[p] of those before key p are kept.
__global__ void starts(Count rows, Count n, Count size, const Count *keys, const Count *places,
                       Count *indptr) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (v >= rows) return;
    indptr[v] = places[lower_bound(keys, Count(0), size, v * n)];
}

// Columns of the keys that are kept.
__global__ void take(Count size, Count n, const Count *keys, const Count *places, int *indices) {
    const Count p = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (p < size && places[p + 1] > places[p]) indices[places[p]] = int(keys[p] % n);
}

// label[v] = v before anything is joined; the smallest node of those on some level, if there are levels,
// for all of them, which are one whole component.
__global__ void labels(int n, const int *level, const Traits *found, int *label) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (v < n) label[v] = level && level[v] >= 0 ? int(~found->smallest) : int(v);
}

// label[v] starts as v, and `flatten` leaves the smallest node of its component there. Rows on some level
// are joined as they are.
__global__ void join(const Count *indptr, const int *indices, int n, const int *level, int *label) {
    share_rows(indptr, n, [=](int v, Count from, Count to) {
        if (level && level[v] >= 0) return;
        for (Count p = from + threadIdx.x % WARP; p < to; p += WARP)
            unite(label, v, indices[p]);
    });
}

// Full path compression. Each thread writes its own label alone: another's shortcut could undo it.
__global__ void flatten(int n, volatile int *label) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int root = int(v);
    while (label[root] != root) root = label[root];
    label[v] = root;
}

// sums[i][label[v]] += values[i][v], which are whole, of labels below `size`. A warp has ALIKE nodes a lane, and adds once for
// all of them where their labels are one.
__global__ void add_up(int n, Count size, const int *label, int rows, const Word *values,
                       Word *sums) {
    const Count first = (Count(blockIdx.x) * blockDim.x + threadIdx.x) / WARP * WARP * ALIKE;
    for (int i = 0; i < rows; ++i, values += n, sums += size) {
        int mine = -1;
        Word value = 0;
        for (Count v = first + threadIdx.x % WARP; v < min(first + WARP * ALIKE, Count(n)); v += WARP) {
            if (label[v] != mine) {
                if (value) atomicAdd(&sums[mine], value);
                mine = label[v], value = 0;
            }
            value += values[v];
        }
        const int one = __shfl_sync(ALL, mine, 0);
        if (__all_sync(ALL, mine == one || mine < 0)) {
            value = warp_sum(value);
            if (threadIdx.x % WARP == 0 && one >= 0) atomicAdd(&sums[one], value);
        } else if (value) {
            atomicAdd(&sums[mine], value);
        }
    }
}

// Leaves, the busiest node, and no level yet.
__global__ void traits(int n, const Count *indptr, int *level, Traits *found) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (v < n) level[v] = -1;
    const Word degree = v < n ? indptr[v + 1] - indptr[v] : 0;
    const unsigned leaves = __popc(__ballot_sync(ALL, degree == 1));
    if (leaves && threadIdx.x % WARP == 0) atomicAdd(&found->leaves, leaves);
    Word key = v < n ? degree << 32 | ~unsigned(v) : 0;
    key = warp_max(key);
    if (threadIdx.x % WARP == 0) atomicMax(&found->busiest, key);
}

// Level depth + 1 of a top-down search from the busiest node and from nodes on level 0 already: the successors
// of level `depth` that are on no level yet (-1). A warp takes `at_once` rows at a time.
__global__ void advance(const Count *indptr, const int *indices, int n, unsigned at_once, int depth,
                        int *level, Traits *found) {
    if (found->last < depth) return;  // the level is empty
    const unsigned lane = threadIdx.x % WARP;
    const int source = int(~unsigned(found->busiest));
    const auto is_here = [=](int v) { return level[v] == depth || (depth == 0 && v == source); };
    share_rows(indptr, n, at_once, is_here, [=](int v, Count from, Count to) {
        if (depth == 0 && lane == 0) level[v] = 0;
        bool found_one = false;
        for (Count p = from + lane; p < to; p += WARP) {
            if (level[indices[p]] >= 0) continue;
            level[indices[p]] = depth + 1;
            found_one = true;
        }
        if (found_one && *(volatile int *)&found->last == depth) found->last = depth + 1;
    });
}

// The first neighbour of each node on the level before its own, n where there is none; larger before.
__global__ void nearer(const Count *indptr, const int *indices, int n, const int *level, int *parent) {
    const unsigned lane = threadIdx.x % WARP;
    share_rows(indptr, n, [=](int v, Count from, Count to) {
        const int before = level[v] - 1;
        int first = n;
        for (Count p = from + lane; p < to && before >= 0; p += WARP)
            if (level[indices[p]] == before) first = min(first, indices[p]);
        first = warp_min(first);
        if (lane == 0) atomicMin(&parent[v], first);
    });
}

// The smallest node on some level.
__global__ void smallest(int n, const int *level, Traits *found) {
    const Count v = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    const unsigned here = __ballot_sync(ALL, v < n && level[v] >= 0);
    if (threadIdx.x % WARP == 0 && here) atomicMax(&found->smallest, ~unsigned(v + __ffs(here) - 1));
}

// number[nodes[i]] = i
__global__ void enumerate(int m, const Count *nodes, int *number) {
    const Count i = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < m) number[nodes[i]] = int(i);
}

// Entries of each row that has a number in columns that have one, at least 0; all zero before.
__global__ void count_kept(const Count *indptr, const int *indices, int n, const int *number,
                           Word *count) {
    const unsigned lane = threadIdx.x % WARP;
    share_rows(indptr, n, [=](int v, Count from, Count to) {
        if (number[v] < 0) return;
        unsigned kept = 0;
        for (Count p = from + lane; p < to; p += WARP) kept += number[indices[p]] >= 0;
        kept = warp_sum(kept);
        if (lane == 0 && kept) atomicAdd(&count[number[v]], Word(kept));
    });
}

// keys = i * 2**32 + number of the column, for those entries of the row of number i, from start[i] on:
// stream compaction by the votes of a warp. count[i]: how many are still to come, all of them before.
__global__ void renumber(const Count *indptr, const int *indices, int n, const int *number,
                         const Count *start, Word *count, Count *keys) {
    const unsigned lane = threadIdx.x % WARP;
    share_rows(indptr, n, [=](int v, Count from, Count to) {
        const Count i = number[v];
        if (i < 0) return;
        for (Count p = from; p < to; p += WARP) {
            const int column = p + lane < to ? number[indices[p + lane]] : -1;
            const unsigned kept = __ballot_sync(ALL, column >= 0);
            Count left = 0;
            if (lane == 0 && kept) left = Count(atomicAdd(&count[i], Word(0) - __popc(kept)));
            const Count first = start[i] + __shfl_sync(ALL, left, 0) - __popc(kept);
            if (column >= 0) keys[first + __popc(kept & ((1u << lane) - 1))] = i << 32 | column;
        }
    });
}

// mixed[u -> v], by the leaders r and others o of u and v, each itself where a node is alone, and their
// shares l and m, one row after the other:
//
//     x(u -> v) = l(v) x'(r(v)) + m(v) x'(o(v))
//     x'(w) = l(u) x(r(u) -> w) + m(u) x(o(u) -> w)
//
// Within a class it is l(u) x(r -> v), or l(u) x(r -> u) if v is r.
__global__ void mix(const Count *indptr, const int *indices, int n, const double *values,
                    const Count *leader, const Count *other, const double *own, double *mixed) {
    const double *const others = own + n;
    const auto along = [=](Count u, Count v) {
        return values[lower_bound(indices, indptr[u], indptr[u + 1], int(v))];
    };
    share_rows(indptr, n, [=](int u, Count from, Count to) {
        const Count first = leader[u], second = other[u];
        const auto towards = [=](Count w) {
            return own[u] * along(first, w) + others[u] * along(second, w);
        };
        for (Count p = from + threadIdx.x % WARP; p < to; p += WARP) {
            const int v = indices[p];
            if (leader[v] == first)
                mixed[p] = own[u] * along(first, v == first ? u : v);
            else if (first == second && leader[v] == other[v])
                mixed[p] = values[p];
            else
                mixed[p] = own[v] * towards(leader[v]) + others[v] * towards(other[v]);
        }
    });
}
