"""What is said about installing holds from a clone and from a package index alike."""

import re
import tomllib
from pathlib import Path

import pytest

import sparsebc

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
REQUIREMENTS = [*PROJECT["dependencies"], *(one for extra in EXTRAS.values() for one in extra)]
README = (ROOT / "README.md").read_text()


def blocks(language):
    """Code of README.md in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("requirement", sorted(set(REQUIREMENTS)))
def test_every_requirement_has_a_lowest_version(requirement):
    """The same one wherever it is asked for; CI installs and tests the lowest."""
    assert re.fullmatch(r"[\w.-]+(\[\w+\])?>=[\d.]+", requirement)
    name = requirement.partition(">=")[0]
    assert {other for other in REQUIREMENTS if other.partition(">=")[0] == name} == {requirement}


def test_messages_name_a_command_that_works_anywhere():
    """It installs what is missing, and not this package again, which may be on no index."""
    named = {requirement.partition(">=")[0] for requirement in REQUIREMENTS}
    found = [
        command
        for file in (ROOT / "sparsebc").rglob("*.py")
        for command in re.findall(r"(?:[\w-]+ -m )?pip install [\"']?[\w.\[\]-]+", file.read_text())
    ]
    assert len(found) >= 3  # CuPy, Matplotlib, Hypothesis
    for command in found:
        start, _, what = command.partition("pip install ")
        assert start == "python -m "
        assert what.strip("\"'") in named


def test_readme_links_hold_on_an_index():
    """Where there is no tree beside it, a picture is its words."""
    targets = re.findall(r"(?<!!)\[[^]]*\]\(([^)]*)\)", README)
    assert targets
    assert all(target.startswith("https://") for target in [*targets, *PROJECT["urls"].values()])
    for words, picture in re.findall(r"!\[([^]]*)\]\(([^)]*)\)", README):
        assert len(words) > 100
        assert (ROOT / picture).is_file()


def test_readme_installs_in_two_commands():
    """Those that .ci/run takes out of it: a line each, alone from a fresh clone."""
    first, second = blocks("sh")
    assert all(block.count("\n") == 1 for block in (first, second))
    assert all(block.startswith("python3 -m venv .venv && ") for block in (first, second))
    assert "pytest" in second


def test_readme_examples_run(tmp_path, monkeypatch, capsys):
    """In Python and in NetworkX, as they stand."""
    example, in_networkx = blocks("python")
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    assert len(capsys.readouterr().out.splitlines()) == 10
    assert (tmp_path / "scores.csv").read_text().startswith("node,betweenness")
    served: dict = {}
    exec(in_networkx, served)
    assert max(served["scores"], key=served["scores"].get) == 0


def test_readme_names_what_is_there():
    """Every name of the package in the table."""
    names = re.findall(r"^\| `sparsebc\.(\w+)`", README, re.MULTILINE)
    assert len(names) >= 10
    for name in names:
        assert getattr(sparsebc, name)


def test_one_version_is_told():
    """By the citation as by the package, and the Pythons that it is tested on."""
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {PROJECT['version']}\n" in citation
    lowest = PROJECT["requires-python"].removeprefix(">=")
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert pythons[0] == lowest
    for version in pythons[1:]:
        assert version in (ROOT / ".ci" / "run").read_text()
