// Package mcp gives an agent the tools of servers that speak the Model Context Protocol, whoever wrote them.
//
// [Connect] starts a server's command, or connects to its address, and asks for its tools; [Server.Tools] are those that the
// configuration lets through, as tools of the agent, and [Join] puts those of several servers together. They are what the
// server offered then: the tools of an agent do not change while it lives. A server that dies is started again when it is
// called the next time, and a tool that it then lacks, or that takes other arguments, says so to the model.
//
// Nothing that a server says is believed. Its names, descriptions, schemas, results and messages are bounded and cleaned; its
// word that a tool may be repeated counts only if the operator says so; its command sees a clean environment; what it is sent
// as a secret does not show in errors and logs. What a tool's result says is still text that a stranger wrote and a model
// reads: that a server can be trusted so far is for the operator to judge.
//
// A server's mistakes are answers to the model: an error of a tool, a result that is too large, no answer in time. A call whose
// connection broke may have run or not. It is answered so, and never sent a second time, unless the tool is idempotent.
//
// A server may ask a person something in the middle of a call (an elicitation), if the configuration allows it: the run is then
// interrupted, and the call ends. With the answer the call is made again from its start, and what the server asks again is
// answered at once. What the tool did before it asked, it does twice.
package mcp
