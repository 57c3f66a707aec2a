package cases

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/atomicfile"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/internal/yamltext"
)

// Update writes the outcomes of all turns into the file as the expected ones, and reports whether that changed the file. Of each expect
// it replaces the keys that do not hold, and keeps the others; a turn without an expectation gets the status, the calls of tools and the
// message. Comments inside a changed expect are lost; the rest of the file stays byte for byte. It refuses an answer that nobody asked for.
func (c *Case) Update(outcomes []*Outcome) (changed bool, err error) {
	if c.Row > 0 {
		return false, errors.New("a case with a dataset cannot be updated, because its expectations are those of all rows")
	}
	lines := bytes.SplitAfter(c.text, []byte("\n"))
	turns, _ := c.root.Get("turns")
	places := turns.Items()
	for i := len(outcomes) - 1; i >= 0; i-- { // from the end, so that the lines before stay where they are
		t := &c.Turns[i]
		if len(outcomes[i].Unused) > 0 {
			return false, fmt.Errorf("turns[%d].answers: nobody asked for {%s}; remove it", i, outcomes[i].Unused[0])
		}
		if len(t.Expect.node.Keys()) > 0 && len(t.Compare(outcomes[i])) == 0 {
			continue
		}
		if lines, err = t.rewrite(lines, places[i], outcomes[i]); err != nil {
			return false, fmt.Errorf("%s: turns[%d]: %w", c.Path, i, err)
		}
	}
	text := bytes.Join(lines, nil)
	if bytes.Equal(text, c.text) {
		return false, nil
	}
	again, err := parse(c.Path, text)
	if err != nil {
		return false, fmt.Errorf("expect cannot be replaced at its place; write it as a block: %w", err)
	}
	for i := range outcomes {
		if left := again.Turns[i].Compare(outcomes[i]); len(left) > 0 {
			return false, errors.New("expect cannot be written as YAML: " + left[0].Text)
		}
	}
	return true, atomicfile.Write(c.Path, text, 0o644)
}

// rewrite returns the lines with another expect of the turn that begins at a place.
func (t *Turn) rewrite(lines [][]byte, at strictyaml.Node, o *Outcome) ([][]byte, error) {
	if at.Line() == 0 || len(at.Keys()) == 0 {
		return nil, errors.New("the turn has no place of its own in the file")
	}
	indent := at.Column() - 1 // of its keys
	from := yamltext.Block(lines, at.Line()-1, indent-1)
	to := from
	if key, given := at.Key("expect"); given {
		if key.Column() != at.Column() || key.Line() == at.Line() && at.Keys()[0] != "expect" {
			return nil, errors.New("expect is in a line with other keys; write it as a block in lines of its own")
		}
		from = key.Line() - 1
		to = yamltext.Block(lines, from, indent)
	}
	block, err := t.Expect.rewritten(t.failing(o), o, indent)
	if err != nil {
		return nil, err
	}
	if from > 0 && len(lines[from-1]) > 0 && !bytes.HasSuffix(lines[from-1], []byte("\n")) {
		block = append([]byte("\n"), block...)
	}
	if from < len(lines) && from == at.Line()-1 { // the key follows the dash
		block = append(slices.Clone(lines[from][:indent]), bytes.TrimLeft(block, " ")...)
	}
	return slices.Concat(lines[:from], [][]byte{block}, lines[to:]), nil
}

// failing returns the keys of expect that do not hold.
func (t *Turn) failing(o *Outcome) map[string]bool {
	out := map[string]bool{}
	for _, d := range t.Compare(o) {
		out[d.Key] = true
	}
	return out
}

// expectKeys are the keys of expect in the order in which they are written.
var expectKeys = []string{"status", "error", "interrupts", "tool_calls", "message", "messages", "state", "state_contains", "files", "store", "limits"}

// rewritten returns the block of an expect, whose failing keys are those of the outcome.
func (e *Expectation) rewritten(failing map[string]bool, o *Outcome, indent int) ([]byte, error) {
	out := append(bytes.Repeat([]byte(" "), indent), "expect:"...)
	if len(e.node.Keys()) == 0 {
		return append(append(out, o.expectation(indent+2)...), '\n'), nil
	}
	if failing["status"] { // these follow from it
		failing["error"], failing["interrupts"] = true, true
	}
	empty := true
	for _, key := range expectKeys {
		value, err := e.written(key, failing[key], o)
		if err != nil {
			return nil, fmt.Errorf("expect.%s: %w", key, err)
		}
		if !value.IsZero() {
			empty = false
			out = yamltext.Append(appendKeyAt(out, key, indent+2), value, indent+4)
		}
	}
	if empty {
		out = append(out, " {}"...)
	}
	return append(out, '\n'), nil
}

// written returns the value of a key: the one of the file, or of the outcome if it does not hold.
func (e *Expectation) written(key string, failing bool, o *Outcome) (wire.Raw, error) {
	node, given := e.node.Get(key)
	switch {
	case failing:
		return e.actual(key, o)
	case given:
		return valueOf(node)
	default:
		return nil, nil
	}
}

// actual returns the value of a key that fits the outcome; nil if the key is not needed.
func (e *Expectation) actual(key string, o *Outcome) (wire.Raw, error) {
	var out wire.Map
	switch key {
	case "interrupts":
		if o.Status != host.Interrupted {
			return nil, nil
		}
		return o.waits(), nil
	case "messages":
		return o.added(), nil
	case "state", "state_contains":
		names := e.State
		if key == "state_contains" {
			names = e.StateContains
		}
		for name := range names {
			out.Set(name, orNull(o.State.Get(name)))
		}
	case "files":
		for path := range e.Files {
			out.Set(path, wire.AppendNil(nil))
			if content, there := o.Files[path]; there {
				out.Set(path, wire.String(content))
			}
		}
	case "store":
		return e.stored(o)
	case "limits":
		return e.used(o)
	default:
		return o.actual(key), nil
	}
	return out.Raw(), nil
}

func orNull(v wire.Raw) wire.Raw {
	if v.IsZero() {
		return wire.AppendNil(nil)
	}
	return v
}

// waits returns what the run waits for.
func (o *Outcome) waits() wire.Raw {
	var list []any
	for _, q := range o.Waits {
		for _, call := range q.Calls {
			list = append(list, wire.Map{{Key: "call", Value: wire.String(call.Name)}, {Key: "args", Value: call.Args}}.Raw())
		}
		if len(q.Calls) == 0 {
			list = append(list, wire.Map{{Key: "key", Value: wire.String(q.Key)}, {Key: "value", Value: q.Value}}.Raw())
		}
	}
	return listOf(list)
}

// added returns the messages that the turn added.
func (o *Outcome) added() wire.Raw {
	list := make([]any, len(o.Messages))
	for i := range o.Messages {
		m := &o.Messages[i]
		entry := wire.Map{{Key: "role", Value: wire.String(string(m.Role))}}
		if m.Name != "" {
			entry = append(entry, wire.Pair{Key: "name", Value: wire.String(m.Name)})
		}
		entry = append(entry, wire.Pair{Key: "content", Value: wire.String(m.Content.Text())})
		list[i] = entry.Raw()
	}
	return listOf(list)
}

// stored returns the values in the store.
func (e *Expectation) stored(o *Outcome) (wire.Raw, error) {
	list := make([]any, len(e.Store))
	for i := range e.Store {
		v := &e.Store[i]
		labels, err := wire.Of(v.Namespace)
		if err != nil {
			return nil, err
		}
		list[i] = wire.Map{
			{Key: "namespace", Value: labels}, {Key: "key", Value: wire.String(v.Key)}, {Key: "value", Value: orNull(o.Store[v.Place()])},
		}.Raw()
	}
	return listOf(list), nil
}

// used returns the limits, raised to what the outcome used.
func (e *Expectation) used(o *Outcome) (wire.Raw, error) {
	node, _ := e.node.Get("limits")
	given, err := valueOf(node)
	if err != nil {
		return nil, err
	}
	used := map[string]uint64{
		"model_calls": uint64(o.Used.ModelCalls), "tool_calls": uint64(o.Used.ToolCalls),
		"steps": uint64(o.Used.Steps), "tokens": o.Used.Usage.TotalTokens,
	}
	failing := strings.Join((&comparison{expect: e, outcome: o}).limits(), "\n")
	var out wire.Map
	for key, value := range given.Pairs() {
		out.Set(string(key), value)
	}
	for _, key := range slices.Sorted(maps.Keys(used)) {
		if strings.Contains(failing, "limits."+key+":") {
			out.Set(key, wire.Uint(used[key]))
		}
	}
	return out.Raw(), nil
}
