package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Compare returns how the outcome of a run differs from the expected one, or nothing if it does not. It follows the
// rules of the format.
func Compare(want Expected, got *Outcome) []string {
	d := &differences{}
	actual := got.Document()
	d.failure(want, got)
	for _, key := range slices.Sorted(maps.Keys(want)) {
		switch key {
		case "error":
		case "messages":
			d.messages(key, want[key], actual[key])
		case "decision_requests":
			d.decisions(want[key], actual[key])
		case "model_requests":
			d.requests(want[key], actual[key])
		case "remote_requests":
			d.remote(want[key], actual[key])
		default:
			d.value(key, want[key], actual[key])
		}
	}
	if _, ok := want["interrupts"]; !ok && len(got.Interrupts) > 0 {
		d.add("interrupts", "none", actual["interrupts"])
	}
	_, failed := want["error"]
	if _, ok := want["structured_response"]; !ok && !failed && actual["structured_response"] != nil {
		d.add("structured_response", "none", actual["structured_response"])
	}
	return d.lines
}

// differences collects differences.
type differences struct{ lines []string }

func (d *differences) add(path string, want, got any) {
	d.lines = append(d.lines, fmt.Sprintf("%s:\n\twant %s\n\tgot  %s", path, show(want), show(got)))
}

// show writes a value as JSON, and our own words unchanged.
func show(v any) string {
	if words, ok := v.(string); ok && (words == "none" || words == "no error") {
		return words
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

func (d *differences) failure(want Expected, got *Outcome) {
	expected, fails := want["error"].(map[string]any)
	f := got.Failure
	switch {
	case !fails && f == nil:
	case !fails:
		d.add("error", "no error", f.Kind+": "+f.err.Error())
	case f == nil:
		d.add("error", expected, "no error")
	default:
		d.value("error.phase", expected["phase"], f.Phase)
		d.value("error.kind", expected["kind"], f.Kind)
		if expected["kind"] == kindScripted {
			d.value("error.type", expected["type"], f.Type)
		}
		message := expected["message"]
		switch _, parts := message.(map[string]any); {
		case parts:
			d.value("error.message", message, f.err.Error())
		case message != nil && comparesMessage(f.Kind):
			d.value("error.message", message, f.Message)
		}
	}
}

// value compares values of any kind: numbers by value, maps in any order of their keys, lists in their order.
func (d *differences) value(path string, want, got any) {
	switch want := want.(type) {
	case map[string]any:
		d.object(path, want, got)
	case []any:
		d.list(path, want, got, d.value)
	default:
		if !sameScalar(want, got) {
			d.add(path, want, got)
		}
	}
}

func (d *differences) object(path string, want map[string]any, got any) {
	if parts, ok := want[contains].([]any); ok && len(want) == 1 {
		d.parts(path, want, parts, got)
		return
	}
	actual, ok := got.(map[string]any)
	if !ok || len(actual) != len(want) {
		d.add(path, want, got)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if _, ok := actual[key]; !ok {
			d.add(path, want, got)
			return
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		d.value(path+"."+key, want[key], actual[key])
	}
}

func (d *differences) parts(path string, want any, parts []any, got any) {
	text, ok := got.(string)
	for _, part := range parts {
		piece, isText := part.(string)
		if !ok || !isText || !strings.Contains(text, piece) {
			d.add(path, want, got)
			return
		}
	}
}

func (d *differences) list(path string, want []any, got any, compare func(path string, want, got any)) {
	actual, ok := got.([]any)
	if !ok || len(actual) != len(want) {
		d.lines = append(d.lines, fmt.Sprintf("%s: want %d, got %d\n\twant %s\n\tgot  %s", path, len(want), len(actual), show(want), show(got)))
		return
	}
	for i := range want {
		compare(fmt.Sprintf("%s[%d]", path, i), want[i], actual[i])
	}
}

func (d *differences) requests(want, got any) {
	expected, _ := want.([]any)
	d.list("model_requests", expected, got, func(path string, want, got any) {
		request, _ := want.(map[string]any)
		actual, _ := got.(map[string]any)
		for _, key := range []string{
			"model", "message_count", "tools", "tool_choice", "settings", "native_response_format", "structured",
		} {
			d.value(path+"."+key, request[key], actual[key])
		}
		if messages, ok := request["messages"]; ok {
			d.messages(path+".messages", messages, actual["messages"])
		}
	})
}
