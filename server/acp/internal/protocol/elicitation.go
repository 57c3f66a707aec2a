package protocol

import "encoding/json"

// ElicitationRequest shows a form to the user.
type ElicitationRequest struct {
	SessionID string          `json:"sessionId"`
	Mode      string          `json:"mode"` // "form"
	Message   string          `json:"message"`
	Schema    json.RawMessage `json:"requestedSchema"`
}

// ElicitationResponse is what the user did with a form.
type ElicitationResponse struct {
	Action  string          `json:"action"` // "accept", "decline" or "cancel"
	Content json.RawMessage `json:"content"`
}

// Accept is the action of a form that was filled in.
const Accept = "accept"
