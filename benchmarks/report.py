"""Measure how fast a report is: how long to write and to open, and how fluent in a browser.

Headless Chromium draws without a GPU, so that what is measured is the slow case. A step is fluent
where the answer comes within 0.1 s; frames while a plot is moved are told by their median.
"""

import argparse
import datetime
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import sparsebc

from . import browser, graphs, runner
from .__main__ import RESULTS

# Milliseconds from an action to the frame after the one that shows it, or between frames.
STEPS = {
    "search": """
        const input = find("input.bk-input"), queries = ["7", "77", "777", "77", "7", ""]
        for (const query of queries) {
          input.value = query
          await timed(() => input.dispatchEvent(new Event("input")))
        }""",
    "sort": """
        const heads = find(".slick-header-columns").querySelectorAll(".slick-header-column")
        for (const k of [1, 2, 3, 0, 2, 1]) await timed(() => heads[k].click())""",
    "pick": """
        const {selected} = model("table-nodes").source
        for (const k of [5, 50, 500, 5000, 7, 0]) await timed(() => { selected.indices = [k] })
        await timed(() => { selected.indices = [] })""",
    "scroll": """
        const view = find(".slick-viewport")
        for (let k = 1; k <= 20; k++) await timed(() => { view.scrollTop = k * 5000 })""",
    "pan": """
        const {x_range} = model(PLOT)
        const {start, end} = x_range
        for (let k = 1; k <= 20; k++) {
          const factor = 1 + k / 100
          await timed(() => x_range.setv({start: start * factor, end: end * factor}))
        }
        x_range.setv({start, end})""",
}
TIMED = """
const done = arguments[arguments.length - 1], times = []
const frame = () => new Promise(requestAnimationFrame)
const timed = async (act) => {
  const start = performance.now()
  act()
  await frame()
  await frame()
  times.push(performance.now() - start)
}
const step = async () => {%s}
step().then(() => done(times), (error) => done(String(error)))
"""


def page(path, nodes):
    """Write a report with a map of a graph of Barabasi and Albert; seconds, bytes, edges."""
    matrix = graphs.ba(nodes, 4)
    scores = sparsebc.betweenness(matrix, directed=False, k=min(300, nodes), rng=1, device="cpu")
    names = [f"GENE{v}" for v in range(nodes)]
    places = np.random.default_rng(0).random((nodes, 2))
    start = time.perf_counter()
    sparsebc.report(
        path, matrix, names, {"betweenness": scores}, directed=False, positions=places
    )
    spent = time.perf_counter() - start
    return {
        **{"nodes": nodes, "edges": matrix.nnz // 2},
        **{"seconds_to_write": spent, "bytes": path.stat().st_size},
    }


def measure(path):
    """Seconds to open a page, and milliseconds of each step."""
    start = time.perf_counter()
    with browser.opened(path) as shown:
        opened = time.perf_counter() - start
        shown.set_script_timeout(300)
        steps = {}
        for name, code in STEPS.items():
            plots = ("scatter-nodes-0", "network") if name == "pan" else ("",)
            for plot in plots:
                shown.execute_script("window.PLOT = arguments[0]", plot)
                title = f"{name} {plot}".strip()
                times = shown.execute_async_script(TIMED % code)
                if isinstance(times, str):
                    raise RuntimeError(f"{title}: {times}")
                steps[title] = times
        return {"seconds_to_open": opened, "milliseconds": steps}


def main(arguments=None):
    """Write a page, measure it, print a line each, write the JSON file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    if None in browser.programs():
        parser.error("chromium and chromedriver are not there: install chromium and its driver")
    today = datetime.datetime.now(datetime.UTC)
    output = options.output or RESULTS / f"report-{today:%Y-%m-%d}.json"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        row = page(path, options.nodes) | measure(path)
    print(
        f"{row['nodes']} nodes, {row['edges']} edges: written in {row['seconds_to_write']:.2f} s, "
        f"{row['bytes'] / 1e6:.1f} MB, opened in {row['seconds_to_open']:.2f} s"
    )
    for name, times in row["milliseconds"].items():
        print(f"{name:<24}{statistics.median(times):>7.0f} ms, longest {max(times):.0f} ms")
    record = {
        "date": today.isoformat(timespec="seconds"),
        "command": runner.command(
            "benchmarks.report", sys.argv[1:] if arguments is None else arguments
        ),
        "machine": runner.machine(),
        "cases": [row],
    }
    output.write_text(json.dumps(record, indent=1) + "\n")
    print(f"written: {output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
