package protocol

// ContentBlock is a part of a message.
type ContentBlock struct {
	Type     string    `json:"type"` // text, image, audio, resource_link or resource
	Text     string    `json:"text,omitempty"`
	Data     string    `json:"data,omitempty"` // of an image or a sound, in base64
	MIMEType string    `json:"mimeType,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"` // of a link
	Resource *Resource `json:"resource,omitempty"`
}

// Resource is a file that a prompt contains.
type Resource struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     string  `json:"blob,omitempty"` // in base64
}

// The types of blocks.
const (
	Text         = "text"
	Image        = "image"
	Audio        = "audio"
	ResourceLink = "resource_link"
	Embedded     = "resource"
)

// textBlock is a text as an agent sends it: an empty one has its key.
type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// ToolContent is a part of what a tool call shows.
type ToolContent struct {
	Type       string     `json:"type"` // content, diff or terminal
	Content    *textBlock `json:"content,omitempty"`
	Path       string     `json:"path,omitempty"` // of a diff
	OldText    *string    `json:"oldText,omitempty"`
	NewText    *string    `json:"newText,omitempty"`
	TerminalID string     `json:"terminalId,omitempty"`
}

// TextContent is a text that a tool call shows.
func TextContent(text string) ToolContent {
	return ToolContent{Type: "content", Content: &textBlock{Text, text}}
}

// DiffContent is a change of a file that a tool call shows. before is nil if there is no such file.
func DiffContent(path string, before *string, after string) ToolContent {
	return ToolContent{Type: "diff", Path: path, OldText: before, NewText: &after}
}

// TerminalContent is a terminal that a tool call shows.
func TerminalContent(id string) ToolContent { return ToolContent{Type: "terminal", TerminalID: id} }
