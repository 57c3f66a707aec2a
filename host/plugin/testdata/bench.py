"""What the guest bench does, in Python."""

from agenthost import Field, before_agent, before_model, plugin, wrap_model_call, wrap_tool_call

plugin(name="bench", version="1.0.0", fields=[Field("chars", int, lifetime="thread", reducer="add")])


@before_agent(messages=None)
def nothing(state, runtime):
    return None


@before_model(messages=1)
def count(state, runtime):
    return {"chars": sum(len(m.content) for m in state["messages"])}


@wrap_model_call(messages=None)
def model(request, handler):
    return handler(request)


@wrap_tool_call
def tool(request, handler):
    return handler(request)
