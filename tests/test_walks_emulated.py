"""The CUDA kernels of walks in time on the host, lane after lane: columns are independent.

Compiled by the C++ compiler of the host: a lane goes through all levels before the next one does,
in a block of one warp, so that a vote of the block is that of the lane.
"""

import ctypes
import re
import shutil
import subprocess

import numpy as np
import pytest
import walks
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsebc.engines.common.batch import Batch
from sparsebc.engines.cuda.runtime.source import HERE, complete
from sparsebc.engines.cuda.temporal_walks import layout
from sparsebc.graph.timeline import timeline

SHIM = """
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
using std::max;
using std::min;
#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(most)
struct float2 { float x, y; };
struct double2 { double x, y; };
struct int2 { int x, y; };
struct Dim { unsigned x, y; };
static Dim threadIdx, blockIdx, blockDim, gridDim;
static float __int_as_float(int bits) { float x; std::memcpy(&x, &bits, 4); return x; }
template <class T> T __shfl_sync(unsigned, T x, int) { return x; }
template <class T> T __shfl_xor_sync(unsigned, T, int) { return T(0); }
template <class T> T __shfl_up_sync(unsigned, T x, int) { return x; }
static unsigned __ballot_sync(unsigned, bool x) { return x; }
static int __any_sync(unsigned, bool) { return 1; }
static int __ffs(unsigned x) { return x ? __builtin_ctz(x) + 1 : 0; }
static int __popc(unsigned x) { return __builtin_popcount(x); }
static int atomicAdd(int *x, int y) { int before = *x; *x += y; return before; }
static void __syncthreads() {}
static int __syncthreads_or(int x) { return x; }
"""
LAUNCH = """
template <class Kernel>
static void launch(const State &s, unsigned batches, const Kernel &kernel) {
    gridDim = {1, batches}, blockDim = {WARP, 1};
    for (unsigned batch = 0; batch < batches; ++batch)
        for (unsigned lane = 0; lane < WARP; ++lane) {
            blockIdx = {0, batch}, threadIdx = {lane, 0};
            kernel(s);
        }
}

extern "C" void go_forward(const State *s, int batches, int first, int last) {
    launch(*s, batches, [&](const State &s) { forward(s, first, last); });
}

extern "C" void turn(const State *s, int batches) {
    launch(*s, batches, find_ends);
    launch(*s, batches, begin_back);
}

extern "C" void go_back(const State *s, int batches, int first, int last) {
    launch(*s, batches, [&](const State &s) { backward(s, first, last); });
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The kernels, compiled for the host; scores are added up by every lane in its turn."""
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    folder = tmp_path_factory.mktemp("walks")
    text, count = re.subn(r"threadIdx.x % WARP == 0 && through", "through", complete(SOURCE))
    assert count == 1
    (folder / "walks.cpp").write_text(SHIM + text + LAUNCH)
    command = ["g++", "-std=c++17", "-O1", "-ffp-contract=off", "-w", "-shared", "-fPIC"]
    files = ["-o", str(folder / "walks.so"), str(folder / "walks.cpp")]
    done = subprocess.run([*command, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(folder / "walks.so"))


SOURCE = HERE / "temporal_walks" / "temporal_walks.cu"


class Address:
    """As far as a struct looks at an array of CuPy's."""

    def __init__(self, array):
        self.data, self.ptr = self, array.ctypes.data


def emulated(library, contacts, wait, foremost, width, weight):
    """Scores of all nodes from batches of some width."""
    found = timeline(
        *(contacts.n, contacts.source, contacts.target, contacts.time),
        *(contacts.time + contacts.duration, wait),
    )
    nodes = np.arange(contacts.n, dtype=np.int32)
    batches = [
        Batch(nodes[i : i + width], np.ones(nodes[i : i + width].size), False)
        for i in range(0, nodes.size, width)
    ]
    levels = layout.levels_of(found.events)
    # What a batch finds is undefined before: here it is nonsense.
    state = {
        name: np.full(size * len(batches), 171, np.uint8)
        for name, size in layout.state_of(found).items()
    }
    state["scores"][:] = 0
    arrays = {**layout.arrays_of(found.events, levels), **state}
    arrays |= {
        "lane": layout.lanes(batches, found.n),
        "exceeded": np.zeros(3 * len(batches) * layout.WIDTH, np.int32),
    }
    arrays["weight"] = np.full(len(batches) * layout.WIDTH, weight, np.float64)
    values = {name: Address(array) for name, array in arrays.items()}
    values |= {**layout.scalars(found), "foremost": foremost}
    packed = [layout.pack(values, way) for way in layout.WAYS]
    ahead, back = (each.ctypes.data_as(ctypes.c_void_p) for each in packed)
    for first, last, _ in layout.launches(levels["forward"]):
        library.go_forward(ahead, len(batches), first, last)
    library.turn(ahead, len(batches))
    for first, last, _ in layout.launches(levels["backward"]):
        library.go_back(back, len(batches), first, last)
    assert not arrays["exceeded"].any()
    return state["scores"].view(np.float64).reshape(-1, found.n).sum(axis=0)


@settings(max_examples=300)
@given(walks.networks(), walks.WAITS, walks.KINDS, st.integers(1, 4), st.data())
def test_scores_are_those_of_all_walks(library, contacts, wait, kind, width, data):
    """Against the enumeration, for batches of some sources and launches of few or many levels."""
    narrow, weight = data.draw(st.integers(0, 3)), data.draw(st.sampled_from([1, 0.25, 1e-9]))
    expected = [float(score) for score in walks.betweenness(contacts, wait, kind, None)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "NARROW", narrow)
        scores = emulated(library, contacts, wait, kind != "shortest", width, weight)
    assert scores == pytest.approx(expected, rel=1e-12, abs=1e-12)
