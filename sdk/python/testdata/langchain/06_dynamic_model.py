# changed: 3
from agenthost import wrap_model_call, ModelRequest, ModelResponse
from typing import Callable

complex_model = "large"
simple_model = "small"


@wrap_model_call
def dynamic_model(
    request: ModelRequest,
    handler: Callable[[ModelRequest], ModelResponse],
) -> ModelResponse:
    # Use different model based on conversation length
    if len(request.messages) > 1:
        model = complex_model
    else:
        model = simple_model
    return handler(request.override(model=model))
