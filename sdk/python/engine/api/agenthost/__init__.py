"""What a plugin in Python imports: decorators for hooks and tools, and the classes of messages and requests."""

from agenthost._engine import plugin, tool
from agenthost._error import HookError, ToolError
from agenthost._hook import (
    AgentMiddleware,
    after_agent,
    after_model,
    before_agent,
    before_model,
    dynamic_prompt,
    hook_config,
    wrap_model_call,
    wrap_tool_call,
)
from agenthost._message import AIMessage, AnyMessage, HumanMessage, Message, RemoveMessage, SystemMessage, ToolMessage
from agenthost._request import (
    Command,
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
    Response,
    Runtime,
    State,
    Store,
    ToolCallRequest,
    interrupt,
    log,
)
from agenthost._state import Field

AgentState = State

__all__ = [
    "AIMessage", "AgentMiddleware", "AgentState", "AnyMessage", "Command", "ExtendedModelResponse", "Field", "HookError", "HumanMessage",
    "Message", "ModelRequest", "ModelResponse", "RemoveMessage", "Response", "Runtime", "State", "Store", "SystemMessage", "ToolCallRequest",
    "ToolError", "ToolMessage", "after_agent", "after_model", "before_agent", "before_model", "dynamic_prompt", "hook_config", "interrupt", "log",
    "plugin", "tool", "wrap_model_call", "wrap_tool_call",
]
