"""The locale of plugins, which is always C."""

LC_CTYPE, LC_NUMERIC, LC_TIME, LC_COLLATE, LC_MONETARY, LC_MESSAGES, LC_ALL = range(7)


class Error(Exception):
    pass


def getlocale(category=LC_CTYPE):
    return None, None


def setlocale(category, locale=None):
    if locale not in (None, "", "C", "POSIX"):
        raise Error("unsupported locale setting")
    return "C"
