"""The tenant budget as middleware of LangChain."""

from datetime import UTC, datetime

from langchain.agents.middleware import AgentMiddleware
from langchain.messages import AIMessage


class Budget(AgentMiddleware):
    """Limits the tokens of each tenant and day, over all threads. The caller of a run names the tenant in its context."""

    def __init__(self, tokens):
        super().__init__()
        self.tokens = tokens

    def wrap_model_call(self, request, handler):
        tenant = (request.runtime.context or {}).get("tenant")
        if not tenant:
            raise ValueError("the run has no tenant in its context")
        store, day = request.runtime.store, datetime.now(UTC).date()
        item = store.get(("budget", tenant), str(day))
        if item and item.value["tokens"] >= self.tokens:
            return AIMessage("The budget of tokens for today is used up. Please try again tomorrow.")
        response = handler(request)
        used = sum(m.usage_metadata["total_tokens"] for m in response.result if isinstance(m, AIMessage) and m.usage_metadata)
        item = store.get(("budget", tenant), str(day))
        store.put(("budget", tenant), str(day), {"tokens": used + (item.value["tokens"] if item else 0)})
        return response
