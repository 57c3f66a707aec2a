package openai

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// inputContent returns the content of a user or a tool: a text, or parts.
func inputContent(c abi.Content) any {
	if c.IsText() {
		return c.Text()
	}
	parts := []any{}
	for _, block := range c.Blocks() {
		if part := inputPart(block); part != nil {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return parts
}

func inputPart(block abi.Block) object {
	url, id := provider.DataURL(block), block.String("file_id")
	if url == "" {
		url = block.String("url")
	}
	switch {
	case block.Type() == abi.BlockImage && (url != "" || id != ""):
		detail := block.String("detail")
		if detail == "" {
			detail = "auto"
		}
		return withoutEmpty(object{"type": "input_image", "image_url": url, "file_id": id, "detail": detail})
	case block.Type() == abi.BlockFile && strings.HasPrefix(url, "data:"):
		return object{"type": "input_file", "file_data": url, "filename": provider.FileName(block)}
	case block.Type() == abi.BlockFile && (url != "" || id != ""):
		return withoutEmpty(object{"type": "input_file", "file_url": url, "file_id": id})
	}
	if text := provider.TextOf(block); text != "" {
		return object{"type": "input_text", "text": text}
	}
	return nil
}
