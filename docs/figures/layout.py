"""The packages and what each imports, from the sources; arrows that others imply are left out."""

import ast
from pathlib import Path

import matplotlib.pyplot as plt

import sparsebc

PACKAGE = Path(sparsebc.__file__).parent
# Place of each part, and what it is for; arrows are found, and must lead down.
PARTS = {
    "cli": (0, 9.4, "the command line"),
    "networkx": (-4.2, 9.1, "a backend of NetworkX"),
    "streets": (0, 7.3, "cities in, scores back; turns"),
    "temporal": (4.2, 7.3, "walks along contacts"),
    "datasets": (4.2, 8.1, "networks to try"),
    "testing": (4.2, 8.9, "strategies and oracles"),
    "explaining": (-4.2, 8.3, "the plan of a call"),
    "estimates": (-6.3, 7.6, "to a stated error"),
    "null_models": (-2.1, 7.6, "beside random networks"),
    "communities": (0, 8.1, "partitions, dismantling"),
    "reports": (0, 8.5, "pages to look at"),
    "measures": (-4.2, 7, "one public function each"),
    "io": (4.2, 6, "files and data frames"),
    "sweep": (-4.2, 6, "blocks, workers, memory; the ordered sum"),
    "reduce": (-4.2, 3, "trees, blocks, twins, chains"),
    "engines.devices": (2.1, 5, "which engine computes"),
    "engines.reference": (4.2, 4, "the algebra, on SciPy and CuPy"),
    "engines.cuda": (0, 3, "CUDA C++: batches by levels, block a source"),
    "engines.cpu": (4.2, 2, "Numba: SIMD rows, queues, MS-BFS"),
    "engines.common": (0, 1, "tasks, kernels, batches, sums"),
    "matrix": (-4.2, 0, "CSR, lengths; the door for input"),
}
WIDE, HIGH = 3.8, 0.62


def part(name):
    """Longest part that a dotted name below the package lies in; the package offers measures."""
    if "." not in name and name not in PARTS and not (PACKAGE / f"{name}.py").exists():
        return "measures"
    return next((one for one in PARTS if f"{name}.".startswith(f"{one}.")), None)


def imports(path):
    """Dotted names below the package that a file imports."""
    package = path.relative_to(PACKAGE).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = (*package[: len(package) + 1 - node.level], *(node.module or "").split("."))
            yield from (".".join(filter(None, (*base, alias.name))) for alias in node.names)


below = {one: set() for one in PARTS}
for path in PACKAGE.rglob("*/*.py"):
    own = part(".".join(path.relative_to(PACKAGE).with_suffix("").parts))
    if own:
        below[own] |= {part(name) for name in imports(path)} - {None, own}


def beneath(one):
    """All parts that one rests on, directly or not."""
    return below[one].union(*map(beneath, below[one]))


arrows = [
    (one, other)
    for one in PARTS
    for other in below[one]
    if not any(other in beneath(third) for third in below[one])
]

figure, axes = plt.subplots(figsize=(9.6, 8.2), layout="constrained")
frame = {"facecolor": "#eef3f8", "edgecolor": "none", "zorder": 0}
axes.add_patch(plt.Rectangle((-2.1, 0.55), 8.4, 4.9, **frame))
axes.text(6.1, 5.2, "engines", ha="right", va="center", style="italic", color="#4477aa")
for one, other in arrows:
    (x, y), (x_other, y_other) = PARTS[one][:2], PARTS[other][:2]
    assert y > y_other, f"{one} imports {other}"
    axes.annotate(
        "",
        (x_other + (x - x_other) / 6, y_other + HIGH / 2),
        (x + (x_other - x) / 6, y - HIGH / 2),
        arrowprops={"arrowstyle": "-|>", "color": "#888888", "linewidth": 1.3},
    )
for one, (x, y, purpose) in PARTS.items():
    colour = "#4477aa" if one.startswith("engines.") else "#555555"
    axes.add_patch(
        plt.Rectangle((x - WIDE / 2, y - HIGH / 2), WIDE, HIGH, facecolor="white", edgecolor=colour)
    )
    name = one.replace(".", "/")
    axes.text(x, y + 0.12, name, ha="center", va="center", weight="bold", color=colour)
    axes.text(x, y - 0.15, purpose, ha="center", va="center", size=7.5)
axes.set(xlim=(-6.4, 6.4), ylim=(-0.5, 10))
axes.set_axis_off()
