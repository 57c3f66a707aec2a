// Package mcp holds tests in which MCP clients that others wrote use a started `agenthost serve`: the SDKs for Python and TypeScript, and the
// inspector. They log in with a key, and with a token that they get by themselves from a provider. So does agenthost's own client: an agent whose
// tools are the agents of another agenthost. make servers installs the clients.
package mcp
