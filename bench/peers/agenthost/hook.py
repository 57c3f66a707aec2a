"""The hook of the suite hooks, in Python."""

from agenthost import Field, before_model, plugin

plugin(name="bench", version="1.0.0", fields=[Field("chars", int, lifetime="thread", reducer="add")])


@before_model(messages=1)
def count(state, runtime):
    return {"chars": len(state["messages"][0].content)}
