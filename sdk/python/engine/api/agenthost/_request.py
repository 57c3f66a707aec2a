"""What hooks and tools get: the state, the request or the call, and the runtime."""

import _agenthost

from agenthost._error import HookError, Leave, refusal
from agenthost._message import AIMessage, Message, SystemMessage, ToolMessage, message_of, messages_of, text_of, update_of

class Frame:
    """One call of a hook or tool."""

    def __init__(self, name, input):
        self.name, self.input = name, input
        self.questions, self.closed = [], False
        self.reply = self.failure = self.answer = self.said = None


frames = []  # of this call: at most one, and none while the script is evaluated


def frame_of():
    if not frames:
        hook = _agenthost.opened()  # the engine calls most hooks by itself
        if hook is None:
            raise RuntimeError("this works in a hook only, and not while the script is evaluated")
        frames.append(Frame(*hook))
    return frames[-1]


def operation(op, payload=None):
    frame = frame_of()
    status, reply = _agenthost.call(op, payload)
    if status != 0:
        raise refusal(frame, status, reply, op)
    return reply


def present(**keys):
    return {k: v for k, v in keys.items() if v is not None}


class Context(dict):
    """The run's context: the keys that the plugin declares and the caller of the run gave. A key is also an attribute."""

    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError:
            raise AttributeError(f"the run's context has no {key!r}; plugin(context=[...]) declares keys, and the operator grants them") from None


class State(dict):
    """The state that a hook sees: the messages and the fields that it reads. A field is also an attribute."""

    def __init__(self, input):
        dict.update(self, input.get("state") or {})
        self._input = input

    def __missing__(self, key):
        if key == "messages":
            view = self._input.get("messages")
            if view is None:
                raise KeyError('messages; this hook declares messages=None, so it sees none: write messages="all" or a number in its decorator')
            self["messages"] = messages = messages_of(view)
            return messages
        raise KeyError(key)

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key):
        return super().__contains__(key) or (key == "messages" and self._input.get("messages") is not None)

    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError:
            raise AttributeError(f"the state has no {key!r}") from None


def line(values):
    return " ".join(v if isinstance(v, str) else repr(v) for v in values)


class Log:
    """Writes lines to the host's log."""

    def debug(self, *values):
        _agenthost.log(0, line(values))

    def info(self, *values):
        _agenthost.log(1, line(values))

    def warning(self, *values):
        _agenthost.log(2, line(values))

    warn = warning

    def error(self, *values):
        _agenthost.log(3, line(values))


log = Log()


def interrupt(value, *, key="question"):
    """Asks the outside world. Returns the answer, or leaves the hook until there is one. The key tells several questions apart."""
    frame = frame_of()
    answers = frame.input.get("answers") or {}
    if key in answers:
        return answers[key]
    if all(q["key"] != key for q in frame.questions):
        frame.questions.append({"key": key, "value": value})
    raise Leave("a question has no answer yet")


class Store:
    """Entries of the plugin that outlive a hook, in the scope "run", "thread" or "plugin"."""

    def __init__(self, scope):
        self._scope = scope

    def get(self, key, default=None):
        """The value of an entry."""
        entry = self.entry(key)
        return default if entry is None else entry["value"]

    def entry(self, key):
        """An entry with value and version; None: there is none."""
        try:
            return operation("kv.get", {"key": key, "scope": self._scope})
        except HookError as e:
            if e.type == "ENOENT":
                return None
            raise

    def put(self, key, value, *, if_version=None):
        """Writes an entry and returns its version."""
        payload = {"key": key, "scope": self._scope, "value": value, **present(if_version=if_version)}
        return operation("kv.put", payload)["version"]

    def delete(self, key, *, if_version=None):
        operation("kv.delete", {"key": key, "scope": self._scope, **present(if_version=if_version)})

    def list(self, *, prefix=None, after=None, limit=None):
        """A page of entries: {"items": [...], "more": bool}."""
        return operation("kv.list", {"scope": self._scope, **present(prefix=prefix, after=after, limit=limit)})


class Response:
    """What fetch returned."""

    def __init__(self, reply):
        self.status_code = self.status = reply["status"]
        self.ok = 200 <= self.status < 300
        self.url, self.content = reply["url"], reply.get("body", b"")
        self.headers = {h["name"]: h["value"] for h in reply["headers"]}

    @property
    def text(self):
        return self.content.decode("utf-8", "replace")

    def json(self):
        import json

        return json.loads(self.content)


def fetch_request(url, *, method=None, headers=None, body=None, json=None, timeout=None):
    headers = dict(headers or {})
    if json is not None:
        import json as codec

        body, method = codec.dumps(json), method or "POST"
        headers.setdefault("content-type", "application/json")
    return present(
        url=url, method=method, body=body.encode() if isinstance(body, str) else body,
        timeout_ms=None if timeout is None else int(timeout * 1000),
        headers=[{"name": k, "value": v} for k, v in headers.items()] or None,
    )


def generate_request(messages, *, model=None, system=None, settings=None):
    messages = [message_of(m) for m in ([messages] if isinstance(messages, (str, dict)) else messages)]
    return present(messages=messages, model=model, system=system, settings=settings)


def answer_of(reply):
    return message_of(reply["messages"][-1])


MAX_BATCH = 32


def operations(op, payloads, convert):
    """Performs an operation for several documents at once."""
    outcomes = []
    for at in range(0, len(payloads), MAX_BATCH):
        calls = [{"op": op, "payload": p} for p in payloads[at : at + MAX_BATCH]]
        for r in operation("batch", {"calls": calls})["replies"]:
            status, reply = r.get("status", 0), r.get("reply")
            outcomes.append(convert(reply) if status == 0 else refusal(frame_of(), status, reply, op))
    return outcomes


class Runtime:
    """What every hook and tool can use."""

    def __init__(self, input, config):
        self._input = input
        self.config = config

    log = log
    context = property(lambda self: Context(self._input.get("context") or {}))
    run_id = property(lambda self: self._input.get("run"))
    thread_id = property(lambda self: self._input.get("thread"))
    step = property(lambda self: self._input.get("step"))
    n = property(lambda self: self._input.get("n"))
    large = property(lambda self: self._input.get("large") or [])
    idempotency_key = property(lambda self: self._input.get("idempotency_key"))

    @property
    def message_count(self):
        """How many messages there are, of which the hook may see the last ones only. None: it sees none."""
        view = self._input.get("messages")
        return None if view is None else view["total"]

    interrupt = staticmethod(interrupt)

    def store(self, scope):
        return Store(scope)

    def fetch(self, url, *, method=None, headers=None, body=None, json=None, timeout=None):
        """Makes an HTTP request. The timeout is in seconds."""
        return Response(operation("http.fetch", fetch_request(url, method=method, headers=headers, body=body, json=json, timeout=timeout)))

    def fetch_all(self, requests):
        """Makes several requests at once. Each is a URL, or a dict with the arguments of fetch. Returns a Response or a HookError for each."""
        payloads = [fetch_request(r) if isinstance(r, str) else fetch_request(**r) for r in requests]
        return operations("http.fetch", payloads, Response)

    def generate(self, messages, *, model=None, system=None, settings=None):
        """Calls the granted model, without tools, and returns its message."""
        return answer_of(operation("model.generate", generate_request(messages, model=model, system=system, settings=settings)))

    def generate_all(self, requests):
        """Calls the granted model several times at once. Each request is what generate takes first, or a dict with its arguments. Returns a message or a
        HookError for each."""
        payloads = [generate_request(**r) if isinstance(r, dict) and "messages" in r else generate_request(r) for r in requests]
        return operations("model.generate", payloads, answer_of)

    def run_info(self):
        """Which agent and run this is, and what the run has used so far: {"agent", "parent", "usage"}."""
        return operation("run.info")

    def model_info(self, model=None):
        """What the host knows about a configured model; without a name, about the request's model in wrap_model_call, and elsewhere the agent's."""
        return operation("model.info", present(model=model))

    def count_tokens(self, messages):
        """Counts tokens as the host's own limits do."""
        messages = [message_of(m) for m in ([messages] if isinstance(messages, (str, dict)) else messages)]
        return operation("tokens.count", {"messages": messages})["tokens"]

    def sleep(self, seconds):
        """Waits, for real. It needs the capability clock.sleep."""
        operation("clock.sleep", {"duration_ms": max(0, int(seconds * 1000))})

    def call_tool(self, name, args=None):
        """Runs a tool of the agent and returns its message."""
        return message_of(operation("tool.call", {"name": name, "args": args or {}})["tool_message"])

    def read_fields(self, *fields):
        return operation("state.read", {"fields": [getattr(f, "name", f) for f in fields]}).get("state", {})

    def read_messages(self, start, count):
        return [message_of(m) for m in operation("state.read", {"count": count, **({"from": start} if start else {})}).get("items", [])]

    def emit(self, name, data=None):
        """Puts an event into the run's stream."""
        operation("event.emit", {"name": name, "data": data})

    stream_writer = property(lambda self: lambda data: self.emit("custom", data))

    def budget(self):
        return operation("budget")

    def now(self):
        """The virtual time, in seconds since 1970."""
        return self._input.get("now") / 1_000_000_000

    def clock_now(self):
        """The real time, in seconds since 1970."""
        return operation("clock.now")["unix_ns"] / 1_000_000_000

    def random_bytes(self, count):
        return operation("random.bytes", {"count": count})["bytes"]


class Command:
    """An update of the state, and where the run goes on."""

    def __init__(self, *, update=None, goto=None, resume=None, graph=None):
        if resume is not None or graph is not None:
            raise TypeError("a hook's Command has update and goto only")
        self.update, self.goto = update or {}, goto


class ModelResponse:
    """The response of a model: its messages, in result."""

    def __init__(self, result, structured_response=None, *, model=None, stop_reason=None):
        result = result if isinstance(result, (list, tuple)) else [result]
        # A message without a role changes the model's own, and leaves the rest of it.
        self.result = [m if isinstance(m, dict) and "role" not in m else message_of(m) for m in result]
        self.structured_response, self.model, self.stop_reason = structured_response, model, stop_reason
        self._reply = None

    def __getattr__(self, key):
        """What the host replied, when it is needed."""
        if key == "result":
            value = [message_of(m) for m in self._reply.get("messages")]
        elif key in ("model", "stop_reason", "structured_response"):
            value = self._reply.get("structured" if key == "structured_response" else key)
        else:
            raise AttributeError(f"the response of a model has no {key!r}; it has result, message, model, stop_reason and structured_response")
        self.__dict__[key] = value
        return value

    def _is_new(self, reply):
        """Reports whether it says something else than the reply of the host."""
        if self._reply is None or self._reply is not reply:
            return True
        return "result" in self.__dict__ and self.result != [message_of(m) for m in reply.get("messages")]

    @property
    def message(self):
        """The last message of the model."""
        return next(m for m in reversed(self.result) if m.get("role", "ai") == "ai")


class ExtendedModelResponse:
    """A response with an update of the state."""

    def __init__(self, model_response, command=None):
        self.model_response, self.command = model_response, command


class Tool:
    """A tool that is offered, by its name."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Tool({self.name!r})"


class Request:
    """What wrap hooks have in common."""

    def __init__(self, frame, input, config):
        self._frame, self._input, self.config, self._changes = frame, input, config, {}

    def __getattr__(self, key):
        """What was not needed before."""
        find = self._found.get(key)
        if find is None:
            raise AttributeError(f"the request has no {key!r}; it has {', '.join(self._keys)}")
        value = self.__dict__[key] = find(self)
        return value

    _found = {"runtime": lambda self: Runtime(self._input, self.config), "state": lambda self: State(self._input)}

    def _copy(self, changes):
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._changes = {**self._changes, **changes}
        for key, value in changes.items():
            copy.__dict__[key] = value
        return copy

    def override(self, **changes):
        """A copy with other values."""
        for key in changes:
            if key not in self._keys:
                raise TypeError(f"override() has no {key!r}; it has {', '.join(self._keys)}")
        return self._copy(self._renamed(changes))

    def next(self, request=None, /, **changes):
        """Calls the inner layers, with a request or with changes. Raises if they failed."""
        request = self if request is None else request
        return request.override(**changes)._next() if changes else request._next()

    def _call(self, payload):
        frame = self._frame
        status, reply = _agenthost.next(payload or None)
        if status == 0:
            frame.failure, frame.reply = None, reply
            return reply
        error = refusal(frame, status, reply, "next")
        if status in (-20, -3):
            frame.reply = None
        if status == -20:
            frame.failure = error
        raise error


class ModelRequest(Request):
    """The request of a model call. model and tools are names: the host has their definitions."""

    _keys = ("add_messages", "add_tools", "messages", "model", "model_settings", "settings", "system", "system_message", "system_prompt", "tool_choice",
             "tools")

    def _shown(self):
        """The messages."""
        view = self._input.get("request").get("messages")
        if view is None:
            raise AttributeError('this hook declares messages=None, so it sees none: write messages="all" or a number in its decorator')
        return messages_of(view)

    _found = {
        **Request._found,
        "messages": _shown,
        "model": lambda self: self._input.get("request")["model"],
        "settings": lambda self: self._input.get("request").get("settings") or {},
        "system": lambda self: self._input.get("request").get("system"),
        "tool_choice": lambda self: self._input.get("request").get("tool_choice"),
        "tools": lambda self: [Tool(name) for name in self._input.get("request")["tools"]],
    }

    def tool_specs(self):
        """The tools that the request offers, with their descriptions and parameters."""
        return operation("tools.read")["tools"]

    system_prompt = property(lambda self: text_of(self.system) if self.system is not None else None)
    system_message = property(lambda self: None if self.system is None else SystemMessage(self.system))
    model_settings = property(lambda self: self.settings)

    def _renamed(self, changes):
        if "system_prompt" in changes:
            changes["system"] = changes.pop("system_prompt")
        if "system_message" in changes:
            m = changes.pop("system_message")
            changes["system"] = m["content"] if m else ""
        if "model_settings" in changes:
            changes["settings"] = changes.pop("model_settings")
        if "tools" in changes:
            changes["tools"] = [t if isinstance(t, Tool) else Tool(getattr(t, "name", t)) for t in changes["tools"]]
        if "add_tools" in changes:
            changes["add_tools"] = [getattr(t, "spec", t) for t in changes["add_tools"]]
        return changes

    def _next(self):
        payload = {}
        for key, value in self._changes.items():
            if key == "messages":
                payload["overwrite"] = True
                payload["messages"] = [message_of(m) for m in value] + payload.get("messages", [])
            elif key == "add_messages":
                payload["messages"] = payload.get("messages", []) + [message_of(m) for m in value]
            elif key == "model" and value == self._input.get("request")["model"]:
                pass  # the agent's own model has no name among its models
            elif key == "tools":
                payload["tools"] = [t.name for t in value]
            elif key == "tool_choice" or key == "system":
                payload[key] = value or ""
            elif key != "add_tools" or value:
                payload[key] = value
        if not payload.get("messages", True):
            del payload["messages"]
        response = object.__new__(ModelResponse)
        response._reply = self._call(payload)
        return response


class ToolCallRequest(Request):
    """A tool call. tool_call has name, args and id."""

    _keys = ("args", "name", "set_args", "tool", "tool_call")

    def __init__(self, frame, input, config):
        super().__init__(frame, input, config)
        self.tool_call = {"type": "tool_call", **input.get("call")}

    _found = {**Request._found, "tool": lambda self: Tool(self._input.get("call")["name"]) if self._input.get("known") else None}

    name = property(lambda self: self.tool_call["name"])
    args = property(lambda self: self.tool_call["args"])
    id = property(lambda self: self.tool_call["id"])

    def _renamed(self, changes):
        call = {**self.tool_call, **changes.pop("tool_call", {})}
        for key in ("name", "args"):
            if key in changes:
                call[key] = changes.pop(key)
        if "tool" in changes:
            changes["tool"] = getattr(changes["tool"], "name", changes["tool"])
        return {**changes, "tool_call": call}

    def _next(self):
        payload = {}
        if "tool" in self._changes:
            payload["tool"] = self._changes["tool"]
        if self._changes.get("set_args"):
            payload["set_args"] = self._changes["set_args"]
        call, original = self.tool_call, self._input.get("call")
        if call["name"] != original["name"]:
            payload["name"] = call["name"]
        if call["args"] != original["args"]:
            payload["args"] = call["args"]
        message = message_of(self._call(payload).get("tool_message"))
        self._frame.answer, self._frame.said = message, dict(message)
        return message
