"""A host for tests: it runs a plugin in this process, without limits of time and memory, so that debuggers and coverage see it.

The plugin gets the module agenthost of the engine, its virtual clock and its random numbers. What is around the hook, such as other
middleware and the state, is the test's. `agenthost plugin test` runs golden cases in the sandbox itself.

    from agenthost.testing import load

    def test_deleting_is_refused() -> None:
        outcome = load("policy.py").call("wrap_tool_call", {"call": {"id": "1", "name": "delete", "args": {}}})
        assert outcome.result["tool_message"]["status"] == "error"
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypedDict, get_args

from _agenthost import Call
from _agenthost._codec import decode, encode
from _agenthost._runtime import Runtime
from agenthost._error import ERRNOS, FAILED, INTERRUPTED, HookError
from agenthost.documents import Description, Message, ModelRequest, ToolCall, View

__all__ = ["HookName", "Input", "Interrupted", "LogLine", "Outcome", "Plugin", "PluginError", "RequestInput", "load", "load_source"]

HookName = Literal["before_agent", "before_model", "wrap_model_call", "after_model", "wrap_tool_call", "after_agent", "call_tool"]

Messages = Sequence[Message | Mapping[str, Any]] | View


class RequestInput(TypedDict, total=False):
    """The request of a model call. Keys that are left out have values for tests."""

    messages: Messages
    model: str
    settings: Mapping[str, Any]
    system: Any
    tool_choice: str
    tools: Sequence[str]


class Input(TypedDict, total=False):
    """What a hook gets. Keys that are left out have values for tests."""

    answers: Mapping[str, Any]
    call: ToolCall
    context: Mapping[str, Any]
    known: bool
    messages: Messages
    request: RequestInput
    state: Mapping[str, Any]
    run: str
    thread: str


class LogLine(TypedDict):
    level: Literal["debug", "info", "warn", "error"]
    text: str


@dataclass
class Outcome:
    """What a hook did."""

    result: Any = None  # the Result that the hook wrote, with the keys of the ABI; None: nothing
    log: list[LogLine] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    next: list[Any] = field(default_factory=list)  # what the hook passed to each call of next


class PluginError(Exception):
    """Why a plugin does not load, or why its hook failed. Its cause is what the plugin raised."""

    def __init__(self, type: str, message: str, *, data: Any = None, retryable: bool = False, log: Sequence[LogLine] = ()) -> None:
        super().__init__(message)
        self.type: str = type
        self.message: str = message
        self.data: Any = data
        self.retryable: bool = retryable
        self.log: Sequence[LogLine] = log


class Interrupted(Exception):
    """A test raises it in next or an operation, as if that asked a person."""


Next = Callable[[Any], Any]
Operations = Mapping[str, Callable[[Any], Any]]


def load(file: str | os.PathLike[str], *, config: Mapping[str, Any] | None = None) -> "Plugin":
    """Loads a plugin: a file, or the directory of a package."""
    return Plugin(Runtime.of_path(Path(file)), config or {})


def load_source(source: str, *, file: str = "plugin.py", config: Mapping[str, Any] | None = None) -> "Plugin":
    """Loads a plugin from its source."""
    return Plugin(Runtime(file, {file: source}, {}), config or {})


class Plugin:
    """A plugin in this process."""

    def __init__(self, runtime: Runtime, config: Mapping[str, Any]) -> None:
        self._runtime, self._n = runtime, 0
        host = _Host(runtime)
        call = Call(host)
        try:
            runtime.start(call)
            self.description: Description = decode(runtime.serve(call, "describe", b""))
        except (Exception, SystemExit) as e:
            raise PluginError("fault", runtime.describe(e), log=host.outcome.log) from e
        schema = self.description.get("config_schema") or {}
        defaults = {key: of["default"] for key, of in schema.get("properties", {}).items() if "default" in of}
        self._result(runtime.serve(call, "configure", encode({**defaults, **config})), call, host)

    @property
    def module(self) -> ModuleType:
        """The plugin's file as a module, for tests of its functions."""
        return self._runtime.main

    def call(
        self,
        hook: HookName,
        input: Input | None = None,
        *,
        next: Next = lambda _: "done",
        operations: Operations | None = None,
        now: float = 1_767_225_600,
        seed: int = 1,
    ) -> Outcome:
        """Calls a hook, or a tool by "call_tool". It raises a PluginError if the hook fails.

        next answers calls of the inner layers: it gets the change, and returns a text, a message, or the whole reply with the keys of the
        ABI. operations answers those that leave the sandbox, such as "http.fetch"; the others are not available. Both may raise a
        HookError, or Interrupted. now is the virtual time, in seconds since 1970.
        """
        if hook not in get_args(HookName):
            raise TypeError(f"there is no hook {hook!r}; choose from {', '.join(get_args(HookName))}")
        self._n += 1
        document = self._completed(hook, input or {})
        document |= {"step": f"test.{hook}", "n": self._n, "now": round(now * 1_000_000_000), "seed": seed}
        host = _Host(self._runtime, hook, operations or {}, next)
        call = Call(host)
        result = self._runtime.serve(call, hook, encode(document))
        if host.broken is not None:
            raise host.broken
        host.outcome.result = self._result(result, call, host)
        return host.outcome

    def _declared(self, hook: HookName, input: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the plugin says of a hook or tool. Inputs that no host sends are refused."""
        if hook in ("wrap_tool_call", "call_tool") and "call" not in input:
            raise TypeError(f'{hook} needs a call in its input: {{"call": {{"id": "call-1", "name": "search", "args": {{}}}}}}')
        name, declared = str(hook), dict[str, Any](self.description["hooks"])
        if hook == "call_tool":
            name, declared = input["call"]["name"], {tool["name"]: {} for tool in self.description.get("tools", [])}
        if name not in declared:
            raise TypeError(f"the plugin has no {name}; it has {', '.join(declared) or 'none'}")
        spec: Mapping[str, Any] = declared[name]
        return spec

    def _completed(self, hook: HookName, input: Mapping[str, Any]) -> dict[str, Any]:
        """An input with what the host adds to it."""
        shows = self._declared(hook, input).get("messages", "none")
        starts: dict[str, Any] = {"add": 0, "append": []}
        state = {f["name"]: starts[f.get("reducer", "last")] for f in self.description.get("fields", []) if f.get("reducer") in starts}
        document = {"run": "run-1", **input, "state": {**state, **input.get("state", {})}}
        holder = document
        if hook == "wrap_model_call":
            holder = document["request"] = {"model": "test", "tools": [], **input.get("request", {})}
        messages = holder.pop("messages", [])
        if shows != "none":
            holder["messages"] = _view(messages, shows)
        return document

    def _result(self, document: bytes, call: Call, host: "_Host") -> Any:
        """The result as the host decodes it. An error in it is raised."""
        result = decode(document) if document else None
        if result and "error" in result:
            error = result["error"]
            cause = call.failure if isinstance(call.failure, Exception) else None
            raise PluginError(
                error["type"], error["message"], data=error.get("data"), retryable=error.get("retryable", False), log=host.outcome.log
            ) from cause
        return result


def _view(messages: Any, shows: Any) -> Any:
    """The messages that a hook sees of a list: all, or the last ones."""
    if isinstance(messages, Mapping):
        return messages
    start = max(0, len(messages) - shows["last"]) if isinstance(shows, Mapping) else 0
    return {"from": start, "items": list(messages)[start:], "total": len(messages)}


def _reply(hook: str, answer: Any) -> Any:
    """The reply of the inner layers: with the messages that a text or a message stands for, and what the host adds to them."""
    if isinstance(answer, str):
        answer = {"content": answer}
    if hook == "wrap_tool_call":
        answer = answer if "tool_message" in answer else {"tool_message": answer}
        return {**answer, "tool_message": {"role": "tool", "tool_call_id": "", **answer["tool_message"]}}
    answer = answer if "messages" in answer else {"messages": [answer]}
    return {**answer, "messages": [{"role": "ai", **m} for m in answer["messages"]]}


_LEVELS: tuple[Literal["debug", "info", "warn", "error"], ...] = ("debug", "info", "warn", "error")
_STATUSES: dict[str, int] = {name: status for status, name in ERRNOS.items()}


class _Host:
    """Answers a plugin with what the test says."""

    def __init__(self, runtime: Runtime, hook: str = "", operations: Operations = {}, next: Next = str) -> None:
        self._runtime, self._hook, self._operations, self._next = runtime, hook, operations, next
        self.outcome = Outcome()
        self.broken: BaseException | None = None  # what the test itself raised

    def log(self, level: int, line: str) -> None:
        self.outcome.log.append({"level": _LEVELS[level], "text": line})

    def next(self, change: Any) -> tuple[int, Any]:
        self.outcome.next.append(change)
        return self._ask(lambda change: _reply(self._hook, self._next(change)), change)

    def operation(self, op: str, payload: Any) -> tuple[int, Any]:
        if op == "event.emit":
            self.outcome.events.append(payload)
            return 0, None
        if op not in self._operations:
            return _STATUSES["ENOTSUP"], None
        return self._ask(self._operations[op], payload)

    def _ask(self, answer: Callable[[Any], Any], payload: Any) -> tuple[int, Any]:
        try:
            with self._runtime.outside():
                return 0, answer(payload)
        except HookError as e:
            if e.type in _STATUSES:
                return _STATUSES[e.type], None
            error = {"type": e.type, "message": e.message, "data": e.data, "retryable": e.retryable}
            return FAILED, {k: v for k, v in error.items() if v is not None}
        except Interrupted:
            return INTERRUPTED, None
        except BaseException as e:
            self.broken = e  # it must not pass for an error of the inner layers
            return INTERRUPTED, None
