"""The CUDA sources compile alone, for every type and sum, and are one string for NVRTC."""

import ctypes
import os
import re
import shutil
import subprocess
from itertools import product

import pytest
from changed_kernels import REPLACED, SOURCES, changed

from sparsebc.engines.common import decay
from sparsebc.engines.cpu import path_samples as paths
from sparsebc.engines.cpu.common import random
from sparsebc.engines.cuda import layout
from sparsebc.engines.cuda.layout import BY_NODE, FLAGS, SEEDED
from sparsebc.engines.cuda.runtime.source import OPTIONS, Struct, complete
from sparsebc.temporal.kernels import cuda_layout as walks
from sparsebc.temporal.kernels import in_range

GRAPHS = ("biconnected", "clusters", "scc", "trees", "triangles", "twins")
WHOLE = (
    *("msbfs/msbfs", "common/reduce", "common/tree"),
    *(f"prepare/{name}" for name in GRAPHS),
)
STEPS = ("mark", "list", "forward", "forward_ones", "forward_sliced", "forward_hubs")
POINTERS = ("int", "long long")
WALKS = "../../temporal/kernels/temporal_walks.cu"


def joined(*lists):
    """Each combination of template parameters, spelled out."""
    return map(", ".join, product(*lists))


def launched(name, types, flags):
    """A kernel of sources from a first to a last one, instantiated for flags beside the types."""
    return [(f"{name}<{types}, {each}>", f"State<{types}>, int, int, int") for each in flags]


def batch_kernels():
    """Every kernel of brandes_batch.cu."""
    for types in joined(("float", "double"), POINTERS):
        yield f"start<{types}>", f"State<{types}>"
        is_long = "long long" in types
        sums = (1, 67) if is_long else (1, 3, 4, 5, 7, 9, 52, 53, 55, 65, 71, 73)
        steps = (f"{step}, {each}" for step, each in product(("backward", "backward_hubs"), sums))
        for step in (*STEPS, *steps):
            name, *flags = step.split(", ")
            yield f"{name}<{', '.join([types, *flags])}>", f"State<{types}>, int"


def source_kernels():
    """The kernels of brandes_source.cu, each flag and sums with every type of state."""
    for pointer in POINTERS:
        yield f"short_rows<{pointer}>", f"const {pointer} *, const int *, int, int4 *"
    ways = (
        *("128, Phases<true>, true, 1, false", "1024, Bytes<true>, false, 1, false"),
        *("1024, Bytes<false>, true, 3, false", "256, Phases<true>, false, 15, false"),
        *("1024, Bytes<true>, true, 4, false", "1024, Bytes<false>, false, 9, false"),
        *("512, Bytes<true>, true, 52, false", "512, Phases<true>, true, 55, false"),
        *("512, Phases<true>, true, 7, true", "64, Phases<false>, false, 7, true"),
        *("256, Phases<true>, false, 65, false", "64, Phases<false>, false, 71, true"),
        *("1024, Bytes<true>, false, 1, true", "64, Phases<false>, true, 4, true"),
        *("128, Phases<true>, true, 135, false", "512, Bytes<true>, false, 129, false"),
        *("64, Phases<false>, false, 195, true", "1024, Bytes<false>, true, 132, false"),
    )
    for real, (i, pointer) in product(("float", "double", "Extended"), enumerate(POINTERS)):
        yield from launched("sweep", f"{real}, {pointer}", ways[i::2])


def chain_kernels():
    """The kernels of brandes_chains.cu, with every type of state and the sums that they have."""
    shapes = ("256, Levels<true>", "512, Levels<true>", "1024, Levels<false>")
    for types, shape in product(joined(("float", "double"), POINTERS), shapes):
        yield f"search<{types}, {shape}>", f"Chains<{types}>, int"
        for sums in (1, 3):
            yield f"sweep<{types}, {shape}, {sums}>", f"Chains<{types}>, int, int, int"


def weighted_kernels():
    """The kernel of brandes_weighted.cu, each of its sums with every type."""
    ways = (
        *("1, false, true", "3, false, false", "4, true, true"),
        *("5, false, true", "7, true, false", "9, false, true"),
        *("65, false, true", "69, true, false", "67, true, true"),
        *("129, false, true", "135, true, false"),
        *("195, true, true", "132, false, false"),
    )
    lengths = "int, unsigned", "long long, double"
    for (i, real), types in product(enumerate(("float", "double")), lengths):
        yield from launched("sweep", f"{real}, {types}", ways[i::2])


def clustered_kernels():
    """The kernel of brandes_high_diameter.cu, with every type and rows of several lengths."""
    ways = ("384, 8, false, 1", "768, 8, true, 3", "768, 16, false, 3", "384, 32, true, 1")
    ways += "384, 8, false, 129", "768, 16, true, 131"
    for types in joined(("float, int, unsigned", "double, int, double"), ("true", "false")):
        yield from launched("sweep", types, ways)


def clustered_sum_kernels():
    """The kernel of high_diameter/distance_sums.cu, the same."""
    ways = ("384, 8, false", "768, 8, true", "768, 32, false")
    for types in ("int, unsigned, true", "int, double, false", "long long, unsigned, false"):
        yield from searches(types, ways)


def sum_kernels():
    """The kernel of sssp/distance_sums.cu, with every type."""
    for types in joined(POINTERS, ("unsigned", "double")):
        yield from searches(types, joined(("false", "true"), ("false", "true")))


def row_kernels():
    """The kernel of sssp/rows.cu, with every type."""
    for types in joined(POINTERS, ("unsigned", "double")):
        for waves in ("false", "true"):
            yield f"fill<{types}, {waves}>", f"State<{types}>"


def searches(types, flags):
    """Kernels of distance sums, and of functions of distances."""
    for each, access in product(flags, ("false", "true")):
        passed = f"State<{types}, {access}>, int, int, int"
        yield f"accumulate<{types}, {each}, {access}>", passed


def level_sum_kernels():
    """The kernel of brandes_source/distance_sums.cu."""
    ways = ("128, Phases<true, 1>, false", "1024, Phases<false, 1>, false")
    for types in joined(POINTERS, (*ways, "64, Phases<false, 1>, true")):
        yield f"accumulate<{types}>", f"LevelSums<{types.split(', ')[0]}>, int, int, int"


def path_kernels():
    """The kernel of path_samples.cu."""
    for pointer in POINTERS:
        yield f"draw<{pointer}>", f"State<{pointer}>"


# By source: its templates with their arguments, and a type with the struct that lies like it.
SOURCE, WEIGHTED = "State<Extended, long long>", "State<float, int, unsigned>"
INSTANCES = {
    "prepare/graph_ops.cu": (tuple, "Traits", layout.TRAITS),
    "brandes_batch/brandes_batch.cu": (batch_kernels, "State<double, int>", layout.BATCH_STATE),
    "brandes_source/brandes_source.cu": (source_kernels, SOURCE, layout.BRANDES),
    "brandes_source/distance_sums.cu": (
        *(level_sum_kernels, "LevelSums<long long>", layout.LEVEL_SUMS),
    ),
    "chains/brandes_chains.cu": (chain_kernels, "Chains<float, long long>", layout.CHAINS),
    "path_samples/path_samples.cu": (path_kernels, "State<long long>", layout.PATH_SAMPLES),
    "sssp/distance_sums.cu": (sum_kernels, "State<long long, double, true>", layout.ACCESS_SUMS),
    "sssp/rows.cu": (row_kernels, "State<int, double>", layout.LENGTH_ROWS),
    "high_diameter/brandes_high_diameter.cu": (
        *(clustered_kernels, "State<float, int, unsigned, true>", layout.CLUSTERED),
    ),
    "high_diameter/distance_sums.cu": (
        *(clustered_sum_kernels, "State<int, double, false, true>", layout.CLUSTERED_ACCESS),
    ),
    "brandes_weighted/brandes_weighted.cu": (weighted_kernels, WEIGHTED, layout.WEIGHTED),
    WALKS: (tuple, "State", walks.WALKS),
    **{f"{name}.cu": (tuple, "", None) for name in WHOLE},
}


def instances(file):
    """A source and all of its templates; the compiler must agree where the fields lie."""
    kernels, passed, struct = INSTANCES[file]
    yield '#include "whole.cuh"'
    if struct:
        yield "#pragma nv_diag_suppress 1427"
        yield f"using Passed = {passed};"
        yield f"static_assert(sizeof(Passed) == {struct.dtype.itemsize});"
        for field, (_, offset) in struct.dtype.fields.items():
            yield f"static_assert(__builtin_offsetof(Passed, {field}) == {offset});"
    for name, arguments in kernels():
        yield f"template __global__ void {name}({arguments});"


def architectures():
    """The oldest, whose code all others take, for every source; a later one where they differ."""
    for file in INSTANCES:
        yield file, "sm_75"
        if "__CUDA_ARCH__" in complete(SOURCES / file):
            yield file, "sm_90"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
@pytest.mark.parametrize(("file", "architecture"), list(architectures()))
def test_nvcc_compiles_the_sources_alone(file, architecture, tmp_path):
    """Complete CUDA C++: every kernel, types of state, row pointers, sums."""
    listed = subprocess.run(
        ["nvcc", "--list-gpu-code"], capture_output=True, text=True, check=True
    ).stdout.split()
    if architecture not in listed:
        pytest.skip(f"this nvcc does not know {architecture}")
    (tmp_path / "whole.cuh").write_text(complete(SOURCES / file))
    source = tmp_path / "all.cu"
    source.write_text("\n".join(instances(file)))
    command = ["nvcc", *OPTIONS, f"-arch={architecture}", "-cubin"]
    run = subprocess.run(
        [*command, "-o", str(tmp_path / "all.cubin"), str(source)], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert "warning" not in run.stderr


@pytest.mark.parametrize("file", INSTANCES)
def test_no_macro_of_a_host_compiler(file):
    """NVRTC has no headers of C, which nvcc includes by itself."""
    text = re.sub("//.*", "", complete(SOURCES / file))
    assert not re.findall(
        r"\b(?:INFINITY|NAN|HUGE_VALF?|(?:FLT|DBL|INT|UINT|LLONG)_M(?:AX|IN))\b", text
    )


@pytest.mark.parametrize("file", INSTANCES)
def test_lines_are_told_by_file(file):
    """By its path with slashes: to a compiler a backslash begins an escape, on Windows too."""
    named = re.findall(r'^#line \d+ "(.*)"$', complete(SOURCES / file), re.MULTILINE)
    assert named[0] == file
    assert all((SOURCES / name).is_file() and "\\" not in name for name in named)


def test_every_source_is_compiled():
    """None is forgotten above."""
    sources = SOURCES.parents[1].rglob("*.cu")
    assert {os.path.relpath(path, SOURCES) for path in sources} == set(INSTANCES)


@pytest.mark.parametrize("file", REPLACED)
def test_what_tests_on_a_gpu_replace_is_there(file):
    """Once in the source, or the replacement would change nothing and the test could not fail."""
    for text in REPLACED[file]:
        assert changed(file, text, "") != complete(SOURCES / file)
    with pytest.raises(AssertionError, match="not in the table"):
        changed(file, "NO_SUCH = 7;", "")


C_TYPES = {
    "i4": ctypes.c_int,
    "u4": ctypes.c_uint,
    "i8": ctypes.c_longlong,
    "u8": ctypes.c_ulonglong,
    "f4": ctypes.c_float,
    "f8": ctypes.c_double,
}
# Structs with gaps between fields and behind them, of which one has a base, and one others within.
GAPS = """
// struct Gaps {
struct Base {
    using Real = double;
    int n;  // how many; then a gap
    double *sums;
};

struct Base<float> : Base {
    unsigned words, rest;
};

struct Two { const int *first; volatile float *last[2]; };

template <class Real>
struct Gaps : Base<Real> {
    double limit;
    Two here, there;
    const Link<Length, SYMMETRIC> *given;
    unsigned long long
        *seen[3];
    float x; int m, k;

    __device__ bool any() const { return m; }
    int hidden;
};
"""


@pytest.fixture
def gaps(tmp_path):
    """The last of them."""
    (tmp_path / "gaps.cu").write_text(GAPS)
    return Struct(str(tmp_path / "gaps.cu"), "Gaps")


def in_c(struct):
    """The same by another compiler's rules."""
    listed = []
    for field in struct.fields:
        one = ctypes.c_void_p if field.is_pointer else C_TYPES[field.dtype]
        listed.append((field.name, one * field.length if field.length else one))
    return type("InC", (ctypes.Structure,), {"_fields_": listed})


def lies_as_in_c(struct):
    """Whether each field is where C has it, with gaps where C leaves them."""
    there = in_c(struct)
    assert struct.dtype.itemsize == ctypes.sizeof(there)
    for name, (_, offset) in struct.dtype.fields.items():
        assert offset == getattr(there, name).offset, name


class Array:
    """As far as a struct looks at an array of CuPy's."""

    def __init__(self, address):
        self.data = self
        self.ptr = address


def test_a_struct_takes_its_values_by_name(gaps):
    """In any order, beside others; one that is missing is an error, and none is a null pointer."""
    lies_as_in_c(gaps)
    values = {"x": 0.5, "m": -7, "k": 9, "n": 3, "sums": None, "other": "not a field", "limit": 1.5}
    values |= {"here.first": Array(16), "here.last": (None, Array(24)), "given": Array(32)}
    values |= {"there.first": None, "there.last": (None, None)}
    values["seen"] = [Array(1 << 40), None, Array(8)]
    packed = gaps.pack(values).view(gaps.dtype)[0]
    assert packed["seen"].tolist() == [1 << 40, 0, 8]
    assert packed["here.last"].tolist() == [0, 24]
    assert [packed[name] for name in ("here.first", "given", "there.first")] == [16, 32, 0]
    assert [packed[name] for name in ("x", "m", "k", "n", "sums", "limit")] == [
        0.5,
        -7,
        9,
        3,
        0,
        1.5,
    ]
    del values["n"]
    with pytest.raises(KeyError, match="n"):
        gaps.pack(values)


def constants_of(file):
    """Text of the value of each constant of a header."""
    text = re.sub("//.*", "", (SOURCES / file).read_text())
    return dict(re.findall(r"(\w+) = ([-+.\w]+)(?=[,;])", text))


@pytest.mark.parametrize(
    ("file", "module", "names"),
    [
        ("common/decay.cuh", decay, ("LEAST",)),
        (WALKS, in_range, ("MOST_EDGES", "LARGEST", "LEAST")),
        ("path_samples/random.cuh", paths, ("SEARCH", "MANY", "EACH", "PER_TRY", "LARGEST")),
        ("path_samples/random.cuh", random, ("ULP", "GOLDEN", "FIRST", "SECOND")),
    ],
)
def test_constants_of_a_kernel_are_those_of_python(file, module, names):
    """To the last bit, where an engine on the CPU has them too."""
    told = {name.removesuffix("_FACTOR"): text for name, text in constants_of(file).items()}
    for name in names:
        text = told[name].removesuffix("ull")
        assert (int(text) if text.isdigit() else float(text)) == getattr(module, name), name


def test_lists_of_a_kernel_are_those_of_python():
    """Sums by their flags, and functions of a distance by their numbers."""
    sums = (SOURCES / "common" / "sums.cuh").read_text()
    flags = {name.upper(): flag for name, flag in FLAGS.items()} | {"SEEDED": SEEDED}
    assert {name: int(bit) for name, bit in re.findall(r"^    (\w+) = (\d+),", sums, re.M)} == flags
    by_node = re.search(r"int BY_NODE = (.*);", sums)[1].split(" | ")
    assert by_node == [name.upper() for name in BY_NODE]
    names = re.search(r"enum class Decay { (.*) };", (SOURCES / "common" / "decay.cuh").read_text())
    assert [getattr(decay, name) for name in names[1].split(", ")] == [*range(6)]
