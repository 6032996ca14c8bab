// Adds the sums of some parts, `size` of them each, to the total in the order of the parts.
__global__ void reduce(const double *sums, unsigned long long size, unsigned parts, double *total) {
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i >= size) return;
    double sum = total[i];
    for (unsigned k = 0; k < parts; ++k) sum += sums[k * size + i];
    total[i] = sum;
}
