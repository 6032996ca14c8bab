// The constant that the launcher knows too: `layout.py` reads it here.
#pragma once
#include "../common/rows.cuh"

constexpr int INLINE_DEGREE = 4;  // neighbours that a row has in its own place
