// Sums of a backward phase: a template parameter of its kernels, so that a sum that nobody wants costs
// nothing.
#pragma once

// As `engines/common/sums.py` lists them.
enum Sums {
    DEPENDENCY = 1,  // alpha * delta
    ARCS = 2,        // alpha * sigma(u) g(v) of each arc u -> v
    STRESS = 4,      // alpha * sigma * lambda
    SQUARES = 8,     // alpha * delta**2
    ENDS = 64,       // alpha * omega at targets, alpha * delta at sources
    SEEDED = 128,    // no sum: omega differs from source to source
};

// Of these, the sums of which every batch in flight has its own, by node.
constexpr int BY_NODE = DEPENDENCY | STRESS | SQUARES | ENDS;

// Level 0 counts as well: what leaves the sources.
constexpr bool at_source(int sums) { return sums & (ARCS | ENDS); }

// Both g and h are needed, so that one cannot take sigma's place.
constexpr bool both(int sums) { return (sums & DEPENDENCY) && (sums & STRESS); }

constexpr int set_bits(int flags) { return flags ? (flags & 1) + set_bits(flags >> 1) : 0; }

// Sums by node that lie beside each other, and where one is: in the order of their flags.
template <int SUMS>
constexpr int sums_by_node = set_bits(SUMS & BY_NODE);
template <int SUMS, int ONE>
constexpr int place_of = sums_by_node<SUMS & (ONE - 1)>;
