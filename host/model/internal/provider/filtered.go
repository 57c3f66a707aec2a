package provider

import (
	"encoding/json"
	"slices"

	"github.com/agenthost/agenthost/internal/text"
)

// maxCategories is how many categories of a content filter are named.
const maxCategories = 20

// Filtered returns the categories for which a content filter has removed a text, each with its severity if it has one, such as "hate
// (high)". Azure reports them as an object: {hate: {filtered: true, severity: high}}. It returns none for anything else.
func Filtered(results json.RawMessage) []string {
	var all map[string]json.RawMessage
	if len(results) == 0 || json.Unmarshal(results, &all) != nil {
		return nil
	}
	var out []string
	for name, value := range all {
		var found struct {
			Filtered bool   `json:"filtered"`
			Severity string `json:"severity"`
		}
		if json.Unmarshal(value, &found) != nil || !found.Filtered {
			continue
		}
		category := text.Head(text.Clean(name), 50)
		if found.Severity != "" {
			category += " (" + text.Head(text.Clean(found.Severity), 20) + ")"
		}
		out = append(out, category)
	}
	slices.Sort(out)
	return out[:min(len(out), maxCategories)]
}
