package main

import "github.com/agenthost/agenthost/host/tool/mcp"

// server checks that the program of an MCP server is there. It starts nothing, and does not reach servers with a URL.
func (d *doctor) server(config mcp.Config) {
	if len(config.Command) == 0 {
		return
	}
	subject := "MCP server " + config.ServerName()
	path, err := config.Program()
	if err != nil {
		d.failed(subject, err.Error(), "install the program, or correct the command in the manifest")
		return
	}
	d.okf(subject, "%s can be executed; doctor does not start it", path)
}
