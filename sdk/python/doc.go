// Package python has the engine for plugins in Python: an interpreter, RustPython, as a guest of the ABI. [Plugin] makes a plugin
// of the engine and a script; it is a module like any other. Package host/plugin/script does so with files.
//
// A script decorates functions. It imports from "agenthost":
//
//	from agenthost import ToolMessage, wrap_tool_call
//
//	@wrap_tool_call
//	def policy(request, handler):
//	    if request.tool_call["name"] == "delete":
//	        return ToolMessage("Deleting is not allowed.", status="error")
//	    return handler(request)
//
// engine/ holds the engine's sources, engine/api what a script can import, and engine/lib the part of Python's standard library that
// it can import. Scripts see no files, no environment and no network; time, datetime and random follow the clock and the seed of the
// hook's input.
//
// The files beside are the PyPI package agenthost-sdk: the module agenthost as the engine has it, types for editors (its documents.py is
// generated from package abi), and a host for tests under CPython.
package python

//go:generate go run ./gen
