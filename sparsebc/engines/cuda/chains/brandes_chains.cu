// Brandes' two phases from the ends of chains (reduce/chains.py), by edges: nodes of degree 2
// between two ends are sources without a sweep of their own.
//
// All ends of a batch go forward, and are kept side by side. Then a block of threads is alone with a
// source, an end a: each target t gets the weights of the nodes that a serves, and a goes backward.
// Node i of a chain, i edges from a and W - i from its far end b, reaches t by way of a for
//
//     2 i < D(t),   D(t) = W + d_b(t) - d_a(t)
//
// and for 2 i = D(t) by a share sigma_a(t) / (sigma_a(t) + sigma_b(t)) of its paths. A target on the
// chain itself, p from a, is reached along it over p - i: as if it lay p - W beyond b on one path. What
// targets of one D weigh is added up by the last node that a serves for them, in a fixed order: a warp
// has sums of its own, to which its first lane adds for the lanes of one D together.
#include "../brandes_source/brandes_source.cuh"

constexpr int TABLE = 128;  // nodes of chains whose targets are added up at once

// Passed by value.
template <class Real, class Pointer>
struct Chains : State<Real, Pointer> {
    using Share = typename State<Real, Pointer>::Share;

    // A search that is kept has a slot: from a source of the batch, or another end of its chains.
    const int *first_chains;    // (sources + 1,) of each source of the batch
    const int *far;             // (chains,) slot of the far end
    const int *chain_starts;    // (chains + 1,) first inner node of each
    const int *inner;           // (nodes,) inner nodes, the one next to the source first
    const int *chain_of;        // (nodes,)
    const double *inner_alpha;  // (nodes,) weight of each as a source
    double *below;              // (nodes,) the same of it and those before it on its chain
    const long long *toward;    // (nodes,) the share of its arc towards the source
    int *depths;                // (slots,) levels of each search
    Share *weights;             // (workers, n) of the targets of a source
    double *cells;              // (workers, n, 2) of targets: a node is the last served, or is shared
};

// The searches of a batch, one of them a block at a time.
template <class Real, class Pointer, int THREADS, class Marks>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS)
    search(Chains<Real, Pointer> s, int count) {
    double max_sigma = 0;
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        Search<Real, Pointer, THREADS, Marks, true, DEPENDENCY, false> search(s, i);
        const int depth = search.forward(s.sources[i], max_sigma);
        if (threadIdx.x == 0) s.depths[i] = depth;
        if (is_beyond_limit(s, max_sigma)) return;
    }
}

// The source in a slot: the weights that its chains give to its targets, and the pairs along the chains.
template <class Real, class Pointer, int THREADS, class Marks, int SUMS>
struct Source {
    static constexpr int WARPS = THREADS / WARP, EACH = 2;  // sums of a node: served, and shared

    using Share = typename Chains<Real, Pointer>::Share;
    using Found = Search<Real, Pointer, THREADS, Marks, true, SUMS, false>;

    const Chains<Real, Pointer> &s;
    const Found &search;
    const int slot, node;
    const int first_chain, end_chain;      // of its chains
    const int first_node, node_count;  // of the inner nodes of all
    const Marks &marks;

    __device__ Source(const Chains<Real, Pointer> &s, const Found &search, int slot)
        : s(s), search(search), slot(slot), node(s.sources[slot]), first_chain(s.first_chains[slot]),
          end_chain(s.first_chains[slot + 1]), first_node(s.chain_starts[first_chain]),
          node_count(s.chain_starts[end_chain] - first_node), marks(search.marks) {}

    __device__ int size_of(int chain) const {
        return s.chain_starts[chain + 1] - s.chain_starts[chain];
    }

    // Weights of the nodes of each chain up to each of them.
    __device__ void lay_out() const {
        for (int chain = first_chain + threadIdx.x; chain < end_chain; chain += THREADS) {
            double sum = 0;
            for (int q = s.chain_starts[chain]; q < s.chain_starts[chain + 1]; ++q)
                s.below[q] = sum += s.inner_alpha[q];
        }
    }

    // 1 + the level of a node in the search from an end, or NONE.
    __device__ int mark(int end, int v) const { return Marks(s, end).marks[v]; }
    __device__ double paths(int end, int v) const {
        return double(s.sigma[(long long)end * s.n + v]);
    }

    // Marks the source and the nodes of its chains.
    __device__ void mark_own() const {
        marks.clear_bits(s.words);
        __syncthreads();
        if (threadIdx.x == 0) marks.find(node, 1);
        for (int q = threadIdx.x; q < node_count; q += THREADS)
            marks.find(s.inner[first_node + q], 1);
        __syncthreads();
    }

    // Sums of a warp for the nodes from one on, TABLE of them.
    __device__ double *tables() const {
        return reinterpret_cast<double *>(reinterpret_cast<unsigned *>(shared) +
                                          (Marks::IS_SHARED ? s.words : 0));
    }

    // Weights of all targets, and their sums by node of a chain: `TABLE` nodes at a time.
    __device__ void weigh(double alpha) const {
        Share *const weights = s.weights + (long long)blockIdx.x * s.n;
        double *const cells = s.cells + (long long)blockIdx.x * EACH * s.n;
        for (int low = 0; low == 0 || low < node_count; low += TABLE) {
            for (int i = threadIdx.x; i < EACH * TABLE * WARPS; i += THREADS) tables()[i] = 0;
            __syncthreads();
            look(alpha, low, weights);
            __syncthreads();
            for (int i = threadIdx.x; i < EACH * min(TABLE, node_count - low); i += THREADS) {
                double sum = 0;
                for (int warp = 0; warp < WARPS; ++warp) sum += tables()[EACH * TABLE * warp + i];
                cells[EACH * low + i] = sum;
            }
            __syncthreads();
        }
    }

    // Every target but the source: first those elsewhere, then the nodes of its own chains.
    __device__ void look(double alpha, int low, Share *weights) const {
        const int warp = threadIdx.x / WARP * WARP, lane = threadIdx.x % WARP;
        for (int at = warp + lane; at - lane < s.n + node_count; at += THREADS) {
            const bool there = at < s.n + node_count;
            const int own = there && at >= s.n ? first_node + at - s.n : -1;
            const int t = own < 0 ? min(at, s.n - 1) : s.inner[own], near = mark(slot, t);
            const bool valid = there && near != NONE && (own >= 0 || !marks.bits(t));
            const int whose = own < 0 ? -1 : s.chain_of[own];
            const double omega = valid ? double(s.omega[t]) : 0;
            double weight = alpha;
            for (int chain = first_chain; chain < end_chain; ++chain) {
                const int start = s.chain_starts[chain], size = size_of(chain);
                const bool within = chain == whose;
                const int twice = !valid ? 0
                                  : within ? own - start + 2 - near
                                           : size + 1 + mark(s.far[chain], t) - near;
                const int served = min(max(twice - 1, 0) / 2, size);
                const bool shares = twice > 0 && twice == 2 * served + 2 && served < size;
                if (served) weight += s.below[start + served - 1];
                double share = 0;
                if (shares) {
                    const double mine = paths(slot, t);
                    share = mine / (mine + (within ? 1 : paths(s.far[chain], t)));
                    weight += s.inner_alpha[start + served] * share;
                }
                tally(2 * served + shares, omega, share, start - first_node - low);
            }
            if (valid && low == 0) weights[t] = Share(omega * weight);
        }
    }

    // Adds omega and omega * share of the lanes of each cell, 2 served + whether the next node is shared; the nodes of
    // the chain begin at a place of the tables.
    __device__ void tally(int cell, double omega, double share, int begin) const {
        double *const table = tables() + EACH * TABLE * (threadIdx.x / WARP);
        for (unsigned rest = __ballot_sync(ALL, cell != 0); rest;) {
            const int here = of_lane(cell, __ffs(rest) - 1);
            const bool is_here = cell == here;
            const int served = begin + here / 2 - 1, shared = served + 1;
            rest &= ~__ballot_sync(ALL, is_here);
            if (here / 2 && served >= 0 && served < TABLE)
                add(is_here ? omega : 0, table[EACH * served]);
            if (here % 2 && shared >= 0 && shared < TABLE)
                add(is_here ? omega * share : 0, table[EACH * shared + 1]);
        }
    }

    __device__ static void add(double part, double &sum) {
        part = warp_sum(part);
        if (threadIdx.x % WARP == 0) sum += part;
    }

    // Pairs along the chains: first between their own nodes, then from these to targets elsewhere.
    __device__ void send() const {
        for (int q = threadIdx.x; q < node_count; q += THREADS) send_within(first_node + q);
        __syncthreads();
        __shared__ double sent[THREADS];
        for (int begin = first_chain; begin < end_chain; begin += THREADS) {
            const int chain = begin + threadIdx.x;
            if (chain < end_chain) sent[threadIdx.x] = send_beyond(chain);
            __syncthreads();
            if (threadIdx.x == 0) {
                double all = 0;
                for (int i = 0; i < min(THREADS, end_chain - begin); ++i) all += sent[i];
                add_to_node(node, all);
            }
            __syncthreads();
        }
    }

    __device__ void add_to_node(int v, double pairs) const {
        atomicAdd(&search.sums[v * (long long)sums_by_node<SUMS> + place_of<SUMS, DEPENDENCY>],
                  pairs);
    }
    __device__ void add_to_arc(int q, double pairs) const {
        if (SUMS & ARCS) atomicAdd(&search.shares[s.toward[q]], pairs);
    }

    // Node i of a chain reaches node j < i of it, 0 the source, along the chain where 2 (i - j) is less
    // than W + d_a(b), and by a share where they are equal. Through k go sum over i > k of alpha_i
    // times the weights of such j < k. Nothing is subtracted, for weights need not be whole.
    __device__ void send_within(int q) const {
        const int chain = s.chain_of[q], start = s.chain_starts[chain], size = size_of(chain);
        const int k = q - start + 1, end = s.sources[s.far[chain]];
        const int around = size + mark(slot, end);  // W + d_a(b)
        const int most = (around - 1) / 2, tie = around % 2 ? -1 : around / 2;
        const double share = 1 / (1 + paths(slot, end));
        const auto omega = [&](int j) {
            return double(s.omega[j ? s.inner[start + j - 1] : node]);
        };
        const auto tied = [&](int i) { return tie > 0 && i >= tie ? share * omega(i - tie) : 0; };
        double met = tied(k);
        for (int j = k - 1; j >= max(0, k - most); --j) met += omega(j);
        double passing = 0, weights = 0;
        int j = k;
        for (int i = min(size, k - 1 + max(most, tie)); i > k; --i) {
            while (j > max(0, i - most)) weights += omega(--j);
            passing += s.inner_alpha[start + i - 1] * (weights + tied(i));
        }
        add_to_node(s.inner[q], passing);
        add_to_arc(q, passing + s.inner_alpha[q] * met);
    }

    // Pairs of a chain's nodes that reach the source on their way elsewhere.
    __device__ double send_beyond(int chain) const {
        const double *const cells =
            s.cells + ((long long)blockIdx.x * s.n - first_node) * EACH;
        double met = 0, leaving = 0;
        for (int q = s.chain_starts[chain + 1] - 1; q >= s.chain_starts[chain]; --q) {
            add_to_node(s.inner[q], leaving);
            met += cells[EACH * (long long)q];
            leaving += s.inner_alpha[q] * (met + cells[EACH * (long long)q + 1]);
            add_to_arc(q, leaving);
        }
        return leaving;
    }
};

// The sources from `begin` to `end`, for the workers from `first` on.
template <class Real, class Pointer, int THREADS, class Marks, int SUMS>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS)
    sweep(Chains<Real, Pointer> s, int first, int begin, int end) {
    double max_sigma = 0;
    if (is_beyond_limit(s, max_sigma)) return;
    for (int i = begin + first + blockIdx.x; i < end; i += s.workers) {
        Search<Real, Pointer, THREADS, Marks, true, SUMS, false> search(s, i);
        const Source<Real, Pointer, THREADS, Marks, SUMS> source(s, search, i);
        double alpha = double(s.alpha[i]);
        if (source.node_count) {
            source.lay_out();
            source.mark_own();
            source.weigh(alpha);
            source.send();
            search.omega = s.weights + (long long)blockIdx.x * s.n;
            alpha = 1;
        }
        __syncthreads();
        search.backward(s.depths[i], alpha, max_sigma);
        __syncthreads();
    }
}
