// Package protocol has the messages of the Agent Client Protocol, version 1, as far as agenthost sends and reads them. Keys that are not here are
// ignored, as the protocol wants it.
//
// # Where to find what
//
//   - what clients ask for: request.go; what they say about themselves: initialize.go
//   - content of messages: content.go
//   - what a client is told while an agent works: update.go; modes and options of a session: option.go
//   - what a client is asked: permission.go, client.go, elicitation.go
package protocol

// Version is the version of the protocol.
const Version = 1

// The methods of an agent.
const (
	Initialize       = "initialize"
	Authenticate     = "authenticate"
	Logout           = "logout"
	SessionNew       = "session/new"
	SessionLoad      = "session/load"
	SessionResume    = "session/resume"
	SessionFork      = "session/fork"
	SessionList      = "session/list"
	SessionPrompt    = "session/prompt"
	SessionCancel    = "session/cancel"
	SessionSetMode   = "session/set_mode"
	SessionSetOption = "session/set_config_option"
	SessionClose     = "session/close"
	SessionDelete    = "session/delete"
)

// The methods of a client.
const (
	SessionUpdate     = "session/update"
	RequestPermission = "session/request_permission"
	CreateElicitation = "elicitation/create"
	ReadTextFile      = "fs/read_text_file"
	WriteTextFile     = "fs/write_text_file"
	TerminalCreate    = "terminal/create"
	TerminalOutput    = "terminal/output"
	TerminalWait      = "terminal/wait_for_exit"
	TerminalKill      = "terminal/kill"
	TerminalRelease   = "terminal/release"
)

// CodeNoResource is the code of the error for a session or file that is not there.
const CodeNoResource = -32002
