// Fields of the kernels of clustered sources.
    const Link<Length, SYMMETRIC> *given;  // (n, SLOTS) arcs of each node
    const int *begins;                     // (batches + 1,) first source of each
    Link<Length, SYMMETRIC> *arcs;         // (workers, n, SLOTS) the same by number
    Own<Length> *distance;                 // (workers, n, WARP)
    int *order;                            // (workers, n) nodes by number
    int *place;                            // (workers, n) numbers of the nodes
    Mask *known;                           // (workers, n) sources whose value is the last
    unsigned *bits;                        // (workers, 2, words) of numbers that wait, and that are met
    int batches;
