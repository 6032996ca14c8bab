"""Imports go down only: the layers are a table, and this file holds the code to it."""

import ast
import functools
import graphlib
import re

from sources import MODULES, PACKAGE, nodes

# Lowest first. A module imports from lower rows, or from its own row where that is its own part.
# A part is the longest of these names that a module lies under.
LAYERS = (
    {"errors"},
    {"private_files", "threads", "limits"},
    {"matrix.foreign", "jit", "plain_text", "engines.cuda.runtime.source"},
    {"arguments"},
    {"matrix", "notebook", "engines.common.pairwise_sum", "engines.cuda.runtime.structs"},
    {"engines.common.brandes", "engines.common.batch", "engines.common.decay"},
    {"engines.common.access"},
    {
        "engines.common.temporal_walks",
        "engines.common.distances",
        "engines.common.sums",
        "engines.common.batch_overlap",
    },
    {"engines.common.base"},
    {"engines.common.batching", "engines.cpu.common", "engines.cuda.runtime"},
    {"engines.cuda.common"},
    {"engines.cuda.prepare"},
    {"engines.cuda.sssp", "engines.cuda.msbfs", "engines.cuda.brandes_batch"},
    {"engines.cuda.brandes_source", "engines.cuda.brandes_weighted", "engines.cuda.high_diameter"},
    {"engines.cuda.chains"},
    {"engines.cpu.brandes", "engines.cpu.msbfs", "engines.cpu.double_edge_swaps"},
    {"engines.cpu.sssp"},
    {"engines.cpu.brandes_weighted"},
    {"engines.cpu.chains", "engines.cpu.node_sets", "engines.cpu.temporal_walks"},
    {"engines.cpu"},
    {"engines.cuda.path_samples", "engines.cuda.temporal_walks"},
    {"engines.cuda.kernel_table"},
    {"engines.cuda.engine", "engines.reference"},
    {"engines.devices"},
    {"reduce"},
    {"sweep"},
    {"measures"},
    {"estimates"},
    {"communities", "null_models"},
    {"explaining"},
    {"io"},
    {"streets", "temporal"},
    {"datasets", "frames", "networkx", "reports", "testing"},
    {""},
    {"cli"},
    {"__main__"},
)
HEIGHTS = {part: height for height, row in enumerate(LAYERS) for part in row}
KERNEL = re.compile(r"sparsebc\.engines\.(cpu|cuda|reference)\b")
GPU_LIBRARIES = {"cupy", "cupyx", "cupy_backends"}


def dotted(path):
    """Name of a module within the package: "engines.cpu.engine", "" for the package itself."""
    steps = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(step for step in steps if step != "__init__")


def part(name):
    """The part of the package that a dotted name lies under, None if it is in no part."""
    steps = name.split(".")
    longer_first = (".".join(steps[:count]) for count in range(len(steps), 0, -1))
    return next((prefix for prefix in longer_first if prefix in HEIGHTS), None)


@functools.cache
def imported(path):
    """Absolute dotted names of all that a module imports, wherever in the file."""
    package = ("sparsebc", *path.relative_to(PACKAGE).parts[:-1])
    names = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            base = (*above, *(node.module.split(".") if node.module else ()))
            names += [".".join((*base, alias.name)) for alias in node.names]
    return names


def parts_imported(path):
    """Parts of the package that a module imports; a name of the package itself counts as ""."""
    for name in imported(path):
        package, _, rest = name.partition(".")
        if package == "sparsebc":
            yield part(rest) if part(rest) is not None else ""


def test_imports_go_down():
    """Every module is in the table, and imports what lies lower or is its own part."""
    wrong = []
    for path in MODULES:
        own, others = part(dotted(path)) if dotted(path) else "", {*parts_imported(path)}
        if own is None and (path.name != "__init__.py" or others):  # a package between the parts
            wrong.append(f"{path} is in no layer")
        elif own is not None:
            above = [other for other in others - {own} if HEIGHTS[other] >= HEIGHTS[own]]
            wrong += [f"{path} imports {other}" for other in above]
    assert wrong == []


def test_the_table_holds_no_ghosts():
    """Every part is there; what the test above reads of imports is what they are."""
    names = {dotted(path) for path in MODULES}
    for one in HEIGHTS:
        assert any(name == one or name.startswith(f"{one}.") for name in names), one
    edges = {(part(dotted(path)), other) for path in MODULES for other in parts_imported(path)}
    for edge in (
        ("cli", ""),
        ("sweep", "reduce"),
        ("engines.devices", "engines.cuda.engine"),  # in a function
        ("engines.cuda.msbfs", "engines.cuda.runtime"),  # from two folders up
        ("engines.common.base", "matrix"),
    ):
        assert edge in edges
    lower = {(one, other) for one, other in edges if one and HEIGHTS[other] < HEIGHTS[one]}
    assert len(lower) >= len(HEIGHTS) - 4  # all but the lowest parts


def test_no_circles():
    """Nor do modules of one part import each other in a circle, wherever in the file."""
    modules = {dotted(path): path for path in MODULES}
    imports = {}
    for name, path in modules.items():
        reached = {
            other.removeprefix("sparsebc.")
            for other in imported(path)
            if other.startswith("sparsebc.")
        }
        # `from package import name` reads as package.name: a module, or a name of the package.
        known = {other if other in modules else other.rpartition(".")[0] for other in reached}
        imports[name] = {other for other in known if other in modules and other not in ("", name)}
    assert imports["sweep.sum"] >= {"sweep.window", "reduce.reduce"}
    graphlib.TopologicalSorter(imports).prepare()


# Modules that compile kernels ahead, or tell where these are kept.
COMPILERS = {"cli.info", "cli.precompile"}
# Applications with a kernel of their own.
APART = {"null_models.null_graphs", "streets.dual"}
# What has kernels: the engines, and networks in time beside them.
WITH_KERNELS = ("engines", "temporal")


def test_kernels_are_reached_by_the_tables():
    """Above the engines nobody knows a kernel but those of `APART`: there are tables."""
    above = (path for path in MODULES if not dotted(path).startswith(WITH_KERNELS))
    assert {
        dotted(path) for path in above if any(map(KERNEL.match, imported(path)))
    } == COMPILERS | APART


def test_no_rule_asks_how_much_memory_there_is():
    """Those of kernels and reductions fix the bits: engines alone ask, for the plan of workers."""
    questions = {"memGetInfo", "totalGlobalMem", "free_memory", "cpu_count", "sched_getaffinity"}
    asking = {
        dotted(path)
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, ast.Attribute | ast.Constant)
        and questions & {getattr(node, "attr", None), str(getattr(node, "value", None))}
    }
    engines = {f"engines.{name}.engine" for name in ("cpu", "cuda", "reference")}
    known = engines | {"engines.reference.elementwise", "engines.reference.updates"}
    assert {name for name in asking if name.startswith(("engines", "reduce", "matrix"))} <= known


def test_only_the_gpu_engines_know_its_libraries():
    """CuPy is imported by the engines on it, where GPUs are found, and by readers of tensors."""
    known = ("engines.cuda", "engines.reference.elementwise", "engines.devices")
    known += ("matrix.foreign",)
    others = (path for path in MODULES if not dotted(path).startswith(known))
    assert [
        path for path in others if GPU_LIBRARIES & {name.split(".")[0] for name in imported(path)}
    ] == []
