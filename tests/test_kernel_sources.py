"""The CUDA sources compile alone, for every type and sum, and are one string for NVRTC."""

import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

import sparsebc
from sparsebc.engines.cuda.source import complete, export

KERNELS = Path(sparsebc.__file__).parent / "engines" / "cuda"
TO_LISTS = ("mark", "list")
WHOLE = ("search/results", "search/shortest_paths", "graph_ops", "scc", "common/reduce")
FORWARD = ("forward", "forward_ones", "forward_planes", "forward_hubs")


def brandes_instances():
    """Every kernel of brandes.cu."""
    yield '#include "brandes_batch/brandes.cu"'
    for real, pointer in product(("float", "double"), ("int", "long long")):
        types = f"{real}, {pointer}"
        yield f"template __global__ void start<{types}>(State<{types}>);"
        for step in (*TO_LISTS, *FORWARD, "ends"):
            yield f"template __global__ void {step}<{types}>(State<{types}>, int);"
        sums = (1, 3, 4, 5, 7, 9, 52, 53, 55) if pointer == "int" else (1,)
        for step, flags in product(("backward", "backward_hubs"), sums):
            yield f"template __global__ void {step}<{types}, {flags}>(State<{types}>, int);"


def thin_instances():
    """The kernel of per_source/brandes.cu, each of its flags and sums with every type of state."""
    yield '#include "per_source/brandes.cu"'
    ways = (
        *("512, Phases, true, 1", "1024, Bytes<true>, false, 1", "1024, Bytes<false>, true, 3"),
        *("512, Phases, false, 15", "1024, Bytes<true>, true, 4", "1024, Bytes<false>, false, 9"),
        *("512, Bytes<true>, true, 52", "512, Phases, true, 55"),
    )
    for real, (i, pointer) in product(
        ("float", "double", "Extended"), enumerate(("int", "long long"))
    ):
        for way in ways[i::2]:
            types = f"{real}, {pointer}"
            yield f"template __global__ void sweep<{types}, {way}>(State<{types}>, int, int, int);"


def weighted_instances():
    """The kernel of per_source/weighted.cu, each of its sums with every type."""
    yield '#include "per_source/weighted.cu"'
    for (i, real), ways in product(
        enumerate(("float", "double")), ("int, unsigned", "long long, double")
    ):
        for sums in (1, 3, 4, 5, 7, 9)[i::2]:
            types = f"{real}, {ways}"
            yield f"template __global__ void sweep<{types}, {sums}>(State<{types}>, int, int, int);"


def distance_sum_instances():
    """The kernel of per_source/distance_sums.cu, with every type."""
    yield '#include "per_source/distance_sums.cu"'
    for types in map(", ".join, product(("int", "long long"), ("unsigned", "double"))):
        yield f"template __global__ void accumulate<{types}>(State<{types}>, int, int, int);"


def search_instances():
    """The kernels of search.cu, as wide as they are launched."""
    yield '#include "search/msbfs.cu"'
    yield "template __global__ void start<8>(State);"
    for step in ("advance", "advance_hubs"):
        yield f"template __global__ void {step}<8>(State, int);"


def whole(file):
    """A file without templates."""
    return lambda: [f'#include "{file}"']


INSTANCES = {
    "brandes_batch/brandes.cu": brandes_instances,
    "per_source/brandes.cu": thin_instances,
    "per_source/distance_sums.cu": distance_sum_instances,
    "search/msbfs.cu": search_instances,
    "per_source/weighted.cu": weighted_instances,
    **{f"{name}.cu": whole(f"{name}.cu") for name in WHOLE},
}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
@pytest.mark.parametrize("architecture", ["sm_75", "sm_80", "sm_90"])
@pytest.mark.parametrize("file", INSTANCES)
def test_nvcc_compiles_the_sources_alone(file, architecture, tmp_path):
    """Complete CUDA C++: every kernel, types of state, row pointers, sums."""
    listed = subprocess.run(
        ["nvcc", "--list-gpu-code"], capture_output=True, text=True, check=True
    ).stdout.split()
    if architecture not in listed:
        pytest.skip(f"this nvcc does not know {architecture}")
    source = tmp_path / "all.cu"
    source.write_text("\n".join(INSTANCES[file]()))
    export(tmp_path)
    command = ["nvcc", "-std=c++17", f"-arch={architecture}", "-cubin", f"-I{tmp_path}"]
    run = subprocess.run(
        [*command, "-o", str(tmp_path / "all.cubin"), str(source)], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert "warning" not in run.stderr


def test_sources_are_one_string():
    """No include is left for NVRTC to look for, and no header comes twice."""
    text = complete(KERNELS / "brandes_batch" / "brandes.cu")
    assert '#include "' not in text
    for name in ("delta_update", "unsigned gather(", "struct State {"):
        assert text.count(f"void {name}(" if name == "delta_update" else name) == 1


def test_every_source_is_compiled():
    """None is forgotten above."""
    assert {str(path.relative_to(KERNELS)) for path in KERNELS.rglob("*.cu")} == set(INSTANCES)
