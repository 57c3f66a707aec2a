#!/usr/bin/env bash
# Installs what package-lock.json says into node_modules, and prints the versions.
set -euo pipefail
cd "$(dirname "$0")"

# A copy of package-lock.json in node_modules, written last, says that all of it was installed.
if ! cmp -s package-lock.json node_modules/package-lock.json; then
	npm ci --no-audit --no-fund --ignore-scripts >&2
	cp package-lock.json node_modules/package-lock.json
fi
exec node --input-type=module - <<'END'
import { readFileSync } from "node:fs";
const version = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version;
const names = ["langchain", "@langchain/core", "@langchain/langgraph", "zod"];
console.log([...names.map((name) => `${name} ${version(name)}`), `Node.js ${process.versions.node}`].join(", "));
END
