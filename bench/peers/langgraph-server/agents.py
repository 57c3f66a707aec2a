"""The agents of the suites server, token and idle, for LangGraph's development server and Aegra."""

import asyncio
import time
from pathlib import Path

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool

NOTES = Path(__file__).parent.parent / "agenthost" / "server" / "notes"


def read_file(path: str) -> str:
    """Reads a file."""
    return (NOTES / path).read_text().rstrip("\n")


class Model(BaseChatModel):
    """Asks for one tool, and says what it returned. It takes no time."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools, **kwargs):
        return self

    def answer(self, messages) -> dict:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            return {"content": f"It says: {last.content}"}
        return {"content": "", "tool_calls": [{"name": "read_file", "args": {"path": "note.md"}, "id": "call-1", "type": "tool_call"}]}

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        return ChatResult(generations=[ChatGeneration(message=AIMessage(**self.answer(messages)))])

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        return self._generate(messages)


class Clock(Model):
    """Says what time it is, in nanoseconds, as its first token, after 50 ms."""

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        await asyncio.sleep(0.05)
        yield ChatGenerationChunk(message=AIMessageChunk(content=f"t={time.time_ns()}."))
        yield ChatGenerationChunk(message=AIMessageChunk(content=" That is it.", chunk_position="last"))


agent = create_agent(Model(), [tool(read_file)])
clock = create_agent(Clock(), [])
