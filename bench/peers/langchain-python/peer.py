"""LangChain's create_agent and LangGraph's checkpoints in the benchmarks: peer.py SUITE CASE SECONDS.

It performs one case of a suite (see loop.py, hooks.py, checkpoint.py, crowd.py) and prints what it took as JSON.
"""

import json
import os
import sys

os.environ["LANGSMITH_TRACING"] = "false"
os.environ["LANGCHAIN_TRACING_V2"] = "false"


def main():
    suite, case, seconds = sys.argv[1:]
    if suite == "loop":
        from loop import perform
    elif suite == "hooks":
        from hooks import perform
    elif suite == "checkpoint":
        from checkpoint import perform
    elif suite == "crowd":
        from crowd import perform
    else:
        print(f"it has no suite {suite}", file=sys.stderr)
        sys.exit(2)
    json.dump(perform(case, float(seconds)), sys.stdout)
    print()


if __name__ == "__main__":
    main()
