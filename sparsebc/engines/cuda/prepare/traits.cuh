// What `traits` and `advance` find, all zero before.
#pragma once

struct Traits {
    unsigned long long busiest;  // node of the largest degree: degree, 2**32 - 1 - node
    unsigned leaves;             // nodes of degree one
    unsigned smallest;           // node on some level, as 2**32 - 1 - node
    int last;                    // level that has a node
};
