"""The CUDA sources compile alone, for every type and sum, and are one string for NVRTC."""

import importlib
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest
from changed_kernels import REPLACED, SOURCES, changed

from sparsebc.engines.cuda.kernel_table import KERNELS
from sparsebc.engines.cuda.source import complete, export

TO_LISTS = ("mark", "list")
WHOLE = (
    *("search/msbfs", "search/results", "search/shortest_paths"),
    *("graph_ops", "scc", "common/reduce"),
)
FORWARD = ("forward", "forward_ones", "forward_sliced", "forward_hubs")


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


def whole(file):
    """A file without templates."""
    return lambda: [f'#include "{file}"']


INSTANCES = {
    "brandes_batch/brandes.cu": brandes_instances,
    "per_source/brandes.cu": thin_instances,
    "per_source/distance_sums.cu": distance_sum_instances,
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
    text = complete(SOURCES / "brandes_batch" / "brandes.cu")
    assert '#include "' not in text
    for name in ("delta_update", "unsigned gather(", "struct State {"):
        assert text.count(f"void {name}(" if name == "delta_update" else name) == 1


def test_every_source_is_compiled():
    """None is forgotten above."""
    assert {str(path.relative_to(SOURCES)) for path in SOURCES.rglob("*.cu")} == set(INSTANCES)


# Structs that are passed to kernels or read back: in C++, and in the layout beside the kernel.
STRUCTS = {
    "brandes_batch/brandes.cu": {
        **{f"State<{real}, {p}>": "STATE" for real in ("float", "double") for p in ("int", "long")},
        "Level": "LEVEL",
    },
    "search/msbfs.cu": {"State": "STATE", "Level": "LEVEL"},
    "search/shortest_paths.cu": {"State": "SSSP_STATE", "Step": "STEP"},
    "graph_ops.cu": {"Traits": "TRAITS"},
}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
@pytest.mark.parametrize("file", STRUCTS)
def test_structs_lie_as_the_compiler_has_them(file, tmp_path):
    """Each field at the offset of NumPy, and nothing after the last."""
    package = ".".join(("sparsebc.engines.cuda", *Path(file).parts[:-1], "layout"))
    lines = ["#include <cstddef>", f'#include "{file}"']
    for name, table in STRUCTS[file].items():
        dtype = getattr(importlib.import_module(package), table).dtype
        alias = f"Struct{len(lines)}"
        lines.append(f"using {alias} = {name};")
        lines.append(f"static_assert(sizeof({alias}) == {dtype.itemsize});")
        for field, (_, offset) in dtype.fields.items():
            lines.append(f"static_assert(offsetof({alias}, {field}) == {offset});")
    source = tmp_path / "all.cu"
    source.write_text("\n".join(lines))
    export(tmp_path)
    command = ["nvcc", "-std=c++17", "-cubin", f"-I{tmp_path}", "-o", str(tmp_path / "all.cubin")]
    run = subprocess.run([*command, str(source)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_rows_of_the_table_name_sources():
    """Each a file that is there, for its own case; every source is in a row or serves others."""
    engines = SOURCES.parent
    assert all((engines / row.file).is_file() for row in KERNELS)
    assert len({row[:3] for row in KERNELS}) == len(KERNELS)
    named = {row.file for row in KERNELS if row.file.startswith("cuda/")}
    serving = {"cuda/search/results.cu", "cuda/common/reduce.cu"}
    assert named | serving == {f"cuda/{file}" for file in INSTANCES}


@pytest.mark.parametrize("file", REPLACED)
def test_what_tests_on_a_gpu_replace_is_there(file):
    """Once in the source, or the replacement would change nothing and the test could not fail."""
    for text in REPLACED[file]:
        assert changed(file, text, "") != complete(SOURCES / file)
    with pytest.raises(AssertionError, match="not in the table"):
        changed(file, "NO_SUCH = 7;", "")


def test_a_replacement_that_finds_nothing_fails(monkeypatch):
    """Even where it is in the table."""
    monkeypatch.setitem(REPLACED, "scc.cu", ("NO_SUCH = 7;",))
    with pytest.raises(AssertionError, match=r"stands 0 times in scc\.cu"):
        changed("scc.cu", "NO_SUCH = 7;", "NO_SUCH = 8;")
