// Constants of the kernel, its launcher (`layout.py`) and the engine on the CPU, which draws the same paths.
#pragma once

constexpr int THREADS = 256, WARPS = 8;  // of a block, a pair to each of its warps
// As in `cpu/path_samples`: searches of a pair, and the tries of a step.
constexpr int SEARCH = 64, MANY = 4096, EACH = 8, PER_TRY = 16;
constexpr double LARGEST = 3.1217485503159922e+144;  // path count of a half
// As in `cpu/common/random.py`: splitmix64, and the spacing of its numbers.
constexpr double ULP = 1.1102230246251565e-16;
constexpr unsigned long long GOLDEN = 11400714819323198485ull;
constexpr unsigned long long FIRST_FACTOR = 13787848793156543929ull;
constexpr unsigned long long SECOND_FACTOR = 10723151780598845931ull;
