"""Runs the three middleware with LangChain: pip install langchain==1.5.0 && python check.py"""

from budget import Budget
from langchain.agents import create_agent
from langchain.messages import AIMessage
from langchain.tools import tool
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command
from policy import Policy
from similar import Similar


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools, **kwargs):
        return self


@tool
def delete(path: str) -> str:
    """Deletes a file."""
    return f"deleted {path}"


@tool
def pay(sum: float) -> str:
    """Pays."""
    return f"paid {sum}"


def agent(middleware, *answers, **options):
    return create_agent(Scripted(messages=iter(answers)), tools=[delete, pay], middleware=[middleware], **options)


def says(text, tokens=700):
    return AIMessage(text, usage_metadata={"input_tokens": 0, "output_tokens": tokens, "total_tokens": tokens})


def ask(of, text="hi", **options):
    return of.invoke({"messages": [{"role": "user", "content": text}]}, **options)


def last(result):
    return result["messages"][-1].content


budget = agent(Budget(1000), *[says("High at noon.")] * 3, store=InMemoryStore())
acme, other = {"tenant": "acme"}, {"tenant": "other"}
assert [last(ask(budget, context=acme)) for _ in range(2)] == ["High at noon."] * 2
assert last(ask(budget, context=acme)).startswith("The budget of tokens")
assert last(ask(budget, context=other)) == "High at noon."
try:
    ask(budget)
    raise AssertionError("a run without a tenant must fail")
except ValueError as e:
    assert "no tenant" in str(e)

similar = agent(Similar(), AIMessage("At noon."), store=InMemoryStore())
assert last(ask(similar, "When is high tide?")) == last(ask(similar, "when  is HIGH tide?")) == "At noon."


def policed(name, decision=None, **args):
    """What the tool answers, or the question."""
    call = AIMessage("", tool_calls=[{"id": "call-1", "name": name, "args": args}])
    policy, thread = agent(Policy(), call, AIMessage("done"), checkpointer=InMemorySaver()), {"configurable": {"thread_id": "1"}}
    result = ask(policy, config=thread)
    if decision is not None:
        result = policy.invoke(Command(resume={result["__interrupt__"][0].id: decision}), config=thread)
    if "__interrupt__" in result:
        return result["__interrupt__"][0].value["description"]
    return result["messages"][-2].content


assert policed("delete", path="/etc/passwd") == "Only files in /tmp may be deleted."
assert policed("delete", path="/tmp/x") == "Deletes a file."
assert policed("delete", {"type": "approve"}, path="/tmp/x") == "deleted /tmp/x"
assert policed("pay", sum=250) == "Pays more than 100."
assert "too much" in policed("pay", {"type": "reject", "message": "too much"}, sum=250)
assert policed("pay", sum=50) == "paid 50.0"
print("ok")
