"""Repeats calls that an engine has recorded, and prints what this Python does in another way. The recording is on standard input."""

import base64
import json
import sys
from typing import Any

from _agenthost import Call
from _agenthost._codec import decode
from _agenthost._runtime import Runtime


class Recorded:
    """Answers as the host did in the recording."""

    def __init__(self, exchanges: list[dict[str, Any]]) -> None:
        self.exchanges, self.differences = exchanges, list[str]()

    def log(self, level: int, line: str) -> None: ...

    def next(self, change: Any) -> tuple[int, Any]:
        return self.operation("", change)

    def operation(self, op: str, payload: Any) -> tuple[int, Any]:
        recorded = self.exchanges.pop(0)
        asked: Any = document(recorded["payload"]) or {}
        if (recorded["op"], asked) != (op, payload):
            self.differences.append(f"it asks for {op} {payload}, and not for {recorded['op']} {asked}")
        return recorded["status"], document(recorded["reply"])


def document(text: str | None) -> Any:
    return decode(base64.b64decode(text)) if text else None


def repeat(recording: dict[str, Any]) -> list[str]:
    runtime, host = Runtime(recording["file"], recording["files"], {}), Recorded([])
    call = Call(host)
    runtime.start(call)
    description = decode(runtime.serve(call, "describe", b""))
    for spec in description["hooks"].values():
        if spec["messages"] == "none":
            del spec["messages"]  # the recording has the host's form, without the default
    recorded = document(recording["description"])
    differences = [] if description == recorded else [f"describe: {description}, and not {recorded}"]
    if runtime.serve(call, "configure", base64.b64decode(recording["config"])):
        differences.append("configure")
    for frame in recording["frames"]:
        host = Recorded(frame["exchanges"] or [])
        result = runtime.serve(Call(host), frame["export"], base64.b64decode(frame["input"]))
        if result != base64.b64decode(frame["result"] or ""):
            differences.append(f"{frame['export']}: {result!r}, and not {base64.b64decode(frame['result'] or '')!r}")
        differences += host.differences + [f"{frame['export']}: it does not ask for {x['op']}" for x in host.exchanges]
    return differences


for recording in json.load(sys.stdin):
    for line in repeat(recording):
        print(f"{recording['name']}: {line}")
