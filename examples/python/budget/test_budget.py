from pathlib import Path
from typing import Any

from agenthost import HookError
from agenthost.testing import load

budget = load(Path(__file__).with_name("budget.py"), config={"tenant": "acme", "tokens": 100})
MARCH_1ST = 1_772_359_200


class Entries:
    """The entries of the plugin's store."""

    def __init__(self) -> None:
        self.all: dict[str, dict[str, Any]] = {}
        self.conflicts = 0  # how many of the next writes fail

    def get(self, payload: Any) -> Any:
        if payload["key"] not in self.all:
            raise HookError("ENOENT", "there is no entry")
        return self.all[payload["key"]]

    def put(self, payload: Any) -> Any:
        if self.conflicts > 0:
            self.conflicts -= 1
            raise HookError("ECONFLICT", "somebody else wrote it")
        version = payload["if_version"] + 1
        self.all[payload["key"]] = {"value": payload["value"], "version": version}
        return {"version": version}

    def call(self, now: float = MARCH_1ST) -> Any:
        answer = {"content": "hi", "usage": {"input_tokens": 50, "output_tokens": 10, "total_tokens": 60}}
        operations = {"kv.get": self.get, "kv.put": self.put}
        return budget.call("wrap_model_call", next=lambda _: answer, operations=operations, now=now).result


def test_the_tokens_of_a_day_are_counted() -> None:
    entries = Entries()
    assert entries.call() is None
    entries.conflicts = 2
    assert entries.call() is None
    assert entries.all == {"acme/2026-03-01": {"value": 120, "version": 2}}
    assert "used up" in entries.call()["response"]["messages"][0]["content"]
    assert entries.call(MARCH_1ST + 24 * 3600) is None
