#!/usr/bin/env bash
# Installs what requirements.txt says into .venv, and prints the versions.
set -euo pipefail
cd "$(dirname "$0")"

# A copy of requirements.txt in .venv, written last, says that all of it was installed.
if ! cmp -s requirements.txt .venv/requirements.txt; then
	rm -rf .venv
	"${PYTHON:-python3}" -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements.txt >&2
	.venv/bin/python -m pip check >&2
	cp requirements.txt .venv/requirements.txt
fi
exec .venv/bin/python - <<'END'
import platform
from importlib.metadata import version
names = ("langgraph-cli", "langgraph-api", "langgraph-runtime-inmem", "langgraph", "langchain", "uvloop")
print(", ".join([f"{n} {version(n)}" for n in names] + [f"CPython {platform.python_version()}"]))
END
