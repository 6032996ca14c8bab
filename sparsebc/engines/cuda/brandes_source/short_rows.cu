// Rows in their own places, for `brandes_source.cuh`: the neighbours of a short one, -1 where there are no
// more; of a long one, where its arcs are.
#include "constants.cuh"

template <class Pointer>
__global__ void short_rows(const Pointer *indptr, const int *indices, int n, int4 *rows) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    const Pointer begin = indptr[v];
    const int degree = int(indptr[v + 1] - begin);
    int node[INLINE_DEGREE];
    for (int j = 0; j < INLINE_DEGREE; ++j) node[j] = j < degree ? indices[begin + j] : -1;
    const long long first = begin;
    rows[v] = degree <= INLINE_DEGREE ? int4{node[0], node[1], node[2], node[3]}
                                      : int4{LONG_ROW, int(first), int(first >> 32), degree};
}
