// Fields of decay and demand, of every kernel that takes seeds.
    const double *by_level;          // f of each level, by edges; else null
    const double *decay;             // the function, as `decay.cuh` has it; by edges not needed
    const long long *demand_indptr;  // (n + 1,) rows of sources; null without demand
    const int *demand_indices;
    const double *demand_values;
