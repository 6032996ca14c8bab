"""All that the comparison page says of this package is held by a test that exists."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "comparison.md").read_text()
ANSWERS = {"yes", "no", "part", "?"}
PAPERS = ["gpu-fan", "weighted GPU", "cuRnet", "first GPU", "TurboBC"]
LIBRARIES = ["NetworkX", "igraph", "networkit", "graph-tool", "cuGraph"]
HELD_BY = {
    "betweenness of nodes": "test_conformance.py::test_answers_are_right",
    "betweenness of edges": "test_conformance.py::test_answers_are_right",
    "weighted betweenness": "test_conformance.py::test_answers_are_right",
    "weighted betweenness of edges": "test_conformance.py::test_answers_are_right",
    "directed graphs": "test_traps.py::test_asymmetric_digraph",
    "stress": "test_conformance.py::test_answers_are_right",
    "closeness, eccentricity": "test_conformance.py::test_answers_are_right",
    "harmonic centrality": "test_conformance.py::test_answers_are_right",
    "several measures at once, one traversal for paths, one for distances": (
        "test_stress.py::test_all_at_once_equals_one_by_one"
    ),
    "levels of a search, many sources": "test_conformance.py::test_answers_are_right",
    "distances and predecessors": "test_conformance.py::test_answers_are_right",
    "strong components": "test_traversal.py::test_components_as_scipy_numbers_them",
    "names in data frames and csv": "test_frames.py::test_frames_of_every_kind",
    "estimates from sampled sources": "test_betweenness.py::test_equals_networkx",
    "adaptive sampling for chosen nodes": "test_adaptive.py::test_adaptive_gathers_enough",
    "error bounds that hold": "test_approximation.py::test_coverage",
    "many sources at once": "test_traps.py::test_one_batch_is_many",
    "memory without an n x n array": (
        "test_run_options.py::test_a_budget_that_fits_nothing_says_what_would"
    ),
    "path counts beyond floats": "test_extended.py::test_grid_600_by_600",
    "the same bits on every run": "test_laws.py::test_no_run_option_changes_a_bit",
    "runs without a GPU": "test_betweenness.py::test_equals_networkx_over_several_groups",
    "ties of float lengths by a stated rule": "test_weighted_traps.py::test_sums_of_floats_tie",
    "endpoints": "test_betweenness.py::test_star_table_of_networkx",
    "pairs from sources to targets": "test_betweenness.py::test_equals_networkx_between_subsets",
    "error bounds, undirected": "test_approximation.py::test_coverage",
    "error bounds, directed": "test_approximation.py::test_bounds_hold_with_few_samples",
    "bounds for each node, not one for all": (
        "test_approximation.py::test_bounds_hold_with_few_samples"
    ),
    "exact ranking of the best": "test_approximation.py::test_certain_positions",
    "closeness, harmonic centrality": "test_weighted_distances.py::test_beside_networkx",
    "eccentricity, disconnected too": "test_conformance.py::test_answers_are_right",
    "SciPy sparse arrays as they are": "test_inputs.py::test_bare_csr_arrays",
    "CuPy in, CuPy out": "test_gpu.py::test_cupy_in_cupy_out",
    "betweenness on all cores": "test_laws.py::test_no_run_option_changes_a_bit",
    "betweenness on a GPU": "test_kernel_sources.py::test_nvcc_compiles_the_sources_alone",
    "the same bits for any number of threads": "test_laws.py::test_no_run_option_changes_a_bit",
    "memory budget": "test_run_options.py::test_a_budget_that_fits_nothing_says_what_would",
    "progress": "test_run_options.py::test_progress_counts_up_to_the_total",
    "Ctrl-C stops it": "test_run_options.py::test_control_c",
    "command line": "test_cli.py::test_karate",
    "pairs that count by weights of sources and targets": (
        "test_conformance.py::test_answers_are_right"
    ),
    "percolation": "test_conformance.py::test_answers_are_right",
    "group betweenness": "test_conformance.py::test_answers_are_right",
    "a prominent group, with a bound of the graph at hand": (
        "test_groups.py::test_greedy_by_the_definition"
    ),
    "communities of Girvan and Newman": "test_communities.py::test_equals_networkx",
    "dismantling": "test_dismantle.py::test_equals_recomputing_by_the_definition",
    "betweenness of paths up to a length (`cutoff`)": "test_conformance.py::test_answers_are_right",
    "several such lengths from one traversal": "test_cutoff.py::test_columns_are_single_calls",
    "several machines": "test_clusters.py::test_hosts_without_the_files",
    "files of GraphML and GML": "test_io_graphs.py::test_what_networkx_writes",
    "several GPUs": "test_devices.py::test_the_bits_of_one",
}


def tables():
    """Titles and rows of each table."""
    for block in re.findall(r"(?:^\|.*\|\n)+", PAGE, re.MULTILINE):
        titles, _, *rows = (
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in block.strip().splitlines()
        )
        yield titles, rows


ROWS = [(titles, row) for titles, rows in tables() for row in rows]


def functions(file):
    """Tests that a file defines."""
    tree = ast.parse((TESTS / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_the_systems_are_all_there():
    """The five papers and the five libraries, ours beside them."""
    first, second = (titles for titles, _ in tables())
    assert first == ["capability", *PAPERS, "sparsebc"]
    assert second == ["capability", *LIBRARIES, "sparsebc"]


@pytest.mark.parametrize(("titles", "row"), ROWS, ids=[row[0] for _, row in ROWS])
def test_a_test_for_every_capability(titles, row):
    """What we say we do, a test of that name holds; what we do not do has none."""
    capability, *answers, ours = row
    assert len(row) == len(titles)
    assert {*answers, ours} <= ANSWERS
    assert (ours == "no") == (capability not in HELD_BY)
    if capability in HELD_BY:
        file, name = HELD_BY[capability].split("::")
        assert name in functions(file)


def test_a_capability_for_every_test():
    """No row that is gone has one."""
    assert HELD_BY.keys() <= {row[0] for _, row in ROWS}


def test_whatever_others_do_is_listed_as_done_or_not():
    """No answer of ours is left open, and the five papers have nothing that we do not have."""
    (_, papers), (_, libraries) = tables()
    assert {row[-1] for row in papers} == {"yes"}
    assert {row[-1] for row in libraries} == {"yes", "no"}
