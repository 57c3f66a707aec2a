"""A router of prompts: each question goes to the model of its topic, with the prompt of that topic."""

import re
from typing import Callable

from agenthost import ModelRequest, ModelResponse, plugin, wrap_model_call

plugin(
    version="1.0.0",
    config_schema={
        "type": "object",
        "properties": {
            "routes": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"match": {"type": "string"}, "model": {"type": "string"}, "prompt": {"type": "string"}},
                    "required": ["match"],
                },
            },
        },
        "required": ["routes"],
    },
    configure=lambda config: [re.compile(route["match"]) for route in config["routes"]],
)


@wrap_model_call
def router(request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]) -> ModelResponse:
    question = next((m.text for m in reversed(request.messages) if m.type == "human"), "")
    for route in request.config["routes"]:
        if re.search(route["match"], question, re.IGNORECASE):
            request = request.override(model=route.get("model", request.model))
            if "prompt" in route:
                request = request.override(system_prompt="\n\n".join(filter(None, [request.system_prompt, route["prompt"]])))
            break
    return handler(request)
