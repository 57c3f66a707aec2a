package protocol

// ReadRequest reads a file as the editor shows it.
type ReadRequest struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
	Line      int    `json:"line,omitempty"`  // the first line, from 1; 0: from the beginning
	Limit     int    `json:"limit,omitempty"` // of lines; 0: all
}

// ReadResponse is the text of a file.
type ReadResponse struct {
	Content string `json:"content"`
}

// WriteRequest writes a file.
type WriteRequest struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
	Content   string `json:"content"`
}

// TerminalRequest runs a command in a terminal of the editor.
type TerminalRequest struct {
	SessionID string   `json:"sessionId"`
	Command   string   `json:"command"`
	Args      []string `json:"args,omitempty"`
	Directory string   `json:"cwd,omitempty"`
	Limit     int      `json:"outputByteLimit,omitempty"`
}

// TerminalResponse names the terminal.
type TerminalResponse struct {
	TerminalID string `json:"terminalId"`
}

// OfTerminal are the parameters of all methods about a terminal.
type OfTerminal struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
}

// OutputResponse is what a command printed.
type OutputResponse struct {
	Output    string      `json:"output"`
	Truncated bool        `json:"truncated"`
	Exit      *ExitStatus `json:"exitStatus"`
}

// ExitStatus says how a command ended.
type ExitStatus struct {
	Code   *int    `json:"exitCode"`
	Signal *string `json:"signal"`
}
