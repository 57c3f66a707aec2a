"""Reads every event of some runs with the types of ag-ui-protocol, which refuse what does not fit."""

import json
import sys
import urllib.request
import uuid

from ag_ui.core import Event, RunAgentInput, Tool, UserMessage
from pydantic import TypeAdapter

server = sys.argv[1]
adapter = TypeAdapter(Event)


def run(text, agent="agent", **more):
    body = RunAgentInput(
        protocol_version="1.0", thread_id=str(uuid.uuid4()), run_id=str(uuid.uuid4()), state={}, messages=[UserMessage(id="1", content=text)],
        tools=[Tool(name="locate", description="Locates.", parameters={"type": "object"})], context=[], forwarded_props={}, **more,
    )
    request = urllib.request.Request(
        f"{server}/agui/{agent}", body.model_dump_json(by_alias=True).encode(), {"Content-Type": "application/json", "Accept": "text/event-stream"}
    )
    events = []
    with urllib.request.urlopen(request) as response:
        for line in response:
            if line.startswith(b"data:"):
                document = json.loads(line[5:])
                event = adapter.validate_python(document)
                sent = json.loads(event.model_dump_json(by_alias=True, exclude_none=True))
                assert set(document) <= set(sent) | {"timestamp"}, f"{document} has members that nobody knows: {sent}"
                events.append(event)
    return events


seen = set()
for text, agent in [("hi", "agent"), ("weather Oslo", "agent"), ("plan tea", "agent"), ("write tea", "agent"), ("locate Oslo", "agent"),
                    ("delegate weather Oslo", "agent"), ("fail", "thinker"), ("think", "thinker")]:
    events = run(text, agent)
    assert events[0].type.value == "RUN_STARTED", events[0]
    assert events[-1].type.value in ("RUN_FINISHED", "RUN_ERROR"), events[-1]
    seen |= {e.type.value for e in events}
    print(text)
missing = {
    "RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "STEP_STARTED", "STEP_FINISHED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END",
    "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT", "STATE_SNAPSHOT", "STATE_DELTA", "MESSAGES_SNAPSHOT", "CUSTOM",
    "REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "REASONING_END", "SUBAGENT_STARTED", "SUBAGENT_FINISHED",
} - seen
assert not missing, missing
print("all done")
