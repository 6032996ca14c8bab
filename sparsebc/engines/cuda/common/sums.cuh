// Sums of a backward phase: a template parameter of its kernels, so that a sum that nobody wants costs
// nothing.
#pragma once
#include "sums.gen.cuh"

// Level 0 counts as well: what leaves the sources.
constexpr bool at_source(int sums) { return sums & (ARCS | DEPARTURES | ENDS); }

// Both g and h are needed, so that one cannot take sigma's place.
constexpr bool both(int sums) { return (sums & DEPENDENCY) && (sums & STRESS); }

constexpr int set_bits(int flags) { return flags ? (flags & 1) + set_bits(flags >> 1) : 0; }

// Sums by node that lie beside each other, and where one is: in the order of their flags.
template <int SUMS>
constexpr int sums_by_node = set_bits(SUMS & BY_NODE);
template <int SUMS, int ONE>
constexpr int place_of = sums_by_node<SUMS & (ONE - 1)>;
