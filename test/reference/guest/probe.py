# The probe as a plugin in Python. It does the same as the guest in Go, document by document. Its runner writes a line before this
# file that declares bound, the Description that covers the probes of the vectors: see main.go.
import re

from agenthost import (
    AIMessage, Command, ExtendedModelResponse, Field, HookError, ModelResponse, RemoveMessage, ToolMessage, after_agent, after_model, before_agent,
    before_model, interrupt, plugin, tool, wrap_model_call, wrap_tool_call,
)

NODE_HOOKS = {"before_agent": before_agent, "before_model": before_model, "after_model": after_model, "after_agent": after_agent}

script = None  # what this instance performs
executions = {}  # of tools in this instance, by name


def mistake(text):
    return HookError("probe_mistake", text)


# Texts

SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def show(value):
    return value if isinstance(value, str) else json(value)


def json(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, list):
        return "[" + ",".join(json(v) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(quoted(key) + ":" + json(value[key]) for key in sorted(value)) + "}"
    return quoted(value) if isinstance(value, str) else str(value)


def float_text(value):
    """A float as Go writes it: with an exponent of two digits below 1e-4 and from 1e6 on."""
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    sign, text = ("-", repr(-value)) if value < 0 else ("", repr(value))
    digits, _, shift = text.partition("e")
    whole, _, rest = digits.partition(".")
    rest = rest if rest != "0" else ""
    exponent = int(shift or 0) + len(whole) - 1
    digits = whole + rest
    if whole == "0":
        exponent = int(shift or 0) - (len(rest) - len(rest.lstrip("0"))) - 1
        digits = rest.lstrip("0")
    if -4 <= exponent < 6:
        return sign + text
    return f"{sign}{digits[0]}{'.' if len(digits) > 1 else ''}{digits[1:]}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def quoted(text):
    return '"' + re.sub(r'["\\\x00-\x1f]', lambda m: SHORT.get(m[0]) or f"\\u{ord(m[0]):04x}", text) + '"'


def expand(text, lookup):
    """Replaces every {name} in a text by what lookup returns. Unknown names stay."""

    def found(m):
        value = lookup(m[1])
        return m[0] if value is None else value

    return re.sub(r"\{([a-zA-Z0-9_.#-]+)\}", found, text)


def numbered(value, n):
    """Replaces {n} in every string of a value."""
    if isinstance(value, str):
        return value.replace("{n}", str(n))
    if isinstance(value, list):
        return [numbered(element, n) for element in value]
    if isinstance(value, dict):
        return {key: numbered(element, n) for key, element in value.items()}
    return value


def text_of(content):
    if isinstance(content, str):
        return content
    return "".join(b["text"] for b in content or () if b.get("type") == "text")


def present(**keys):
    return {key: value for key, value in keys.items() if value is not None}


# Messages


def message(o, role=None):
    role = role or o["role"]
    m = present(role=role, id=o.get("id") or None, name=o.get("name") or None, content=None if o.get("content") == "" else o.get("content"))
    if role == "ai":
        calls = [{"id": c.get("id", ""), "name": c["name"], "args": c["args"]} for c in o.get("tool_calls") or ()]
        invalid = [
            {"id": c.get("id", ""), "name": c.get("name", ""), "args": c["args"], **present(error=c.get("error") or None)}
            for c in o.get("invalid_tool_calls") or ()
        ]
        m.update(present(tool_calls=calls or None, invalid_tool_calls=invalid or None))
        if o.get("usage"):
            m["usage"] = {key: o["usage"].get(key, 0) for key in ("input_tokens", "output_tokens", "total_tokens")}
        if o.get("provider"):
            m["meta"] = {"provider": o["provider"]}
    elif role == "tool":
        m.update(present(tool_call_id=o.get("tool_call_id") or None, status=o.get("status") or "success"))
    return m


# Updates


class Updates:
    """Collects the state updates of one call."""

    def __init__(self):
        self.messages, self.overwrite, self.remove, self.state = [], False, [], {}

    def add(self, update):
        for m in update.get("messages") or ():
            self.message(m)
        self.state.update((key, value) for key, value in update.items() if key != "messages")

    def message(self, o):
        """Adds a message or a removal. The last entry for an id counts."""
        if o["role"] != "remove":
            if o.get("id"):
                self.remove = [id for id in self.remove if id != o["id"]]
            self.messages.append(message(o))
        elif o["id"] == "*":
            self.overwrite, self.messages, self.remove = True, [], []
        else:
            kept = [m for m in self.messages if m.get("id") != o["id"]]
            if len(kept) == len(self.messages) and not self.overwrite:
                self.remove.append(o["id"])
            self.messages = kept

    def result(self):
        """The update of a hook; empty: there is none."""
        removals = [RemoveMessage("__remove_all__")] if self.overwrite else [RemoveMessage(id) for id in self.remove]
        messages = [*removals, *self.messages]
        return {**self.state, "messages": messages} if messages else dict(self.state)


# The script

ACTION_KINDS = ("log", "update", "increment", "jump_to", "interrupt", "raise", "override", "call_next", "respond", "transform", "command")


def kind_of(action):
    return next(kind for kind in ACTION_KINDS if kind in action)


def due(hook, n):
    """The actions of a hook that count for this number of calls, and their places."""
    return [(i, a) for i, a in enumerate(script["hooks"][hook]["do"]) if not a.get("only_on") or n in a["only_on"]]


def reads(action):
    fields = []

    def note(text):
        expand(text, lambda name: fields.append(name[6:]) if name.startswith("state.") else None)

    respond, call_next = action.get("respond"), action.get("call_next")
    if "log" in action:
        note(action["log"])
    if isinstance(respond, dict) and isinstance(respond.get("content"), str) and "role" not in respond:
        note(respond["content"])
    if "increment" in action:
        fields.append(action["increment"])
    if isinstance(call_next, dict) and "on_error" in call_next:
        note(call_next["on_error"])
    return fields


def model_reads(action):
    return [] if action.get("respond") else reads(action)  # a response of the model is not text with names


def writes(action):
    update = action.get("update", action.get("command"))
    if update is not None:
        return [key for key in update if key != "messages"]
    if "increment" in action:
        return [action["increment"]]
    return [action["into"]] if "interrupt" in action and action.get("into") else []


def field_spec(name, o):
    visibility, hidden = o.get("visibility"), {}
    if visibility in ("omit_input", "private"):
        hidden["hide_input"] = True
    if visibility in ("omit_output", "private"):
        hidden["hide_output"] = True
    lifetime = {"ephemeral": "step", "untracked": "run"}.get(o.get("lifetime"), "thread")
    return {"name": name, **present(schema=o.get("schema"), reducer=o.get("reducer")), "lifetime": lifetime, **hidden}


def field_of(spec):
    field = Field(**spec)
    if "schema" in spec:
        field.spec["schema"] = spec["schema"]  # also one that allows anything
    return field


def tool_spec(o, **more):
    return {
        "name": o["name"], "description": o.get("description", ""),
        **present(parameters=o.get("parameters"), return_direct=o.get("return_direct") or None, extras=o.get("extras") or None), **more,
    }


def description(config):
    declared, script = config["fields"], config["script"]
    own, hooks = script.get("state") or {}, {}
    for name, hook in script["hooks"].items():

        def known(of, wanted):
            return sorted({field for action in hook["do"] for field in of(action) if wanted(field)}) or None

        hooks[name] = {
            "messages": {"last": 1},
            **present(
                can_jump_to=hook.get("can_jump_to") or None, tools=hook.get("tools"),
                reads=known(model_reads if name == "wrap_model_call" else reads, lambda field: field in declared),
                writes=known(writes, lambda field: field in declared and field not in own),
            ),
        }
    return {
        "abi": 1, "name": "probe", "version": "1.0.0", "config_schema": {"type": "object"}, "hooks": hooks,
        **present(
            fields=[field_spec(name, own[name]) for name in sorted(own)] or None,
            tools=[tool_spec(o, dynamic=True) for o in script.get("dynamic_tools") or ()] or None,
        ),
    }


# Hooks


def state_of(state, runtime, field):
    return runtime.read_fields(field).get(field) if field in runtime.large else state.get(field)


def lookup(state, runtime, name):
    if name == "n":
        return str(runtime.n)
    if name in ("messages", "last"):
        if runtime.message_count is None:  # wrap_model_call sees the messages of the request, not those of the state
            messages = runtime.read_messages(0, 2**63 - 1)
            total = len(messages)
        else:
            messages, total = state["messages"], runtime.message_count
        return str(total) if name == "messages" else show(messages[-1].get("content", "") if messages else "")
    if not name.startswith("state."):
        return None
    value = state_of(state, runtime, name[6:])
    return "-" if value is None else show(value)


def line(request, text, *extras):
    def find(name):
        for extra in extras:
            if name in extra:
                return extra[name]
        return lookup(request.state, request.runtime, name)

    return expand(text, find)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def increased(value, by):
    known = 0 if value is None else value
    if not is_number(known):
        raise mistake("increment: the field is not a number: " + show(value))
    total = known + by
    return (total + 2**63) % 2**64 - 2**63 if isinstance(total, int) else total


def node(name, state, runtime):
    updates, jump = Updates(), {}
    for place, action in due(name, runtime.n):
        kind = kind_of(action)
        if kind == "log":
            runtime.emit("log", expand(action["log"], lambda name: lookup(state, runtime, name)))
        elif kind == "update":
            updates.add(numbered(action["update"], runtime.n))
        elif kind == "increment":
            field = action["increment"]
            updates.state[field] = increased(state_of(state, runtime, field), action.get("by", 1))
        elif kind == "jump_to":
            jump["jump_to"] = action["jump_to"]
        elif kind == "interrupt":
            answer = interrupt(action["interrupt"], key=str(place))
            if action.get("into"):
                updates.state[action["into"]] = answer
        elif kind == "raise":
            raise HookError(action["raise"]["type"], action["raise"]["message"])
    return {**updates.result(), **jump} or None


def call_next(request, action):
    """Performs call_next. Returns the reply, or the failure if it is to become an answer."""
    how = {} if action["call_next"] is True else action["call_next"]
    for i in range(how.get("retries", 0) + 1):
        try:
            return request.next(), None
        except HookError as e:
            if i == how.get("retries", 0):
                if "on_error" not in how:
                    raise
                return None, e


def transformed(how, text):
    return text.upper() if how == "upper" else how.get("prefix", "") + text + how.get("suffix", "")


def override_model(request, changes, o):
    system = text_of(changes.get("system", request.system))
    if "system_prompt" in o:
        changes["system"] = system = o["system_prompt"]
    if "append_system_prompt" in o:
        changes["system"] = system + o["append_system_prompt"]
    if "messages" in o:
        changes["messages"] = []
        changes.pop("add_messages", None)
    added = [message(m) for m in [*(o.get("messages") or ()), *(o.get("append_messages") or ())]]
    if "messages" in changes:
        changes["messages"] = [*changes["messages"], *added]
    elif added:
        changes["add_messages"] = [*changes.get("add_messages", ()), *added]
    if "tools" in o:
        offered = changes.get("tools", [t.name for t in request.tools])
        changes["tools"] = [name for name in offered if name in o["tools"]]
        changes["add_tools"] = [t for t in changes.get("add_tools", ()) if t["name"] in o["tools"]]
    if o.get("add_tools"):
        changes["add_tools"] = [*changes.get("add_tools", ()), *(tool_spec(t) for t in o["add_tools"])]
    if "tool_choice" in o:
        changes["tool_choice"] = o["tool_choice"]
    if o.get("settings"):
        changes["settings"] = {**changes.get("settings", {}), **o["settings"]}
    if o.get("model"):
        changes["model"] = o["model"]


def wrap_model(request, _):
    updates, changes, reply, response = Updates(), {}, None, None
    for _, action in due("wrap_model_call", request.runtime.n):
        kind = kind_of(action)
        if kind == "log":
            request.runtime.emit("log", line(request, action["log"]))
        elif kind == "override":
            override_model(request, changes, action["override"])
        elif kind == "call_next":
            reply, failure = call_next(request.override(**changes), action)
            response = failure and [message({"content": line(request, action["call_next"]["on_error"], vars(failure))}, "ai")]
        elif kind == "respond":
            reply, response = None, [message(action["respond"], "ai")]
        elif kind == "transform":
            response = transform(response, reply, action["transform"])
        elif kind == "command":
            updates.add(numbered(action["command"], request.runtime.n))
        elif kind == "raise":
            raise HookError(action["raise"]["type"], action["raise"]["message"])
    if reply is None and response is None:
        raise mistake("wrap_model_call: the script ends without a response")
    made = reply if response is None else ModelResponse(response)
    return ExtendedModelResponse(made, Command(update=updates.result()))


def transform(response, reply, how):
    """Changes the last message of the model. Without a role, a message changes the reply's own and leaves the rest of it."""
    if response is None and reply is None:
        raise mistake("transform: there is no response yet")
    if response is None:
        response = [{"id": m["id"]} for m in reply.result]
    shown = [{"role": "ai", **(reply.result[i] if reply else {}), **m} for i, m in enumerate(response)]
    places = [i for i, m in enumerate(shown) if m["role"] == "ai"]
    if not places:
        raise mistake("transform: the response has no AI message")
    at = places[-1]
    changed = {**response[at], "content": transformed(how, text_of(shown[at].get("content")))}
    return [*response[:at], changed, *response[at + 1 :]]


def wrap_tool(request, _):
    updates, changes, reply, answer = Updates(), {}, None, None
    for _, action in due("wrap_tool_call", request.runtime.n):
        name = changes.get("name") or request.name
        names = {"tool": name, "id": request.id, "known": "true" if request.tool or changes.get("tool") else "false"}
        kind = kind_of(action)
        if kind == "log":
            request.runtime.emit("log", line(request, action["log"], names))
        elif kind == "override":
            override_tool(changes, action["override"])
        elif kind == "call_next":
            reply, failure = call_next(request.override(**changes), action)
            answer = failure and {"content": line(request, action["call_next"]["on_error"], vars(failure), names), "status": "error", "name": name}
        elif kind == "respond":
            o = action["respond"]
            reply, answer = None, {"content": line(request, o["content"], names), "status": o.get("status", "success"), "name": name}
        elif kind == "transform":
            if answer is None and reply is None:
                raise mistake("transform: there is no answer yet")
            old = reply if answer is None else answer
            answer = {**(answer or {}), "content": transformed(action["transform"], text_of(old["content"]))}
        elif kind == "command":
            updates.add(numbered(action["command"], request.runtime.n))
        elif kind == "raise":
            raise HookError(action["raise"]["type"], action["raise"]["message"])
    if reply is None and answer is None:
        raise mistake("wrap_tool_call: the script ends without an answer")
    return together(updates, reply if answer is None else answer, request.id)


def override_tool(changes, o):
    if "args" in o:
        changes["args"] = o["args"]
        changes.pop("set_args", None)
    if o.get("set_args"):
        changes["set_args"] = {**changes.get("set_args", {}), **o["set_args"]}
    for key in ("name", "tool"):
        if o.get(key):
            changes[key] = o[key]


def together(updates, answer, id):
    """An answer of a tool with updates of the state."""
    update = updates.result()
    if not update:
        return answer
    if not isinstance(answer, ToolMessage):

        class Answer(ToolMessage):
            tool_call_id = id  # to be found by, and not a key of the document

        answer = Answer(answer)
    return Command(update={**update, "messages": [*update.get("messages", ()), answer]})


# Tools


def own_tool(spec):
    def run(runtime, **args):
        return call_tool(spec["name"], args, runtime)

    tool(run, **{"description": "", **spec})


def call_tool(name, args, runtime):
    own = next((o for o in script.get("dynamic_tools") or () if o["name"] == name), None)
    if own is None:
        raise mistake("there is no tool " + name)
    n = executions[name] = executions.get(name, 0) + 1
    runtime.emit("tool_run", {"args": args, "id": runtime.tool_call_id, "name": name})
    if own.get("log"):
        runtime.emit("log", own["log"])
    updates = Updates()
    content = behave(own["behavior"], args, runtime, n, updates)
    return together(updates, {"content": content}, runtime.tool_call_id)


def behave(b, args, runtime, n, updates):
    """What a tool answers. A sleep takes no time, because the clock of a call stands still."""

    def argument(name):
        return show(args[name]) if name in args else ""

    def text(template):
        return expand(template, lambda name: str(n) if name == "#" else argument(name))

    kind = b["kind"]
    if kind == "upper":
        return argument(b["arg"]).upper()
    if kind == "json":
        return show(b["value"])
    if kind == "raise":
        if b.get("then") and n > b.get("times", 1):
            return behave(b["then"], args, runtime, n, updates)
        raise HookError(b["error"]["type"], b["error"]["message"])
    if kind == "read_state":
        value = runtime.read_fields(b["field"]) if b["field"] in runtime.large else runtime.state
        return show(value[b["field"]]) if b["field"] in value else "<missing>"
    if kind == "command":
        updates.add(b["update"])
        return text(b["text"])
    if kind == "interrupt":
        return "Answer: " + show(interrupt({"ask": text(b["ask"]), "tool_call_id": runtime.tool_call_id}, key="ask"))
    return text(b["text"])


# The plugin, within its bound


def configure(config):
    global script
    script = config["script"]
    return description(config)


def node_hook(name):
    return lambda state, runtime: node(name, state, runtime)


plugin(
    name=bound["name"], version=bound["version"], config_schema=bound.get("config_schema"), configure=configure,
    fields=[field_of(spec) for spec in bound.get("fields") or ()],
)
for spec in bound.get("tools") or ():
    own_tool(spec)
for name, spec in (bound.get("hooks") or {}).items():
    if name in NODE_HOOKS:
        NODE_HOOKS[name](**spec)(node_hook(name))
    elif name == "wrap_model_call":
        wrap_model_call(**spec)(wrap_model)
    else:
        wrap_tool_call(**spec)(wrap_tool)
