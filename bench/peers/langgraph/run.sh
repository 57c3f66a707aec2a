#!/usr/bin/env bash
# Measures LangGraph's checkpoints with the versions of requirements.txt, which it installs into .venv beside
# it. Options go to bench.py: --json, --mode, --middlewares, --rounds, --limit.
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
exec .venv/bin/python bench.py "$@"
