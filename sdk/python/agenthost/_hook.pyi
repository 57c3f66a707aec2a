from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeVar, overload

from agenthost._message import Message, ToolMessage
from agenthost._request import Command, ExtendedModelResponse, ModelRequest, ModelResponse, Runtime, ToolCallRequest
from agenthost._state import Field
from agenthost.documents import Target

_Result = Mapping[str, Any] | Command | None
_ModelResult = ModelResponse | ExtendedModelResponse | Message | str | _Result
_ToolResult = ToolMessage | str | _Result

# The state is any class, so that hooks can name that of their fields.
_Node = TypeVar("_Node", bound=Callable[[Any], _Result | Awaitable[_Result]] | Callable[[Any, Runtime], _Result | Awaitable[_Result]])
_Model = TypeVar(
    "_Model",
    bound=Callable[[ModelRequest], _ModelResult | Awaitable[_ModelResult]]
    | Callable[[ModelRequest, Callable[[ModelRequest], ModelResponse]], _ModelResult]
    | Callable[[ModelRequest, Callable[[ModelRequest], Awaitable[ModelResponse]]], Awaitable[_ModelResult]],
)
_Tool = TypeVar(
    "_Tool",
    bound=Callable[[ToolCallRequest], _ToolResult | Awaitable[_ToolResult]]
    | Callable[[ToolCallRequest, Callable[[ToolCallRequest], ToolMessage]], _ToolResult]
    | Callable[[ToolCallRequest, Callable[[ToolCallRequest], Awaitable[ToolMessage]]], Awaitable[_ToolResult]],
)
_Prompt = TypeVar("_Prompt", bound=Callable[[ModelRequest], str])
_Any = TypeVar("_Any", bound=Callable[..., Any])

_View = Literal["all", "new", "none"] | int | None
_Fields = Iterable[str | Field[Any]]

class _NodeDecorator(Protocol):
    @overload
    def __call__(self, run: _Node, /) -> _Node: ...
    @overload
    def __call__(
        self, run: None = None, /, *, can_jump_to: Sequence[Target] = ..., messages: _View = "all", reads: _Fields = ...,
        writes: _Fields = ..., state_schema: type[Any] | None = None, name: str | None = None,
    ) -> Callable[[_Node], _Node]: ...

before_agent: _NodeDecorator
before_model: _NodeDecorator
after_model: _NodeDecorator
after_agent: _NodeDecorator

@overload
def wrap_model_call(run: _Model, /) -> _Model: ...
@overload
def wrap_model_call(
    run: None = None, /, *, messages: _View = "all", passes_tokens: bool = False, reads: _Fields = ..., writes: _Fields = ...,
    state_schema: type[Any] | None = None, name: str | None = None,
) -> Callable[[_Model], _Model]: ...
@overload
def wrap_tool_call(run: _Tool, /) -> _Tool: ...
@overload
def wrap_tool_call(
    run: None = None, /, *, tools: Iterable[Any] | None = None, messages: _View = None, reads: _Fields = ..., writes: _Fields = ...,
    state_schema: type[Any] | None = None, name: str | None = None,
) -> Callable[[_Tool], _Tool]: ...
def dynamic_prompt(run: _Prompt) -> _Prompt:
    """Makes a function that returns the system prompt the plugin's wrap_model_call hook."""

def hook_config(
    *, can_jump_to: Sequence[Target] = ..., messages: _View = ..., passes_tokens: bool = ..., reads: _Fields = ..., tools: Iterable[Any] = ...,
    writes: _Fields = ...,
) -> Callable[[_Any], _Any]:
    """Options of a method of an AgentMiddleware."""

class AgentMiddleware:
    """A plugin as a class: methods with the names of hooks, with self. Pass an instance to plugin()."""

    tools: Sequence[Any]
    state_schema: type[Any] | None
    @property
    def name(self) -> str: ...
