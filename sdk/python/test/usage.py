"""Uses of the types that must check, and mistakes that must not: each of those has a comment, which is an error where it is not needed."""

from typing import Any, Awaitable, Callable, Literal, NotRequired

from agenthost import (
    AgentMiddleware,
    AgentState,
    AIMessage,
    AnyMessage,
    Command,
    ExtendedModelResponse,
    Field,
    HookError,
    ModelRequest,
    ModelResponse,
    Response,
    Runtime,
    State,
    Store,
    SystemMessage,
    ToolCallRequest,
    ToolMessage,
    after_model,
    before_agent,
    before_model,
    dynamic_prompt,
    hook_config,
    interrupt,
    log,
    plugin,
    tool,
    wrap_model_call,
    wrap_tool_call,
)
from agenthost.documents import Message
from agenthost.testing import PluginError, load

calls = Field("calls", int, lifetime="thread", reducer="add")


class CustomState(AgentState):
    calls: NotRequired[int]


class Limit(AgentMiddleware):
    state_schema = CustomState

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: CustomState, runtime: Runtime) -> dict[str, Any] | None:
        return {"jump_to": "end"} if state.get("calls", 0) > 3 else None


plugin(
    Limit(), name="usage", version="1.0.0", guards=True, fields=[calls], capabilities={"http.fetch": "to look up rates", "kv.get": {"reason": "x", "required": True}},
    configure=lambda config: config["limit"] + 1,
)


@before_agent
def rates(state: State, runtime: Runtime) -> dict[str, Any]:
    reply: Response = runtime.fetch("https://rates.example", headers={"accept": "application/json"}, timeout=2.5)
    store: Store = runtime.store("plugin")
    version: int = store.put("rates", reply.json(), if_version=3)
    entry = store.entry("rates") or {"value": 0, "version": version}
    log.info("version", entry["version"] + 1)
    return {"rates": reply.json(), "messages": [SystemMessage("x")], "count": (calls.get(state) or 0) + calls.get(state, 1)}


@before_model(messages=2, can_jump_to=["end"])
async def count(state: CustomState) -> dict[str, Any] | None:
    last: AnyMessage = state["messages"][-1]
    return {"jump_to": "end"} if len(last.text) > 3 else None


@after_model(state_schema=CustomState)
def nothing(state: CustomState, runtime: Runtime) -> None:
    budget = runtime.budget()
    log.warning(budget["next"] + 1, runtime.generate("hi", system="Be brief.").text)


@wrap_model_call(passes_tokens=True)
def route(request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]) -> ModelResponse | AIMessage:
    response = handler(request.override(model="large", system_prompt="!", tools=["search", lookup], messages=[AIMessage("x"), "y"]))
    usage = response.message.usage_metadata
    return AIMessage(f"{usage['total_tokens']}") if usage else request.next(model="small")


@wrap_model_call
async def extended(request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]) -> ExtendedModelResponse:
    return ExtendedModelResponse(await handler(request), Command(update={"calls": 1}))


@wrap_tool_call(tools=["delete"])
def ask(request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command]) -> ToolMessage | Command:
    if interrupt({"args": request.args["path"]}, key="ok") is not True:
        raise HookError("refused", "no", retryable=False)
    return handler(request.override(args={**request.args, "force": True}, tool=lookup))


@dynamic_prompt
def prompt(request: ModelRequest) -> str:
    return f"There are {len(request.messages)} messages."


@tool(dynamic=True)
def lookup(name: str, limit: int = 10, kind: Literal["a", "b"] = "a", runtime: Runtime | None = None) -> str:
    """Looks up."""
    return f"{name} {limit} {kind} {runtime.tool_call_id if runtime else ''}"


said: str = lookup("x", limit=3)
message: Message = {"role": "human", "content": "hi"}


@before_model(can_jump_to=["nowhere"])  # type: ignore[list-item]
def jumps(state: State) -> None: ...


@before_model  # type: ignore[type-var]
def returns(state: State) -> str:
    return ""


@wrap_tool_call  # type: ignore[type-var]
def takes(request: ModelRequest) -> str:
    return ""


def mistakes(request: ToolCallRequest, runtime: Runtime) -> None:
    request.override(arguments={})  # type: ignore[call-arg]
    runtime.store("planet")  # type: ignore[arg-type]
    runtime.next()  # type: ignore[attr-defined]
    Field("x", int, reducer="sum")  # type: ignore[call-overload]
    lookup(3)  # type: ignore[arg-type]


def check() -> str | None:
    try:
        outcome = load("x.py", config={"a": 1}).call("wrap_tool_call", {"call": {"id": "1", "name": "x", "args": {}}}, next=lambda _: "y")
        return outcome.log[0]["text"]
    except PluginError as e:
        return e.type
