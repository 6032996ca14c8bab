"""Parts of a run come to the bits of one, and those that do not belong together are refused."""

import json
import shutil

import numpy as np
import pytest
from kept import A, Stop, goes_on, refused, stopping
from test_checkpoint import ONE_MORE

from sparsebc import betweenness, compute_part, stress
from sparsebc.run import state_file


def compute(directory, of, graph=A, names=("betweenness",), numbers=None, **options):
    """Some parts of a run, the last first; the sources of each."""
    options = {"device": "cpu", **options}
    return [
        compute_part(graph, names, (number, of), checkpoint=directory, **options)
        for number in (range(of, 0, -1) if numbers is None else numbers)
    ]


def test_a_part_that_is_stopped_goes_on(tmp_path):
    """With its own progress; merging waits for it, and when it is done, it is."""
    calls = []
    with pytest.raises(Stop):
        compute(tmp_path, 2, numbers=[2], checkpoint_every=0, progress=stopping(0))
    done = state_file.header(tmp_path / "part-2-of-2")
    assert 0 < done["sources"] < done["of_sources"] < A.shape[0]
    refused(tmp_path, r"lacks part 1 of 2: run these")
    compute(tmp_path, 2, numbers=[1])
    refused(tmp_path, r"holds part 2 of 2 unfinished: wait for these")
    compute(tmp_path, 2, numbers=[2], progress=lambda *call: calls.append(call))
    assert calls[0] == (done["sources"], done["of_sources"])
    assert calls[-1] == (done["of_sources"],) * 2
    goes_on(tmp_path)


def test_the_merged_run_is_a_checkpoint(tmp_path, monkeypatch):
    """It needs its parts no more, and sweeps nothing that they have swept."""
    compute(tmp_path, 2)
    monkeypatch.setattr("sparsebc.run.sweep._sweep", lambda *_: 1 / 0)
    first = betweenness(A, device="cpu", checkpoint=tmp_path)
    for number in (1, 2):
        shutil.rmtree(tmp_path / f"part-{number}-of-2")
    again = betweenness(A, device="cpu", checkpoint=tmp_path)
    np.testing.assert_array_equal(again, first)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"endpoints": True}, "endpoints"),
        ({"device": "reference"}, "device"),
        ({"graph": ONE_MORE}, "graph"),
        ({"names": ["stress"]}, "measures"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_parts_of_another_question(tmp_path, changed, named):
    """The part and what differs are named; if all parts agree, it is the call that is to change."""
    compute(tmp_path, 2, numbers=[1])
    compute(tmp_path, 2, numbers=[2], **changed)
    with pytest.raises(ValueError, match=rf"part-2-of-2' holds another run, .* in {named}\b") as no:
        betweenness(A, device="cpu", checkpoint=tmp_path)
    assert str(no.value).endswith("): remove it, and run that part again")
    shutil.rmtree(tmp_path / "part-1-of-2")
    compute(tmp_path, 2, numbers=[1], **changed)
    refused(tmp_path, rf"part-1-of-2' .*{named} .*: use another directory, or")


def test_parts_of_gpus_and_versions(tmp_path, monkeypatch):
    """Those of one model are merged, whichever GPU they were; others are refused by name."""
    gpus = ("cuda:0 NVIDIA A, 80 GiB, driver 13", "cuda:1 NVIDIA A, 94 GiB", "cuda:2 NVIDIA B, 80")

    def on(gpu, *numbers, plan=3):
        with monkeypatch.context() as there:
            there.setattr("sparsebc.run.fingerprint.devices.gpus", lambda: gpus)
            there.setattr("sparsebc.engines.cpu.engine.CPU.name", gpu)
            there.setattr("sparsebc.run.fingerprint.PLAN", plan)
            if numbers:
                return compute(tmp_path, 3, numbers=numbers)
            return betweenness(A, device="cpu", checkpoint=tmp_path)

    on("cuda:0", 1)
    on("cuda:1", 2)
    on("cuda:2", 3)
    with pytest.raises(ValueError, match=r"part-3-of-3' .*device was NVIDIA B, is NVIDIA A\): rem"):
        on("cuda:0")
    shutil.rmtree(tmp_path / "part-3-of-3")
    on("cuda:0, cuda:1", 3, plan=-1)
    with pytest.raises(ValueError, match=r"part-3-of-3' .* differs in version \(.*plan -1, is "):
        on("cuda:1")
    shutil.rmtree(tmp_path / "part-3-of-3")
    on("cuda:0, cuda:1", 3)
    np.testing.assert_array_equal(on("cuda:1"), betweenness(A, device="cpu"))


def test_directories_that_are_not_what_they_seem(tmp_path):
    """Parts of two cuts, parts that are there twice, that have changed places, and runs."""
    compute(tmp_path, 2, names=["stress"])
    one, two = (tmp_path / f"part-{number}-of-2" for number in (1, 2))
    with pytest.raises(ValueError, match=r"differs in part \(part was 1 of 2, is None\)"):
        stress(A, device="cpu", checkpoint=one)
    shutil.copytree(one, tmp_path / "part-1-of-2.copy")
    with pytest.raises(ValueError, match=r"of 2 twice, in part-1-of-2 and part-1-of-2\.copy: rem"):
        stress(A, device="cpu", checkpoint=tmp_path)
    shutil.rmtree(tmp_path / "part-1-of-2.copy")
    compute(tmp_path, 3, names=["stress"], numbers=[3])
    with pytest.raises(ValueError, match="holds part 1 of 2 and part 3 of 3, of two splits"):
        stress(A, device="cpu", checkpoint=tmp_path)
    shutil.rmtree(tmp_path / "part-3-of-3")
    (tmp_path / "part-1.log").touch()  # of a job
    for before, after in ((one, tmp_path / "x"), (two, one), (tmp_path / "x", two)):
        before.rename(after)
    with pytest.raises(ValueError, match="differs in part"):
        compute(tmp_path, 2, names=["stress"], numbers=[1])
    got = stress(A, device="cpu", checkpoint=tmp_path)
    np.testing.assert_array_equal(got, stress(A, device="cpu"))


def test_many_parts(tmp_path):
    """Names of measures are taken from an iterator once; of missing parts the first are named."""
    assert compute(tmp_path, 10**12, names=iter(["betweenness"]), numbers=[2]) == [0]
    told = "lacks parts 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, ... of 1000000000000: run"
    refused(tmp_path, told)


@pytest.mark.parametrize("name", ["0 of 2", "3 of 2", "x", ""])
def test_a_part_that_does_not_say_which(tmp_path, name):
    """It is refused, whoever looks for it."""
    compute(tmp_path, 1)
    place = tmp_path / "part-1-of-1"
    header, arrays = state_file.read(place)
    header["fingerprint"]["part"] = name
    state_file.write(place, header, arrays)
    refused(tmp_path, "no number of a part")


@pytest.mark.parametrize(
    ("part", "options", "error", "message"),
    [
        (3, {}, TypeError, r"part must be two ints, \(i, N\) for shard i of N, got 3"),
        ((1, 2.0), {}, TypeError, r"part must be two ints, .* got \(1, 2.0\)"),
        ((0, 2), {}, ValueError, r"i from 1 to N, got \(0, 2\)"),
        ((3, 2), {}, ValueError, r"i from 1 to N, got \(3, 2\)"),
        (
            (1, 2),
            {"k": 5},
            ValueError,
            "k=5 draws other sources in each shard unless rng is an int",
        ),
        ((1, 2), {"names": ["closeness"]}, ValueError, "'closeness' is a measure of distances"),
        ((1, 2), {"names": "stress"}, TypeError, "names must be a list of names"),
        (
            (1, 2),
            {"checkpoint": None},
            TypeError,
            "checkpoint must be the name of a .*, got None",
        ),
        ((1, 2), {"checkpoint": __file__}, ValueError, "test_shards.py' is a file: give the name"),
    ],
)
def test_wrong_values(tmp_path, part, options, error, message):
    """Each is refused by its name, before anything is made."""
    with pytest.raises(error, match=message):
        compute_part(A, **{"names": ["stress"], "checkpoint": tmp_path} | options, part=part)
    assert not list(tmp_path.iterdir())


class TestCommand:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    LINE = ("betweenness", "power-grid-europe", "--device", "cpu", "--measures", "stress,closeness")

    def test_a_job_array(self, run, tmp_path):
        """Each job writes no scores; merge writes those of one run, and status follows."""
        line = [*self.LINE, "-o", "scores.csv", "--checkpoint", "kept"]
        status, out, err = run(*line, "--part", "1/2")
        assert (status, err) == (0, "")
        assert out.startswith("power-grid-europe: part 1 of 2, ")
        assert "'sparsebc merge kept' adds up the parts" in out
        status, _, err = run("merge", "kept")
        assert status == 1
        assert f"--checkpoint {tmp_path / 'kept'} lacks part 2 of 2" in err
        assert "1 of 2 parts are finished\n" in run("status", "kept")[1]
        status, out, _ = run(*line, "--json", "--part=2/2")
        told = json.loads(out)
        assert (status, told["part"], told["of"]) == (0, 2, 2)
        assert not (tmp_path / "scores.csv").exists()
        assert run("status", "kept")[1].endswith(
            "2 of 2 parts are finished: 'sparsebc merge kept' adds them up\n"
        )
        assert run("merge", "kept")[0] == 0
        assert run(*self.LINE, "-o", "want.csv")[0] == 0
        assert (tmp_path / "scores.csv").read_bytes() == (tmp_path / "want.csv").read_bytes()
        assert "state    finished" in run("status", "kept")[1]
        assert "--part" not in run("status", "kept")[1]
        assert run("resume", "kept")[0] == 0

    def test_a_part_goes_on(self, run, tmp_path):
        """By resume, in the folder that bears its name."""
        line = ["stress", "karate", "--device", "cpu", "--checkpoint", "kept", "--part", "1/1"]
        assert run(*line)[0] == 0
        (tmp_path / "kept").rename(tmp_path / "moved")
        assert run("resume", "moved/part-1-of-1")[0] == 0
        assert not (tmp_path / "kept").exists()
        (tmp_path / "moved" / "part-1-of-1").rename(tmp_path / "moved" / "mine")
        status, _, err = run("resume", "moved/mine")
        assert status == 1
        assert "moved/mine holds the files of part-1-of-1: rename it to part-1-of-1" in err

    @pytest.mark.parametrize(
        ("line", "status", "message"),
        [
            (["betweenness", "karate", "--part", "1/2"], 2, "--part needs --checkpoint"),
            *(
                (["betweenness", "karate", "--part", text], 2, "expected I/N with I from 1 to N")
                for text in ("0/2", "3/2", "x")
            ),
            (["merge", "nowhere"], 1, "nowhere: there is no such directory"),
            (["merge", "."], 1, ". holds no parts: name the --checkpoint of their commands"),
        ],
    )
    def test_refusals(self, run, line, status, message):
        """In one line."""
        got, out, err = run(*line)
        assert (got, out) == (status, "")
        assert message in err
        assert err.count("\n") == 1
