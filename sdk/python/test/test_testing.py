"""Tests of agenthost.testing, as the package is installed."""

import datetime
import importlib
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agenthost import AIMessage, HookError
from agenthost.documents import Message, ToolCall
from agenthost.testing import Interrupted, Plugin, PluginError, load, load_source

SEARCH: ToolCall = {"id": "call-1", "name": "search", "args": {"q": "x", "big": 2**60, "list": [1, -200, 1.5, True, None]}}


def script(source: str) -> Plugin:
    return load_source("from agenthost import *\n" + source)


def test_a_hook_changes_answers_and_passes_on(caplog: pytest.LogCaptureFixture) -> None:
    p = load_source('''
from agenthost import ToolMessage, log, wrap_tool_call

@wrap_tool_call
def hook(request, handler):
    if request.name == "delete":
        return ToolMessage("no", status="error")
    request.runtime.emit("seen", request.args)
    log.info("searching", 2)
    message = handler(request.override(args={"n": 300}))
    message.content = message.content.upper()
    return message
''', file="policy.py")
    assert p.description["name"] == "policy"
    with caplog.at_level("INFO", "agenthost"):
        outcome = p.call("wrap_tool_call", {"call": SEARCH}, next=lambda change: {"content": f"found {change['args']['n']}"})
    assert outcome.result["tool_message"]["content"] == "FOUND 300"
    assert outcome.next == [{"args": {"n": 300}}]
    assert outcome.events == [{"name": "seen", "data": SEARCH["args"]}]
    assert outcome.log == [{"level": "info", "text": "searching 2"}]
    assert caplog.messages == ["searching 2"]
    refused = p.call("wrap_tool_call", {"call": {**SEARCH, "name": "delete"}})
    assert refused.result["tool_message"] == {"content": "no", "status": "error"}


def test_errors_have_a_type_a_line_and_a_cause() -> None:
    p = script('''plugin(fields=[Field("n", int)])
@before_model
def hook(state):
    if state.get("n"):
        raise HookError("quota", "used up", data={"left": 0}, retryable=True)
    None.x
''')
    with pytest.raises(PluginError) as quota:
        p.call("before_model", {"state": {"n": 1}})
    assert (quota.value.type, quota.value.message, quota.value.data, quota.value.retryable) == ("quota", "used up", {"left": 0}, True)
    with pytest.raises(PluginError, match=r"^plugin.py:7: AttributeError: 'NoneType' object has no attribute 'x'$") as broken:
        p.call("before_model")
    assert isinstance(broken.value.__cause__, AttributeError)
    with pytest.raises(PluginError, match=r"^TypeError: state.n\[0\] is of the type object, which a document cannot hold"):
        script("@before_model\ndef hook(state): return {'n': [object()]}\n").call("before_model")


def test_hooks_see_what_they_declare() -> None:
    p = script('''plugin(fields=[Field("n", int, reducer="add"), Field("all", list, reducer="append"), Field("last", int)])
@before_model
def all_of_them(state): return {"seen": [m.text for m in state["messages"]], **{k: state.get(k) for k in ("n", "all", "last")}}
@after_model(messages=2)
def two(state): return {"seen": [m.text for m in state["messages"]]}
@after_agent(messages=None)
def none(state): return {"seen": state["messages"]}
@wrap_model_call(messages=1)
def last(request): return request.model + request.messages[0].text
@wrap_tool_call
def tool(request): return str(request.state["n"])
''')
    messages: list[Message] = [{"role": "human", "content": text} for text in ("a", "b", "c")]
    assert p.call("before_model").result == {"state": {"seen": [], "n": 0, "all": [], "last": None}}
    assert p.call("before_model", {"messages": messages, "state": {"n": 3}}).result["state"]["n"] == 3
    assert p.call("after_model", {"messages": messages}).result == {"state": {"seen": ["b", "c"]}}
    assert p.call("wrap_model_call", {"request": {"messages": messages, "model": "m"}}).result["response"]["messages"][0]["content"] == "mc"
    assert p.call("wrap_tool_call", {"call": SEARCH}).result == {"tool_message": {"content": "0"}}
    with pytest.raises(PluginError, match="this hook declares messages=None"):
        p.call("after_agent", {"messages": messages})
    with pytest.raises(TypeError, match="the plugin has no before_agent; it has after_agent, after_model, before_model, "):
        p.call("before_agent")
    with pytest.raises(TypeError, match="the plugin has no search; it has none"):
        p.call("call_tool", {"call": SEARCH})
    with pytest.raises(TypeError, match="wrap_tool_call needs a call in its input"):
        p.call("wrap_tool_call")
    with pytest.raises(TypeError, match="there is no hook 'beforeModel'"):
        p.call("beforeModel")  # type: ignore[arg-type]


@pytest.mark.parametrize("source, message", [
    ("def f(:\n", r"^plugin.py:2: SyntaxError: "),
    ("None.x\n", r"^plugin.py:2: AttributeError: "),
    ("import requests\n", r"^plugin.py:2: ModuleNotFoundError: there is no module 'requests' in a plugin"),
    ("import os\n", r"^plugin.py:2: ModuleNotFoundError: there is no module 'os' in a plugin"),
    ("open('/etc/passwd')\n", r"^plugin.py:2: RuntimeError: open\(\) is not available in a plugin"),
    ("interrupt('?')\n", r"^plugin.py:2: RuntimeError: this works in a hook only"),
    ("raise SystemExit(3)\n", r"^plugin.py:2: SystemExit: 3"),
    ("x = 1\n", r"the script has no hook and no tool"),
    ("@before_model\ndef f(s): pass\nplugin(configure=lambda config: config['x'])\n", r"^plugin.py:4: KeyError: 'x'"),
])
def test_plugins_that_do_not_load(source: str, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        script(source)


def test_questions_operations_and_configuration() -> None:
    p = load_source('''
from agenthost import before_agent, interrupt, plugin

plugin(config_schema={"type": "object", "properties": {"url": {"type": "string", "default": "https://x.example"}}})

@before_agent
async def hook(state, runtime):
    try:
        if interrupt("go on?") == "yes":
            return {"rates": runtime.fetch(runtime.config["url"]).json()}
    except:
        pass
''')
    assert p.call("before_agent").result == {"interrupts": [{"key": "question", "value": "go on?"}]}
    asked: list[str] = []

    def fetch(payload: dict[str, str]) -> object:
        asked.append(payload["url"])
        return {"status": 200, "url": payload["url"], "headers": [], "body": b'{"eur": 1}'}

    outcome = p.call("before_agent", {"answers": {"question": "yes"}}, operations={"http.fetch": fetch})
    assert outcome.result == {"state": {"rates": {"eur": 1}}}
    assert asked == ["https://x.example"]
    assert p.call("before_agent", {"answers": {"question": "yes"}}).result is None  # the plugin swallows the refusal


def test_what_is_around_may_fail_and_ask() -> None:
    p = script('''@wrap_model_call
def hook(request, handler):
    try:
        return handler(request)
    except HookError as e:
        return e.type + str(len(request.messages)) + str(request.runtime.store("run").get("x", 0))
''')

    def fails(error: Exception) -> object:
        def answer(_: object) -> None:
            raise error

        return p.call(
            "wrap_model_call", {"request": {"messages": [{"role": "human", "content": "hi"}]}}, next=answer, operations={"kv.get": lambda _: answer(_)}
        ).result

    with pytest.raises(PluginError, match="try later"):
        fails(HookError("busy", "try later"))
    assert fails(Interrupted()) is None
    with pytest.raises(AssertionError, match="of the test"):
        fails(AssertionError("of the test"))
    assert p.call("wrap_model_call", next=lambda _: AIMessage("hello")).result is None


def test_the_clock_and_chance_follow_the_call() -> None:
    p = script('''import datetime, random, time
@before_model
def hook(state):
    now = datetime.datetime.now()
    assert isinstance(now, datetime.date) and now.astimezone().utcoffset() == datetime.timedelta(0)
    assert datetime.datetime.strptime("2024-02-29 +0100", "%Y-%m-%d %z").utcoffset() == datetime.timedelta(hours=1)
    return {"now": now.isoformat(), "today": str(datetime.date.today()), "time": time.time(), "chance": [random.random(), random.SystemRandom().random()]}
''')
    before, real = random.getstate(), time.time()
    first = p.call("before_model", now=86_400.5).result["state"]
    assert first["now"] == "1970-01-02T00:00:00.500000"
    assert (first["today"], first["time"]) == ("1970-01-02", 86_400.5)
    assert p.call("before_model").result["state"]["chance"] == first["chance"]
    assert p.call("before_model", seed=2).result["state"]["chance"] != first["chance"]
    assert random.getstate() == before
    assert time.time() >= real
    assert datetime.datetime is sys.modules["datetime"].datetime
    with pytest.raises(PluginError, match="a hook cannot sleep"):
        script("import time\n@before_model\ndef hook(state): time.sleep(1)\n").call("before_model")


def test_tools() -> None:
    p = script('''@tool
def search(name: str, most: int = 3, *, only: bool, by: str = "age", runtime=None) -> str:
    "Looks up a name."
    return f"{name} {most} {by} {only} {runtime.tool_call_id}"
''')
    [tool] = p.description.get("tools", [])
    assert tool["description"] == "Looks up a name."
    assert (tool.get("parameters") or {})["required"] == ["name", "only"]
    assert p.call("call_tool", {"call": {**SEARCH, "args": {"name": "ada", "only": True}}}).result == {"tool_message": {"content": "ada 3 age True call-1"}}


def test_packages_have_their_own_modules(tmp_path: Path) -> None:
    (tmp_path / "shout" / "vendor" / "json5").mkdir(parents=True)
    (tmp_path / "shout" / "__init__.py").write_text("from agenthost import wrap_model_call\nfrom .work import upper\nfrom json5 import mark\n\n"
                                                    "@wrap_model_call\ndef hook(request, handler):\n    return upper(handler(request).message.text) + mark\n")
    (tmp_path / "shout" / "work.py").write_text("import json\n\ndef upper(text):\n    if text == 'late':\n        from .late import WORD\n        return WORD\n"
                                                "    return json.loads(json.dumps(text)).upper()\n")
    (tmp_path / "shout" / "late.py").write_text("WORD = 'LATE'\n")
    (tmp_path / "shout" / "vendor" / "json5" / "__init__.py").write_text("mark = '!'\n")
    before = set(sys.modules)
    p, other = load(tmp_path / "shout"), script("@wrap_model_call\ndef hook(request, handler): return 'other'\n")
    assert p.call("wrap_model_call").result["response"]["messages"][0]["content"] == "DONE!"
    assert p.call("wrap_model_call", next=lambda _: "late").result["response"]["messages"][0]["content"] == "LATE!"
    inner = p.call("wrap_model_call", next=lambda _: other.call("wrap_model_call").result["response"]["messages"][0])
    assert inner.result["response"]["messages"][0]["content"] == "OTHER!"
    assert p.module.__name__ == "__main__"
    assert p.module.upper("a") == "A"
    assert not {name for name in set(sys.modules) - before if name.startswith(("shout", "json5"))}


def test_files_have_their_places(tmp_path: Path) -> None:
    file = tmp_path / "policy.py"
    file.write_text("from agenthost import before_model\n\n@before_model\ndef hook(state):\n    return fail()\n\ndef fail():\n    raise ValueError('x')\n")
    p = load(file)
    with pytest.raises(PluginError, match=r"^policy.py:8: ValueError: x \(called from policy.py:5\)$"):
        p.call("before_model")
    assert p.module.fail.__code__.co_filename == str(file)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.py")


def test_a_plugin_can_be_imported_for_its_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_policy.py").write_text("from agenthost import plugin, wrap_tool_call\nplugin(version='1.0.0')\n\n@wrap_tool_call\n"
                                                 "def hook(request): return refuse('no')\n\ndef refuse(text): return text + '!'\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert importlib.import_module("imported_policy").refuse("no") == "no!"


def test_messages_are_documents() -> None:
    assert json.loads(json.dumps(AIMessage("hi"))) == {"content": "hi", "role": "ai"}


def test_what_a_hook_can_learn() -> None:
    p = script("""
plugin(name="learns", context=["tenant"])

@wrap_model_call
def hook(request):
    r = request.runtime
    got = r.fetch_all(["https://a.example", {"url": "https://b.example", "timeout": 2}])
    said = r.generate_all(["one", {"messages": ["two"], "system": "be brief"}])
    return " ".join([r.context.tenant, r.run_info()["agent"], r.model_info("small")["name"], str(r.count_tokens("hi")), got[0].text, got[1].type,
                     said[0].text, said[1].text, request.tool_specs()[0]["description"]])
""")
    assert p.description.get("context") == ["tenant"]
    asked: list[list[tuple[str, list[str]]]] = []

    def batch(payload: dict[str, Any]) -> dict[str, Any]:
        asked.append([(c["op"], sorted(c["payload"])) for c in payload["calls"]])
        if payload["calls"][0]["op"] == "model.generate":
            return {"replies": [{"status": 0, "reply": {"messages": [{"role": "ai", "content": c["payload"]["messages"][0]["content"]}]}} for c in payload["calls"]]}
        return {"replies": [{"status": 0, "reply": {"status": 200, "url": "", "headers": [], "body": b"a"}}, {"status": -4}]}

    outcome = p.call("wrap_model_call", {"context": {"tenant": "acme"}}, operations={
        "batch": batch, "run.info": lambda _: {"agent": "support", "usage": {}}, "model.info": lambda q: {"name": q["model"]},
        "tokens.count": lambda q: {"tokens": len(q["messages"])}, "tools.read": lambda _: {"tools": [{"name": "search", "description": "Finds."}]},
    })
    assert outcome.result is not None
    assert outcome.result["response"]["messages"][0]["content"] == "acme support small 1 a EDENIED one two Finds."
    assert asked == [
        [("http.fetch", ["url"]), ("http.fetch", ["timeout_ms", "url"])],
        [("model.generate", ["messages"]), ("model.generate", ["messages", "system"])],
    ]
