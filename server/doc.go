// Package server serves agents to clients of other programs. It is what agenthost serve is made of: a program of your own can have the
// same server with agents that are built in Go.
//
//	s, err := server.New(server.Config{Agents: agents, Runs: store})
//	…
//	err = s.Serve(ctx, listener)
//
// # Where to find what
//
//   - the server: server.go; what stands before its doors: wrap.go; its page for people: page.go and package studio
//   - the doors: package langgraph for LangGraph's API; what they share: internal/door
//   - serve.yaml: package config; who may use the server: package auth
//   - runs: packages runs and engine
package server
