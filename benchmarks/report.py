"""Measure the speed of a report: seconds to write and to open, and latency in a browser.

Headless Chromium draws without a GPU: the slow case. A step is fluent with a latency of at most
0.1 s; frames while a plot is moved are reported by their median.
"""

import itertools
import os
import tempfile
import time
from pathlib import Path

import numpy as np

import sparsebc

from . import browser, graphs, suite

# Actions, timed in milliseconds from each to the frame after the one that shows it.
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
}
# Mouse movements over a plot, timed in milliseconds between frames.
MOVES = ("hover", "drag")
PLOTS = ("scatter-nodes-0", "network")
FRAMES = """
window.frames = []
let last = performance.now()
const tick = (now) => {
  frames.push(now - last)
  last = now
  window.ticking = requestAnimationFrame(tick)
}
window.ticking = requestAnimationFrame(tick)
"""
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


def page(path, nodes, *, mapped):
    """Write the report of a random graph, or of a mesh with a map; JSON fields about it."""
    side = round(nodes**0.5)
    matrix = graphs.mesh(side, side) if mapped else graphs.ba(nodes, 4)
    n = matrix.shape[0]
    scores = sparsebc.betweenness(matrix, directed=False, k=min(300, n), rng=1, device="cpu")
    names = [f"{'CROSSING' if mapped else 'GENE'}{v}" for v in range(n)]
    grid = np.column_stack((np.arange(n) % side, np.arange(n) // side)) if mapped else None
    start = time.perf_counter()
    sparsebc.report(path, matrix, names, {"betweenness": scores}, directed=False, positions=grid)
    return {
        **{"graph": "mesh" if mapped else "scale-free", "nodes": n, "edges": matrix.nnz // 2},
        **{"seconds_to_write": time.perf_counter() - start, "bytes": path.stat().st_size},
    }


def measure(path):
    """Seconds to open a page, and milliseconds of each step."""
    start = time.perf_counter()
    with browser.opened(path) as shown:
        opened = time.perf_counter() - start
        shown.set_script_timeout(300)
        steps = {}
        for name, code in STEPS.items():
            times = shown.execute_async_script(TIMED % code)
            if isinstance(times, str):
                raise RuntimeError(f"{name}: {times}")
            steps[name] = times
        for name, plot in itertools.product(MOVES, PLOTS):
            if shown.execute_script("return !!model(arguments[0])", plot):
                steps[f"{name} {plot}"] = _frames(shown, plot, drag=name == "drag")
        return {"seconds_to_open": opened, "milliseconds": steps}


def _frames(shown, plot, *, drag):
    """Milliseconds between frames while the mouse takes 30 steps over a plot."""
    from selenium.webdriver.common.actions.action_builder import ActionBuilder

    x, y = map(int, shown.execute_script("return middle(arguments[0])", plot))
    way = ActionBuilder(shown, duration=16)
    way.pointer_action.move_to_location(x, y)
    if drag:
        way.pointer_action.pointer_down()
    for step in range(1, 31):
        way.pointer_action.move_to_location(x + 4 * step, y + 2 * step)
    if drag:
        way.pointer_action.pointer_up()
    shown.execute_script(FRAMES)
    way.perform()
    return shown.execute_script("cancelAnimationFrame(ticking); return frames.slice(1)")


@suite.benchmark(
    nodes=20_000,
    line=lambda row: row | {step: np.median(ms) for step, ms in row["milliseconds"].items()},
)
def main(options):
    """Yield a JSON row of a page without a map, and of one with it."""
    if None in browser.programs():
        raise SystemExit("chromium and chromedriver are not there: install chromium and its driver")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        for mapped in (False, True):
            yield page(path, options.nodes, mapped=mapped) | measure(path)
    yield "about", {"load": os.getloadavg()[0]}  # a browser has the cores that others leave


if __name__ == "__main__":
    main()
