package reference

import (
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// messages compares lists of messages.
func (d *differences) messages(path string, want, got any) {
	expected, _ := want.([]any)
	d.list(path, expected, got, d.message)
}

// message compares the keys of the expected message. The actual message must not have other tool calls.
func (d *differences) message(path string, want, got any) {
	expected, _ := want.(map[string]any)
	actual, _ := got.(map[string]any)
	keys := slices.Sorted(maps.Keys(expected))
	for _, key := range keys {
		switch key {
		case "content":
			d.content(path+".content", expected[key], actual[key])
		case "tool_calls", "invalid_tool_calls":
			d.calls(path+"."+key, expected[key], actual[key])
		default:
			d.value(path+"."+key, expected[key], actual[key])
		}
	}
	for _, key := range []string{"tool_calls", "invalid_tool_calls"} {
		if calls, ok := actual[key]; ok && !slices.Contains(keys, key) {
			d.add(path+"."+key, "none", calls)
		}
	}
}

// calls compares the keys of the expected calls.
func (d *differences) calls(path string, want, got any) {
	expected, _ := want.([]any)
	if got == nil {
		got = []any{}
	}
	d.list(path, expected, got, func(path string, want, got any) {
		call, _ := want.(map[string]any)
		actual, _ := got.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(call)) {
			d.value(path+"."+key, call[key], actual[key])
		}
	})
}

// content compares the contents of messages: as JSON values if both sides are JSON objects or arrays, otherwise
// exactly.
func (d *differences) content(path string, want, got any) {
	if text, ok := want.(string); ok {
		want = asJSON(text)
	}
	if parts, ok := want.(map[string]any); ok {
		d.value(path, parts, textOf(got))
		return
	}
	want, got = plainContent(want), plainContent(got)
	wantJSON, wantOK := contentJSON(want)
	gotJSON, gotOK := contentJSON(got)
	if wantOK && gotOK {
		want, got = wantJSON, gotJSON
	}
	d.value(path, want, got)
}

// contentJSON returns the value of a content that consists of blocks, or of the text of a JSON object or array.
func contentJSON(content any) (any, bool) {
	text, ok := content.(string)
	if !ok {
		_, ok = content.([]any)
		return content, ok
	}
	if trimmed := strings.TrimSpace(text); !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
		return nil, false
	}
	raw, err := wire.FromJSON([]byte(text), limits)
	if err != nil {
		return nil, false
	}
	v, err := raw.Value()
	return v, err == nil
}

// plainContent replaces blocks that are just one text by that text, because both mean the same.
func plainContent(content any) any {
	blocks, ok := content.([]any)
	if !ok {
		return content
	}
	raw, err := wire.Of(blocks)
	if err != nil {
		return content
	}
	var c abi.Content
	if _, err := c.UnmarshalMsg(raw); err != nil || !c.IsText() {
		return content
	}
	return c.Text()
}

// textOf returns a text unchanged, or blocks as JSON text.
func textOf(content any) any {
	if _, ok := content.(string); ok || content == nil {
		return content
	}
	return show(content)
}
