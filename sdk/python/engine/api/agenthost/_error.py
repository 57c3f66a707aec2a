"""Errors of hooks."""


class HookError(Exception):
    """An error with a type for programs. Other middleware can retry or answer it."""

    def __init__(self, type, message, *, data=None, retryable=False):
        super().__init__(message)
        self.type = type
        self.message = message
        self.data = data
        self.retryable = retryable


class ToolError(HookError):
    """The error of a tool."""


class Leave(BaseException):
    """Raised to leave a hook: a question has no answer yet, or the frame is closed."""


FAILED, INTERRUPTED, CANCELLED = -20, -21, -22

ERRNOS = {
    -1: "EINVAL", -2: "ENOENT", -3: "ETOOBIG", -4: "EDENIED", -5: "ENOTSUP", -6: "EBUSY", -7: "ELIMIT", -8: "ECONFLICT",
}


def refusal(frame, status, reply, what):
    """The exception for a status that is not ok."""
    if status == FAILED:
        cls = ToolError if what == "tool.call" else HookError
        return cls(reply["type"], reply["message"], data=reply.get("data"), retryable=reply.get("retryable", False))
    if status in (INTERRUPTED, CANCELLED):
        frame.closed = True
        return Leave("an interrupt is pending, or the run is cancelled")
    errno = ERRNOS.get(status, f"E{-status}")
    if errno == "ECONFLICT":
        return HookError(errno, "the entry has another version")
    return HookError(errno, f"the host refused {what}: {errno}")
