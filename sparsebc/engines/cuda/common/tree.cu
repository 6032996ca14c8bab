// A node of the tree by which sums are added up (engines/tree.py): `parts` of them, a power of two, from
// the first on, those marked left out.
__global__ void add_up(const double *sums, unsigned long long size, unsigned first, unsigned parts,
                       const unsigned *left_out, double *total) {
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i >= size) return;
    double waiting[32];  // sums of whole subtrees, the largest first
    unsigned depth = 0;
    for (unsigned k = 0; k < parts; ++k) {
        double sum = left_out[first + k] ? 0 : sums[(first + k) * size + i];
        for (unsigned halves = k; halves & 1; halves >>= 1) sum = waiting[--depth] + sum;
        waiting[depth++] = sum;
    }
    total[i] = waiting[0];
}
