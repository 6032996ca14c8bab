// Rows of a CSR pattern with a place of their own for the first neighbours of each.
#pragma once

constexpr int WORD = 32;      // bits of a word
constexpr int LONG_ROW = -2;  // in place of the first neighbour, if the row has more than that place holds
constexpr int NO_PREDECESSOR = -9999;  // as in scipy.sparse.csgraph
