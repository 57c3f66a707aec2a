"""The cache of similar questions as middleware of LangChain."""

from hashlib import sha256

from langchain.agents.middleware import AgentMiddleware
from langchain.messages import AIMessage, HumanMessage


class Similar(AgentMiddleware):
    """Answers a question as it answered an earlier one with the same words, in any order and case."""

    def wrap_model_call(self, request, handler):
        question = request.messages[-1]
        if not isinstance(question, HumanMessage):
            return handler(request)
        words = " ".join(sorted(set(question.text.lower().split())))
        key = sha256(words.encode()).hexdigest()
        kept = request.runtime.store.get(("similar",), key)
        if kept:
            return AIMessage(kept.value["text"])
        response = handler(request)
        answer = response.result[-1]
        if answer.text and not answer.tool_calls:
            request.runtime.store.put(("similar",), key, {"text": answer.text})
        return response
