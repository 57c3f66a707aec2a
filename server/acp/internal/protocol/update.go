package protocol

import "encoding/json"

// Notification tells a client what happens in a session.
type Notification struct {
	SessionID string  `json:"sessionId"`
	Update    *Update `json:"update"`
}

// Update is one thing that happens. Which keys it has depends on its kind.
type Update struct {
	Kind      UpdateKind `json:"sessionUpdate"`
	Content   any        `json:"content,omitempty"` // of a chunk, a block; of a tool call, a list of [ToolContent]
	MessageID string     `json:"messageId,omitempty"`

	*ToolCall // of a tool call; nil: none

	Title     string `json:"title,omitempty"` // of a tool call or a session
	UpdatedAt string `json:"updatedAt,omitempty"`

	Entries           []PlanEntry `json:"entries,omitzero"`
	AvailableCommands []Command   `json:"availableCommands,omitzero"`
	CurrentModeID     string      `json:"currentModeId,omitempty"`
	ConfigOptions     []Option    `json:"configOptions,omitempty"`

	*Usage // nil: none
}

// UpdateKind says what an update is about.
type UpdateKind string

// The kinds of updates.
const (
	UserChunk       UpdateKind = "user_message_chunk"
	AgentChunk      UpdateKind = "agent_message_chunk"
	ThoughtChunk    UpdateKind = "agent_thought_chunk"
	CallBegins      UpdateKind = "tool_call"
	CallChanged     UpdateKind = "tool_call_update"
	PlanChanged     UpdateKind = "plan"
	CommandsChanged UpdateKind = "available_commands_update"
	ModeChanged     UpdateKind = "current_mode_update"
	OptionsChanged  UpdateKind = "config_option_update"
	InfoChanged     UpdateKind = "session_info_update"
	UsageChanged    UpdateKind = "usage_update"
)

// ToolCall describes a tool call. Its title and content are those of the update or of the request for permission.
type ToolCall struct {
	ID        string          `json:"toolCallId"`
	Name      string          `json:"name,omitempty"`
	Kind      ToolKind        `json:"kind,omitempty"`
	Status    ToolStatus      `json:"status,omitempty"`
	Locations []Location      `json:"locations,omitempty"`
	RawInput  json.RawMessage `json:"rawInput,omitempty"`
	RawOutput json.RawMessage `json:"rawOutput,omitempty"`
}

// ToolKind says what a tool does, for the symbol that a client shows.
type ToolKind string

// The kinds of tools.
const (
	KindRead    ToolKind = "read"
	KindEdit    ToolKind = "edit"
	KindDelete  ToolKind = "delete"
	KindSearch  ToolKind = "search"
	KindExecute ToolKind = "execute"
	KindThink   ToolKind = "think"
	KindFetch   ToolKind = "fetch"
	KindOther   ToolKind = "other"
)

// ToolStatus says how far a tool call has come.
type ToolStatus string

// The statuses.
const (
	StatusPending    ToolStatus = "pending"
	StatusInProgress ToolStatus = "in_progress"
	StatusCompleted  ToolStatus = "completed"
	StatusFailed     ToolStatus = "failed"
)

// Location is a file that a tool call is about.
type Location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

// PlanEntry is a step of a plan.
type PlanEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

// Command is a command that the user can begin a message with, after a slash.
type Command struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Input       *CommandInput `json:"input,omitempty"`
}

// CommandInput is what follows a command.
type CommandInput struct {
	Hint string `json:"hint"`
}

// Usage says how full the model's context is.
type Usage struct {
	Used uint64 `json:"used"` // tokens
	Size uint64 `json:"size"` // tokens
	Cost *Cost  `json:"cost,omitempty"`
}

// Cost is what the session has cost.
type Cost struct {
	Amount   json.Number `json:"amount"`
	Currency string      `json:"currency"`
}

// Chunk is a piece of a message.
func Chunk(kind UpdateKind, message, text string) *Update {
	return &Update{Kind: kind, MessageID: message, Content: textBlock{Text, text}}
}
