"""Uses every client of LangGraph's SDK for Python against a server of agents, as programs do."""

import asyncio

from common import CUT, FRAGILE, URL, human, let_go, post, until
from langgraph_sdk import get_client, get_sync_client
from langgraph_sdk.errors import ConflictError, NotFoundError


def texts(values):
    return [(m["type"], m["content"]) for m in values["messages"]]


async def collect(stream):
    return [part async for part in stream]


async def assistants(c):
    (own,) = await c.assistants.search(graph_id="agent", metadata={"created_by": "system"})
    assert own["name"] == "agent", own
    assert (await c.assistants.get(own["assistant_id"]))["graph_id"] == "agent"
    graph = await c.assistants.get_graph(own["assistant_id"], xray=True)
    assert {"__start__", "__end__", "model", "tools"} <= {n["id"] for n in graph["nodes"]}, graph
    assert "messages" in (await c.assistants.get_schemas("agent"))["input_schema"]["properties"]
    assert await c.assistants.get_subgraphs(own["assistant_id"]) == {}
    mine = await c.assistants.create("agent", config={"configurable": {"k": 1}}, metadata={"team": "x"}, name="mine", description="d")
    changed = await c.assistants.update(mine["assistant_id"], name="mine2", metadata={"team": "y"})
    assert (changed["version"], changed["name"], changed["metadata"]["team"]) == (2, "mine2", "y"), changed
    assert [v["version"] for v in await c.assistants.get_versions(mine["assistant_id"])] == [2, 1]
    assert (await c.assistants.set_latest(mine["assistant_id"], 1))["name"] == "mine"
    assert await c.assistants.count(metadata={"team": "x"}) + await c.assistants.count(metadata={"team": "y"}) == 1
    page = await c.assistants.search(limit=1, response_format="object")
    assert len(page["assistants"]) == 1 and page["next"], page
    values = await c.runs.wait(None, mine["assistant_id"], input=human("hello"))
    assert texts(values)[-1] == ("ai", "You said: hello"), values
    await c.assistants.delete(mine["assistant_id"])
    try:
        await c.assistants.get(mine["assistant_id"])
        raise AssertionError("it is still there")
    except NotFoundError:
        pass


async def threads(c):
    t = await c.threads.create(metadata={"user": "ada"}, graph_id="agent")
    assert t["status"] == "idle" and t["metadata"]["graph_id"] == "agent", t
    try:
        await c.threads.create(thread_id=t["thread_id"])
        raise AssertionError("it was made twice")
    except ConflictError:
        pass
    assert (await c.threads.create(thread_id=t["thread_id"], if_exists="do_nothing"))["thread_id"] == t["thread_id"]
    assert (await c.threads.update(t["thread_id"], metadata={"title": "x"}))["metadata"]["title"] == "x"
    await c.runs.wait(t["thread_id"], "agent", input=human("weather Oslo"))
    (found,) = await c.threads.search(metadata={"user": "ada"}, status="idle", sort_by="updated_at", sort_order="desc")
    assert found["values"]["messages"][0]["content"] == "weather Oslo", found
    assert await c.threads.count(metadata={"user": "ada"}) == 1
    state = await c.threads.get_state(t["thread_id"])
    assert state["next"] == [] and texts(state["values"])[-1] == ("ai", "The tool said: sunny in Oslo"), state
    history = await c.threads.get_history(t["thread_id"], limit=20)
    assert history[0]["checkpoint"] == state["checkpoint"] and history[-1]["parent_checkpoint"] is None, history
    before_tools = next(s for s in history if s["next"] == ["tools"])
    again = await c.threads.get_state(t["thread_id"], checkpoint=before_tools["checkpoint"])
    assert again["values"] == before_tools["values"]
    older = await c.threads.get_history(t["thread_id"], limit=1, before=before_tools["checkpoint"])
    assert older[0]["checkpoint_id"] == before_tools["parent_checkpoint"]["checkpoint_id"], older
    values = await c.runs.wait(t["thread_id"], "agent", input=None, checkpoint_id=before_tools["checkpoint_id"])
    assert texts(values)[-1] == ("ai", "The tool said: sunny in Oslo"), values
    place = await c.threads.update_state(t["thread_id"], {"messages": [{"role": "human", "content": "weather Rome"}]}, as_node="__start__")
    assert place["checkpoint"]["checkpoint_id"], place
    values = await c.runs.wait(t["thread_id"], "agent", input=None)
    assert texts(values)[-1] == ("ai", "The tool said: sunny in Rome"), values
    copy = await c.threads.copy(t["thread_id"])
    assert texts((await c.threads.get_state(copy["thread_id"]))["values"]) == texts(values)
    pruned = await c.threads.prune([copy["thread_id"]])
    assert pruned["pruned_count"] == 1, pruned
    await c.threads.delete(t["thread_id"])
    try:
        await c.threads.get(t["thread_id"])
        raise AssertionError("it is still there")
    except NotFoundError:
        pass


async def streams(c):
    for mode, event in {
        "values": "values", "updates": "updates", "messages": "messages/partial", "messages-tuple": "messages",
        "events": "events", "tasks": "tasks", "checkpoints": "checkpoints", "debug": "debug", "custom": "metadata",
    }.items():
        t = await c.threads.create()
        parts = await collect(c.runs.stream(t["thread_id"], "agent", input=human("weather Oslo"), stream_mode=mode))
        assert parts[0].event == "metadata" and parts[0].data["run_id"], parts
        assert event in [p.event for p in parts], (mode, [p.event for p in parts])
        assert not [p for p in parts if p.event == "error"], parts
    t = await c.threads.create()
    parts = await collect(c.runs.stream(t["thread_id"], "agent", input=human("hello"), stream_mode=["values", "messages-tuple"]))
    said = [p.data[0] for p in parts if p.event == "messages"]
    assert "".join(m["content"] for m in said) == "You said: hello", said
    assert {m["id"] for m in said} == {parts[-1].data["messages"][-1]["id"]}, parts
    parts = await collect(c.runs.stream(None, "agent", input=human("hello"), stream_mode="values"))
    assert texts(parts[-1].data)[-1] == ("ai", "You said: hello"), parts


async def runs(c):
    t = (await c.threads.create())["thread_id"]
    run = await c.runs.create(t, "agent", input=human("wait"), metadata={"m": 1}, stream_resumable=True, stream_mode="values")
    await until(lambda: c.runs.get(t, run["run_id"]), lambda r: r["status"] == "running")
    assert (await c.threads.get(t))["status"] == "busy"
    try:
        await c.runs.create(t, "agent", input=human("x"), multitask_strategy="reject")
        raise AssertionError("the thread took two runs")
    except ConflictError:
        pass
    queued = await c.runs.create(t, "agent", input=human("next"))
    joining = asyncio.create_task(collect(c.runs.join_stream(t, run["run_id"], last_event_id="-1")))
    await asyncio.to_thread(let_go)
    parts = await joining
    assert texts(parts[-1].data)[-1] == ("ai", "The tool said: waited"), parts
    last = await c.runs.join(t, queued["run_id"])
    assert texts(last)[-1] == ("ai", "You said: next"), last
    listed = await c.runs.list(t)
    assert [r["run_id"] for r in listed] == [queued["run_id"], run["run_id"]] and listed[0]["status"] == "success", listed

    run = await c.runs.create(t, "agent", input=human("wait"))
    await until(lambda: c.runs.get(t, run["run_id"]), lambda r: r["status"] == "running")
    await c.runs.cancel(t, run["run_id"], wait=True)
    assert (await c.runs.get(t, run["run_id"]))["status"] == "interrupted"
    run = await c.runs.create(t, "agent", input=human("wait"))
    await until(lambda: c.runs.get(t, run["run_id"]), lambda r: r["status"] == "running")
    await c.runs.cancel(t, run["run_id"], wait=True, action="rollback")
    try:
        await c.runs.get(t, run["run_id"])
        raise AssertionError("it is still there")
    except NotFoundError:
        pass
    await c.runs.delete(t, queued["run_id"])
    batch = await c.runs.create_batch([{"assistant_id": "agent", "input": human(x)} for x in "ab"])
    assert len({r["run_id"] for r in batch}) == 2, batch
    run = await c.runs.create(t, "agent", input=human("wait"))
    await until(lambda: c.runs.get(t, run["run_id"]), lambda r: r["status"] == "running")
    await c.runs.cancel_many(thread_id=t, run_ids=[run["run_id"]])
    await until(lambda: c.runs.get(t, run["run_id"]), lambda r: r["status"] == "interrupted")


async def thread_stream(c):
    """A stream of a thread shows the run that goes on, and those that follow."""
    t = (await c.threads.create())["thread_id"]
    first = await c.runs.create(t, "agent", input=human("wait"), stream_mode="values")
    await until(lambda: c.runs.get(t, first["run_id"]), lambda r: r["status"] == "running")
    stream = await c.threads.join_stream(t, stream_mode="run_modes")
    going = asyncio.create_task(asyncio.to_thread(let_go))
    ended, values = [], None
    async for part in stream:
        if part.event == "values":
            values = part.data
        if part.event != "metadata" or part.data.get("status") != "run_done":
            continue
        ended.append(part.data["run_id"])
        if len(ended) == 2:
            break
        await c.runs.create(t, "agent", input=human("next"), stream_mode="values")
    await going
    assert ended[0] == first["run_id"] and texts(values)[-1] == ("ai", "You said: next"), (ended, values)


async def cuts(c):
    """A stream goes on after its connection broke, and misses nothing."""
    t = (await c.threads.create())["thread_id"]
    steps = []
    async with get_client(url=FRAGILE) as fragile:
        async for part in fragile.runs.stream(
            t, "agent", input=human("wait"), stream_mode=["updates"], stream_resumable=True, on_disconnect="continue"
        ):
            assert part.event in ("metadata", "updates"), part
            if part.event == "updates":
                steps += part.data
            if len(steps) == 1:
                await asyncio.to_thread(post, CUT)
                await asyncio.to_thread(let_go)
    want = ["model", "human_in_the_loop.after_model", "tools", "model", "human_in_the_loop.after_model"]
    assert steps == want, steps


async def questions(c):
    for decision, last in [
        ({"type": "approve"}, "The tool said: wrote"),
        ({"type": "edit", "edited_action": {"name": "write_file", "args": {"content": "coffee"}}}, "coffee"),
        ({"type": "reject", "message": "no paper"}, "no paper"),
    ]:
        t = (await c.threads.create())["thread_id"]
        values = await c.runs.wait(t, "agent", input=human("write tea"))
        (question,) = values["__interrupt__"]
        assert question["value"]["action_requests"][0]["args"] == {"content": "tea"}, question
        thread = await c.threads.get(t)
        assert thread["status"] == "interrupted", thread
        assert [i["id"] for waiting in thread["interrupts"].values() for i in waiting] == [question["id"]], thread
        answer = {"decisions": [decision]}
        resume = answer if decision["type"] == "approve" else {question["id"]: answer}
        values = await c.runs.wait(t, "agent", command={"resume": resume})
        assert last in texts(values)[-1][1], values
        assert (await c.threads.get(t))["status"] == "idle"
    t = (await c.threads.create())["thread_id"]
    await c.runs.wait(t, "agent", input=human("weather Oslo"), interrupt_before=["tools"])
    assert (await c.threads.get_state(t))["next"] == ["tools"]
    values = await c.runs.wait(t, "agent", input=None)
    assert texts(values)[-1] == ("ai", "The tool said: sunny in Oslo"), values


async def store(c):
    space = ["users", "ada"]
    await c.store.put_item(space, "a", {"likes": "tea"})
    await c.store.put_item(["users", "eve"], "b", {"likes": "bread"})
    assert (await c.store.get_item(space, "a"))["value"] == {"likes": "tea"}
    found = await c.store.search_items(["users"], filter={"likes": "tea"})
    assert [i["key"] for i in found["items"]] == ["a"], found
    spaces = (await c.store.list_namespaces(prefix=["users"]))["namespaces"]
    assert sorted(spaces) == [space, ["users", "eve"]], spaces
    await c.store.delete_item(space, "a")
    assert await c.store.get_item(space, "a") is None


async def crons(c):
    t = (await c.threads.create())["thread_id"]
    one = await c.crons.create_for_thread(t, "agent", schedule="0 0 1 1 *", input=human("hello"))
    two = await c.crons.create("agent", schedule="0 0 1 1 *", input=human("hello"), timezone="Europe/Oslo")
    assert one["thread_id"] == t and two["next_run_date"], (one, two)
    assert await c.crons.count() == 2
    assert {x["cron_id"] for x in await c.crons.search()} == {one["cron_id"], two["cron_id"]}
    assert (await c.crons.update(one["cron_id"], enabled=False))["enabled"] is False
    for cron in (one, two):
        await c.crons.delete(cron["cron_id"])
    assert await c.crons.count() == 0


def synchronous():
    with get_sync_client(url=URL) as c:
        t = c.threads.create()["thread_id"]
        parts = list(c.runs.stream(t, "agent", input=human("hello"), stream_mode="values"))
        assert texts(parts[-1].data)[-1] == ("ai", "You said: hello"), parts


async def main():
    async with get_client(url=URL) as c:
        for part in (assistants, threads, streams, runs, thread_stream, cuts, questions, store, crons):
            await part(c)
            print(part.__name__)
    await asyncio.to_thread(synchronous)
    print("all done")


asyncio.run(main())
