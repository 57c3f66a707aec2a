"""A budget of tokens for each tenant and day, over all threads. When it is used up, the run ends with a notice."""

import datetime
from typing import Callable

from agenthost import AIMessage, HookError, ModelRequest, ModelResponse, plugin, wrap_model_call

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
def budget(request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]) -> ModelResponse | AIMessage:
    key = f"{request.config['tenant']}/{datetime.date.today()}"
    if request.runtime.store("plugin").get(key, 0) >= request.config["tokens"]:
        return AIMessage("The budget of tokens for today is used up. Please try again tomorrow.")
    response = handler(request)
    if usage := response.message.usage_metadata:
        add(request, key, usage["total_tokens"])
    return response


def add(request: ModelRequest, key: str, tokens: int) -> None:
    """Adds tokens to an entry, again if somebody else wrote it meanwhile."""
    store = request.runtime.store("plugin")
    while True:
        entry = store.entry(key) or {"value": 0, "version": 0}
        try:
            store.put(key, entry["value"] + tokens, if_version=entry["version"])
            return
        except HookError as e:
            if e.type != "ECONFLICT":
                raise
