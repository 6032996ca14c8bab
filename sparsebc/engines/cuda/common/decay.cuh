// Weight f(d) of a distance, as `engines/common/decay.py` has it.
//
// A function is a run of doubles: its Decay, its parameter, how many knots it has, their distances, and their
// weights.
#pragma once
#include "binary_search.cuh"

// As `engines/common/decay.py` numbers them, with the value below which f counts as 0.
enum class Decay { CONSTANT, EXPONENTIAL, LINEAR, POWER, GAUSSIAN, TABLE };
constexpr double LEAST = 1e-150;

// Linear between two knots, the first weight before all, 0 beyond the last.
__device__ inline double between_knots(const double *distances, int count, double d) {
    const int k = lower_bound(distances, 0, count, d);
    if (k == count) return 0;
    const double *const weights = distances + count;
    if (k == 0) return weights[0];
    const double before = distances[k - 1], after = distances[k], width = after - before;
    return weights[k - 1] * ((after - d) / width) + weights[k] * ((d - before) / width);
}

// Arguments of searches that add up functions of distances, for kinds of places: sums are of shape then
// (workers, columns, n, functions * kinds).
struct Access {
    const double *places;  // (count, kinds) weights of the sources
    const double *decays;  // (functions, decay_size)
    int functions, kinds, decay_size;
};

// f(d), 0 where it is below LEAST.
__device__ inline double weight_of(const double *function, double d) {
    const double p = function[1];
    double f = 1;
    switch (Decay(int(function[0]))) {
        case Decay::CONSTANT: break;
        case Decay::EXPONENTIAL: f = exp(-p * d); break;
        case Decay::LINEAR: f = (p - d) / p; break;
        case Decay::POWER: f = d > 0 ? pow(d, -p) : 0; break;
        case Decay::GAUSSIAN: f = exp(-0.5 * (d / p) * (d / p)); break;
        case Decay::TABLE: f = between_knots(function + 3, int(function[2]), d); break;
    }
    return f >= LEAST ? f : 0;
}
