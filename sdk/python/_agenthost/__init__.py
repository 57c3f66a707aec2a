"""What an engine gives the module agenthost, in Python: a host, which a test plays, a clock and random numbers."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from _agenthost._codec import decode, encode

__all__ = ["Call", "Host", "call", "decode", "log", "messages", "next", "now", "opened", "random_bytes", "running", "watch"]

Outcome = tuple[int, Any]  # a status, and a reply


class Host(Protocol):
    """What is around a plugin."""

    def next(self, change: Any) -> Outcome: ...
    def operation(self, op: str, payload: Any) -> Outcome: ...
    def log(self, level: int, line: str) -> None: ...


class Call:
    """A call of a plugin, with its clock and its random numbers."""

    def __init__(self, host: Host) -> None:
        self.host, self.clock, self.state = host, 0, 0
        self.failure: BaseException | None = None  # what the plugin raised last


_calls: list[Call] = []


@contextmanager
def running(made: Call) -> Iterator[None]:
    """Makes a call the current one."""
    _calls.append(made)
    try:
        yield
    finally:
        _calls.pop()


def _current() -> Call:
    if not _calls:
        raise RuntimeError("a plugin can do this only in an engine or in a test: see agenthost.testing")
    return _calls[-1]


def next(change: object = None, /) -> Outcome:
    return _copied(_current().host.next(_document(change)))


def call(op: str, payload: object = None, /) -> Outcome:
    return _copied(_current().host.operation(op, _document(payload)))


def _document(value: object) -> Any:
    return {} if value is None else decode(encode(value))


def _copied(outcome: Outcome) -> Outcome:
    status, reply = outcome
    return status, decode(encode(reply))


_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)


def log(level: int, line: str, /) -> None:
    logging.getLogger("agenthost").log(_LEVELS[level], "%s", line)
    if _calls:
        _calls[-1].host.log(level, line)


def now() -> int:
    """The virtual time in a call, and the real one elsewhere."""
    return _calls[-1].clock if _calls else time.time_ns()


def random_bytes(count: int, /) -> bytes:
    """The next bytes of the seed, by SplitMix64."""
    made, out, most = _current(), b"", (1 << 64) - 1
    while len(out) < count:
        made.state = z = (made.state + 0x9E37_79B9_7F4A_7C15) & most
        z = (z ^ z >> 30) * 0xBF58_476D_1CE4_E5B9 & most
        z = (z ^ z >> 27) * 0x94D0_49BB_1331_11EB & most
        out += (z ^ z >> 31).to_bytes(8, "little")
    return out[:count]


def messages(items: bytes, classes: dict[str, type[dict[str, Any]]], /) -> list[Any]:
    """The messages of a view, by their roles."""
    return [classes[m["role"]](m) for m in decode(items)]


def opened() -> None:
    """The hook that an engine serves without the API. In a test there is none."""


def watch(_: object, /) -> None:
    """An engine counts the calls of a module's functions. In a test they have no limit."""
