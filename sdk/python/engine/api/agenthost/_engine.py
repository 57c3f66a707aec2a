"""What the engine calls: the start of a script, its Description, and its hooks and tools."""

import sys

import _agenthost

from agenthost import _hook, _request
from agenthost._error import HookError, Leave
from agenthost._message import AIMessage, Message, ToolMessage, message_of, update_of
from agenthost._state import Field, schema_of


class Definition:
    """What the script says of its plugin."""

    def __init__(self, file):
        stem = file.rsplit("/", 1)[-1].removesuffix(".py")
        self.name, self.version, self.guards, self.config_schema = stem, "0.0.0", None, None
        self.fields, self.capabilities, self.tools, self.context, self.configure = {}, {}, {}, (), None
        self.said = False


definition = Definition("plugin.py")  # start replaces it; outside of an engine, a file with a plugin can still be imported
config = {}


def plugin(middleware=None, /, *, name=None, version=None, guards=None, config_schema=None, context=(), fields=(), capabilities=None, configure=None, tools=()):
    """Says what the script's plugin is called, declares and asks for. Without it, the plugin has the name of its file."""
    d = definition
    if d.said:
        raise TypeError("plugin() is called twice; a script is one plugin")
    d.said = True
    if middleware is not None:
        if not isinstance(middleware, _hook.AgentMiddleware):
            raise TypeError("plugin() takes an instance of an AgentMiddleware")
        _hook.register_middleware(middleware)
        d.name = middleware.name
        tools = [*tools, *middleware.tools]
    d.name, d.version, d.guards = name or d.name, version or d.version, guards
    d.config_schema, d.context, d.configure, d.capabilities = config_schema, tuple(context), configure, capabilities or {}
    for f in fields:
        add_field(f)
    for t in tools:
        if t.name not in d.tools:
            d.tools[t.name] = t


def add_field(f):
    if not isinstance(f, Field):
        raise TypeError(f"fields are made by Field(name, type), and not {f!r:.80}")
    definition.fields[f.name] = f


class ToolFunction:
    """A tool of the plugin: a function with a description and a schema."""

    def __init__(self, run, name, spec):
        self.run, self.name, self.spec = run, name, spec
        self.__name__, self.__doc__ = name, spec["description"]

    def __call__(self, *args, **kwargs):
        return self.run(*args, **kwargs)


def tool(run=None, /, *, name=None, description=None, parameters=None, return_direct=False, idempotent=False, dynamic=False, extras=None):
    """Makes a function a tool. The schema comes from its annotations, and its description from its docstring."""
    if isinstance(run, str):
        return lambda function: tool(function, name=run, description=description, parameters=parameters, return_direct=return_direct,
                                     idempotent=idempotent, dynamic=dynamic, extras=extras)
    if run is None:
        return lambda function: tool(function, name=name, description=description, parameters=parameters, return_direct=return_direct,
                                     idempotent=idempotent, dynamic=dynamic, extras=extras)
    spec = {"name": name or run.__name__, "description": description or (run.__doc__ or "").strip(), "parameters": parameters or parameters_of(run)}
    for key, value in (("return_direct", return_direct), ("idempotent", idempotent), ("dynamic", dynamic), ("extras", extras)):
        if value:
            spec[key] = value
    made = ToolFunction(run, spec["name"], spec)
    definition.tools[made.name] = made
    return made


def arguments_of(run):
    code = run.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def parameters_of(run):
    names = [n for n in arguments_of(run) if n != "runtime"]
    count, defaults = run.__code__.co_argcount, len(run.__defaults__ or ())
    optional = {*run.__code__.co_varnames[count - defaults : count], *(run.__kwdefaults__ or ())}
    annotations = run.__annotations__
    required = [n for n in names if n not in optional]
    schema = {"type": "object", "properties": {n: schema_of(annotations.get(n)) for n in names}, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


class Script:
    """The files of the script, and the importer of its modules."""

    def __init__(self, files):
        self.files = files  # path: source, with slashes
        self.roots = ("", "vendor/")

    def path_of(self, module):
        base = module.replace(".", "/")
        for root in self.roots:
            for path in (f"{root}{base}/__init__.py", f"{root}{base}.py"):
                if path in self.files:
                    return path
        return None

    def find_spec(self, module, path=None, target=None):
        found = self.path_of(module)
        if found is None:
            return None
        package = found.endswith("/__init__.py")
        spec = ModuleSpec(module, self, origin=found, is_package=package)
        if package:
            spec.submodule_search_locations = [found.removesuffix("/__init__.py")]
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        path = module.__spec__.origin
        module.__file__ = path
        module.__builtins__ = script_builtins
        self.run(path, module)

    def run(self, path, module):
        """Evaluates a file as a module."""
        code = compile(self.files[path], path, "exec", dont_inherit=True)
        _agenthost.watch(code)
        exec(code, module.__dict__)


LIBRARY = (
    "__future__", "abc", "base64", "bisect", "calendar", "collections", "contextlib", "copy", "dataclasses", "datetime", "enum", "functools", "hashlib",
    "heapq", "itertools", "json", "keyword", "math", "numbers", "operator", "random", "re", "string", "sys", "textwrap", "time", "types", "typing",
    "warnings", "weakref",
)
script_builtins = {}
script = None
ModuleSpec = type(sys.__spec__) if getattr(sys, "__spec__", None) else None


def script_import(name, globals=None, locals=None, fromlist=(), level=0):
    """The __import__ of scripts. It says what there is."""
    root = name.partition(".")[0]
    # The interpreter's own imports, such as that of _strptime, come here too.
    if level == 0 and root not in LIBRARY and not root.startswith("_") and root != "agenthost" and script.path_of(root) is None:
        raise ModuleNotFoundError(
            f"there is no module {name!r} in a plugin; it can import agenthost, its own files, pure-Python packages in a directory vendor "
            f"beside it, and of the standard library {', '.join(LIBRARY)}", name=name)
    return original_import(name, globals, locals, fromlist, level)


def forbid(name):
    def forbidden(*_, **__):
        raise RuntimeError(f"{name}() is not available in a plugin")

    return forbidden


def show(*values, sep=" ", end="", file=None, flush=False):
    _agenthost.log(1, (" " if sep is None else sep).join(str(v) for v in values))


def start(given):
    """Evaluates the script."""
    global definition, script, original_import, ModuleSpec
    import builtins

    ModuleSpec = sys.modules["_frozen_importlib"].ModuleSpec
    original_import = builtins.__import__
    script_builtins.update(builtins.__dict__)
    script_builtins.update(__import__=script_import, print=show)
    for name in ("open", "input", "breakpoint", "exit", "quit"):
        script_builtins[name] = forbid(name)
    definition = Definition(given["file"])
    script = Script(given["files"])
    sys.meta_path.append(script)
    main = type(sys)("__main__")
    main.__file__ = given["file"]
    main.__builtins__ = script_builtins
    package = given["file"].removesuffix("__init__.py").removesuffix("/")
    if package != given["file"] and package:
        main.__package__, main.__path__ = package, [package]
    sys.modules[package if package != given["file"] and package else "__main__"] = main
    script.run(given["file"], main)
    if not _hook.registered and not definition.tools:
        raise TypeError("the script has no hook and no tool; decorate a function with @before_model, @wrap_tool_call, @tool or another one")


def describe():
    own = list(definition.fields)
    hooks = {}
    for name, hook in _hook.registered.items():
        hooks[name] = {"reads": own, **hook.spec} if own or "reads" in hook.spec else dict(hook.spec)
    out = {"abi": 1, "name": definition.name, "version": definition.version, "hooks": hooks}
    if definition.guards:
        out["guards"] = True
    if definition.config_schema:
        out["config_schema"] = definition.config_schema
    if definition.context:
        out["context"] = list(definition.context)
    if own:
        out["fields"] = [f.spec for f in definition.fields.values()]
    if definition.tools:
        out["tools"] = [t.spec for t in definition.tools.values()]
    if definition.capabilities:
        out["capabilities"] = [
            {"op": op, "reason": reason} if isinstance(reason, str) else {"op": op, **reason} for op, reason in definition.capabilities.items()
        ]
    return out


def run_to_end(value):
    """The value of a coroutine. There is nothing to wait for but other coroutines, so it runs to its end at once."""
    if type(value).__name__ != "coroutine":
        return value
    try:
        value.send(None)
    except StopIteration as e:
        return e.value
    value.close()
    raise RuntimeError("the coroutine waits for something that nobody sends; await only what the hook's arguments offer")


class Awaited:
    """A result that can also be awaited."""

    def __init__(self, value):
        self.value = value

    def __await__(self):
        return self.value
        yield


def awaitable(function):
    def call(*args, **kwargs):
        return Awaited(function(*args, **kwargs))

    return call


def update(value, out):
    """Splits the dict of a hook: messages, jump_to, and the rest are fields."""
    if isinstance(value, _request.Command):
        goto, value = value.goto, dict(value.update)
        if goto is not None:
            value["jump_to"] = "end" if goto == "__end__" else goto
    if not isinstance(value, dict):
        raise TypeError(f"a hook returns None or a dict such as {{'messages': [...], 'jump_to': 'end', 'count': 1}}, and not {value!r:.80}")
    for key, v in value.items():
        if key == "messages":
            update_of(v, out)
        elif key == "jump_to":
            if v is not None:
                out["jump_to"] = v
        elif key == "patch":
            out["patch"] = v
        else:
            out.setdefault("state", {})[key] = v
    return out


def model_result(frame, value):
    out = {}
    if isinstance(value, _request.ExtendedModelResponse):
        if value.command is not None:
            update(value.command, out)
        value = value.model_response
    if isinstance(value, str):
        value = AIMessage(value)
    if isinstance(value, Message):
        value = _request.ModelResponse([value])
    if isinstance(value, _request.ModelResponse):
        if value._is_new(frame.reply):
            response = {"messages": value.result}
            if value.structured_response is not None:
                response["structured"] = value.structured_response
            out["response"] = response
        return out or None
    return update(value, out)


def tool_result(frame, value):
    out = {}
    if isinstance(value, _request.Command):
        messages = value.update.get("messages") or []
        answers = [m for m in messages if isinstance(m, ToolMessage) and m.tool_call_id == frame.input.get("call")["id"]]
        rest = {k: v for k, v in value.update.items() if k != "messages"}
        others = [m for m in messages if all(m is not a for a in answers)]
        if others:
            rest["messages"] = others
        update(_request.Command(update=rest, goto=value.goto), out)
        if not answers:
            return out
        value = answers[-1]
    if isinstance(value, str):
        value = {"content": value}
    if value is frame.answer and value is not None and dict(value) == frame.said:
        return out or None
    if isinstance(value, ToolMessage) or (isinstance(value, dict) and "content" in value):
        keep = ("artifact", "content", "meta", "name", "status") + (() if frame.reply is None else ("id", "role", "tool_call_id"))
        out["tool_message"] = {k: v for k, v in value.items() if k in keep}
        return out
    if frame.name == "call_tool" and not isinstance(value, dict):
        import json

        return {"tool_message": {"content": value if isinstance(value, str) else json.dumps(value)}}
    return update(value, out)


def call_hook(frame, input):
    if frame.name == "call_tool":
        made = definition.tools[input.get("call")["name"]]
        keys = dict(input.get("call")["args"])
        if "runtime" in arguments_of(made.run):
            runtime = _request.Runtime(input, config)
            runtime.state, runtime.tool_call_id = _request.State(input), input.get("call")["id"]
            keys["runtime"] = runtime
        value = run_to_end(made.run(**keys))
        return {"tool_message": {"content": ""}} if value is None else tool_result(frame, value)
    hook = _hook.registered[frame.name]
    if frame.name.startswith("wrap_"):
        cls = _request.ModelRequest if frame.name == "wrap_model_call" else _request.ToolCallRequest
        request = cls(frame, input, config)
        handler = awaitable(request.next) if hook.waits else request.next
        value = run_to_end(hook.run(request, handler) if hook.parameters > 1 else hook.run(request))
        if value is None:
            return None
        return (model_result if frame.name == "wrap_model_call" else tool_result)(frame, value)
    state = _request.State(input)
    value = run_to_end(hook.run(state, _request.Runtime(input, config)) if hook.parameters > 1 else hook.run(state))
    return None if value is None else update(value, {})


def error_of(e, text):
    """An error of the ABI. The text describes an exception that is not a HookError."""
    if isinstance(e, HookError):
        out = {"type": str(e.type), "message": str(e.message)}
        if e.data is not None:
            out["data"] = e.data
        if e.retryable:
            out["retryable"] = True
        return out
    return {"type": "error", "message": text}


def set_up(values):
    global config
    config = values
    described = None if definition.configure is None else definition.configure(values)
    return described if isinstance(described, dict) and "abi" in described else None  # a narrower Description


def serve(name, input):
    """Serves one call. Returns a Result, or None. The engine serves most hooks that see the state itself."""
    _request.frames.clear()
    if name == "describe":
        return describe()
    if name == "configure":
        return set_up(input)
    frame = _request.Frame(name, input)
    _request.frames.append(frame)
    return ended(call_hook(frame, input))


def ended(result):
    """The Result of a hook that has a frame."""
    frame = _request.frames[-1]
    if frame.closed:
        return None
    if frame.questions:
        return {"interrupts": frame.questions}  # whatever swallowed the exception
    return result


def failed(e, text):
    """Takes what serve raised. Returns a Result, or None."""
    if _request.frames:
        frame = _request.frames[-1]
        if frame.closed:
            return None
        if frame.questions:
            return {"interrupts": frame.questions}
        if e is frame.failure:
            return None  # the host passes it on itself
    return {"error": error_of(e, text)}
