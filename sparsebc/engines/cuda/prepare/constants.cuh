// Constants that the launchers know too: `layout.py` reads them here.
#pragma once

constexpr unsigned THREADS = 256;
constexpr int CHUNK = 256;  // entries of a row of which a block looks at the triangles
constexpr int ALIKE = 8;    // nodes of a lane whose numbers are added up by label
constexpr int LONG = 2048;  // entries of a row beyond which several warps share it
constexpr unsigned OUTSIDE = 1, UNTIDY = 2, ONE_WAY = 4;  // what may be wrong with a pattern
constexpr int UNASSIGNED = -1;  // label of a node without a strong component yet
constexpr int ROUNDS = 64;      // in which clusters join, more than there can be: each halves them at least
