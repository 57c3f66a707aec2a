"""A policy for tools: reads go through, writes ask a person, and everything else is refused. A run may call five tools."""

from typing import Callable

from agenthost import Command, Field, ToolCallRequest, ToolMessage, interrupt, plugin, wrap_tool_call

MOST = 5
NAMES: dict[str, object] = {"type": "array", "items": {"type": "string"}, "default": []}

plugin(
    version="1.0.0",
    guards=True,
    config_schema={"type": "object", "properties": {"reads": NAMES, "writes": NAMES}},
    fields=[Field("tool_count", int, lifetime="run", reducer="add")],
)


@wrap_tool_call
def policy(request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage]) -> ToolMessage | Command:
    name, config = request.name, request.config
    if request.state["tool_count"] >= MOST:
        return refuse(f"A run may call {MOST} tools. Answer with what you have.")
    if name in config["writes"]:
        if interrupt({"tool": name, "args": request.args, "question": "Run it?"}) is not True:
            return refuse(f"A person refused {name}.")
    elif name not in config["reads"]:
        return refuse(f"The tool {name} is not allowed.")
    handler(request)
    return Command(update={"tool_count": 1})


def refuse(text: str) -> ToolMessage:
    return ToolMessage(text, status="error")
