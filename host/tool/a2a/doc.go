// Package a2a makes an agent elsewhere a tool: one that speaks the Agent2Agent protocol, version 1.0. The model gives it a message, and gets what the
// agent has made of it.
//
// The agent's card, which [New] reads, gives the tool its name and description. If the agent needs input, the model is told what it asks, and
// answers with another call.
//
// # Where to find what
//
//   - configuration and the card: config.go, card.go
//   - a call, and what the model sees of its result: call.go, result.go
//   - the network: client.go
package a2a
