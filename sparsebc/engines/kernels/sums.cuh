// What a way back sums: a template parameter of its kernels, so that what nobody wants costs nothing.
#pragma once

// alpha * delta, alpha * sigma(u) g(v) of each arc u -> v, alpha * sigma * lambda
enum Sums { DEPENDENCY = 1, ARCS = 2, STRESS = 4 };

// Both g and h are needed, so that one cannot take sigma's place.
constexpr bool both(int sums) { return (sums & DEPENDENCY) && (sums & STRESS); }

// Add the parts, `size` sums each, to the total in order.
__global__ void reduce(const double *parts, unsigned long long size, unsigned count,
                       double *total) {
    const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i >= size) return;
    double sum = total[i];
    for (unsigned k = 0; k < count; ++k) sum += parts[k * size + i];
    total[i] = sum;
}
