from pathlib import Path

from agenthost.documents import ToolCall
from agenthost.testing import load

policy = load(Path(__file__).with_name("policy.py"), config={"reads": ["list_files"], "writes": ["write_file"]})


def call(name: str) -> ToolCall:
    return {"id": "call-1", "name": name, "args": {"path": "notes.txt"}}


def test_a_tool_that_reads_goes_through_and_is_counted() -> None:
    outcome = policy.call("wrap_tool_call", {"call": call("list_files")})
    assert outcome.result == {"state": {"tool_count": 1}}
    assert outcome.next == [{}]


def test_a_tool_that_writes_asks_a_person() -> None:
    outcome = policy.call("wrap_tool_call", {"call": call("write_file")})
    assert outcome.result["interrupts"][0]["value"]["tool"] == "write_file"
    assert outcome.next == []
    for answer, calls in ((True, 1), (False, 0)):
        outcome = policy.call("wrap_tool_call", {"call": call("write_file"), "answers": {"question": answer}})
        assert len(outcome.next) == calls


def test_other_tools_are_refused() -> None:
    outcome = policy.call("wrap_tool_call", {"call": call("delete_file")})
    assert outcome.result["tool_message"] == {"content": "The tool delete_file is not allowed.", "status": "error"}
    assert policy.module.refuse("no").status == "error"


def test_the_sixth_tool_is_refused() -> None:
    outcome = policy.call("wrap_tool_call", {"call": call("list_files"), "state": {"tool_count": 5}})
    assert outcome.result["tool_message"]["status"] == "error"
