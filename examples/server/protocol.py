"""Follows a thread with LangGraph's newer protocol: pip install langgraph-sdk."""

import asyncio
import os

from langgraph_sdk import get_client


async def main():
    client = get_client(url=os.environ.get("AGENTHOST_URL", "http://127.0.0.1:8123"))
    async with client.threads.stream(assistant_id="helper") as thread:
        await thread.run.start(input={"messages": [{"role": "user", "content": "note shopping: tea"}]})
        async for message in thread.messages:
            print("the agent writes message", message.message_id)
        question = thread.interrupts[0]
        print("the agent asks:", question["value"]["action_requests"][0]["args"])

        await thread.run.respond({"decisions": [{"type": "approve"}]})
        values = await thread.output
        print(values["messages"][-1]["content"])


asyncio.run(main())
