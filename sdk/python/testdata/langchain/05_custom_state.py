# changed: 2
from agenthost import AgentState, before_model, after_model
from agenthost import Runtime
from typing import Any, NotRequired


class CustomState(AgentState):
    model_call_count: NotRequired[int]
    user_id: NotRequired[str]


@before_model(state_schema=CustomState, can_jump_to=["end"])
def check_call_limit(state: CustomState, runtime: Runtime) -> dict[str, Any] | None:
    """Check if we've exceeded the call limit."""
    count = state.get("model_call_count", 0)
    if count > 10:
        return {"jump_to": "end"}
    return None


@after_model(state_schema=CustomState)
def increment_counter(state: CustomState, runtime: Runtime) -> dict[str, Any] | None:
    """Track how many times we've called the model."""
    return {"model_call_count": state.get("model_call_count", 0) + 1}
