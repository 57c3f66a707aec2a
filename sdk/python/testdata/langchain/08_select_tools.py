# changed: 2
from agenthost import wrap_model_call, ModelRequest, ModelResponse
from typing import Callable


def select_relevant_tools(state, runtime):
    return ["search"]


@wrap_model_call
def select_tools(
    request: ModelRequest,
    handler: Callable[[ModelRequest], ModelResponse],
) -> ModelResponse:
    """Middleware to select relevant tools based on state/context."""
    # Select a small, relevant subset of tools based on state/context
    relevant_tools = select_relevant_tools(request.state, request.runtime)
    return handler(request.override(tools=relevant_tools))
