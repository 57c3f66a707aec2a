# Uses MCP's SDK for Python against a server of agents, in a version of the protocol with sessions and in one without.
import asyncio
import json
import os
import sys

import httpx2
from mcp import Client, MCPError
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult

server, tools, issuer = sys.argv[1:4]
url = server + "/mcp"


def connect(key, mode, **more):
    http = httpx2.AsyncClient(headers={"Authorization": "Bearer " + key}, timeout=60)
    return Client(streamable_http_client(url, http_client=http), mode=mode, **more)


def text(result):
    return result.content[0].text


async def agents_are_tools(mode, version):
    async with connect(os.environ["ANNS_KEY"], mode) as client:
        assert client.protocol_version == version, client.protocol_version
        listed = {t.name: t for t in (await client.list_tools()).tools}
        assert set(listed) == {"clerk", "answer_questions"}, listed
        assert listed["clerk"].description == "Looks after the files."
        result = await client.call_tool("clerk", {"prompt": "hello"})
        assert text(result) == "You said: hello" and not result.is_error, result


async def threads_are_resources(mode):
    async with connect(os.environ["ANNS_KEY"], mode) as client:
        result = await client.call_tool("clerk", {"prompt": "first", "thread": "python " + mode})
        uri = "agenthost://threads/" + result.meta["agenthost/thread"]
        assert uri in [r.uri for r in (await client.list_resources()).resources]
        templates = (await client.list_resource_templates()).resource_templates
        assert [t.uri_template for t in templates] == ["agenthost://threads/{thread}"]
        content = json.loads((await client.read_resource(uri)).contents[0].text)
        assert [m["content"] for m in content["messages"]] == ["first", "You said: first"], content
    async with connect(os.environ["BOBS_KEY"], mode) as bob:
        assert uri not in [r.uri for r in (await bob.list_resources()).resources]
        try:
            await bob.read_resource(uri)
            raise AssertionError("bob reads ann's thread")
        except MCPError:
            pass


async def the_user_decides(mode):
    asked = []

    async def ask(context, params):
        asked.append(params.message)
        return ElicitResult(action="accept", content={"decision": "edit", "arguments": '{"content": "better"}'})

    async with connect(os.environ["ANNS_KEY"], mode, elicitation_callback=ask) as client:
        result = await client.call_tool("clerk", {"prompt": "write it"})
        assert "wrote better" in text(result), result
        assert "write_file" in asked[0], asked


async def answers_by_a_tool(mode):
    async with connect(os.environ["ANNS_KEY"], mode) as client:
        result = await client.call_tool("clerk", {"prompt": "write it"})
        assert result.is_error and "answer_questions" in text(result), result
        call = text(result).split('"id": "')[1].split('"')[0]
        answer = {"id": call, "decision": "reject", "message": "not today"}
        result = await client.call_tool("answer_questions", {"thread": result.meta["agenthost/thread"], "answers": [answer]})
        assert "not today" in text(result), result


async def progress_and_cancelling(mode):
    began = asyncio.Event()

    async def progress(done, total, message):
        if message == "calls the tool wait":
            began.set()

    async with connect(os.environ["ANNS_KEY"], mode) as client:
        call = asyncio.create_task(client.call_tool("clerk", {"prompt": "wait", "thread": "waits " + mode}, progress_callback=progress))
        await asyncio.wait_for(began.wait(), 30)
        call.cancel()
        try:
            await call
        except asyncio.CancelledError:
            pass
        async with httpx2.AsyncClient(headers={"x-api-key": os.environ["ANNS_KEY"]}) as http:
            for _ in range(1000):
                busy = (await http.post(server + "/threads/search", json={"status": "busy"})).json()
                if not busy:
                    return
                await asyncio.sleep(0.02)
        raise AssertionError(f"the run goes on: {busy}")


async def watching():
    async with connect(os.environ["ANNS_KEY"], "auto") as client:
        result = await client.call_tool("clerk", {"prompt": "one", "thread": "watched"})
        uri = "agenthost://threads/" + result.meta["agenthost/thread"]
        async with client.listen(resource_subscriptions=[uri]) as news:
            await client.call_tool("clerk", {"prompt": "two", "thread": "watched"})
            async for event in news:
                assert uri in repr(event), event
                break


class Tokens:
    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, info):
        self.client = info


async def login():
    provider = ClientCredentialsOAuthProvider(url, Tokens(), "carol", "secret", issuer=issuer)
    async with httpx2.AsyncClient(auth=provider, timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            assert text(await client.call_tool("clerk", {"prompt": "hello"})) == "You said: hello"
            assert (await client.list_resources()).resources == [], "carol has no threads"


async def main():
    for mode, version in (("legacy", "2025-11-25"), ("auto", "2026-07-28")):
        await agents_are_tools(mode, version)
        await threads_are_resources(mode)
        await the_user_decides(mode)
        await answers_by_a_tool(mode)
        await progress_and_cancelling(mode)
        print(mode, "done")
    await watching()
    await login()
    print("all done")


asyncio.run(main())
