// Threads of a block of `shortest_paths.cu`, and edges of an item, the share of a row of a warp.
#pragma once

constexpr unsigned THREADS = 256, CHUNK = 256;
