"""A function whose results are kept, one call for all threads that ask at the same time."""

import functools
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class Once(Generic[Result]):
    """A function whose results are cached by its arguments; threads wait for a call in progress."""

    def __init__(self, function: Callable[..., Result]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._lock = threading.Lock()
        self._made: dict[tuple[Any, ...], Result] = {}
        self._making: dict[tuple[Any, ...], threading.Lock] = {}

    def __contains__(self, args: tuple[Any, ...]) -> bool:
        """Whether the result is cached."""
        return args in self._made

    def __call__(self, *args: Any) -> Result:
        """The result for these arguments."""
        made = self._made
        if args not in made:
            with self._lock:
                mine = self._making.setdefault(args, threading.Lock())
            with mine:
                if args not in made:
                    made[args] = self._function(*args)
        return made[args]

    def cache_clear(self) -> None:
        """Forget all results."""
        self._made = {}
