package builtin

import (
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
)

// writeTranscript writes a message for the model that summarizes, as LangChain does:
//
//	<message type="ai">
//	  <content>let me see</content>
//	  <tool_call id="c1" name="search">{"q":"x"}</tool_call>
//	</message>
//
// Everything that comes from messages is escaped, so that no text can begin or end an element. Data of images and files is
// left out.
func writeTranscript(b *strings.Builder, m *abi.Message) {
	content := contentTranscript(m.Content)
	if len(m.ToolCalls) == 0 {
		fmt.Fprintf(b, "<message type=%s>%s</message>", xmlAttribute(string(m.Role)), content)
		return
	}
	fmt.Fprintf(b, "<message type=%s>\n", xmlAttribute(string(m.Role)))
	if content != "" {
		fmt.Fprintf(b, "  <content>%s</content>\n", content)
	}
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		fmt.Fprintf(b, "  <tool_call id=%s name=%s>%s</tool_call>\n",
			xmlAttribute(shortCallID(call.ID)), xmlAttribute(call.Name), xmlText(call.Args.JSON()))
	}
	b.WriteString("</message>")
}

// transcriptOf returns the output of writeTranscript.
func transcriptOf(m *abi.Message) string {
	var b strings.Builder
	writeTranscript(&b, m)
	return b.String()
}

func contentTranscript(c abi.Content) string {
	if c.IsText() {
		return xmlText(c.Text())
	}
	var parts []string
	for _, block := range c.Blocks() {
		if part := blockTranscript(block); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

// blockTranscript returns the text of a block, or "" if the block has only data.
func blockTranscript(block abi.Block) string {
	switch kind := block.Type(); {
	case kind == abi.BlockText:
		return xmlText(block.Text())
	case kind == abi.BlockReasoning:
		if text := block.Text(); text != "" {
			return "<reasoning>" + xmlText(text) + "</reasoning>"
		}
	case block.IsMedia():
		var b strings.Builder
		for _, key := range []string{"name", "url", "file_id"} {
			if value := block.String(key); value != "" && !strings.HasPrefix(value, "data:") {
				b.WriteString(" " + key + "=" + xmlAttribute(value))
			}
		}
		if b.Len() > 0 {
			return "<" + kind + b.String() + " />"
		}
	}
	return ""
}

var (
	xmlTextEscapes      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	xmlAttributeEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", "&#10;", "\r", "&#13;", "\t", "&#9;")
)

func xmlText(text string) string { return xmlTextEscapes.Replace(text) }

// xmlAttribute quotes the value of an attribute, with single quotes if it contains double quotes but no single ones.
func xmlAttribute(value string) string {
	value = xmlAttributeEscapes.Replace(value)
	switch {
	case !strings.Contains(value, `"`):
		return `"` + value + `"`
	case !strings.Contains(value, "'"):
		return "'" + value + "'"
	default:
		return `"` + strings.ReplaceAll(value, `"`, "&quot;") + `"`
	}
}

// callIDLength is how many characters of a call's id a transcript shows.
const callIDLength = 64

func shortCallID(id string) string {
	if runes := []rune(id); len(runes) > callIDLength {
		return string(runes[:callIDLength]) + "..."
	}
	return id
}

// omission takes the place of an omitted middle.
const omission = "\n\n[... middle of conversation omitted ...]\n\n"

// withoutMiddle keeps this many characters of a text: a quarter from its start, the rest from its end.
func withoutMiddle(text string, keep int) string {
	runes := []rune(text)
	if len(runes) <= keep {
		return text
	}
	head := keep / 4
	return string(runes[:head]) + omission + string(runes[len(runes)-(keep-head):])
}
