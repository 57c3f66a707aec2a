// Package js has the engine for plugins in JavaScript: an interpreter, QuickJS-ng, as a guest of the ABI. [Plugin] makes a
// plugin of the engine and a script; it is a module like any other. Package host/plugin/script does so with files.
//
// A script is an ES module in one file. It imports from "agenthost" and exports its plugin:
//
//	import { plugin } from "agenthost"
//
//	export default plugin({
//	    name: "policy", version: "1.0.0",
//	    wrapToolCall(call) {
//	        if (call.call.name === "delete") return { content: "Deleting is not allowed.", status: "error" }
//	        return call.next()
//	    },
//	})
//
// engine/ holds the engine's sources, and engine/api.js what a script can import. Scripts see no files, no environment and no
// network; Date and Math.random follow the clock and the seed of the hook's input; eval and Function throw.
//
// The files beside are the npm package agenthost: types for editors, of which documents.d.ts is generated from package abi, and a
// host for tests on Node's WebAssembly.
package js

//go:generate go run ./gen
