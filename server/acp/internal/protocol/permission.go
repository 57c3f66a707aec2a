package protocol

// PermissionRequest asks the user about a tool call.
type PermissionRequest struct {
	SessionID string             `json:"sessionId"`
	ToolCall  Reviewed           `json:"toolCall"`
	Options   []PermissionOption `json:"options"`
}

// Reviewed is the tool call in question.
type Reviewed struct {
	ToolCall

	Title   string        `json:"title,omitempty"`
	Content []ToolContent `json:"content,omitempty"`
}

// PermissionOption is an answer that the user can give.
type PermissionOption struct {
	ID   string         `json:"optionId"`
	Name string         `json:"name"`
	Kind PermissionKind `json:"kind"`
}

// PermissionKind says what an answer means, for the symbol that a client shows.
type PermissionKind string

// The kinds of answers.
const (
	AllowOnce   PermissionKind = "allow_once"
	AllowAlways PermissionKind = "allow_always"
	RejectOnce  PermissionKind = "reject_once"
)

// PermissionResponse is the user's answer.
type PermissionResponse struct {
	Outcome struct {
		Outcome  string `json:"outcome"` // "selected" or "cancelled"
		OptionID string `json:"optionId"`
	} `json:"outcome"`
}

// The outcomes.
const (
	OutcomeSelected  = "selected"
	OutcomeCancelled = "cancelled"
)
