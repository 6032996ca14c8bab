// Fields of every kernel that counts paths, a block of threads to a source.
    const Share *omega;             // (n,)
    const Share *alpha;             // (count,)
    double *sums;                   // (workers, columns, n, sums by node) over the sources of a worker
    int *order;                     // (workers, n) nodes, level by level
    int *starts;                    // (workers, n + 2) where each level starts
    Real *counts;                   // (workers, n) sigma by place in the order, for several columns
    unsigned long long *max_sigma;  // bits of the largest path count, as a double
    double limit;                   // path count from which the results are of no use
