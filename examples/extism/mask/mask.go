package main

import (
	"strings"

	"github.com/extism/go-pdk"
)

// masked returns a message's content with the words masked, and the number of masked words.
func masked(content any) (any, int) {
	with, _ := pdk.GetConfig("with") // a value of the configuration as text; the schema has given it its default
	switch content := content.(type) {
	case string:
		return maskedText(content, with)
	case []any:
		total := 0
		for _, block := range content {
			block, _ := block.(map[string]any)
			if text, ok := block["text"].(string); ok {
				changed, n := maskedText(text, with)
				block["text"] = changed
				total += n
			}
		}
		return content, total
	default:
		return nil, 0
	}
}

func maskedText(text, with string) (string, int) {
	total := 0
	for _, word := range words {
		total += strings.Count(text, word)
		text = strings.ReplaceAll(text, word, with)
	}
	return text, total
}
