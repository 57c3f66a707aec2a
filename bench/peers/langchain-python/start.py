"""The smallest agent of a Python program: it asks its model once, at MODEL_URL."""

import json
import os
import urllib.request
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class Plain(BaseChatModel):
    @property
    def _llm_type(self) -> str:
        return "plain"

    def bind_tools(self, tools: Any, **kwargs: Any) -> "Plain":
        return self

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        body = {"messages": [{"role": "user", "content": message.content} for message in messages]}
        request = urllib.request.Request(os.environ["MODEL_URL"], json.dumps(body).encode())
        with urllib.request.urlopen(request) as response:
            text = json.load(response)["choices"][0]["message"]["content"]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


def search(q: str) -> str:
    """Searches."""
    return "result"


result = create_agent(Plain(), tools=[search]).invoke({"messages": [("user", "hi")]})
print(result["messages"][-1].content)
