"""What the agents of the suites have in common: the model, the tool, middlewares that do nothing, and the slope."""

import asyncio
import time
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

LONG = 51  # rounds of a long run
KILOBYTE = "0123456789abcdef" * 64


class Rounds(BaseChatModel):
    """Asks for the tool search, `width` times at once, in each of `rounds` rounds, and then says "done"."""

    rounds: int
    width: int = 1
    calls: int = 0

    @property
    def _llm_type(self) -> str:
        return "rounds"

    def bind_tools(self, tools: Any, **kwargs: Any) -> "Rounds":
        return self

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        self.calls += 1
        if self.calls > self.rounds:
            message = AIMessage("done")
        else:
            message = AIMessage(
                "",
                tool_calls=[
                    {"name": "search", "args": {"q": "x"}, "id": f"{self.calls}-{i}", "type": "tool_call"}
                    for i in range(self.width)
                ],
            )
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        return self._generate(messages)


class Search:
    """The tool search, which answers each time the same, and its executions: a list, as some of them are in threads."""

    def __init__(self, answer, asynchronous):
        self.executions = []

        def execute(q: str) -> str:
            """Searches."""
            self.executions.append(q)
            return answer

        async def aexecute(q: str) -> str:
            """Searches."""
            return execute(q)

        self.tool = tool("search")(aexecute if asynchronous else execute)


class NoOp(AgentMiddleware):
    def before_model(self, state, runtime):
        return None


class AsyncNoOp(AgentMiddleware):
    async def abefore_model(self, state, runtime):
        return None


def noops(n, asynchronous):
    """n middlewares that do nothing; their names must differ."""
    base = AsyncNoOp if asynchronous else NoOp
    return [type(f"NoOp{i}", (base,), {})() for i in range(n)]


def history(n):
    """A conversation of n messages."""
    return [(AIMessage if i % 2 else HumanMessage)(f"message {i}") for i in range(n)]


class Caller:
    """Performs runs of agents: by invoke, or by ainvoke in one event loop."""

    def __init__(self, asynchronous):
        self.runner = asyncio.Runner() if asynchronous else None

    def invoke(self, agent, messages, config):
        if self.runner is None:
            return agent.invoke({"messages": messages}, config)
        return self.runner.run(agent.ainvoke({"messages": messages}, config))


def slope(seconds, short, long, units, long_units):
    """Performs a short and a long run in turns, for about so many seconds, after at least a second to warm up.

    A run returns its seconds and what it did. The result is what the long one takes more, by units.
    """

    def phase(seconds):
        totals, n, begun = [0.0, 0.0], 0, time.perf_counter()
        while n == 0 or time.perf_counter() - begun < seconds:
            for i, run in enumerate((short, long)):
                took, did = run()
                totals[i] += took
                if checks[i] not in (None, did):
                    raise RuntimeError(f"a run did {did!r}, and the one before {checks[i]!r}")
                checks[i] = did
            n += 1
        return totals, n

    checks = [None, None]
    phase(max(1, seconds))
    totals, n = phase(seconds)
    return {
        "ns": (totals[1] - totals[0]) * 1e9 / (units * n),
        "check": checks[1],
        "extra": {"run_ns": totals[1] * 1e9 / (long_units * n)},
    }
