// Marks: where a search is with a node, for `brandes_source.cuh`. Level d marks its nodes with 1 + d mod LEVELS.
// A row there has found neighbours on the levels d - 1, d and d + 1 alone, so that three marks are enough.
// (The head of an arc with no counterpart may be on any earlier level; but on the way back through a
// digraph nodes are found anew, the deepest first.)
//
// Bits of a mark are looked at first: by these a neighbour `may` have a mark or not. A byte, which
// has the whole mark, takes as long to read as sigma, so both are read in one go: it `agrees` with
// the mark or not.
//   Phases  The mark is two bits: nothing else is read but of neighbours that count. One bit suffices
//           for a search that counts no paths, and has no way back.
//   Bytes   A bit says whether the node is found, and a byte has the mark.
// The less shared memory the bits take, the more a multiprocessor has for its first-level cache:
// Phases are for graphs so small that two blocks leave it enough, Bytes for larger ones; and for
// searches that meet few nodes, whose bits a cache holds wherever they are.
#pragma once
#include "../common/warp.cuh"

constexpr int NONE = 0;     // mark of a node that is not found
constexpr int NOBODY = -1;  // mark that no node has

using Byte = unsigned char;

extern __shared__ uint4 shared[];

__device__ __forceinline__ void clear(void *all, int bytes) {
#pragma unroll 1
    for (int i = threadIdx.x; i < bytes / 16; i += blockDim.x)
        static_cast<uint4 *>(all)[i] = {0, 0, 0, 0};
}

// SIZE bits a node, in shared memory if there is room: 0 until it is found.
template <int SIZE, bool SHARED>
struct Bits {
    static constexpr unsigned NODES = WORD / SIZE, ALL_BITS = (1u << SIZE) - 1;

    unsigned *global;

    __device__ unsigned *words() const {
        return SHARED ? reinterpret_cast<unsigned *>(shared) : global;
    }

    __device__ void clear_bits(int count) const { clear(words(), count * 4); }

    // A node that is being found may look as if it were not: `find` tells.
    __device__ int bits(unsigned v) const {
        return words()[v / NODES] >> v % NODES * SIZE & ALL_BITS;
    }

    // Nodes of one word are forgotten together.
    __device__ void forget_bits(unsigned v) const { words()[v / NODES] = 0; }

    // Whether the node was not found; the bits are the same, whoever sets them.
    __device__ bool find(unsigned v, unsigned bits) const {
        const unsigned shift = v % NODES * SIZE;
        return !(atomicOr(&words()[v / NODES], bits << shift) >> shift & ALL_BITS);
    }
};

template <bool SHARED, int SIZE = 2>
struct Phases : Bits<SIZE, SHARED> {
    static constexpr int LEVELS = (1 << SIZE) - 1;
    static constexpr bool BITS_SUFFICE = true;

    template <class State>
    __device__ Phases(const State &s)
        : Bits<SIZE, SHARED>{s.mark_bits + (long long)blockIdx.x * s.words} {}

    __device__ static bool may(int bits, int mark) { return bits == mark; }
    __device__ static bool agrees(Byte, int) { return true; }
    __device__ static Byte byte(int) { return NONE; }
    __device__ static void set_byte(int, int) {}
    __device__ static void clear_bytes(int) {}
};

template <bool SHARED>
struct Bytes : Bits<1, SHARED> {
    static constexpr int LEVELS = 255;
    static constexpr bool BITS_SUFFICE = false;

    Byte *marks;

    template <class State>
    __device__ Bytes(const State &s)
        : Bits<1, SHARED>{s.mark_bits + (long long)blockIdx.x * s.words},
          marks(s.mark_bytes + (long long)blockIdx.x * WORD * s.words) {}

    __device__ bool find(int v, int) const { return Bits<1, SHARED>::find(v, 1); }
    __device__ static bool may(int bits, int mark) { return bits && mark != NOBODY; }
    __device__ static bool agrees(Byte byte, int mark) { return byte == mark; }
    __device__ Byte byte(int v) const { return marks[v]; }
    __device__ void set_byte(int v, int mark) const { marks[v] = mark; }
    // A node is found before it has its mark, and must not have one of the source before.
    __device__ void clear_bytes(int count) const { clear(marks, count * WORD); }
};
