"""The suite loop: a model→tool round. The case is FLAVOR:SHAPE, the flavor sync or async."""

import sys
import time
from dataclasses import dataclass

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from agents import LONG, Caller, Rounds, Search, history, noops, slope


@dataclass
class Shape:
    middlewares: int = 0
    memory: bool = False
    width: int = 1
    history: int = 0


SHAPES = {
    "plain": Shape(),
    "five": Shape(middlewares=5),
    "memory": Shape(memory=True),
    "five-memory": Shape(middlewares=5, memory=True),
    "parallel8": Shape(width=8),
    "plain-2000": Shape(history=2000),
    "five-memory-2000": Shape(middlewares=5, memory=True, history=2000),
}


def runs(shape, rounds, asynchronous):
    """Returns a function that performs one run of so many rounds, of an agent that is made once."""
    model = Rounds(rounds=rounds, width=shape.width)
    search = Search("result", asynchronous)
    saver = InMemorySaver() if shape.memory else None
    agent = create_agent(
        model, tools=[search.tool], middleware=noops(shape.middlewares, asynchronous), checkpointer=saver
    )
    caller = Caller(asynchronous)
    threads = 0

    def run():
        nonlocal threads
        threads += 1
        config = {"recursion_limit": 10_000, "configurable": {"thread_id": f"thread-{threads}"}}
        messages = [HumanMessage("hi")]
        if shape.history and shape.memory:
            agent.update_state(config, {"messages": history(shape.history)}, as_node="model")
        elif shape.history:
            messages = history(shape.history) + messages
        model.calls = 0
        search.executions.clear()
        start = time.perf_counter()
        result = caller.invoke(agent, messages, config)
        took = time.perf_counter() - start
        kept = result["messages"]
        if saver:
            kept = agent.get_state(config).values["messages"]
            saver.delete_thread(config["configurable"]["thread_id"])
        return took, (
            f"rounds={rounds} calls={model.calls} tools={len(search.executions)} messages={len(kept)} last={kept[-1].content}"
        )

    return run


def perform(case, seconds):
    flavor, _, name = case.partition(":")
    if name not in SHAPES or flavor not in ("sync", "async"):
        print(f"it has no case {case}", file=sys.stderr)
        sys.exit(2)
    shape, asynchronous = SHAPES[name], flavor == "async"
    return slope(seconds, runs(shape, 1, asynchronous), runs(shape, LONG, asynchronous), LONG - 1, LONG)
