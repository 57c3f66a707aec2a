from typing import Any

class HookError(Exception):
    """An error with a type for programs. Other middleware can retry or answer it."""

    type: str
    message: str
    data: Any
    retryable: bool
    def __init__(self, type: str, message: str, *, data: Any = None, retryable: bool = False) -> None: ...

class ToolError(HookError):
    """The error of a tool."""

class Leave(BaseException):
    """Raised to leave a hook: a question has no answer yet, or the frame is closed."""

FAILED: int
INTERRUPTED: int
CANCELLED: int
ERRNOS: dict[int, str]

def refusal(frame: Any, status: int, reply: Any, what: str) -> BaseException: ...
