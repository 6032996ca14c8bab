// Constants that the launcher knows too: `layout.py` reads them here.
#pragma once

constexpr unsigned COLUMNS = 128;  // sources of a batch
constexpr int WORDS = 4;           // of a mask
// Threads of a block of rows, and of the block that shares one hub.
constexpr unsigned THREADS = 256, HUB_THREADS = 512;
constexpr unsigned SPAN = 8192;  // rows that a block looks through for those that are marked: 32 a thread
// Bit-sliced path counts: parts of a count and bits of a part, the last level that has no counts but
// ones, and most neighbours of a row that is no hub.
constexpr unsigned COUNT_PARTS = 4, PART_BITS = 3, LONGEST_ROW = 1024;
constexpr int LAST_ONES = 1;
constexpr int FULL = -2147483648;  // pinned flag of a search whose level lists ran out of room
