"""Notes of the kernels that ran, and of those of an engine that none of many questions met."""

import importlib
import pkgutil
import re
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest

import sparsebc
from sparsebc import jit, kernel_cache
from sparsebc.engines import devices
from sparsebc.engines.cuda.runtime.source import complete

ROOT = Path(sparsebc.__file__).parent
GLOBAL = re.compile(r"__global__\s+void\s+(\w+)\s*\(")
BOUNDS = re.compile(r"__launch_bounds__\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
# Kernels that no question needs, and what needs them.
ELSEWHERE = {
    "null_models.double_edge_swaps": "null models",
    "engines.cpu.path_samples": "estimates",
    "streets.near": "streets",
    "temporal.kernels": "temporal walks",
    "temporal.events": "temporal walks",
    "temporal.timeline": "temporal walks",
    "io.text_kernels": "files",
    "path_samples/path_samples.cu": "estimates",
    "prepare/graph_ops.cu:without": "dismantle",
    "../../temporal/kernels/temporal_walks.cu": "temporal walks",
    "reduce.chains._cut_if_closed": "another kernel",
}
_ran = set()
runs = Counter()  # of questions that ran a kernel, by device and kernel


def _name(kernel):
    return f"{kernel.__module__.removeprefix('sparsebc.')}.{kernel.__name__}"


class Launched:
    """A CuPy kernel that notes its launches."""

    def __init__(self, name, kernel):
        vars(self).update(_name=name, _kernel=kernel)

    def __call__(self, *args, **kwargs):
        _ran.add(self._name)
        return self._kernel(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self._kernel, name)

    def __setattr__(self, name, value):
        setattr(self._kernel, name, value)


@contextmanager
def noting():
    """Context in which every kernel notes that it runs."""
    call = jit._Kernel.__call__

    def noted(self, *arguments):
        _ran.add(_name(self))
        return call(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jit._Kernel, "__call__", noted)
        if devices.gpus():
            from sparsebc.engines.cuda.runtime.kernels import kernels

            make = kernels._function

            def noting_launches(file, names, *parameters):
                return {
                    name: Launched(f"{file}:{name.partition('<')[0]}", kernel)
                    for name, kernel in make(file, names, *parameters).items()
                }

            patch.setattr(kernels, "_function", noting_launches)
            kernels.cache_clear()
        yield


def met(device):
    """Kernels of the last question, which are counted; the notes begin anew."""
    found = sorted(_ran)
    runs.update((device, name) for name in found)
    _ran.clear()
    return found


def _kernels(device):
    """All kernels of a device by name, each with the names under which it may run."""
    if device == "cpu":
        return {name: {name} for name in _compiled() if not name.startswith(tuple(ELSEWHERE))}
    folder, found = ROOT / "engines" / "cuda", {}
    whole = {str(file.relative_to(folder)): complete(file) for file in folder.rglob("*.cu")}
    for file in folder.rglob("*.cu*") if device == "cuda" else ():
        path = str(file.relative_to(folder))
        homes = {path: whole[path]} if path in whole else whole
        for name in _defined(file.read_text()):
            if not f"{path}:{name}".startswith(tuple(ELSEWHERE)):
                inside = (home for home, text in homes.items() if name in _defined(text))
                found[f"{path}:{name}"] = {f"{home}:{name}" for home in inside}
    return found


def _compiled():
    """Names of all Numba kernels that Python calls."""
    for source in kernel_cache.SOURCES:
        name = "sparsebc." + source.removesuffix(".py").replace("/", ".")
        inside = pkgutil.iter_modules([str(ROOT / source)], f"{name}.")
        names = [each.name for each in inside if not each.name.endswith(".cuda")]  # needs CuPy
        for module in map(importlib.import_module, [name, *names]):
            for value in vars(module).values():
                if isinstance(value, jit._Kernel) and value.__module__ == module.__name__:
                    yield _name(value)


def _defined(text):
    """Names of the kernels of a CUDA source."""
    return GLOBAL.findall(BOUNDS.sub("", text))


class Meter:
    """Plugin of pytest: the counts of all its processes; a kernel that none met is an error."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        """Add the counts of a process of xdist."""
        runs.update(dict(getattr(node, "workeroutput", {}).get("kernels", ())))

    def pytest_sessionfinish(self, session):
        """Hand the counts to the process that began this one, or judge them."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["kernels"] = list(runs.items())
        elif self.never_met():
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        """Print the number of questions that ran each kernel."""
        terminalreporter.section("questions that ran each kernel")
        for (device, name), count in sorted(runs.items()):
            terminalreporter.line(f"{count:>10}  {device}  {name}")
        for name in self.never_met():
            terminalreporter.line(f"never met: {name}", red=True)

    def never_met(self):
        """Kernels of the devices asked that no question ran."""
        return [
            f"{device}  {name}"
            for device in sorted({device for device, _ in runs})
            for name, any_of in sorted(_kernels(device).items())
            if not any((device, each) in runs for each in any_of)
        ]
