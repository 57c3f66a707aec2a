"""Does what the guides to LangGraph's server show, where sdk.py does not: what they say is printed is what must come."""

import asyncio

import httpx
from common import URL, human, let_go, until
from langgraph_sdk import get_client
from langgraph_sdk.schema import Command


def texts(values):
    return [m["content"] for m in values["messages"] if m["type"] != "tool" and m["content"]]


async def running(c, thread, run):
    await until(lambda: c.runs.get(thread, run["run_id"]), lambda r: r["status"] == "running")


async def prepopulated(c):
    """A thread begins with a conversation that took place elsewhere."""
    steps = [
        {"updates": [{"values": {}, "as_node": "__input__"}]},
        {"updates": [{"values": {"messages": [{"type": "human", "content": "hello"}]}, "as_node": "__start__"}]},
        {"updates": [{"values": {"messages": [{"type": "ai", "content": "How can I help?"}]}, "as_node": "model"}]},
    ]
    t = await c.threads.create(graph_id="agent", supersteps=steps)
    assert t["status"] == "idle" and t["metadata"] == {"graph_id": "agent"}, t
    assert texts(t["values"]) == ["hello", "How can I help?"] and all(m["id"] for m in t["values"]["messages"]), t
    state = await c.threads.get_state(t["thread_id"])
    assert (state["metadata"]["source"], state["metadata"]["step"]) == ("update", 2), state
    assert state["parent_checkpoint_id"] == state["parent_checkpoint"]["checkpoint_id"], state
    assert texts(await c.runs.wait(t["thread_id"], "agent", input=human("more"))) == ["hello", "How can I help?", "more", "You said: more"]


async def sorting(c):
    for _ in range(2):
        await c.threads.create(metadata={"sorted": True})
    for key in ("thread_id", "created_at", "updated_at"):
        up, down = [
            [t[key] for t in await c.threads.search(metadata={"sorted": True}, sort_by=key, sort_order=order)] for order in ("asc", "desc")
        ]
        assert up == sorted(up) == down[::-1] and len(up) == 2, (key, up, down)


async def double_texting(c):
    t = (await c.threads.create())["thread_id"]
    first = await c.runs.create(t, "agent", input=human("weather sf"))
    second = await c.runs.create(t, "agent", input=human("weather nyc"), multitask_strategy="rollback")
    await c.runs.join(t, second["run_id"])
    assert texts((await c.threads.get_state(t))["values"]) == ["weather nyc", "The tool said: sunny in nyc"]
    try:
        await c.runs.get(t, first["run_id"])
        raise AssertionError("the run is still there")
    except httpx.HTTPStatusError as e:
        assert e.response.status_code == 404

    t = (await c.threads.create())["thread_id"]
    first = await c.runs.create(t, "agent", input=human("wait"))
    await running(c, t, first)
    second = await c.runs.create(t, "agent", input=human("weather nyc"), multitask_strategy="interrupt")
    await c.runs.join(t, second["run_id"])
    assert texts((await c.threads.get_state(t))["values"]) == ["wait", "weather nyc", "The tool said: sunny in nyc"]
    assert (await c.runs.get(t, first["run_id"]))["status"] == "interrupted"

    t = (await c.threads.create())["thread_id"]
    first = await c.runs.create(t, "agent", input=human("wait"))
    try:
        await c.runs.create(t, "agent", input=human("weather nyc"), multitask_strategy="reject")
        raise AssertionError("the thread took two runs")
    except httpx.HTTPStatusError as e:
        assert e.response.status_code == 409
    await asyncio.to_thread(let_go)
    assert texts(await c.runs.join(t, first["run_id"])) == ["wait", "The tool said: waited"]

    t = (await c.threads.create())["thread_id"]
    await c.runs.create(t, "agent", input=human("weather sf"))
    second = await c.runs.create(t, "agent", input=human("weather nyc"), multitask_strategy="enqueue")
    values = await c.runs.join(t, second["run_id"])
    assert texts(values) == ["weather sf", "The tool said: sunny in sf", "weather nyc", "The tool said: sunny in nyc"], values


async def background(c):
    t = (await c.threads.create())["thread_id"]
    assert await c.runs.list(t) == []
    run = await c.runs.create(t, "agent", input=human("weather sf"))
    assert (run["status"], run["multitask_strategy"], run["kwargs"]["input"]) == ("pending", "enqueue", human("weather sf")), run
    await c.runs.join(t, run["run_id"])
    assert (await c.runs.get(t, run["run_id"]))["status"] == "success"


async def two_assistants(c):
    """Two assistants of an agent speak in one thread, and each sees what the other said."""
    a = await c.assistants.create(graph_id="agent", config={"configurable": {"model_name": "openai"}})
    t = (await c.threads.create())["thread_id"]
    for assistant in (a["assistant_id"], "agent"):
        events = [e async for e in c.runs.stream(t, assistant, input=human("hi"), stream_mode="updates")]
        assert "model" in events[1].data and events[1].event == "updates", events
    assert texts((await c.threads.get_state(t))["values"]) == ["hi", "You said: hi"] * 2
    await c.assistants.delete(a["assistant_id"])


async def contexts(c):
    a = await c.assistants.create("agent", context={"model_name": "openai"}, name="Mine")
    assert a["config"] == {"configurable": {"model_name": "openai"}} and a["context"] == {"model_name": "openai"}, a
    b = await c.assistants.update(a["assistant_id"], context={"model_name": "openai", "tone": "kind"})
    assert (b["version"], b["context"]["tone"], b["name"]) == (2, "kind", "Mine"), b
    assert "tone" not in (await c.assistants.set_latest(a["assistant_id"], 1))["context"]
    await c.assistants.delete(a["assistant_id"])


async def time_travel(c):
    t = (await c.threads.create())["thread_id"]
    await c.runs.wait(t, "agent", input=human("weather sf"))
    chosen = next(s for s in await c.threads.get_history(t) if s["next"] == ["model"])
    changed = await c.threads.update_state(
        t, {"messages": [{"role": "user", "content": "weather nyc"}]}, checkpoint_id=chosen["checkpoint_id"], as_node="__start__"
    )
    values = await c.runs.wait(t, "agent", input=None, checkpoint_id=changed["checkpoint_id"])
    assert texts(values)[-2:] == ["weather nyc", "The tool said: sunny in nyc"], values


async def breakpoints(c):
    t = (await c.threads.create())["thread_id"]
    values = await c.runs.wait(t, "agent", input=human("weather sf"), interrupt_after=["tools"])
    assert values["messages"][-1]["content"] == "sunny in sf", values
    assert texts(await c.runs.wait(t, "agent", input=None))[-1] == "The tool said: sunny in sf"
    t = (await c.threads.create())["thread_id"]
    values = await c.runs.wait(t, "agent", input=human("write tea"))
    assert set(values["__interrupt__"][0]) >= {"id", "value"}, values
    values = await c.runs.wait(t, "agent", command=Command(resume={"decisions": [{"type": "approve"}]}))
    assert "__interrupt__" not in values and texts(values)[-1].startswith("The tool said: wrote"), values
    t = (await c.threads.create())["thread_id"]
    await c.runs.wait(t, "agent", input=human("write tea"))
    await c.runs.wait(t, "agent", command=Command(goto="__end__"))
    assert (await c.threads.get(t))["status"] == "idle"


async def several_modes(c):
    """Each frame says which mode it is of; a run without a thread leaves none."""
    before = await c.threads.count()
    events = [e async for e in c.runs.stream(None, "agent", input={**human("hello"), "topic": "ice"}, stream_mode=["updates", "values"])]
    assert [e.event for e in events][:2] == ["metadata", "values"] and {e.event for e in events} == {"metadata", "updates", "values"}, events
    assert await c.threads.count() == before


async def main():
    async with get_client(url=URL) as c:
        for part in (
            prepopulated, sorting, double_texting, background, two_assistants, contexts, time_travel, breakpoints, several_modes,
        ):
            await part(c)
            print(part.__name__)
    print("all done")


asyncio.run(main())
