from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, ParamSpec, TypeVar, overload

from agenthost._hook import AgentMiddleware
from agenthost._state import Field

_P = ParamSpec("_P")
_R = TypeVar("_R", covariant=True)

class ToolFunction(Generic[_P, _R]):
    """A tool of the plugin: a function with a description and a schema."""

    name: str
    run: Callable[_P, _R]
    spec: dict[str, Any]
    def __init__(self, run: Callable[_P, _R], name: str, spec: dict[str, Any]) -> None: ...
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...

def plugin(
    middleware: AgentMiddleware | None = None, /, *, name: str | None = None, version: str | None = None, guards: bool | None = None,
    config_schema: Mapping[str, Any] | None = None, context: Iterable[str] = (), fields: Iterable[Field[Any]] = (),
    capabilities: Mapping[str, str | Mapping[str, Any]] | None = None, configure: Callable[[dict[str, Any]], object] | None = None,
    tools: Iterable[ToolFunction[..., Any]] = (),
) -> None:
    """Says what the script's plugin is called, declares and asks for. Without it, the plugin has the name of its file."""

@overload
def tool(
    run: Callable[_P, _R], /, *, name: str | None = None, description: str | None = None, parameters: Mapping[str, Any] | None = None,
    return_direct: bool = False, idempotent: bool = False, dynamic: bool = False, extras: Mapping[str, Any] | None = None,
) -> ToolFunction[_P, _R]:
    """Makes a function a tool. The schema comes from its annotations, and its description from its docstring."""

@overload
def tool(
    run: str | None = None, /, *, name: str | None = None, description: str | None = None, parameters: Mapping[str, Any] | None = None,
    return_direct: bool = False, idempotent: bool = False, dynamic: bool = False, extras: Mapping[str, Any] | None = None,
) -> Callable[[Callable[_P, _R]], ToolFunction[_P, _R]]: ...
