// Constants that the launcher knows too: `layout.py` reads them here.
#pragma once

constexpr unsigned VECTORS = 8;     // of 128 bits, a bit for each source, that a row of a batch has
constexpr unsigned COLUMNS = 1024;  // sources of a batch
// Threads of a block of rows, and of the block that shares one hub.
constexpr unsigned THREADS = 256, HUB_THREADS = 512;
constexpr unsigned SUMS_BYTES = 32;  // of what the sources of a batch add up to at a node, aligned
