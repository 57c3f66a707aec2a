// Package mcp makes an agent a server that speaks the Model Context Protocol, for other agents and for the programs in
// which people talk to models.
//
// The server offers one tool that runs the agent: its arguments are a prompt and, for a conversation that goes on, the name of
// a thread. Beside it are the agent's own tools, by their names. A call of one is a run too, in which the call takes the place
// of the model's answer: whatever middleware does about the model's calls of tools, limits, reviews, redaction, it does about
// this one.
//
// [Prepare] makes the agent's configuration fit for that before the agent is built, and [New] makes the server of the agent.
// [Server.Serve] speaks over two streams, such as standard input and output; [Server.Handler] serves streamable HTTP.
//
// What a run does is told as progress to a client that wants it. A client that cancels a call stops the run. A run that asks a
// human something asks the client's user, if the client can (an elicitation); otherwise the call fails, and tells how to go on.
// Errors are results, which the client's model can read.
package mcp
