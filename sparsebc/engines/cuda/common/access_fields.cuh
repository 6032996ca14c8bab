// Fields of searches that add up functions of distances, for kinds of places: then sums are of shape
// (workers, columns, n, functions * kinds).
    const double *places;  // (count, kinds) weights of the sources
    const double *decays;  // (functions, decay_size) as `decay.cuh` has them
    int functions, kinds, decay_size;
