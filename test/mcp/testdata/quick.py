import asyncio
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(server, key):
    http = httpx2.AsyncClient(headers={"Authorization": "Bearer " + key}, timeout=None)
    async with Client(streamable_http_client(server + "/mcp", http_client=http)) as client:
        result = await client.call_tool("clerk", {"prompt": "hello", "thread": "my first talk"})
        print(result.content[0].text)


asyncio.run(main(*sys.argv[1:]))
