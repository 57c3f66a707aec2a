from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, Self, TypedDict, Unpack, overload

from agenthost._engine import ToolFunction
from agenthost._message import AIMessage, AnyMessage, Message, SystemMessage, ToolMessage
from agenthost._state import Field
from agenthost._error import HookError
from agenthost.documents import Budget, Content, KVEntry, KVPage, ModelInfo, RunInfo, ToolCall, ToolSpec

_Scope = Literal["run", "thread", "plugin"]
_Messages = Sequence[Message | Mapping[str, Any] | tuple[str, Content] | str]

class Context(dict[str, Any]):
    """The run's context: the keys that the plugin declares and the caller of the run gave. A key is also an attribute."""

    def __getattr__(self, key: str) -> Any: ...

class State(dict[str, Any]):
    """The state that a hook sees: the messages and the fields that it reads. A field is also an attribute."""

    def __init__(self, input: Mapping[str, Any]) -> None: ...
    def __missing__(self, key: str) -> Any: ...
    @overload
    def __getitem__(self, key: Literal["messages"], /) -> list[AnyMessage]: ...
    @overload
    def __getitem__(self, key: str, /) -> Any: ...
    def get(self, key: str, default: Any = None) -> Any: ...
    def __getattr__(self, key: str) -> Any: ...
    def __contains__(self, key: object) -> bool: ...

class Log:
    """Writes lines to the host's log."""

    def debug(self, *values: Any) -> None: ...
    def info(self, *values: Any) -> None: ...
    def warning(self, *values: Any) -> None: ...
    def warn(self, *values: Any) -> None: ...
    def error(self, *values: Any) -> None: ...

log: Log
MAX_BATCH: int  # how many operations are performed at once

def interrupt(value: Any, *, key: str = "question") -> Any:
    """Asks the outside world. Returns the answer, or leaves the hook until there is one. The key tells several questions apart."""

class Store:
    """Entries of the plugin that outlive a hook, in the scope "run", "thread" or "plugin"."""

    def __init__(self, scope: _Scope) -> None: ...
    def get(self, key: str, default: Any = None) -> Any:
        """The value of an entry."""
    def entry(self, key: str) -> KVEntry | None:
        """An entry with value and version; None: there is none."""
    def put(self, key: str, value: Any, *, if_version: int | None = None) -> int:
        """Writes an entry and returns its version. With if_version, an entry of another version makes it raise a HookError "ECONFLICT"."""
    def delete(self, key: str, *, if_version: int | None = None) -> None: ...
    def list(self, *, prefix: str | None = None, after: str | None = None, limit: int | None = None) -> KVPage:
        """A page of entries."""

class Response:
    """What fetch returned."""

    status_code: int
    status: int
    ok: bool
    url: str
    content: bytes
    headers: dict[str, str]
    def __init__(self, reply: Mapping[str, Any]) -> None: ...
    @property
    def text(self) -> str: ...
    def json(self) -> Any: ...

class Runtime:
    """What every hook and tool can use."""

    config: dict[str, Any]
    log: Log
    @property
    def context(self) -> Context: ...
    @property
    def run_id(self) -> str: ...
    @property
    def thread_id(self) -> str | None: ...
    @property
    def step(self) -> str: ...
    @property
    def n(self) -> int: ...
    @property
    def large(self) -> list[str]: ...
    @property
    def idempotency_key(self) -> str | None: ...
    @property
    def message_count(self) -> int | None:
        """How many messages there are, of which the hook may see the last ones only. None: it sees none."""
    state: State  # in a tool
    tool_call_id: str  # in a tool
    def __init__(self, input: Mapping[str, Any], config: Mapping[str, Any]) -> None: ...
    @staticmethod
    def interrupt(value: Any, *, key: str = "question") -> Any: ...
    def store(self, scope: _Scope) -> Store: ...
    def fetch(
        self, url: str, *, method: str | None = None, headers: Mapping[str, str] | None = None, body: str | bytes | None = None,
        json: Any = None, timeout: float | None = None,
    ) -> Response:
        """Makes an HTTP request. The timeout is in seconds."""
    def fetch_all(self, requests: Sequence[str | Mapping[str, Any]]) -> list[Response | HookError]:
        """Makes several requests at once. Each is a URL, or a dict with the arguments of fetch. Returns a Response or a HookError for each."""
    def generate_all(self, requests: Sequence[str | Mapping[str, Any] | _Messages]) -> list[AIMessage | HookError]:
        """Calls the granted model several times at once. Each request is what generate takes first, or a dict with its arguments."""
    def run_info(self) -> RunInfo:
        """Which agent and run this is, and what the run has used so far."""
    def model_info(self, model: str | None = None) -> ModelInfo:
        """What the host knows about a configured model; without a name, about the request's model in wrap_model_call, and elsewhere the agent's."""
    def count_tokens(self, messages: str | Mapping[str, Any] | _Messages) -> int:
        """Counts tokens as the host's own limits do."""
    def sleep(self, seconds: float) -> None:
        """Waits, for real. It needs the capability clock.sleep."""
    def generate(
        self, messages: str | Mapping[str, Any] | _Messages, *, model: str | None = None, system: Content | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> AIMessage:
        """Calls the granted model, without tools, and returns its message."""
    def call_tool(self, name: str, args: Mapping[str, Any] | None = None) -> ToolMessage:
        """Runs a tool of the agent and returns its message."""
    def read_fields(self, *fields: str | Field[Any]) -> dict[str, Any]: ...
    def read_messages(self, start: int, count: int) -> list[AnyMessage]: ...
    def emit(self, name: str, data: Any = None) -> None:
        """Puts an event into the run's stream."""
    @property
    def stream_writer(self) -> Callable[[Any], None]: ...
    def budget(self) -> Budget: ...
    def now(self) -> float:
        """The virtual time, in seconds since 1970."""
    def clock_now(self) -> float:
        """The real time, in seconds since 1970."""
    def random_bytes(self, count: int) -> bytes: ...

class Command:
    """An update of the state, and where the run goes on."""

    update: Mapping[str, Any]
    goto: str | None
    def __init__(self, *, update: Mapping[str, Any] | None = None, goto: str | None = None, resume: None = None, graph: None = None) -> None: ...

class ModelResponse:
    """The response of a model: its messages, in result."""

    result: list[AnyMessage]
    structured_response: Any
    model: str | None
    stop_reason: str | None
    def __init__(
        self, result: _Messages | Message | str, structured_response: Any = None, *, model: str | None = None, stop_reason: str | None = None
    ) -> None: ...
    @property
    def message(self) -> AIMessage:
        """The last message of the model."""

class ExtendedModelResponse:
    """A response with an update of the state."""

    model_response: ModelResponse
    command: Command | None
    def __init__(self, model_response: ModelResponse, command: Command | None = None) -> None: ...

class Tool:
    """A tool that is offered, by its name."""

    name: str
    def __init__(self, name: str) -> None: ...

class _Named(Protocol):  # such as a tool of the plugin
    name: str

class _ModelChange(TypedDict, total=False):
    add_messages: _Messages
    add_tools: Sequence[ToolFunction[..., Any] | Mapping[str, Any]]
    messages: _Messages
    model: str
    model_settings: Mapping[str, Any]
    settings: Mapping[str, Any]
    system: Content | None
    system_message: SystemMessage | None
    system_prompt: str | None
    tool_choice: str | None
    tools: Sequence[str | _Named]

class ModelRequest:
    """The request of a model call. model and tools are names: the host has their definitions."""

    messages: list[AnyMessage]
    model: str
    system: Content | None
    tools: list[Tool]
    tool_choice: str | None
    settings: dict[str, Any]
    runtime: Runtime
    config: dict[str, Any]
    state: State
    def __init__(self, frame: Any, input: Mapping[str, Any], config: Mapping[str, Any]) -> None: ...
    @property
    def system_prompt(self) -> str | None: ...
    @property
    def system_message(self) -> SystemMessage | None: ...
    @property
    def model_settings(self) -> dict[str, Any]: ...
    def tool_specs(self) -> list[ToolSpec]:
        """The tools that the request offers, with their descriptions and parameters."""
    def override(self, **changes: Unpack[_ModelChange]) -> Self:
        """A copy with other values."""
    def next(self, request: ModelRequest | None = None, /, **changes: Unpack[_ModelChange]) -> ModelResponse:
        """Calls the inner layers, with a request or with changes. Raises if they failed."""

class _ToolChange(TypedDict, total=False):
    args: Mapping[str, Any]
    name: str
    set_args: Mapping[str, Any]
    tool: str | _Named
    tool_call: Mapping[str, Any]

class ToolCallRequest:
    """A tool call. tool_call has name, args and id."""

    tool_call: ToolCall
    tool: Tool | None
    runtime: Runtime
    config: dict[str, Any]
    state: State
    def __init__(self, frame: Any, input: Mapping[str, Any], config: Mapping[str, Any]) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def args(self) -> dict[str, Any]: ...
    @property
    def id(self) -> str: ...
    def override(self, **changes: Unpack[_ToolChange]) -> Self:
        """A copy with other values."""
    def next(self, request: ToolCallRequest | None = None, /, **changes: Unpack[_ToolChange]) -> ToolMessage:
        """Calls the inner layers, with a request or with changes. Raises if they failed."""
