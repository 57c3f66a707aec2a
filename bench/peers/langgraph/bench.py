"""What checkpoints cost in LangChain's create_agent with LangGraph's SqliteSaver.

Every cell of the table (mode, middlewares, rounds) is one process, one new database, one thread and one run:
this file starts itself with --cell. README.md says how each number is taken.
"""

import argparse
import json
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version

MODES = {  # name: (durability, messages in a DeltaChannel)
    "sync": ("sync", False),
    "exit": ("exit", False),
    "delta": ("sync", True),
}
ROUNDS = (10, 100, 400, 4000)
# A checkpoint of sync holds all messages: 4,000 rounds would take tens of gigabytes.
MAX_ROUNDS = {"sync": 400}
MIDDLEWARES = (0, 5)
TEXT_BYTES = 300  # of each model response, and of each tool result
WINDOW = 50  # rounds from one snapshot of a DeltaChannel to the next
PACKAGES = (
    "langchain",
    "langchain-core",
    "langgraph",
    "langgraph-prebuilt",
    "langgraph-checkpoint",
    "langgraph-checkpoint-sqlite",
    "ormsgpack",
)


def written_bytes():
    """Bytes that this process has handed to write(2) and its like so far, all threads."""
    with open("/proc/self/io", encoding="ascii") as file:
        for line in file:
            if line.startswith("wchar:"):
                return int(line.split()[1])
    raise RuntimeError("/proc/self/io has no wchar")


class TimeLimit(Exception):
    """The cell took too long; says which round it had begun."""


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
    """One run in a new database, which is left without a WAL."""
    from langchain_core.messages import HumanMessage
    from langgraph.checkpoint.sqlite import SqliteSaver

    durability, delta = MODES[mode]
    config = {
        "configurable": {"thread_id": "thread"},
        "recursion_limit": (rounds + 1) * (2 + 2 * middlewares) + 10,
    }
    with SqliteSaver.from_conn_string(path) as saver:
        agent = make_agent(saver, middlewares, delta, rounds, on_model_call)
        agent.invoke({"messages": [HumanMessage("go")]}, config, durability=durability)
        saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def check_saved(path, mode, middlewares, rounds):
    """The database must hold the whole conversation, for a reader that has nothing else."""
    from langgraph.checkpoint.sqlite import SqliteSaver

    with SqliteSaver.from_conn_string(path) as saver:
        agent = make_agent(saver, middlewares, MODES[mode][1], rounds, lambda _: None)
        messages = agent.get_state({"configurable": {"thread_id": "thread"}}).values["messages"]
    text = sum(len(message.content) for message in messages)
    want = 2 * rounds + 2, (2 * rounds + 1) * TEXT_BYTES + len("go")
    if (len(messages), text) != want:
        raise RuntimeError(f"{mode}: saved (messages, text) {(len(messages), text)}, want {want}")


def stored_bytes(path, middlewares):
    """Counts rows and the bytes of their serialized values: of the whole run, and of its last whole round."""
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
    after = max(step for step, _ in checkpoint) - middlewares  # the step of the model call that ends the run
    last = [size for step, size in checkpoint + write if after - steps <= step < after]
    return {
        "checkpoint_rows": len(checkpoint),
        "write_rows": len(write),
        "stored_bytes": sum(size for _, size in checkpoint + write),
        "last_round_stored_bytes": sum(last) if len(checkpoint) > steps else 0,
    }


def cell(mode, middlewares, rounds, limit, directory):
    """Runs one cell in this process and returns its numbers."""
    run_agent(os.path.join(directory, "warm.db"), mode, middlewares, 3, lambda _: None)

    path = os.path.join(directory, "cell.db")
    bytes_at, seconds_at = [], []  # when a model call begins: round n lies between n-1 and n
    start = time.perf_counter()

    def on_model_call(call):
        now = time.perf_counter()
        if now - start > limit:
            raise TimeLimit(call + 1)
        bytes_at.append(written_bytes())
        seconds_at.append(now)

    before = written_bytes()
    try:
        run_agent(path, mode, middlewares, rounds, on_model_call)
    except TimeLimit as reached:
        return {"limit_seconds": limit, "reached_round": reached.args[0]}
    after = written_bytes()  # the WAL is checkpointed, the connection closed
    seconds = time.perf_counter() - start

    per_round = [b - a for a, b in zip(bytes_at, bytes_at[1:], strict=False)]
    window = per_round[-WINDOW:]
    milliseconds = [1000 * (b - a) for a, b in zip(seconds_at, seconds_at[1:], strict=False)]
    result = {
        "last_round_written_bytes": per_round[-1],
        "last_50_rounds_written_bytes": {
            "mean": round(sum(window) / len(window)),
            "min": min(window),
            "max": max(window),
        },
        "end_written_bytes": after - bytes_at[-1],
        "run_written_bytes": after - before,
        "run_written_bytes_per_round": round((after - before) / rounds),
        "database_bytes": sum(
            os.path.getsize(path + suffix) for suffix in ("", "-wal") if os.path.exists(path + suffix)
        ),
        "text_bytes": 2 * TEXT_BYTES * rounds,
        "last_10_rounds_milliseconds": round(sum(milliseconds[-10:]) / len(milliseconds[-10:]), 3),
        "run_seconds": round(seconds, 3),
    }
    result["database_to_text"] = round(result["database_bytes"] / result["text_bytes"], 2)
    result |= stored_bytes(path, middlewares)
    check_saved(path, mode, middlewares, rounds)
    return result


def run_cell(mode, middlewares, rounds, limit):
    """Runs one cell in a process of its own."""
    environment = {**os.environ, "LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}
    head = {"mode": mode, "middlewares": middlewares, "rounds": rounds}
    with tempfile.TemporaryDirectory(prefix="langgraph-") as directory:
        argument = json.dumps({**head, "limit": limit, "directory": directory})
        try:
            done = subprocess.run(
                [sys.executable, __file__, "--cell", argument],
                env=environment,
                stdout=subprocess.PIPE,
                timeout=2 * limit + 120,
                check=True,
            )
        except subprocess.TimeoutExpired:
            return {**head, "limit_seconds": limit, "reached_round": None}
    return {**head, **json.loads(done.stdout)}


COLUMNS = (  # title, how wide, how to say it
    ("mode", 5, lambda c: c["mode"]),
    ("middlewares", 11, lambda c: c["middlewares"]),
    ("rounds", 6, lambda c: f"{c['rounds']:,}"),
    ("last round, B", 13, lambda c: f"{c['last_round_written_bytes']:,}"),
    ("mean of last 50", 15, lambda c: f"{c['last_50_rounds_written_bytes']['mean']:,}"),
    ("at the end, B", 13, lambda c: f"{c['end_written_bytes']:,}"),
    ("run B / round", 13, lambda c: f"{c['run_written_bytes_per_round']:,}"),
    ("stored in last", 14, lambda c: f"{c['last_round_stored_bytes']:,}"),
    ("database, B", 13, lambda c: f"{c['database_bytes']:,}"),
    ("/ text", 8, lambda c: f"{c['database_to_text']:,.1f}"),
    ("ms / round", 10, lambda c: f"{c['last_10_rounds_milliseconds']:,.2f}"),
)


def table_row(result):
    words = []
    for title, width, say in COLUMNS:
        if "limit_seconds" in result and title == "last round, B":
            reached = result["reached_round"]
            words.append(f"> {result['limit_seconds']:g} s" + (f" (in round {reached:,})" if reached else ""))
            break
        words.append(f"{say(result):>{width}}")
    return "  ".join(words)


def main():
    parser = argparse.ArgumentParser(description="What checkpoints cost in LangChain's create_agent with SqliteSaver.")
    parser.add_argument("--json", action="store_true", help="write JSON to stdout, and the table to stderr")
    parser.add_argument("--mode", action="append", choices=MODES, help="only this mode (may be repeated)")
    parser.add_argument("--middlewares", action="append", type=int, help=f"instead of {MIDDLEWARES} (may be repeated)")
    parser.add_argument("--rounds", action="append", type=int, help=f"instead of {ROUNDS} (may be repeated)")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a cell, default 600")
    parser.add_argument("--cell", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cell:
        json.dump(cell(**options.cell), sys.stdout)
        return

    table = sys.stderr if options.json else sys.stdout
    versions = {name: version(name) for name in PACKAGES}
    versions |= {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    print(", ".join(f"{name} {number}" for name, number in versions.items()), file=table)
    print("  ".join(f"{title:>{width}}" for title, width, _ in COLUMNS), file=table, flush=True)
    results = []
    for mode in options.mode or MODES:
        for middlewares in options.middlewares or MIDDLEWARES:
            for rounds in options.rounds or [n for n in ROUNDS if n <= MAX_ROUNDS.get(mode, n)]:
                results.append(run_cell(mode, middlewares, rounds, options.limit))
                print(table_row(results[-1]), file=table, flush=True)
    if options.json:
        json.dump({"peer": "langgraph", "versions": versions, "cells": results}, sys.stdout, indent=2)
        print()


if __name__ == "__main__":
    main()
