"""The CUDA sources compile alone, for every type and sum, and are one string for NVRTC."""

import json
import os
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest
from changed_kernels import SOURCES

from sparsebc.engines.common import decay
from sparsebc.engines.common.sums import SUMS
from sparsebc.engines.cpu import path_samples as paths
from sparsebc.engines.cpu.common import random
from sparsebc.engines.cuda import layout
from sparsebc.engines.cuda.layout import BY_NODE, SEEDED
from sparsebc.engines.cuda.runtime.source import OPTIONS, complete
from sparsebc.temporal.kernels import cuda_layout as walks
from sparsebc.temporal.kernels import in_range

GRAPHS = ("biconnected", "clusters", "scc", "trees", "triangles", "twins")
WHOLE = ("msbfs/msbfs", "common/totals", *(f"prepare/{name}" for name in GRAPHS))
WALKS = "../../temporal/kernels/temporal_walks.cu"
# By source: its kernels, in which $ stands for each of some types.
KERNELS = json.loads((Path(__file__).parent / "data" / "kernels.json").read_text())
# By source: a type of state, and the struct that lies like it.
STRUCTS = {
    "prepare/graph_ops.cu": ("Traits", layout.TRAITS),
    "brandes_batch/brandes_batch.cu": ("Scores<double, int>", layout.BATCH_STATE),
    "brandes_source/brandes_source.cu": ("State<Extended, long long>", layout.BRANDES),
    "brandes_source/distance_sums.cu": ("LevelSums<long long>", layout.LEVEL_SUMS),
    "path_samples/path_samples.cu": ("State<long long>", layout.PATH_SAMPLES),
    "sssp/distance_sums.cu": ("State<long long, double, true>", layout.ACCESS_SUMS),
    "sssp/rows.cu": ("State<int, double>", layout.LENGTH_ROWS),
    "high_diameter/brandes_high_diameter.cu": (
        *("State<float, int, unsigned, true>", layout.CLUSTERED),
    ),
    "high_diameter/distance_sums.cu": ("State<int, double, false, true>", layout.CLUSTERED_ACCESS),
    "brandes_weighted/brandes_weighted.cu": ("State<float, int, unsigned>", layout.WEIGHTED),
    WALKS: ("State", walks.WALKS),
    **{f"{name}.cu": ("", None) for name in WHOLE},
}


def instances(file):
    """A source and all of its templates; the compiler must agree where the fields lie."""
    passed, struct = STRUCTS[file]
    yield '#include "whole.cuh"'
    if struct:
        yield "#pragma nv_diag_suppress 1427"
        yield f"using Passed = {passed};"
        yield f"static_assert(sizeof(Passed) == {struct.dtype.itemsize});"
        for field, (_, offset) in struct.dtype.fields.items():
            yield f"static_assert(__builtin_offsetof(Passed, {field}) == {offset});"
    for types, kernels in KERNELS.get(file, {}).items():
        for each, kernel in product(types.split(" | "), kernels):
            yield f"template __global__ void {kernel.replace('$', each)};"


def architectures():
    """The oldest, whose code all others take, for every source; a later one where they differ."""
    for file in STRUCTS:
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


@pytest.mark.parametrize("file", STRUCTS)
def test_lines_are_told_by_file(file):
    """By its path with slashes: to a compiler a backslash begins an escape, on Windows too."""
    named = re.findall(r'^#line \d+ "(.*)"$', complete(SOURCES / file), re.MULTILINE)
    assert named[0] == file
    assert all((SOURCES / name).is_file() and "\\" not in name for name in named)


def test_every_source_is_compiled():
    """None is forgotten above."""
    sources = SOURCES.parents[1].rglob("*.cu")
    assert {os.path.relpath(path, SOURCES) for path in sources} == {*STRUCTS}
    assert {*KERNELS} < {*STRUCTS}


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
    flags = {name.upper(): flag for name, flag in SUMS.items()} | {"SEEDED": SEEDED}
    assert {name: int(bit) for name, bit in re.findall(r"^    (\w+) = (\d+),", sums, re.M)} == flags
    by_node = re.search(r"int BY_NODE = (.*);", sums)[1].split(" | ")
    assert by_node == [name.upper() for name in BY_NODE]
    names = re.search(r"enum class Decay { (.*) };", (SOURCES / "common" / "decay.cuh").read_text())
    assert [getattr(decay, name) for name in names[1].split(", ")] == [*range(6)]
