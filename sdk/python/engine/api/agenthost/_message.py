"""Messages: dicts with the keys of the ABI, whose keys are attributes as well."""

import _agenthost


def text_of(content):
    """The text of a content: a string, or a list of blocks."""
    if isinstance(content, str):
        return content
    return "".join(b if isinstance(b, str) else b.get("text", "") for b in content or () if isinstance(b, str) or b.get("type") == "text")


class Message(dict):
    """A message. It is a dict with the keys of the ABI, and m.content is m["content"]."""

    role = None
    _optional = {"id": None, "name": None, "content": "", "artifact": None, "status": "success", "tool_call_id": None}
    _lists = ("tool_calls", "invalid_tool_calls")

    def __init__(self, content="", /, **keys):
        dict.update(self, keys)
        if not isinstance(content, str) and isinstance(content, dict):
            dict.update(self, {**content, **keys} if keys else content)
            return
        self.setdefault("content", content)
        self["role"] = self.role
        for key in [k for k, v in self.items() if v is None]:
            del self[key]

    def __getattr__(self, key):
        if key in self:
            return self[key]
        if key in self._optional:
            return self._optional[key]
        if key in self._lists:
            return []
        raise AttributeError(f"a message has no {key!r}; it has {', '.join(self)}")

    def __setattr__(self, key, value):
        self[key] = value

    @property
    def type(self):
        return self["role"]

    @property
    def text(self):
        return text_of(self.content)

    @property
    def content_blocks(self):
        content = self.content
        return [{"type": "text", "text": content}] if isinstance(content, str) else [*content]

    @property
    def usage_metadata(self):
        return self.get("usage")

    @property
    def response_metadata(self):
        return self.get("meta", {})

    def pretty_repr(self):
        return f"{self.type}: {self.text}"

    def model_copy(self, *, update=None):
        return type(self)({**self, **(update or {})})

    copy = model_copy

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.items() if k != 'role')})"


class HumanMessage(Message):
    role = "human"


class AIMessage(Message):
    role = "ai"


class SystemMessage(Message):
    role = "system"


class ToolMessage(Message):
    role = "tool"


class RemoveMessage:
    """Removes the message with this id from the history."""

    def __init__(self, id):
        self.id = id


AnyMessage = Message
_classes = {"human": HumanMessage, "ai": AIMessage, "system": SystemMessage, "tool": ToolMessage, "user": HumanMessage, "assistant": AIMessage}


def message_of(value):
    """A message of a dict, a message or a string."""
    if isinstance(value, Message):
        return value
    if isinstance(value, str):
        return HumanMessage(value)
    if isinstance(value, tuple) and len(value) == 2:
        value = {"role": value[0], "content": value[1]}
    cls = _classes.get(value.get("role") if isinstance(value, dict) else None)
    if cls is None:
        raise TypeError(f"a message must be a Message, a string, or a dict with a role and a content, and not {value!r:.80}")
    if value["role"] != cls.role:
        value = {**value, "role": cls.role}
    return cls(value)


def messages_of(view):
    """The messages of a view. The engine decodes them only if the hook looks at them."""
    return _agenthost.messages(view["items"], _classes)


def update_of(messages, out):
    """Adds messages of a hook, with removals, to an update."""
    if not isinstance(messages, (list, tuple)):
        messages = [messages]
    for m in messages:
        if isinstance(m, RemoveMessage):
            if m.id == "__remove_all__":
                out.pop("remove", None)
                out.pop("messages", None)
                out["overwrite"] = True
            else:
                out.setdefault("remove", []).append(m.id)
        else:
            out.setdefault("messages", []).append(message_of(m))
