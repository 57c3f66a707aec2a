package protocol

// Modes are the modes of a session.
type Modes struct {
	Current   string `json:"currentModeId"`
	Available []Mode `json:"availableModes"`
}

// Mode is a mode that a session can have.
type Mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Option is something that the user can choose for a session.
type Option struct {
	Type        string   `json:"type"` // "select"
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Category    string   `json:"category,omitempty"` // "mode" or "model"
	Current     string   `json:"currentValue"`
	Choices     []Choice `json:"options"`
}

// Choice is a value of an option.
type Choice struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}
