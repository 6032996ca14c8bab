"""A directory of runs that are stopped, damaged, moved and resumed, against runs without one."""

import contextlib
import shutil
import tempfile
from pathlib import Path

import pytest
from calls import assert_same
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from kept import PATHS, SPREAD, WEIGHTED, Stop, estimate, header, stopping

from sparsebc import centralities
from sparsebc.engines import devices
from sparsebc.sweep import checkpoint

NODES = st.frozensets(st.integers(0, 249), min_size=90, max_size=95).map(sorted)
# Options; each value is another question than the default.
EXACT = {
    "weighted": st.just(True),
    "sources": NODES,
    "targets": NODES,
    "cutoff": st.sampled_from([2.0, 3.0, [2.0, 3.0]]),
    "endpoints": st.just(True),
    "reduce": st.just("none"),
}
ESTIMATED = {
    "epsilon": st.sampled_from([0.01, 0.05]),
    "delta": st.just(0.2),
    "top": st.sampled_from([2, 3]),
    "rng": st.just(6),
    "reduce": st.just("none"),
}
OTHER_KERNELS = {"dtype": st.just("float32"), "device": st.just("reference")}
NEUTRAL = st.fixed_dictionaries(
    {"workers": st.integers(1, 2)}, optional={"checkpoint_every": st.just(0)}
)
NAMES = st.sets(st.sampled_from(PATHS[1:])).map(lambda more: ("betweenness", *sorted(more)))
# Names of the measures, none for an estimate, and options.
ASKED = st.tuples(NAMES, st.fixed_dictionaries({}, optional=EXACT))
ASKED |= st.tuples(st.just(()), st.fixed_dictionaries({}, optional=ESTIMATED))
FAST = ["cpu", *(["cuda"] if devices.gpus() else [])]


class Directory(RuleBasedStateMachine):
    """What is kept is of one question, and goes on to the bits of a run that was never stopped."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.place = Path(self.folder.name) / "0"
        self.whole = None  # the state, where it is damaged

    def teardown(self):
        self.folder.cleanup()

    @property
    def file(self):
        return self.place / checkpoint.STATE

    def is_kept(self):
        return self.file.exists()

    def is_whole(self):
        return self.is_kept() and self.whole is None

    @initialize(question=ASKED, device=st.sampled_from(FAST))
    def ask(self, question, device):
        self.question, self.device = question, device
        self.want = self.answer()

    def answer(self, question=None, **run):
        """The result of a run, by measure."""
        names, chosen = question or self.question
        options = {"device": self.device, **run, **chosen}
        if not names:
            return estimate(SPREAD, **options)
        return centralities(WEIGHTED, list(names), **options)

    @precondition(lambda self: self.whole is None)
    @rule(after=st.integers(0, 6), run=NEUTRAL)
    def go_on(self, after, run):
        """With another number of workers, until it is stopped or done; nothing is swept again."""
        before = header(self.place)["sources"] if self.is_kept() else 0
        with contextlib.suppress(Stop):
            got = self.answer(checkpoint=self.place, progress=stopping(after), **run)
            assert_same(got, self.want)
            assert header(self.place)["finished"]
        assert not self.is_kept() or header(self.place)["sources"] >= before

    @precondition(is_whole)
    @rule(data=st.data())
    def ask_another(self, data):
        """It differs in one thing, by whose name it is refused; what is kept stays."""
        names, chosen = self.question
        known = {"measures": NAMES} | (EXACT if names else ESTIMATED) | OTHER_KERNELS
        name = data.draw(st.sampled_from(sorted(known)))
        value, chosen = data.draw(known[name]), dict(chosen)
        if name == "measures":
            names, chosen = value if value != names else ("stress",), {}
        elif chosen.pop(name, None) != value:
            chosen[name] = value
        name = "lengths" if name == "weighted" else name
        before = self.file.read_bytes()
        with pytest.raises(ValueError, match=rf"another run, which differs in .*\b{name}\b"):
            self.answer((names, chosen), checkpoint=self.place)
        assert self.file.read_bytes() == before

    @precondition(is_kept)
    @rule()
    def move(self):
        """To another directory, from which it goes on."""
        there = self.place.with_name(str(int(self.place.name) + 1))
        self.place = shutil.copytree(self.place, there)

    @precondition(is_whole)
    @rule(at=st.integers(0, 10**6), bit=st.integers(0, 7), is_cut=st.booleans())
    def damage(self, at, bit, is_cut):
        """A bit, or the end: the run is refused, or the bit was one that nobody reads."""
        self.whole = self.file.read_bytes()
        content = bytearray(self.whole)
        at %= len(content)
        if is_cut:
            del content[at:]
        else:
            content[at] ^= 1 << bit
        self.file.write_bytes(content)
        try:
            got = self.answer(checkpoint=self.place)
        except ValueError as error:
            told = str(error)
            assert "state.npz" in told
            assert self.file.read_bytes() == content
        else:
            assert not is_cut
            assert_same(got, self.want)

    @precondition(lambda self: self.whole is not None)
    @rule(is_restored=st.booleans())
    def repair(self, is_restored):
        """From a copy, or as the message says."""
        if is_restored:
            self.file.write_bytes(self.whole)
        else:
            self.file.unlink()
        self.whole = None


Directory.TestCase.settings = settings(max_examples=10, stateful_step_count=10)
TestDirectory = Directory.TestCase
