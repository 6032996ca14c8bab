"""Exceptions of the package: each crosses a process boundary whole."""

import importlib
import inspect
import pickle
import pkgutil
import sys

import pytest

import sparsebc
from sparsebc.errors import EdgeError, MissingPackageError, is_foreseen
from sparsebc.io.remarks import AmbiguousFile

# Arguments of those that do not take texts.
ARGUMENTS = {
    AmbiguousFile: ("no titles", "no header", {"source": 1}),
    EdgeError: ("A[1, 2]", (1, 2)),
}


def exceptions():
    """Every exception class that a module of the package defines; GPU modules have none."""
    for found in pkgutil.walk_packages(sparsebc.__path__, "sparsebc."):
        if ".cuda" in found.name or found.name.endswith(("elementwise", "__main__")):
            continue
        module = importlib.import_module(found.name)
        for _, value in inspect.getmembers(module, inspect.isclass):
            if issubclass(value, BaseException) and value.__module__ == module.__name__:
                yield value


def test_a_package_that_is_missing_is_no_fault_of_ours():
    """A name that a module lacks is one: it is told with its traceback."""
    assert is_foreseen(ModuleNotFoundError("No module named 'bokeh'", name="bokeh"))
    assert is_foreseen(MissingPackageError("a plot needs Matplotlib"))
    assert not is_foreseen(ImportError("cannot import name 'x' from 'sparsebc.matrix'"))


@pytest.mark.parametrize(
    ("modules", "package", "name"),
    [(("bokeh", "bokeh.embed"), "Bokeh: python -m pip install bokeh", "old.html"),
     (("matplotlib", "matplotlib.backend_bases"), "python -m pip install matplotlib", "old.png"),
     (("pyarrow", "pyarrow.parquet"), "python -m pip install pyarrow", "old.parquet")],
)  # fmt: skip
def test_a_missing_package_is_told_before_anything_is_computed(
    run, folder, monkeypatch, modules, package, name
):
    """One line says what to install, and what was there stays."""
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(sparsebc, "centralities", lambda *args, **options: 1 / 0)
    (folder / name).write_text("kept")
    status, out, err = run("betweenness", "karate", "-o", name)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert package in err
    assert (folder / name).read_text() == "kept"


def test_an_exception_comes_whole_out_of_a_pickle():
    """Type, message and attributes, as a process pool hands them on, by any protocol."""
    for kind in exceptions():
        is_ours = inspect.isfunction(kind.__init__)
        told = [*inspect.signature(kind.__init__).parameters][1:] if is_ours else ["told"]
        error = kind(*ARGUMENTS.get(kind, told))
        assert type(kind.__new__(kind)) is kind  # as Dask makes it
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(error, protocol))
            assert type(again) is type(error)
            assert again.args == error.args
            assert str(again) == str(error)
            assert vars(again) == vars(error)
