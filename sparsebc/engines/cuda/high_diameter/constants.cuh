// Constants that the launchers know too: `layout.py` reads them here.
#pragma once

constexpr int CLUSTERED_WIDTH = 64;       // sources of a batch
constexpr int NUMBER_BITS = 27;           // of a number beside the place of an arc in its row
constexpr unsigned NO_ARC = 0xffffffff;   // in place of a head; its length is 0
constexpr int CLUSTERED_RESIDENT = 768;   // threads on a multiprocessor, of a block or of two
constexpr int SPAN = 128;  // rounds.cuh: words that a round looks at
constexpr int PATIENCE = 16384;  // rounds.cuh: rounds that may go back to what waits behind
constexpr int WINDOW = 4096;     // rounds.cuh: words of each of two windows of bits in the same memory
constexpr int BUCKETS = 8192;    // numbering.cuh: distances that are told apart
