"""What the clients in Python share: the addresses that they are started with, and what they do in several places."""

import asyncio
import sys
import urllib.request

URL, TOOLS, FRAGILE, CUT = sys.argv[1:5]


def human(text):
    return {"messages": [{"role": "user", "content": text}]}


def post(url):
    urllib.request.urlopen(urllib.request.Request(url, method="POST"), timeout=30).read()


def let_go():
    """Lets one call of the tool wait go on, once there is one."""
    post(TOOLS + "/go")


async def until(read, wanted):
    """Reads until what it reads is wanted."""
    for _ in range(500):
        got = await read()
        if wanted(got):
            return got
        await asyncio.sleep(0.01)
    raise AssertionError(f"it stays {got}")
