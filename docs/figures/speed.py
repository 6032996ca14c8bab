"""Exact betweenness beside other libraries; run as a script, it draws ``speed.svg`` anew."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
RESULTS = HERE.parent.parent / "benchmarks" / "results"
GRAPHS = {
    "bio-human-ppi-snap-pathways": "human proteins\n21,557 nodes, 338,636 edges",
    "bio-breast-coexpress": "co-expression\n7,819 nodes, 195,928 edges",
    "rmat-14x8": "R-MAT\n16,384 nodes, 114,078 edges",
    "road-100x100": "road grid\n9,906 nodes, 14,245 edges",
}
LIBRARIES = {
    "igraph": "#b8bcc4",
    "networkit": "#969ca8",
    "graph-tool": "#747b89",
    "sparsebc": "#1f6feb",
    "GPU": "#0b3d91",
}


def seconds():
    """Median seconds by graph and library; "GPU" is sparsebc on one H200, NaN what has none."""
    cpu, gpu = (
        {
            case["graph"]: case["results"]
            for case in json.loads(path.read_text())["cases"]
            if case["dtype"] == "float64"
        }
        for path in (RESULTS / "cpu-2026-11-22.json", RESULTS / "gpu-2026-11-24.json")
    )
    for graph in GRAPHS:
        taken = {name: result["median_seconds"] for name, result in cpu[graph].items()}
        on_gpu = gpu.get(graph, {}).get("sparsebc", {}).get("median_seconds")
        yield [(taken | {"GPU": on_gpu})[name] or np.nan for name in LIBRARIES]


def label(value):
    """Text of a time in seconds; of NaN, none."""
    return "" if np.isnan(value) else f"{value:.{2 if value < 100 else 3}g}"


def draw():
    """A bar for each library and graph, on a logarithmic axis."""
    taken = np.array(list(seconds()))
    figure, axes = plt.subplots(figsize=(8, 4.6), layout="constrained")
    height = 0.16
    for i, (name, colour) in enumerate(LIBRARIES.items()):
        where = np.arange(len(GRAPHS)) + (i - 2) * height
        shown = {"sparsebc": "sparsebc, 2 cores", "GPU": "sparsebc, one H200"}.get(name, name)
        bars = axes.barh(where, np.nan_to_num(taken[:, i]), height, color=colour, label=shown)
        texts = [label(value) for value in taken[:, i]]
        axes.bar_label(bars, texts, padding=3, fontsize=8)
    axes.set_xscale("log")
    axes.set(xlim=(0.005, 400), yticks=range(len(GRAPHS)), yticklabels=GRAPHS.values())
    axes.set_xlabel("seconds for the exact betweenness of every node")
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right", fontsize=8)
    return figure


if __name__ == "__main__":
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "speed"})
    draw().savefig(HERE.parent / "_static" / "speed.svg", metadata={"Date": None})
