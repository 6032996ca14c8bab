// Constants that the launcher knows too, and limits of `temporal/kernels/in_range.py`.
#pragma once

constexpr int WIDTH = 64;   // sources of a batch, two to a lane
constexpr int ALONE = 512;  // threads of a block that is alone with a batch
constexpr float MOST_EDGES = 16777216;
constexpr double LARGEST = 7.022238808055922e+305, LEAST = 1e-270;
