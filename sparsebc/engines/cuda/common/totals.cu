// A node of the tree by which sums are added up (engines/common/sums.py): `parts` of them, a power of two, from
// the first on, those marked left out.
__global__ void add_up(const double *sums, unsigned long long size, unsigned first, unsigned parts,
                       const unsigned *left_out, double *total) {
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i >= size) return;
    constexpr unsigned MOST = 8;
    const unsigned run = min(parts, MOST);  // a subtree whose leaves are read at once
    double waiting[32];                     // sums of whole subtrees, the largest first
    unsigned depth = 0;
    for (unsigned number = 0; number * run < parts; ++number) {
        const unsigned begin = first + number * run;
        double sum[MOST];
        for (unsigned k = 0; k < MOST; ++k)
            sum[k] = k < run && !left_out[begin + k] ? sums[(begin + k) * size + i] : 0;
        for (unsigned step = 1; step < MOST; step *= 2)
            for (unsigned k = 0; k + step < MOST; k += 2 * step)
                if (step < run) sum[k] += sum[k + step];
        for (unsigned halves = number; halves & 1; halves >>= 1) sum[0] = waiting[--depth] + sum[0];
        waiting[depth++] = sum[0];
    }
    total[i] = waiting[0];
}

// Adds the sums of some parts, `size` of them each, to the total in the order of the parts.
__global__ void reduce(const double *sums, unsigned long long size, unsigned parts, double *total) {
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i >= size) return;
    double sum = total[i];
    for (unsigned k = 0; k < parts; ++k) sum += sums[k * size + i];
    total[i] = sum;
}
