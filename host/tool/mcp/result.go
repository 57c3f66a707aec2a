package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// output converts a result to the answer for the model.
func (c *call) output(result *sdk.CallToolResult) *host.ToolOutput {
	w := writer{text: c.tool.server.config.MaxResult, media: maxMedia}
	for i, content := range result.Content {
		if i == maxBlocks {
			w.note(fmt.Sprintf("%d more parts of the result are left out", len(result.Content)-maxBlocks))
			break
		}
		w.content(content)
	}
	if !w.said && result.StructuredContent != nil {
		if text, err := json.Marshal(result.StructuredContent); err == nil {
			w.write(string(text))
		}
	}
	w.tellCut()
	return &host.ToolOutput{Failed: result.IsError, Content: w.contents()}
}

// writer collects what the model sees of a result.
type writer struct {
	blocks []abi.Block
	said   bool // the server has sent some text
	text   int  // bytes of room left
	media  int
	cut    int // bytes of text cut off
}

// tellCut says how much was cut, if anything was.
func (w *writer) tellCut() {
	if w.cut > 0 {
		w.note(fmt.Sprintf("the result is cut here: %d more bytes", w.cut))
	}
}

// contents returns the blocks, or their text if all are text.
func (w *writer) contents() abi.Content {
	switch {
	case len(w.blocks) == 0:
		return abi.Content{}
	case !slices.ContainsFunc(w.blocks, func(b abi.Block) bool { return b.Type() != abi.BlockText }):
		texts := make([]string, len(w.blocks))
		for i := range w.blocks {
			texts[i] = w.blocks[i].Text()
		}
		return abi.Text(strings.Join(texts, "\n"))
	default:
		return abi.Blocks(w.blocks...)
	}
}

// content adds a part of the result.
func (w *writer) content(content sdk.Content) {
	switch part := content.(type) {
	case *sdk.TextContent:
		w.write(part.Text)
	case *sdk.ImageContent:
		w.data("image", part.MIMEType, "", part.Data)
	case *sdk.AudioContent:
		w.data("audio", part.MIMEType, "", part.Data)
	case *sdk.ResourceLink:
		w.write(linkText(part))
	case *sdk.EmbeddedResource:
		w.resource(part.Resource)
	default:
		w.note("a part of the result is of a kind that is not known")
	}
}

// linkText describes a linked resource. The model cannot read it unless the server offers a tool for that.
func linkText(link *sdk.ResourceLink) string {
	parts := slices.DeleteFunc([]string{link.URI, link.Name, link.MIMEType, link.Description}, func(part string) bool { return part == "" })
	return "[resource " + strings.Join(parts, ", ") + "]"
}

func (w *writer) resource(r *sdk.ResourceContents) {
	switch {
	case r == nil:
		w.note("a resource is empty")
	case r.Blob != nil:
		w.data("resource", r.MIMEType, r.URI, r.Blob)
	default:
		w.write("[resource " + r.URI + "]\n" + r.Text)
	}
}

// data adds an image, or a note about other data.
func (w *writer) data(kind, mime, uri string, data []byte) {
	if uri != "" {
		kind += " " + terminal.Line(uri)
	}
	switch {
	case !model.AcceptsImage(mime):
		w.note(fmt.Sprintf("%s of the type %q and %d bytes, which cannot be shown", kind, terminal.Line(mime), len(data)))
	case len(data) > w.media:
		w.note(fmt.Sprintf("%s of the type %q and %d bytes, which is too large to be shown", kind, mime, len(data)))
	default:
		w.media -= len(data)
		if uri != "" {
			w.write("[" + kind + "]")
		}
		w.blocks = append(w.blocks, abi.ImageBlock(mime, data))
	}
}

// write adds text while there is room.
func (w *writer) write(said string) {
	w.said = true
	said = strings.ToValidUTF8(said, "\uFFFD")
	if len(said) > w.text {
		head := text.Head(said, w.text)
		w.cut += len(said) - len(head)
		said = head
		if said == "" {
			w.text = 0
			return
		}
	}
	w.text -= len(said)
	w.blocks = append(w.blocks, abi.TextBlock(said))
}

// note adds a remark by this package.
func (w *writer) note(text string) { w.blocks = append(w.blocks, abi.TextBlock("["+text+"]")) }
