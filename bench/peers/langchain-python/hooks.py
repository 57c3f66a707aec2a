"""The suite hooks: a before_model that reads the last message. The case is sync:hook, async:hook, or call:hook, which is
the bare call of the middleware's method, with no agent around it."""

import operator
import time
from typing import Annotated

from langchain.agents import AgentState, create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import HumanMessage

from agents import KILOBYTE, LONG, Caller, Rounds, Search, slope

CALLS = LONG + 1


class CountState(AgentState):
    chars: Annotated[int, operator.add]


class Count(AgentMiddleware):
    state_schema = CountState

    def before_model(self, state, runtime):
        return {"chars": len(state["messages"][-1].content)}


class AsyncCount(AgentMiddleware):
    state_schema = CountState

    async def abefore_model(self, state, runtime):
        return {"chars": len(state["messages"][-1].content)}


def runs(middleware, asynchronous):
    model = Rounds(rounds=LONG)
    agent = create_agent(model, tools=[Search(KILOBYTE, asynchronous).tool], middleware=middleware)
    caller = Caller(asynchronous)

    def run():
        model.calls = 0
        start = time.perf_counter()
        result = caller.invoke(agent, [HumanMessage(KILOBYTE)], {"recursion_limit": 10_000})
        took = time.perf_counter() - start
        return took, f"calls={model.calls} chars={result.get('chars', 0)}"

    return run


def bare(seconds):
    """Calls the method over and over."""
    middleware = Count()
    state = {"messages": [HumanMessage(KILOBYTE)] * (2 * LONG)}
    took = calls = 0
    begun = time.perf_counter()
    while time.perf_counter() - begun < seconds:
        chars = 0
        start = time.perf_counter()
        for _ in range(CALLS):
            chars += middleware.before_model(state, None)["chars"]
        took += time.perf_counter() - start
        calls += CALLS
    return {"ns": took * 1e9 / calls, "check": f"calls={CALLS} chars={chars}"}


def perform(case, seconds):
    if case == "call:hook":
        return bare(seconds)
    asynchronous = case == "async:hook"
    counting = AsyncCount() if asynchronous else Count()
    return slope(seconds, runs([], asynchronous), runs([counting], asynchronous), CALLS, CALLS)
