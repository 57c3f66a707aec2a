"""Specific date/time and related types.

See https://data.iana.org/time-zones/tz-link.html for
time zone and DST data sources.
"""

try:
    from _datetime import *
except ImportError:
    from _pydatetime import *

__all__ = ("date", "datetime", "time", "timedelta", "timezone", "tzinfo",
           "MINYEAR", "MAXYEAR", "UTC")


def _follow_the_virtual_clock():
    import _agenthost

    fromtimestamp, today = datetime.fromtimestamp, date.fromtimestamp

    def now(cls, tz=None):
        """The virtual time, in UTC or in the time zone tz."""
        seconds, ns = divmod(_agenthost.now(), 1_000_000_000)
        t = cls.fromtimestamp(seconds, tz or timezone.utc).replace(microsecond=ns // 1000)
        return t.replace(tzinfo=None) if tz is None else t

    _agenthost.patch(datetime, "now", classmethod(now))
    _agenthost.patch(datetime, "utcnow", classmethod(lambda cls: cls.now()))
    _agenthost.patch(datetime, "today", classmethod(lambda cls: cls.now()))
    _agenthost.patch(date, "today", classmethod(lambda cls: cls(*datetime.now().timetuple()[:3])))


_follow_the_virtual_clock()
del _follow_the_virtual_clock
