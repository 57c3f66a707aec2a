"""An agent for LangGraph's server, without a model: it does what the first word of the last message says."""

import asyncio

from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt


async def work(state: MessagesState):
    task = state["messages"][-1].content
    match task.split()[0]:
        case "sleep":
            await asyncio.sleep(60)
        case "fail":
            raise ValueError("the agent failed")
        case "ask":
            task = interrupt({"question": task})
    return {"messages": [("ai", f"I did this: {task}")]}


worker = StateGraph(MessagesState).add_node("work", work).add_edge(START, "work").compile()
