// Package agenthost is the root of the module. It holds the sources of the SDKs and nothing else.
//
// Programs that run agents import package host; plugins in Go import package sdk/go; the command is in cmd/agenthost. The
// README says where to begin.
package agenthost
