"""The official client for Python uses an agent, by both bindings."""

import asyncio
import sys

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from google.protobuf import json_format, struct_pb2

number = 0


def say(text=None, data=None, wait=True, **fields):
    global number
    number += 1
    part = Part(text=text) if data is None else Part(data=json_format.ParseDict(data, struct_pb2.Value()))
    message = Message(message_id=f"py-{number}", role=Role.ROLE_USER, parts=[part], **fields)
    return SendMessageRequest(message=message, configuration=SendMessageConfiguration(return_immediately=not wait))


async def last(events):
    """Returns all events, and the task in the last one that has one."""
    all_of_them, task = [], None
    async for event in events:
        all_of_them.append(event)
        if event.HasField("task"):
            task = event.task
    return all_of_them, task


def texts(task):
    return ["".join(part.text for part in artifact.parts) for artifact in task.artifacts]


async def talk(url, binding, streaming):
    async with httpx.AsyncClient(timeout=60) as http:
        factory = ClientFactory(ClientConfig(streaming=streaming, httpx_client=http, supported_protocol_bindings=[binding]))
        client = await factory.create_from_url(url)

        events, task = await last(client.send_message(say("hello agent")))
        task = await client.get_task(GetTaskRequest(id=task.id))
        assert task.status.state == TaskState.TASK_STATE_COMPLETED, task
        assert texts(task) == ["You said: hello agent"], task
        if streaming:
            pieces = [e.artifact_update.artifact.parts[0].text for e in events if e.HasField("artifact_update")]
            assert "".join(pieces) == "You said: hello agent" and len(pieces) > 2, pieces
            assert events[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED

        _, asked = await last(client.send_message(say("write it", context_id=task.context_id)))
        asked = await client.get_task(GetTaskRequest(id=asked.id))
        assert asked.context_id == task.context_id
        assert asked.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, asked
        decisions = {"decisions": [{"type": "approve"}]}
        await last(client.send_message(say(data=decisions, task_id=asked.id, context_id=asked.context_id)))
        done = await client.get_task(GetTaskRequest(id=asked.id))
        assert texts(done)[-1] == "The tool said: wrote it", done

        _, failed = await last(client.send_message(say("fail")))
        failed = await client.get_task(GetTaskRequest(id=failed.id))
        assert failed.status.state == TaskState.TASK_STATE_FAILED and failed.status.message.parts[0].text, failed

        found = await client.list_tasks(ListTasksRequest(context_id=task.context_id))
        assert [t.id for t in found.tasks] == [asked.id, task.id], found

        config = TaskPushNotificationConfig(task_id=task.id, id="mine", url="https://example.com/hook")
        assert (await client.create_task_push_notification_config(config)).url == config.url
        await client.delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest(task_id=task.id, id="mine"))

        if streaming:
            async for event in client.send_message(say("wait")):
                working = event.task
                break
            async for event in client.subscribe(SubscribeToTaskRequest(id=working.id)):
                assert event.task.id == working.id, event
                break
            cancelled = await client.cancel_task(CancelTaskRequest(id=working.id))
            assert cancelled.status.state == TaskState.TASK_STATE_CANCELED, cancelled
        print("talked by", binding, "with" if streaming else "without", "streams")


async def main(url):
    for binding in ("JSONRPC", "HTTP+JSON"):
        for streaming in (False, True):
            await talk(url, binding, streaming)
    print("all done")


asyncio.run(main(sys.argv[1]))
