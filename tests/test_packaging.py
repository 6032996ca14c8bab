"""What is said about installing holds from a clone and from a package index alike."""

import re
import runpy
import tomllib
from pathlib import Path

import yaml

from sparsebc.sweep.checkpoint import PLAN

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
REQUIREMENTS = [*PROJECT["dependencies"], *(one for extra in EXTRAS.values() for one in extra)]
README = (ROOT / "README.md").read_text()
STABILITY = ROOT / "docs" / "stability.rst"
VERSION = runpy.run_path(str(ROOT / ".ci" / "version.py"))


def test_the_example_of_readme_runs(capsys):
    """As it stands, and prints what it says."""
    example = re.search(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)[1]
    exec(example, {})
    assert capsys.readouterr().out.strip() == example.rpartition("# ")[2].strip()


def test_one_version_is_told():
    """By all that repeats it, a tag as well; one that differs is told by name."""
    version = PROJECT["version"]
    assert VERSION["differences"](f"v{version}") == (version, [])
    assert VERSION["differences"]("v0.9") == (version, ["the tag says 0.9"])


def test_the_plan_of_this_release_is_told():
    """In the table of which releases share bits, whose last row it is."""
    rows = re.findall(r"^(\d+\.\d+\.\d+) +(\d+) ", STABILITY.read_text(), re.MULTILINE)
    assert rows[-1] == (PROJECT["version"], str(PLAN))


def test_lowest_versions_are_told():
    """In the table of stability, and in the recipe for conda, which asks for the same packages."""
    text = STABILITY.read_text()
    for name in ("NumPy", "SciPy", "Numba", "NetworkX"):
        told = re.search(rf"^{name} +([\d.]+)", text, re.MULTILINE)[1]
        (asked,) = {one for one in REQUIREMENTS if one.startswith(f"{name.lower()}>=")}
        assert told.removesuffix(".0") == re.split(">=|,", asked)[1]
    assert re.search(r"^Python +([\d.]+)", text, re.MULTILINE)[1] in PROJECT["requires-python"]
    recipe = yaml.safe_load((ROOT / ".conda" / "recipe.yaml").read_text())
    python, *others = recipe["requirements"]["run"]
    assert python.replace(" ", "") == f"python{PROJECT['requires-python']}"
    assert sorted(one.replace(" ", "") for one in others) == sorted(PROJECT["dependencies"])
    scripts = [f"{name} = {place}" for name, place in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == scripts
