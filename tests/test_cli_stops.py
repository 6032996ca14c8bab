"""Commands with a checkpoint: stopped by signals, they go on when they are asked again."""

import os
import signal
import sys
import threading

import pytest
import scipy.sparse as sp
from held import stands_still
from kept import header

from sparsebc.cli import signals


@pytest.fixture
def network(folder):
    """A file that takes many blocks, in the working directory."""
    n, hops = 1000, (1, 17, 289)
    A = sp.coo_array(sum(sp.eye_array(n, k=k) for k in hops))
    path = folder / "edges.csv"
    lines = (f"{u},{v}\n" for u, v in zip(A.row, A.col, strict=True))
    path.write_text("source,target\n" + "".join(lines))
    return path


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_a_signal_saves_and_the_same_command_goes_on(done, network):
    """It leaves the blocks in hand with 75; the directory may have moved."""
    line = ["betweenness", network.name, "-o", "scores.csv", "--device", "cpu", "--workers", "1"]
    line.append("--quiet")
    with stands_still(*line, "--checkpoint", "kept") as process:
        before = header(network.with_name("kept"))["sources"]
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 75, err
    assert err == "sparsebc: stopped by SIGTERM; the same command goes on from kept\n"
    assert 0 < before < header(network.with_name("kept"))["sources"] < 1000
    assert not network.with_name("scores.csv").exists()
    os.rename("kept", "moved")
    done(*line, "--checkpoint", "moved")
    assert header(network.with_name("moved"))["finished"]
    want = network.with_name("want.csv")
    done(*line[:2], "-o", want, "--device", "cpu")
    assert want.read_bytes() == network.with_name("scores.csv").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("name", signals.SIGNALS)
def test_signals_that_are_ignored_stay_so(name):
    """As SIGHUP by nohup; others stop the command once, and have their handlers again."""
    number = getattr(signal, name)
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with signals.stopped_by_signals():
            os.kill(os.getpid(), number)
        assert signal.getsignal(number) is signal.SIG_IGN
        signal.signal(number, signal.SIG_DFL)
        with pytest.raises(signals.Stopped, match=name), signals.stopped_by_signals():
            signal.raise_signal(number)
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize(
    "asked",
    [
        *(["betweenness"], ["edge-betweenness"], ["stress"]),
        *(["percolation", "--source-weights", "states.csv"], ["group", "--nodes", "1,34"]),
        ["null-model", "--samples", "12", "--seed", "2"],
    ],
)
def test_the_same_command_goes_on_from_the_end(done, asked, folder):
    """With other run options, too."""
    (folder / "states.csv").write_text("1,0.5\n34,0.2\n7,0.9\n")
    command, *options = asked
    kept = ["--device", "cpu", "--checkpoint", "a/b", "-o", "scores.csv"]
    done(command, "karate", *options, "--device", "cpu", "-o", "want.csv", "--quiet")
    scores = (folder / "want.csv").read_bytes()
    for more in ([], ["--workers", "1"]):
        done(command, "karate", *options, *kept, *more, "--quiet")
        assert (folder / "scores.csv").read_bytes() == scores
        os.remove("scores.csv")


@pytest.mark.parametrize(
    ("asked", "other", "name"),
    [
        ("betweenness karate", "--endpoints", "--endpoints"),
        ("betweenness karate --samples 9 --seed 3", "--seed 4", "--sources"),
        ("betweenness karate --error .1 --seed 3", "--error .2 --seed 4", "--seed and --error"),
        ("group karate --nodes 1,34", "--nodes 1", "--nodes"),
    ],
)
def test_another_question_is_refused_by_name(run, tmp_path, asked, other, name):
    line = [*asked.split(), "--device", "cpu", "--checkpoint", str(tmp_path)]
    assert run(*line)[0] == run(*line)[0] == 0
    status, _, err = run(*line, *other.split())
    assert status == 1
    assert f"--checkpoint {tmp_path} holds another run, which differs in {name}: use" in err


def test_a_command_on_another_thread_has_a_checkpoint_and_hears_no_signals(run, tmp_path):
    found = []
    line = ["stress", "karate", "--device", "cpu", "--checkpoint", tmp_path / "kept", "--quiet"]
    thread = threading.Thread(target=lambda: found.append(run(*line)))
    thread.start()
    thread.join()
    assert found[0][::2] == (0, "")
