"""The part of inspect that other modules of the library need."""

import types


class Parameter:
    pass


class Signature:
    pass


def signature(function, **_):
    raise ValueError("signatures are not available in a plugin")


def unwrap(function, *, stop=None):
    seen = {id(function)}
    while hasattr(function, "__wrapped__") and (stop is None or not stop(function)):
        function = function.__wrapped__
        if id(function) in seen:
            raise ValueError("wrapper loop when unwrapping")
        seen.add(id(function))
    return function


_missing = object()


def getattr_static(value, name, default=_missing):
    classes = value.__mro__ if isinstance(value, type) else type(value).__mro__
    if not isinstance(value, type) and name in getattr(value, "__dict__", ()):
        return value.__dict__[name]
    for cls in classes:
        if name in cls.__dict__:
            return cls.__dict__[name]
    if default is _missing:
        raise AttributeError(name)
    return default


def isfunction(value):
    return isinstance(value, types.FunctionType)


def isclass(value):
    return isinstance(value, type)


def iscoroutinefunction(value):
    return isfunction(value) and bool(value.__code__.co_flags & 0x80)
