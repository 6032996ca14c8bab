// What a way back sums: a template parameter of its kernels, so that what nobody wants costs nothing.
#pragma once

// alpha * delta, alpha * sigma(u) g(v) of each arc u -> v, alpha * sigma * lambda, alpha * delta^2;
// alpha * sigma, and lambda of the sources themselves, with STRESS on folded trees
enum Sums { DEPENDENCY = 1, ARCS = 2, STRESS = 4, SQUARES = 8, ARRIVALS = 16, DEPARTURES = 32 };

// Level 0 counts as well: what leaves the sources.
constexpr bool at_source(int sums) { return sums & (ARCS | DEPARTURES); }

// Both g and h are needed, so that one cannot take sigma's place.
constexpr bool both(int sums) { return (sums & DEPENDENCY) && (sums & STRESS); }
