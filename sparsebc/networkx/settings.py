"""Run options of a call: those of ``nx.config.backends.sparsebc``, and its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx

from ..engines import devices
from ..run import options
from .backend_info import DEFAULTS


def merged(own: Mapping[str, Any], known: type) -> Any:
    """Options of the call before those of the configuration, checked; None leaves the default."""
    configured = {name: getattr(nx.config.backends.sparsebc, name) for name in DEFAULTS}
    both = {
        **{name: value for name, value in configured.items() if name in known.__annotations__},
        **own,
    }
    given = {name: value for name, value in both.items() if value is not None}
    devices.select(options.parse(given, known).device)  # what is wrong with it is said here
    return given
