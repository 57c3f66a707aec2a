"""The suite crowd: 1,000 runs at once in one event loop."""

import asyncio
import contextvars
import time

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage

from agents import Rounds, Search, noops

RUNS = 1000
ROUNDS = 10
WAIT = 0.02  # seconds that the model takes

ended = contextvars.ContextVar("ended")  # in a run: when its last call of the model ended
steps = []


class Slow(Rounds):
    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        last = ended.get()
        if last:
            steps.append(time.perf_counter() - last[0])
        await asyncio.sleep(WAIT)
        self.calls = len(messages) // 2  # what is said follows from the history
        result = self._generate(messages)
        last[:] = [time.perf_counter()]
        return result


def resident(key):
    """A line of this process's status, in bytes."""
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {key}")


def p99():
    """What 99 of 100 steps took at most since it was asked last, in nanoseconds."""
    steps.sort()
    out = steps[len(steps) * 99 // 100] * 1e9
    steps.clear()
    return out


def perform(case, seconds):
    search = Search("result", asynchronous=True)
    agent = create_agent(Slow(rounds=ROUNDS), tools=[search.tool], middleware=noops(3, asynchronous=True))

    async def one():
        ended.set([])
        return await agent.ainvoke({"messages": [HumanMessage("hi")]}, {"recursion_limit": 10_000})

    async def everyone():
        await asyncio.create_task(one())
        search.executions.clear()
        steps.clear()
        before = resident("VmRSS")
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")  # the peak begins anew here
        start = time.perf_counter()
        results = await asyncio.gather(*(asyncio.create_task(one()) for _ in range(RUNS)))
        took, memory, rounds = time.perf_counter() - start, resident("VmHWM") - before, len(search.executions)
        full = p99()

        async def later(i):
            await asyncio.sleep(2 * took / RUNS * i)  # half as many a second
            await one()

        await asyncio.gather(*(asyncio.create_task(later(i)) for i in range(RUNS)))
        return results, took, memory, rounds, full, p99()

    results, took, memory, rounds, full, half = asyncio.run(everyone())
    texts = {result["messages"][-1].content for result in results}
    return {
        "ns": took * 1e9 / (RUNS * ROUNDS),
        "check": f"runs={len(results)} rounds={rounds} last={'/'.join(texts)}",
        "extra": {
            "p99_step_ns": full,
            "p99_step_half_ns": half,
            "bytes_per_run": memory / RUNS,
            "rounds_per_second": RUNS * ROUNDS / took,
        },
    }
