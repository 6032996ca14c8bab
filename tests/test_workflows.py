"""Files for a host of the project: their steps are commands that work here, those of .ci/run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".github"
if not FOLDER.is_dir():
    pytest.skip("a source distribution has no .github", allow_module_level=True)
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text()) for path in (FOLDER / "workflows").iterdir()
}
STEPS = [
    (name, job, step)
    for name, workflow in WORKFLOWS.items()
    for job in workflow["jobs"].values()
    for step in job["steps"]
]
COMMANDS = {step["name"]: step["run"] for _, _, step in STEPS if "run" in step}
PROJECT_VERSION = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
CI = (ROOT / ".ci" / "run").read_text()


def test_what_is_there():
    assert set(WORKFLOWS) == {"docs", "nightly", "release", "tests"}
    matrix = WORKFLOWS["tests"]["jobs"]["readme"]["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["os"]} == {"macos", "ubuntu", "windows"}
    classifiers = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text())
    assert matrix["python"] == classifiers


@pytest.mark.parametrize(("workflow", "job", "step"), STEPS)
def test_steps(workflow, job, step):
    """An action is one of a known owner in an exact version; a command is one that bash reads."""
    assert 0 < job["timeout-minutes"] <= 120
    if "uses" in step:
        assert re.fullmatch(r"(actions|pypa)/[\w-]+@v\d+\.\d+\.\d+", step["uses"])
    else:
        subprocess.run(["bash", "-n", "-c", step["run"]], check=True)
        for script in re.findall(r"\.ci/[\w.]+", step["run"]):
            assert (ROOT / script).is_file()
            if re.search(rf"(?m)^{re.escape(script)}", step["run"]):
                assert os.access(ROOT / script, os.X_OK)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_tokens_can_do_little(name):
    """Only the jobs that publish or attest may write, and only what that takes."""
    workflow = WORKFLOWS[name]
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        writes = {key for key, level in job.get("permissions", {}).items() if level == "write"}
        assert writes <= ({"attestations", "id-token"} if name == "release" else set())


def test_no_host_is_named():
    """Nor an address, nor a secret: there is none yet, and trusted publishing needs none."""
    for path in [*FOLDER.rglob("*.yml"), *FOLDER.rglob("*.md"), ROOT / ".conda" / "recipe.yaml"]:
        text = path.read_text()
        assert not re.search(r"https?://|secrets\.|password|[\w.]+@[\w-]+\.(?:com|org|io)", text), (
            path
        )


def test_links_of_the_community_files():
    for path in FOLDER.glob("*.md"):
        for target in re.findall(r"\]\(([^)]*)\)", path.read_text()):
            assert (FOLDER / target).is_file(), target


def test_issue_forms():
    """What their host asks of a form: a name, a description, and fields with labels."""
    forms = [path for path in (FOLDER / "ISSUE_TEMPLATE").iterdir() if path.stem != "config"]
    assert len(forms) == 2
    for form in map(yaml.safe_load, (path.read_text() for path in forms)):
        assert {"name", "description", "body"} <= form.keys()
        ids = [field["id"] for field in form["body"]]
        assert len(set(ids)) == len(ids)
        assert all(field["attributes"]["label"] for field in form["body"])


def step(name, **environment):
    """What a step of that name does in this tree, with this Python first on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = os.environ | {"PATH": path} | environment
    command = ["bash", "-euo", "pipefail", "-c", COMMANDS[name]]
    return subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True)


def test_a_tag_is_compared():
    """As the release does it."""
    done = step("One version everywhere", GITHUB_REF_NAME=f"v{PROJECT_VERSION}")
    assert (done.returncode, done.stdout.strip()) == (0, PROJECT_VERSION)
    done = step("One version everywhere", GITHUB_REF_NAME="v0.0.1")
    assert done.returncode == 1
    assert "the tag says 0.0.1, pyproject.toml" in done.stderr


def test_steps_that_ci_runs():
    """The pages, README's commands and the rest are those of .ci/run, to the letter."""
    pages = WORKFLOWS["docs"]["jobs"]["pages"]["steps"]
    (build,) = (step["run"] for step in pages if "sphinx" in step.get("run", ""))
    assert build.removeprefix("python") in CI
    for number, name in enumerate(("first", "second"), start=1):
        command = f".ci/readme.py {number}"
        assert COMMANDS[f"The {name} command of README"].startswith(f"python {command} |")
        assert f"$(python3 {command})" in CI


@pytest.mark.slow
def test_a_release_is_built_and_tried(tmp_path):
    """In an environment of its own, which needs a package index: both files, and what they hold."""
    copy = tmp_path / "tree"
    subprocess.run(["git", "clone", "-q", ROOT, copy], check=True)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    path = f"{tmp_path / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    release = WORKFLOWS["release"]["jobs"]["build"]["steps"]
    for command in (step["run"] for step in release if "run" in step):
        subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=copy,
            check=True,
            env=os.environ | {"PATH": path, "GITHUB_REF_NAME": f"v{PROJECT_VERSION}"},
        )
    assert sorted(file.name for file in (copy / "dist").iterdir()) == [
        f"sparsebc-{PROJECT_VERSION}-py3-none-any.whl",
        f"sparsebc-{PROJECT_VERSION}.tar.gz",
    ]
