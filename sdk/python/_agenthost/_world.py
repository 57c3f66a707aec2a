"""The modules of the standard library whose clock and random numbers are those of the call: for plugins, and not for tests around them."""

import calendar
import importlib
import importlib.util
import sys
import time
from functools import cache
from pathlib import Path
from types import ModuleType

import _agenthost

NAMES = ("time", "datetime", "_pydatetime", "_strptime", "calendar", "random")


@cache
def modules() -> dict[str, ModuleType]:
    """The modules, by their names. They are made once."""
    before = {name: sys.modules.pop(name, None) for name in (*NAMES, "_time", "_datetime")}
    try:
        sys.modules["_time"] = _time()
        sys.modules["_datetime"] = None  # type: ignore[assignment] # the module datetime is then the one in Python, whose clock is time's
        sys.modules["time"] = _engine_time()
        for name in NAMES[1:]:
            if importlib.util.find_spec(name):  # Python 3.11 has no _pydatetime
                importlib.import_module(name)
        vars(sys.modules["random"])["_urandom"] = _agenthost.random_bytes
        return {name: sys.modules[name] for name in NAMES if name in sys.modules}
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


def _time() -> ModuleType:
    """What the engine's module time takes from the interpreter. Local time is UTC."""
    made = ModuleType("_time")
    vars(made).update(vars(time), mktime=lambda t: float(calendar.timegm(t)))
    return made


def _engine_time() -> ModuleType:
    """The engine's own module time."""
    spec = importlib.util.spec_from_file_location("time", Path(__file__).with_name("_time.py"))
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made
