"""A budget of tokens for each tenant and day, over all threads. When it is used up, the run ends with a notice."""

import datetime

from agenthost import AIMessage, HookError, plugin, wrap_model_call

plugin(
    version="1.0.0",
    config_schema={
        "type": "object",
        "properties": {"tenant": {"type": "string"}, "tokens": {"type": "integer", "minimum": 1}},
        "required": ["tenant", "tokens"],
    },
    capabilities={op: {"reason": "It keeps what each tenant has used.", "required": True} for op in ("kv.get", "kv.put")},
)


@wrap_model_call(messages=None, passes_tokens=True)
def budget(request, handler):
    store, config = request.runtime.store("plugin"), request.config
    key = f"{config['tenant']}/{datetime.date.today()}"
    if store.get(key, 0) >= config["tokens"]:
        return AIMessage("The budget of tokens for today is used up. Please try again tomorrow.")
    response = handler(request)
    add(store, key, (response.message.usage_metadata or {}).get("total_tokens", 0))
    return response


def add(store, key, tokens):
    """Adds tokens to an entry, again if somebody else wrote it meanwhile."""
    while True:
        entry = store.entry(key) or {"value": 0, "version": 0}
        try:
            return store.put(key, entry["value"] + tokens, if_version=entry["version"])
        except HookError as e:
            if e.type != "ECONFLICT":
                raise
