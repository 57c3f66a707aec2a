"""The decorators of hooks, and what the plugin of a script consists of."""

import _functools as functools

HOOKS = ("before_agent", "before_model", "wrap_model_call", "after_model", "wrap_tool_call", "after_agent")


class Hook:
    """A function that serves a hook, and what it declares."""

    def __init__(self, name, run, spec):
        self.name, self.run, self.spec = name, run, spec
        function = getattr(run, "__func__", run)
        code = getattr(function, "__code__", None)
        # How many arguments it takes by position, and whether it is a coroutine.
        self.parameters = 2 if code is None or code.co_flags & 4 else code.co_argcount - (function is not run)
        self.waits = code is not None and bool(code.co_flags & 0x80)


registered = {}


def register(name, run, spec):
    if name in registered:
        raise TypeError(f"the script has two {name} hooks, {registered[name].run.__name__} and {run.__name__}; a plugin has one of each kind")
    if not callable(run):
        raise TypeError(f"@{name} decorates a function, and not {run!r:.80}")
    registered[name] = Hook(name, run, spec)
    return run


def view_of(messages):
    if messages is None or messages == 0:
        return "none"
    return {"last": messages} if type(messages) is int else messages


def declare_state(schema):
    """Declares the annotations of a state's class as fields, which live as long as the thread."""
    from agenthost._engine import add_field
    from agenthost._state import Field

    for cls in reversed(schema.__mro__):
        if cls.__module__.startswith("agenthost") or cls in (object, dict):
            continue
        for name, annotation in getattr(cls, "__annotations__", {}).items():
            if name not in ("messages", "jump_to", "structured_response"):
                add_field(Field.of_annotation(name, annotation))


def declare(name, messages="all", **spec):
    """A HookSpec of the options of a decorator."""
    out = {"messages": view_of(messages)}
    for key, value in spec.items():
        if key == "state_schema" and value is not None:
            declare_state(value)
            continue
        if key == "name" or value is None or value is False:
            continue
        if key == "tools":
            value = [getattr(t, "name", t) for t in value]
        elif key in ("reads", "writes"):
            value = [getattr(f, "name", f) for f in value]
        elif key not in ("can_jump_to", "passes_tokens"):
            raise TypeError(f"@{name} has no option {key!r}; it has can_jump_to, messages, passes_tokens, reads, tools and writes")
        out[key] = list(value) if isinstance(value, (list, tuple, set)) else value
    return out


def decorator(name, default):
    def decorate(run=None, /, **options):
        options.setdefault("messages", default)
        if run is None:
            return lambda run: register(name, run, declare(name, **options))
        return register(name, run, declare(name, **options))

    decorate.__name__ = decorate.__qualname__ = name
    decorate.__doc__ = f"Makes a function the plugin's {name} hook. It can be used with and without options."
    return decorate


before_agent = decorator("before_agent", "all")
before_model = decorator("before_model", "all")
wrap_model_call = decorator("wrap_model_call", "all")
after_model = decorator("after_model", "all")
wrap_tool_call = decorator("wrap_tool_call", None)
after_agent = decorator("after_agent", "all")


def dynamic_prompt(run):
    """Makes a function that returns the system prompt the plugin's wrap_model_call hook."""

    def prompt(request, handler):
        return handler(request.override(system_prompt=run(request)))

    prompt.__name__ = run.__name__
    register("wrap_model_call", prompt, declare("wrap_model_call"))
    return run


def hook_config(**options):
    """Options of a method of an AgentMiddleware."""

    def decorate(run):
        run.hook_options = options
        return run

    return decorate


class AgentMiddleware:
    """A plugin as a class: methods with the names of hooks, with self. Pass an instance to plugin()."""

    tools = ()
    state_schema = None

    @property
    def name(self):
        return type(self).__name__


def register_middleware(m):
    if m.state_schema is not None:
        declare_state(m.state_schema)
    for name in HOOKS:
        run = getattr(m, name, None) or getattr(m, "a" + name, None)
        if run is None:
            continue
        options = {"messages": None if name == "wrap_tool_call" else "all", **getattr(run, "hook_options", {})}
        register(name, run, declare(name, **options))
