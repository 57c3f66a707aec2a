from collections.abc import Mapping
from typing import Any, Generic, Literal, Self, TypeVar, overload

_T = TypeVar("_T")
_D = TypeVar("_D")
_Lifetime = Literal["run", "thread", "step"]
_Reducer = Literal["last", "add", "append"]

class Field(Generic[_T]):
    """A field of the state. The plugin reads and writes it; it lives as long as the thread, the run or the step."""

    name: str
    spec: dict[str, Any]
    @overload
    def __init__(
        self: Field[Any], name: str, type: None = None, *, lifetime: _Lifetime = "run", reducer: _Reducer = "last",
        schema: Mapping[str, Any] | None = None, hide_input: bool = False, hide_output: bool = False,
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, type: type[_T], *, lifetime: _Lifetime = "run", reducer: _Reducer = "last",
        schema: Mapping[str, Any] | None = None, hide_input: bool = False, hide_output: bool = False,
    ) -> None: ...
    @classmethod
    def of_annotation(cls, name: str, annotation: Any) -> Self: ...
    @overload
    def get(self, state: Mapping[str, Any], default: None = None) -> _T | None: ...
    @overload
    def get(self, state: Mapping[str, Any], default: _D) -> _T | _D: ...
