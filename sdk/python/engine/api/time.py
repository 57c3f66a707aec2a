"""The module time of scripts: its clock is the virtual one, which stands still during a call."""

from _time import asctime, ctime as _ctime, gmtime as _gmtime, mktime, strftime as _strftime, struct_time

import _agenthost

timezone = altzone = daylight = 0
tzname = ("UTC", "UTC")


def time_ns():
    return _agenthost.now()


def time():
    return _agenthost.now() / 1_000_000_000


def gmtime(seconds=None, /):
    return _gmtime(time() if seconds is None else seconds)


localtime = gmtime
monotonic = perf_counter = process_time = thread_time = time
monotonic_ns = perf_counter_ns = process_time_ns = thread_time_ns = time_ns


def ctime(seconds=None, /):
    return asctime(gmtime(seconds))


# What the interpreter does not write as the locale C does.
_LOCAL = {"%c": "%a %b %e %H:%M:%S %Y", "%x": "%m/%d/%y", "%X": "%H:%M:%S", "%r": "%I:%M:%S %p"}


def strftime(format, t=None, /):
    parts = format.split("%%")
    for directive, meaning in _LOCAL.items():
        parts = [part.replace(directive, meaning) for part in parts]
    return _strftime("%%".join(parts), gmtime() if t is None else t)


def strptime(text, format="%a %b %d %H:%M:%S %Y", /):
    import _strptime

    return _strptime._strptime_time(text, format)


def sleep(seconds, /):
    raise RuntimeError("a hook cannot sleep: its clock stands still; let the host retry, or answer at once")
