package protocol

import "encoding/json"

// SessionRequest begins a session, or opens one: session/new, load, resume and fork.
type SessionRequest struct {
	SessionID             string      `json:"sessionId"` // not of session/new
	Directory             string      `json:"cwd"`
	AdditionalDirectories []string    `json:"additionalDirectories"`
	MCPServers            []MCPServer `json:"mcpServers"`
}

// MCPServer is an MCP server of the client's user: a command, or an address.
type MCPServer struct {
	Type    string      `json:"type"` // "http", "sse", or "" or "stdio" for a command
	Name    string      `json:"name"`
	Command string      `json:"command"`
	Args    []string    `json:"args"`
	Env     []NamedText `json:"env"`
	URL     string      `json:"url"`
	Headers []NamedText `json:"headers"`
}

// NamedText is a variable of the environment, or a header.
type NamedText struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// SessionResponse says what a session can be set to. All values are those of the session.
type SessionResponse struct {
	SessionID     string   `json:"sessionId,omitempty"` // of session/new and fork
	Modes         *Modes   `json:"modes,omitempty"`
	ConfigOptions []Option `json:"configOptions,omitempty"`
}

// ListRequest asks for a page of sessions.
type ListRequest struct {
	Directory string `json:"cwd"` // "": any
	Cursor    string `json:"cursor"`
}

// ListResponse is a page of sessions.
type ListResponse struct {
	Sessions   []SessionInfo `json:"sessions"`
	NextCursor string        `json:"nextCursor,omitempty"`
}

// SessionInfo describes a session.
type SessionInfo struct {
	SessionID string `json:"sessionId"`
	Directory string `json:"cwd"`
	Title     string `json:"title,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
}

// OfSession are the parameters of all methods that need nothing but the session.
type OfSession struct {
	SessionID string `json:"sessionId"`
}

// PromptRequest is a message of the user.
type PromptRequest struct {
	SessionID string         `json:"sessionId"`
	Prompt    []ContentBlock `json:"prompt"`
}

// PromptResponse says why a turn ended.
type PromptResponse struct {
	StopReason StopReason `json:"stopReason"`
}

// StopReason is why a turn ended.
type StopReason string

// The reasons. There is also "refusal", after which a client removes the turn from its view although the thread has it, so it is not used.
const (
	EndTurn         StopReason = "end_turn"
	MaxTokens       StopReason = "max_tokens"
	MaxTurnRequests StopReason = "max_turn_requests"
	Cancelled       StopReason = "cancelled"
)

// SetModeRequest sets the mode of a session.
type SetModeRequest struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
}

// SetOptionRequest sets an option of a session.
type SetOptionRequest struct {
	SessionID string          `json:"sessionId"`
	ConfigID  string          `json:"configId"`
	Value     json.RawMessage `json:"value"`
}

// SetOptionResponse has all options with their values.
type SetOptionResponse struct {
	ConfigOptions []Option `json:"configOptions"`
}
