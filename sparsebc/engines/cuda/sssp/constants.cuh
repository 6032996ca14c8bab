// Constants that the launchers know too: `layout.py` reads them here.
#pragma once
#include "../common/rows.cuh"

constexpr int RESIDENT = 1024;  // threads on a multiprocessor
constexpr int TICKS = 128;      // of a clock that tells distances on the chip: lengths are less than a quarter
constexpr int NODE_BITS = 27;   // of an arc; the others are its length
// Most buckets of a ring; where there is none, the lists near, next, far and kept.
constexpr int RING = 32, LISTS = 4;
// Most arcs of a row in its own place: junctions have no more, and a warp waits for its longest row.
constexpr int SHORT = 6;
constexpr int WARP_DEGREE = 16;  // arcs of a row beyond which a warp shares it
// Whole lengths whose sum stays below this are kept in 32 bits. It marks the unreached, and twice as
// much has room too.
constexpr unsigned UNREACHED = 2147483647;
