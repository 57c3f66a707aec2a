"""Talks to the server with LangGraph's own SDK: pip install langgraph-sdk."""

import asyncio
import os

from langgraph_sdk import get_client


async def main():
    client = get_client(url=os.environ.get("AGENTHOST_URL", "http://127.0.0.1:8123"))
    thread = await client.threads.create(metadata={"user": "ada"})
    asks = {"messages": [{"role": "user", "content": "note shopping: tea"}]}
    async for part in client.runs.stream(thread["thread_id"], "helper", input=asks, stream_mode=["messages-tuple", "updates"]):
        if part.event == "messages":
            print(part.data[0]["content"], end="", flush=True)
    print()

    state = await client.threads.get_state(thread["thread_id"])
    question = state["interrupts"][0]
    print("the agent asks:", question["value"]["action_requests"][0]["args"])

    answer = {question["id"]: {"decisions": [{"type": "approve"}]}}
    values = await client.runs.wait(thread["thread_id"], "helper", command={"resume": answer})
    print(values["messages"][-1]["content"])


asyncio.run(main())
