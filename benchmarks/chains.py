"""Count what chains of nodes of degree 2 save, by kind of question, in sweeps of a source.

No sweep is made. An undirected graph is asked for betweenness, whose trees and blocks go first, for
stress, whose trees do, and within a cutoff or with weights that are not whole, where nothing does:
how many of the sources are ends of chains, what they cost by the count of `reduce.chains`,
and whether they are left to their ends. Of a directed graph, which has no such reduction, those
that it would save: sources with two neighbours, one way from one to the other, or both with each.
"""

import numpy as np
from scipy import sparse

from sparsebc.graph.ops import GraphOps
from sparsebc.graph.read_matrix import canonical
from sparsebc.reduce import chains, reduce

from . import graphs, suite

KINDS = {
    "betweenness": {"trees", "blocks"},
    "stress": {"trees"},
    "cutoff, real weights": set(),
}


def left(graph, reductions):
    """The problem that some reductions leave, and its sources as a mask."""
    everyone = np.ones(graph.n, dtype=bool)
    problem = reduce.reduced(graph, everyone, everyone, reductions)
    sources = np.zeros(problem.graph.n, dtype=np.int64)
    sources[problem.sources] = 1
    return problem, sources


def ends(graph, reductions):
    """Ends of chains among the sources that some reductions leave, and what they cost."""
    problem, sources = left(graph, reductions)
    used = chains.find(problem.graph, sources) is not None
    is_end, batches = chains.find(problem.graph, sources, chains.CPU._replace(most=np.inf))
    count, of_ends = max(int(sources.sum()), 1), int(np.count_nonzero(is_end))
    others, arms = (
        sum(one.others.size for one in batches),
        sum(one.arms.near.size for one in batches),
    )
    cost = chains.cost(chains.CPU, of_ends, others, arms)
    return {"sources": count, "ends": of_ends, "cost": cost / count, "used": used}


def ways(graph):
    """Sources of a directed graph between two neighbours, by the arcs that join them."""
    problem, sources = left(graph, {"blocks"})
    core = problem.graph
    out = core.outgoing.matrix(np.ones(core.arcs, dtype=np.int8))
    both = sparse.csr_array(out + out.T)
    between_two = (np.diff(both.indptr) == 2) & (sources > 0)
    leaving, arriving = core.outgoing.degrees, core.incoming.degrees
    one_way = between_two & (leaving == 1) & (arriving == 1)
    two_way = between_two & (leaving == 2) & (arriving == 2)
    count = max(int(sources.sum()), 1)
    inner = int(np.count_nonzero(one_way | two_way))
    return {
        "sources": count,
        "one way": int(np.count_nonzero(one_way)),
        "two ways": int(np.count_nonzero(two_way)),
        "left": 1 - inner / count,
    }


def measure(name, options):
    """Yield the JSON rows of one graph."""
    case = suite.load(name, options.folder)
    graph = canonical(case.A, directed=case.directed, ops_for=lambda entries: GraphOps())
    if not graph.symmetric:
        yield {"graph": name, "asked": "directed", **ways(graph)}
        return
    for kind, reductions in KINDS.items():
        yield {"graph": name, "asked": kind, **ends(graph, reductions)}


def line(row):
    """Graph, question, and all that was counted."""
    told = (f"{name} {value:.6g}" for name, value in list(row.items())[2:])
    return f"{row['graph']:<32}{row['asked']:<22}{', '.join(told)}"


def main(arguments=None):
    """Count on the cases, print a line each, and write the JSON file."""
    parser = suite.parser("chains", __doc__, cases=())
    options = suite.parse(parser, arguments)
    if not options.cases and options.folder is None:
        parser.error("give --cases, --folder or both")
    names = options.cases or graphs.from_folder(options.folder)
    rows = (row for name in names for row in measure(name, options))
    suite.keep(suite.record(options, arguments), rows, line)


if __name__ == "__main__":
    main()
