"""Uses a server's agent as a RemoteGraph: alone, and as a node of a graph."""

import asyncio
import sys

from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command
from langgraph_sdk import get_sync_client

URL = sys.argv[1]


def human(text):
    return {"messages": [{"role": "human", "content": text}]}


def last(values):
    return values["messages"][-1]["content"]


remote = RemoteGraph("agent", url=URL)
assert last(remote.invoke(human("weather Oslo"))) == "The tool said: sunny in Oslo"
assert [last(v) for v in remote.stream(human("hello"), stream_mode="values")][-1] == "You said: hello"
assert "model" in {name.split(".")[0] for step in remote.stream(human("hello"), stream_mode="updates") for name in step}
graph = remote.get_graph()
assert {"model", "tools"} <= set(graph.nodes), graph
print("alone")

thread = get_sync_client(url=URL).threads.create()["thread_id"]
config = {"configurable": {"thread_id": thread}}
asked = remote.invoke(human("write tea"), config)
assert asked["__interrupt__"], asked
state = remote.get_state(config)
assert state.next and state.tasks[0].interrupts[0].value["action_requests"], state
values = remote.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
assert last(values).startswith("The tool said: wrote"), values
assert remote.get_state(config).next == ()
assert len(list(remote.get_state_history(config))) > 3
config = remote.update_state(config, human("weather Rome"), as_node="__start__")
assert last(remote.invoke(None, {"configurable": {"thread_id": thread}})) == "The tool said: sunny in Rome"
print("threads")

outer = StateGraph(MessagesState)
outer.add_node("remote", remote)
outer.add_edge(START, "remote")
outer.add_edge("remote", END)
compiled = outer.compile()
assert compiled.invoke(human("hello"))["messages"][-1].content == "You said: hello"
assert asyncio.run(compiled.ainvoke(human("hello")))["messages"][-1].content == "You said: hello"
print("a node")
print("all done")
