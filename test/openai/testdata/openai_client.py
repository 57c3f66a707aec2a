"""Uses OpenAI's client for Python against a server of agents, as programs do."""

import base64
import sys
import threading
import urllib.request

import openai
from openai import OpenAI
from pydantic import BaseModel

URL, KEY, TOOLS = sys.argv[1:4]
client = OpenAI(base_url=URL + "/v1", api_key=KEY)
strict = client.with_options(max_retries=0)


def user(text):
    return [{"role": "user", "content": text}]


def let_go():
    urllib.request.urlopen(urllib.request.Request(TOOLS + "/go", method="POST"), timeout=30).read()


def fails(kind, call, status):
    try:
        call()
    except kind as e:
        assert e.status_code == status, e
        assert e.body["message"], e.body
        return e
    raise AssertionError(f"no {kind}")


class Report(BaseModel):
    city: str
    sunny: bool


class Town(BaseModel):
    town: str


def models():
    assert [m.id for m in client.models.list()] == ["agent", "structured"]
    assert client.models.retrieve("agent").object == "model"
    fails(openai.NotFoundError, lambda: client.models.retrieve("nobody"), 404)


def chat():
    c = client.chat.completions.create(model="agent", messages=user("weather Bern"), temperature=0.1)
    assert c.choices[0].message.content == "I look.\n\nThe tool said: sunny in Bern", c
    assert c.choices[0].finish_reason == "stop" and not c.choices[0].message.tool_calls
    with client.chat.completions.stream(model="agent", messages=user("hello there"), stream_options={"include_usage": True}) as stream:
        deltas = [e.delta for e in stream if e.type == "content.delta"]
        assert "".join(deltas) == "You said: hello there" and len(deltas) > 2, deltas
        final = stream.get_final_completion()
    assert final.choices[0].message.content == "You said: hello there" and final.usage is not None
    picture = "data:image/png;base64," + base64.b64encode(b"x").decode()
    c = client.chat.completions.create(model="agent", messages=[{"role": "user", "content": [
        {"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": picture}},
        {"type": "file", "file": {"filename": "a.txt", "file_data": "data:text/plain;base64,aGk="}}]}])
    assert c.choices[0].message.content == "You said: look"


def structured():
    c = client.chat.completions.parse(model="structured", messages=user("report Bern"), response_format=Report)
    assert c.choices[0].message.parsed == Report(city="Bern", sunny=True)
    with client.chat.completions.stream(model="structured", messages=user("report Bern"), response_format=Report) as stream:
        assert stream.get_final_completion().choices[0].message.parsed.city == "Bern"
    r = client.responses.parse(model="structured", input="report Bern", text_format=Report)
    assert r.output_parsed == Report(city="Bern", sunny=True)
    fails(openai.BadRequestError, lambda: client.chat.completions.parse(model="agent", messages=user("x"), response_format=Report), 400)
    fails(openai.BadRequestError, lambda: client.responses.parse(model="structured", input="x", text_format=Town), 400)


def threads():
    raw = client.chat.completions.with_raw_response.create(model="agent", messages=user("a"), extra_headers={"X-Agenthost-Thread": "py"})
    history = user("a") + [{"role": "assistant", "content": raw.parse().choices[0].message.content}] + user("b")
    again = client.chat.completions.with_raw_response.create(model="agent", messages=history, extra_headers={"X-Agenthost-Thread": "py"})
    assert raw.headers["x-agenthost-thread"] == again.headers["x-agenthost-thread"]
    c = client.chat.completions.create(model="agent", messages=user("write x"), metadata={"thread_id": "py"})
    assert c.choices[0].finish_reason == "stop" and "waits for a decision" in c.choices[0].message.content
    assert c.model_extra["agenthost"]["interrupts"][0]["value"]["action_requests"][0]["name"] == "write_file"
    c = client.chat.completions.create(model="agent", messages=user(""), metadata={"thread_id": "py", "resume": "approve"})
    assert c.choices[0].message.content.startswith("The tool said: wrote "), c


def tools():
    spec = [{"type": "function", "function": {"name": "locate", "description": "Locates.", "parameters": {
        "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]
    messages = user("locate Bern")
    c = client.chat.completions.create(model="agent", messages=messages, tools=spec)
    assert c.choices[0].finish_reason == "tool_calls"
    call = c.choices[0].message.tool_calls[0]
    messages += [c.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": "46.9 N"}]
    c = client.chat.completions.create(model="agent", messages=messages, tools=spec)
    assert c.choices[0].message.content == "The tool said: 46.9 N"
    with client.chat.completions.stream(model="agent", messages=user("locate Rome"), tools=spec) as stream:
        final = stream.get_final_completion()
    assert final.choices[0].message.tool_calls[0].function.arguments == '{"city":"Rome"}'


def responses():
    one = client.responses.create(model="agent", input="hello", instructions="Be kind.", metadata={"k": "v"})
    assert one.output_text == "You said: hello" and one.status == "completed" and one.metadata == {"k": "v"}
    two = client.responses.create(model="agent", input=[{"role": "user", "content": "more"}], previous_response_id=one.id)
    assert two.output_text == "You said: more" and two.conversation.id == one.conversation.id
    three = client.responses.create(model="agent", input="third", conversation=two.conversation.id)
    assert three.conversation.id == two.conversation.id
    assert client.responses.retrieve(one.id).output_text == one.output_text
    items = list(client.responses.input_items.list(one.id, order="asc"))
    assert [i.role for i in items] == ["system", "user"] and items[1].content[0].text == "hello"
    with client.responses.stream(model="agent", input="weather Bern", reasoning={"summary": "auto"}) as stream:
        kinds = [e.type for e in stream]
        final = stream.get_final_response()
    assert kinds[0] == "response.created" and kinds[-1] == "response.completed"
    assert [i.content[0].text for i in final.output] == ["I look.", "The tool said: sunny in Bern"]
    client.responses.delete(three.id)
    fails(openai.NotFoundError, lambda: client.responses.retrieve(three.id), 404)


def background():
    begun = client.responses.create(model="agent", input="wait", background=True)
    assert begun.status in ("queued", "in_progress")
    let_go()
    events = list(client.responses.retrieve(begun.id, stream=True))
    assert events[-1].type == "response.completed" and events[-1].response.output_text == "The tool said: waited"
    rest = list(client.responses.retrieve(begun.id, stream=True, starting_after=events[2].sequence_number))
    assert [e.sequence_number for e in rest] == [e.sequence_number for e in events[3:]]
    begun = client.responses.create(model="agent", input="wait", background=True)
    assert client.responses.cancel(begun.id).status == "cancelled"


def errors():
    wrong = OpenAI(base_url=URL + "/v1", api_key="wrong-0123456789abcdef", max_retries=0)
    fails(openai.AuthenticationError, wrong.models.list, 401)
    fails(openai.BadRequestError, lambda: client.chat.completions.create(model="agent", messages=[]), 400)
    e = fails(openai.NotFoundError, lambda: client.chat.completions.create(model="nobody", messages=user("x")), 404)
    assert e.code == "model_not_found" and e.param == "model"
    failed = fails(openai.InternalServerError, lambda: client.chat.completions.create(model="structured", messages=user("no value")), 500)
    assert failed.type == "server_error", failed
    try:
        for _ in client.chat.completions.create(model="structured", messages=user("no value"), stream=True):
            pass
        raise AssertionError("the stream has not failed")
    except openai.APIError as e:
        assert e.message, e
    assert client.responses.create(model="structured", input="no value").status == "failed"


def limits():
    stream = client.chat.completions.create(model="agent", messages=user("wait"), stream=True, extra_headers={"X-Agenthost-Thread": "limit"})
    next(iter(stream))
    fails(openai.RateLimitError, lambda: strict.chat.completions.create(model="agent", messages=user("x")), 429)
    release = threading.Thread(target=let_go)
    release.start()
    c = client.with_options(max_retries=8).chat.completions.create(model="agent", messages=user("patient"))
    assert c.choices[0].message.content == "You said: patient"
    release.join()
    stream.close()


def aborts():
    stream = client.chat.completions.create(model="agent", messages=user("wait"), stream=True, extra_headers={"X-Agenthost-Thread": "abort"})
    next(iter(stream))
    stream.close()
    c = client.with_options(max_retries=8).chat.completions.create(
        model="agent", messages=user("next"), extra_headers={"X-Agenthost-Thread": "abort"})
    assert c.choices[0].message.content == "You said: next", "the run that was left has ended"


for check in (models, chat, structured, threads, tools, responses, background, errors, limits, aborts):
    check()
    print(check.__name__, "done", flush=True)
print("all done")
