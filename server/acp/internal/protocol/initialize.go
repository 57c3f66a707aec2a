package protocol

// InitializeRequest begins a connection.
type InitializeRequest struct {
	ProtocolVersion    int                `json:"protocolVersion"`
	ClientCapabilities ClientCapabilities `json:"clientCapabilities"`
}

// ClientCapabilities are what a client offers.
type ClientCapabilities struct {
	FS struct {
		ReadTextFile  bool `json:"readTextFile"`
		WriteTextFile bool `json:"writeTextFile"`
	} `json:"fs"`
	Terminal    bool `json:"terminal"`
	Elicitation *struct {
		Form *struct{} `json:"form"`
	} `json:"elicitation"`
}

// Forms reports whether the client shows forms to its user.
func (c *ClientCapabilities) Forms() bool { return c.Elicitation != nil && c.Elicitation.Form != nil }

// InitializeResponse says what the agent can do.
type InitializeResponse struct {
	ProtocolVersion   int               `json:"protocolVersion"`
	AgentCapabilities AgentCapabilities `json:"agentCapabilities"`
	AuthMethods       []struct{}        `json:"authMethods"` // none, which is an empty list
	AgentInfo         Implementation    `json:"agentInfo"`
}

// Implementation names a program.
type Implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

// AgentCapabilities are what an agent can do.
type AgentCapabilities struct {
	LoadSession         bool                `json:"loadSession"`
	PromptCapabilities  PromptCapabilities  `json:"promptCapabilities"`
	MCPCapabilities     MCPCapabilities     `json:"mcpCapabilities"`
	SessionCapabilities SessionCapabilities `json:"sessionCapabilities"`
}

// PromptCapabilities say what a prompt may contain, besides text and links.
type PromptCapabilities struct {
	Image           bool `json:"image"`
	Audio           bool `json:"audio"`
	EmbeddedContext bool `json:"embeddedContext"`
}

// MCPCapabilities say which MCP servers a client may pass, besides commands.
type MCPCapabilities struct {
	HTTP bool `json:"http"`
	SSE  bool `json:"sse"`
}

// SessionCapabilities say which optional methods there are.
type SessionCapabilities struct {
	List                  struct{} `json:"list"`
	Delete                struct{} `json:"delete"`
	Resume                struct{} `json:"resume"`
	Close                 struct{} `json:"close"`
	Fork                  struct{} `json:"fork"`
	AdditionalDirectories struct{} `json:"additionalDirectories"`
}
