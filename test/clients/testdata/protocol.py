"""Uses client.threads.stream of LangGraph's SDK for Python, over server-sent events and over WebSockets: values, messages, calls of tools, questions, failures, cancelled
runs, a thread that somebody else uses, and connections that break."""

import asyncio

from langgraph_sdk import get_client, get_sync_client

from common import CUT, FRAGILE, URL, human, let_go, post, until

client = get_client(url=URL)


def contents(values):
    """The texts of messages in values, whose answers have lists of blocks."""
    out = []
    for message in values["messages"]:
        content = message["content"]
        out.append(content if isinstance(content, str) else "".join(block.get("text", "") for block in content))
    return out


async def runs(transport):
    """One subscription has all that is asked for at once. The SDK asks for a second one from the last event on that the first one had, so that it may miss some."""
    async with client.threads.stream(assistant_id="agent", transport=transport) as thread:
        started = await thread.run.start(input=human("weather Oslo"))
        assert started["run_id"]
        snapshots, messages, calls, events = [], [], [], []
        async for kind, item in thread.interleave_projections(["values", "messages", "tool_calls"]):
            {"values": snapshots, "messages": messages, "tool_calls": calls}[kind].append(item)
        output = await thread.output
        assert contents(output)[-1] == "The tool said: sunny in Oslo", output
        assert contents(snapshots[-1]) == ["weather Oslo", "", "sunny in Oslo", "The tool said: sunny in Oslo"], snapshots[-1]
        assert [(call.name, call.input, (await call.output)["content"]) for call in calls] == [("get_weather", {"city": "Oslo"}, "sunny in Oslo")]
        assert [await message.text for message in messages] == ["", "The tool said: sunny in Oslo"], messages
        assert [message.message_id for message in messages] == [m["id"] for m in output["messages"] if m["type"] == "ai"]
        async for event in thread.events:
            if event["type"] == "event":
                events.append(event)
                if event["method"] == "lifecycle" and event["params"]["data"]["event"] == "completed":
                    break
        seqs = [event["seq"] for event in events]
        assert seqs == sorted(set(seqs))
        deltas = [e["params"]["data"]["delta"] for e in events if e["params"]["data"].get("event") == "content-block-delta" and not e["params"]["namespace"]]
        assert [d["text"] for d in deltas if d["type"] == "text-delta"][0] == "The ", deltas
        tree = await thread.agent.get_tree()
        assert [node["id"] for node in tree["nodes"]][0] == "__start__"
        return thread.thread_id, seqs, events


async def goes_on(transport):
    """A client that names the last event that it has seen gets exactly those that follow it, whatever it subscribes to."""
    thread_id, seqs, events = await runs(transport)
    for i in (0, 7, len(seqs) - 2):
        for channels in (["values", "lifecycle"], ["values", "messages", "tools", "lifecycle", "checkpoints", "tasks", "updates", "custom", "input"]):
            found = []
            async with client.threads.stream(thread_id=thread_id, assistant_id="agent", transport=transport) as thread:
                stream = thread._transport.open_event_stream({"channels": channels, "since": seqs[i]})
                async for event in stream.events:
                    if event.get("type") == "event":
                        found.append(event)
                        if event["method"] == "lifecycle":
                            break
                await stream.close()
            assert found == [e for e in events[i + 1 :] if e["method"].split(".")[0] in channels], (i, channels)


async def asks(transport):
    async with client.threads.stream(assistant_id="agent", transport=transport) as thread:
        await thread.run.start(input=human("write tea"))

        async def interrupts():
            return thread.interrupts

        [question] = await until(interrupts, len)
        assert question["value"]["action_requests"][0]["args"] == {"content": "tea"}, question
        approve = {"decisions": [{"type": "approve"}]}

        async def refused(interrupt_id):
            try:
                await thread._send_command("input.respond", {"namespace": [], "interrupt_id": interrupt_id, "response": approve})
            except RuntimeError as error:
                return "no_such_interrupt" in str(error)

        assert await refused("ask-1-1")
        await thread.run.respond(approve)
        output = await asyncio.wait_for(thread.output, 20)
        assert contents(output)[-1].startswith("The tool said: wrote"), output
        assert await refused(question["interrupt_id"]), "a question was answered twice"


async def fails(transport):
    async with client.threads.stream(assistant_id="agent", transport=transport) as thread:
        await thread.run.start(input=human("weather Oslo"), config={"recursion_limit": 1})
        try:
            await asyncio.wait_for(thread.output, 20)
            raise SystemExit("the run has failed")
        except RuntimeError as error:
            assert "Run errored" in str(error), error
    async with client.threads.stream(assistant_id="nobody", transport=transport) as thread:
        try:
            await thread.run.start(input=human("hi"))
            raise SystemExit("there is no such assistant")
        except RuntimeError as error:
            assert "invalid_argument" in str(error) and "registered graphs: agent" in str(error), error


async def cancels(transport):
    async with client.threads.stream(assistant_id="agent", transport=transport) as thread:
        run = await thread.run.start(input=human("wait"))
        phases = []
        async for event in thread.subscribe(["lifecycle", "tools"]):
            phases.append(event["params"]["data"]["event"])
            if phases[-1] == "tool-started":
                await client.runs.cancel(thread.thread_id, run["run_id"])
            if phases[-1] == "interrupted":
                break
        assert phases == ["running", "tool-started", "tool-error", "interrupted"], phases


async def survives(transport):
    fragile = get_client(url=FRAGILE)
    async with fragile.threads.stream(assistant_id="agent", transport=transport) as thread:
        await thread.run.start(input=human("wait"))
        found = []
        async for event in thread.subscribe(["values", "messages", "tools"]):
            found.append(event)
            data = event["params"]["data"]
            if data.get("event") == "tool-started":
                post(CUT)
                let_go()
            if event["method"] == "values" and contents(data)[-1] == "The tool said: waited":
                break
        seqs = [event["seq"] for event in found]
        assert seqs == sorted(set(seqs)), seqs
        assert [e["params"]["data"]["event"] for e in found if e["method"] == "tools"] == ["tool-started", "tool-finished"]


def works_without_asyncio(transport):
    with get_sync_client(url=URL).threads.stream(assistant_id="agent", transport=transport) as thread:
        thread.run.start(input=human("hello"))
        assert contents(thread.output)[-1] == "You said: hello"


async def main():
    for transport in ("sse", "websocket"):
        for part in (goes_on, asks, fails, cancels, survives):
            print(part.__name__, transport, flush=True)
            await part(transport)
        print("works_without_asyncio", transport, flush=True)
        await asyncio.to_thread(works_without_asyncio, transport)
    print("all done")


asyncio.run(main())
