package a2a

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

const (
	maxImage  = 5 << 20 // bytes of an image, as providers accept
	maxImages = 8       // of a result
)

// line makes a text of the agent safe to use within a line.
func (t *Tool) line(said string) string { return text.First(terminal.Line(t.secrets.Text(said)), 1000) }

// failure returns a result that says what went wrong.
func (t *Tool) failure(what string) *host.ToolOutput {
	out := host.TextOutput("Error: " + t.line(what))
	out.Failed = true
	return out
}

// output returns what the model sees of a conversation.
func (t *Tool) output(c *conversation) *host.ToolOutput {
	if c.task == nil {
		return t.content(c.message.Parts, about("", c.message.ContextID))
	}
	said := ""
	if c.task.Status.Message != nil {
		said = textOf(c.task.Status.Message.Parts)
	}
	switch state := c.task.Status.State; state {
	case a2a.TaskStateCompleted:
		var parts a2a.ContentParts
		for _, artifact := range c.task.Artifacts {
			if artifact != nil {
				parts = append(parts, artifact.Parts...)
			}
		}
		if len(parts) == 0 && c.task.Status.Message != nil {
			parts = c.task.Status.Message.Parts
		}
		return t.content(parts, about("", c.task.ContextID))
	case a2a.TaskStateInputRequired:
		return t.content(a2a.ContentParts{a2a.NewTextPart("The agent has not finished. It asks:\n" + said)}, about(string(c.task.ID), c.task.ContextID))
	case a2a.TaskStateAuthRequired:
		return t.failure("the agent needs a login that this tool does not have: " + said)
	default:
		word := strings.ToLower(strings.TrimPrefix(string(state), "TASK_STATE_"))
		return t.failure(fmt.Sprintf("the task of the agent is %s: %s", word, said))
	}
}

// about says how to go on.
func about(task, context string) string {
	switch {
	case task != "":
		return fmt.Sprintf("[to answer, call this tool again with the task_id %q]", text.First(task, 200))
	case context != "":
		return fmt.Sprintf("[to go on with this conversation, call this tool again with the context_id %q]", text.First(context, 200))
	default:
		return ""
	}
}

// content returns parts as the result of a call: texts, and images. What the agent says is untrusted.
func (t *Tool) content(parts a2a.ContentParts, note string) *host.ToolOutput {
	whole := terminal.Text(t.secrets.Text(strings.ToValidUTF8(textOf(parts), "\uFFFD")))
	head := text.Head(whole, t.config.MaxResult)
	if len(head) < len(whole) {
		head = fmt.Sprintf("%s\n[the result is cut here: %d more bytes]", head, len(whole)-len(head))
	}
	blocks := []abi.Block{abi.TextBlock(strings.TrimSpace(head + "\n\n" + terminal.Line(t.secrets.Text(note))))}
	for _, part := range parts {
		if isImage(part) && len(blocks) <= maxImages {
			blocks = append(blocks, abi.ImageBlock(part.MediaType, part.Raw()))
		}
	}
	return &host.ToolOutput{Content: abi.Blocks(blocks...)}
}

func isImage(part *a2a.Part) bool {
	return part != nil && strings.HasPrefix(part.MediaType, "image/") && len(part.Raw()) > 0 && len(part.Raw()) <= maxImage
}

// textOf returns parts as a text. A file that is not an image is only mentioned.
func textOf(parts a2a.ContentParts) string {
	var out []string
	for _, part := range parts {
		if part == nil {
			continue
		}
		switch content := part.Content.(type) {
		case a2a.Text:
			out = append(out, string(content))
		case a2a.URL:
			out = append(out, fmt.Sprintf("[a file at %s]", content))
		case a2a.Data:
			if value, err := json.Marshal(content.Value); err == nil {
				out = append(out, string(value))
			}
		case a2a.Raw:
			if !isImage(part) {
				out = append(out, fmt.Sprintf("[the file %q of the type %q with %d bytes, which cannot be shown]", part.Filename, part.MediaType, len(content)))
			}
		}
	}
	return strings.Join(out, "\n")
}
