"""The suite checkpoint: what LangGraph's SqliteSaver costs in a thread. The case is MODE:MIDDLEWARES/ROUNDS.

One process, one new database, one thread, one invoke after a short one elsewhere to warm up; README.md says how each
number is taken.
"""

import os
import sqlite3
import tempfile
import time

MODES = {  # name: (durability, messages in a DeltaChannel)
    "sync": ("sync", False),
    "exit": ("exit", False),
    "delta": ("sync", True),
}
TEXT_BYTES = 300  # of each model response, and of each tool result
WINDOW = 50  # rounds from one snapshot of a DeltaChannel to the next


def written_bytes():
    """Bytes that this process has handed to write(2) and its like so far, all threads."""
    with open("/proc/self/io", encoding="ascii") as file:
        for line in file:
            if line.startswith("wchar:"):
                return int(line.split()[1])
    raise RuntimeError("/proc/self/io has no wchar")


def make_agent(checkpointer, middlewares, delta, rounds, on_model_call):
    """Returns an agent whose model calls one tool in each of `rounds` responses, and then none."""
    from typing import Annotated, Any, Required

    from langchain.agents import AgentState, create_agent
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, AnyMessage
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langchain_core.tools import tool
    from langgraph.channels import DeltaChannel
    from langgraph.graph.message import _messages_delta_reducer

    class DeltaState(AgentState):
        # create_agent lets the caller's schema win over its own and the middlewares'. The reducer is
        # LangGraph's own for messages (experimental), the frequency of snapshots its default: 100 updates.
        messages: Required[Annotated[list[AnyMessage], DeltaChannel(_messages_delta_reducer)]]

    class Scripted(BaseChatModel):
        calls: int = 0

        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **kwargs: Any) -> "Scripted":
            return self

        def _generate(self, messages, stop=None, run_manager=None, **kwargs):
            on_model_call(self.calls)
            self.calls += 1
            message = AIMessage("m" * TEXT_BYTES)
            if self.calls <= rounds:
                message.tool_calls = [
                    {"name": "lookup", "args": {"key": "k"}, "id": f"call_{self.calls}", "type": "tool_call"}
                ]
            return ChatResult(generations=[ChatGeneration(message=message)])

    @tool
    def lookup(key: str) -> str:
        """Looks a key up."""
        return "t" * TEXT_BYTES

    class NoOp(AgentMiddleware):
        def before_model(self, state, runtime):
            return None

        def after_model(self, state, runtime):
            return None

    return create_agent(
        Scripted(),
        tools=[lookup],
        middleware=[type(f"NoOp{i}", (NoOp,), {})() for i in range(middlewares)],  # names must differ
        state_schema=DeltaState if delta else None,
        checkpointer=checkpointer,
    )


def run_agent(path, mode, middlewares, rounds, on_model_call):
    """One run in a new database, which is left without a WAL. Returns the seconds of the run."""
    from langchain_core.messages import HumanMessage
    from langgraph.checkpoint.sqlite import SqliteSaver

    durability, delta = MODES[mode]
    config = {
        "configurable": {"thread_id": "thread"},
        "recursion_limit": (rounds + 1) * (2 + 2 * middlewares) + 10,
    }
    with SqliteSaver.from_conn_string(path) as saver:
        agent = make_agent(saver, middlewares, delta, rounds, on_model_call)
        start = time.perf_counter()
        agent.invoke({"messages": [HumanMessage("go")]}, config, durability=durability)
        seconds = time.perf_counter() - start
        saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return seconds


def read_back(path, mode, middlewares, rounds):
    """What a reader finds who has nothing but the database."""
    from langgraph.checkpoint.sqlite import SqliteSaver

    with SqliteSaver.from_conn_string(path) as saver:
        agent = make_agent(saver, middlewares, MODES[mode][1], rounds, lambda _: None)
        messages = agent.get_state({"configurable": {"thread_id": "thread"}}).values["messages"]
    text = sum(len(message.content) for message in messages)
    return f"messages={len(messages)} text={text}"


def stored_in_last_round(path, middlewares):
    """The bytes of the serialized values in the rows of the last round."""
    steps = 2 + 2 * middlewares  # of a round
    with sqlite3.connect(path) as db:
        checkpoint = db.execute(
            "SELECT cast(json_extract(cast(metadata AS TEXT), '$.step') AS INT), length(checkpoint) + length(metadata)"
            " FROM checkpoints"
        ).fetchall()
        # What a step's tasks wrote hangs on the checkpoint before that step.
        write = db.execute(
            "SELECT cast(json_extract(cast(c.metadata AS TEXT), '$.step') AS INT) + 1, length(w.value)"
            " FROM writes w JOIN checkpoints c USING (thread_id, checkpoint_ns, checkpoint_id)"
        ).fetchall()
    db.close()
    if len(checkpoint) <= steps:
        return 0  # exit: there are no rounds
    after = max(step for step, _ in checkpoint) - middlewares  # the step of the model call that ends the run
    return sum(size for step, size in checkpoint + write if after - steps <= step < after)


def measure(mode, middlewares, rounds, directory):
    run_agent(os.path.join(directory, "warm.db"), mode, middlewares, 3, lambda _: None)

    path = os.path.join(directory, "thread.db")
    bytes_at, seconds_at = [], []  # when a model call begins: round n lies between n-1 and n

    def on_model_call(call):
        bytes_at.append(written_bytes())
        seconds_at.append(time.perf_counter())

    per_round = run_agent(path, mode, middlewares, rounds, on_model_call) / rounds

    window, tail = min(WINDOW, rounds), min(10, rounds)
    last = (seconds_at[-1] - seconds_at[-1 - tail]) / tail
    database = os.path.getsize(path)
    return {
        "ns": 1e9 * (per_round if mode == "exit" else last),
        "check": read_back(path, mode, middlewares, rounds),
        "extra": {
            "run_ns": 1e9 * per_round,
            "written_last50": (bytes_at[-1] - bytes_at[-1 - window]) / window,
            "stored_last": stored_in_last_round(path, middlewares),
            "database": database,
            "database_to_text": database / (2 * TEXT_BYTES * rounds),
        },
    }


def perform(case, seconds):
    mode, _, size = case.partition(":")
    middlewares, rounds = map(int, size.split("/"))
    with tempfile.TemporaryDirectory(prefix="langgraph-") as directory:
        return measure(mode, middlewares, rounds, directory)
