package cases

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/docdiff"
)

// Difference is a way in which an outcome differs from what is expected.
type Difference struct {
	Key  string `json:"key"`  // the key of expect that does not hold
	Text string `json:"text"` // what differs, in one line
}

// Compare returns the differences of an outcome from what the turn expects. A status that is not expected, and an answer that
// nobody asked for, always count as differences.
func (t *Turn) Compare(o *Outcome) []Difference {
	c := comparison{expect: &t.Expect, outcome: o}
	c.status()
	for _, check := range []struct {
		key  string
		diff func() []string
	}{
		{"tool_calls", c.toolCalls},
		{"message", c.message},
		{"messages", c.messages},
		{"state", c.state},
		{"state_contains", c.stateContains},
		{"files", c.files},
		{"store", c.store},
		{"limits", c.limits},
	} {
		c.add(check.key, check.diff()...)
	}
	return c.found
}

type comparison struct {
	expect  *Expectation
	outcome *Outcome
	found   []Difference
}

func (c *comparison) add(key string, lines ...string) {
	for _, line := range lines {
		c.found = append(c.found, Difference{Key: key, Text: line})
	}
}

// status compares how the turn ended.
func (c *comparison) status() {
	want := host.Status(c.expect.Status)
	if want == "" {
		want = host.Completed
	}
	got := c.outcome
	if got.Status != want {
		why := ""
		switch {
		case got.Error != "":
			why = ": " + got.Error
		case got.Status == host.Interrupted:
			why = ": it waits for " + waitsFor(got)
		}
		c.add("status", docdiff.Clean(fmt.Sprintf("status: %s → %s%s", want, got.Status, strings.ReplaceAll(why, "\n", " "))))
	} else if c.expect.Error != nil {
		c.add("error", c.expect.Error.compare("error", got.Error)...)
	}
	for _, answer := range got.Unused {
		c.add("answers", docdiff.Clean(fmt.Sprintf("answers: nobody asked for {%s}", answer)))
	}
	if c.expect.has("interrupts") && got.Status == want {
		c.add("interrupts", c.interrupts()...)
	}
}

// waitsFor says what a run waits for.
func waitsFor(o *Outcome) string {
	var asked []string
	for _, q := range o.Waits {
		for _, call := range q.Calls {
			asked = append(asked, fmt.Sprintf("a decision about %s %s", call.Name, call.Args.JSON()))
		}
		if len(q.Calls) == 0 {
			asked = append(asked, fmt.Sprintf("an answer to %s %s", q.Key, q.Value.JSON()))
		}
	}
	if len(asked) == 0 {
		return fmt.Sprintf("{continue: %s}", o.Next)
	}
	return strings.Join(asked, ", ")
}

// has reports whether a key is given.
func (e *Expectation) has(key string) bool {
	_, given := e.node.Get(key)
	return given
}

// interrupts compares the questions that the run waits for, in any order.
func (c *comparison) interrupts() (lines []string) {
	type asked struct {
		q    *question.Question
		call *question.Call
	}
	var open []asked
	for _, q := range c.outcome.Waits {
		for _, call := range q.Calls {
			open = append(open, asked{q, call})
		}
		if len(q.Calls) == 0 {
			open = append(open, asked{q, nil})
		}
	}
	for i := range c.expect.Interrupts {
		want := &c.expect.Interrupts[i]
		at := slices.IndexFunc(open, func(a asked) bool { return want.fits(a.q, a.call) })
		if at < 0 {
			lines = append(lines, fmt.Sprintf("interrupts[%d]: the run does not wait for %s; it waits for %s", i, want, waitsFor(c.outcome)))
			continue
		}
		open = slices.Delete(open, at, at+1)
	}
	if len(open) > 0 && len(lines) == 0 {
		lines = append(lines, "interrupts: the run also waits for something else: "+waitsFor(c.outcome))
	}
	return lines
}

func (i *ExpectedInterrupt) fits(q *question.Question, call *question.Call) bool {
	if call != nil && i.Call == call.Name {
		want, err := wire.MapOf(i.Args)
		return err == nil && len(missing("", want.Raw(), call.Args)) == 0
	}
	if i.Key == "" || i.Key != q.Key {
		return false
	}
	want, err := wire.Of(i.Value)
	return err == nil && (i.Value == nil || len(docdiffLines("", want, q.Value)) == 0)
}

func (i *ExpectedInterrupt) String() string {
	if i.Call != "" {
		return "a decision about " + i.Call
	}
	return "an answer to " + i.Key
}

func (c *comparison) message() []string {
	if c.expect.Message == nil {
		return nil
	}
	return c.expect.Message.compare("message", c.outcome.Answer)
}

// messages compares all messages that the turn added.
func (c *comparison) messages() (lines []string) {
	if !c.expect.has("messages") {
		return nil
	}
	want, got := c.expect.Messages, c.outcome.Messages
	for i := range max(len(want), len(got)) {
		name := fmt.Sprintf("messages[%d]", i)
		switch {
		case i >= len(got):
			lines = append(lines, fmt.Sprintf("- %s: %s", name, want[i].Role))
			continue
		case i >= len(want):
			lines = append(lines, fmt.Sprintf("+ %s: %s %s", name, got[i].Role, shown(got[i].Content.Text())))
			continue
		}
		for _, field := range []struct{ name, want, got string }{
			{"role", want[i].Role, string(got[i].Role)}, {"name", want[i].Name, got[i].Name}, {"status", want[i].Status, statusOf(&got[i])},
		} {
			if field.want != "" && field.want != field.got {
				lines = append(lines, docdiffLines(name+"."+field.name, wire.String(field.want), wire.String(field.got))...)
			}
		}
		if want[i].Content != nil {
			lines = append(lines, want[i].Content.compare(name+".content", got[i].Content.Text())...)
		}
	}
	return lines
}

// state compares the fields that are named.
func (c *comparison) state() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(c.expect.State)) {
		want, err := wire.Of(c.expect.State[name])
		if err != nil {
			lines = append(lines, "state."+name+": "+err.Error())
			continue
		}
		if want.IsNil() {
			want = nil
		}
		got := c.outcome.State.Get(name)
		if got.IsNil() {
			got = nil
		}
		lines = append(lines, docdiffLines("state."+name, want, got)...)
	}
	return lines
}

// stateContains compares parts of the fields that are named.
func (c *comparison) stateContains() []string {
	want, err := wire.MapOf(c.expect.StateContains)
	if err != nil {
		return []string{"state_contains: " + err.Error()}
	}
	return missing("state", want.Raw(), c.outcome.State.Raw())
}

// files compares the files that are named.
func (c *comparison) files() (lines []string) {
	for _, path := range slices.Sorted(maps.Keys(c.expect.Files)) {
		name := "files[" + path + "]"
		content, there := c.outcome.Files[path]
		want := c.expect.Files[path]
		switch {
		case want == nil && there:
			lines = append(lines, fmt.Sprintf("+ %s: %s", name, shown(content)))
		case want != nil && !there:
			lines = append(lines, name+": there is no such file")
		case want != nil:
			lines = append(lines, want.compare(name, content)...)
		}
	}
	return lines
}

// store compares the values that are named.
func (c *comparison) store() (lines []string) {
	for i := range c.expect.Store {
		v := &c.expect.Store[i]
		name := "store[" + v.Place() + "]"
		want, err := wire.Of(v.Value)
		if err != nil {
			lines = append(lines, name+": "+err.Error())
			continue
		}
		if want.IsNil() {
			want = nil
		}
		lines = append(lines, docdiffLines(name, want, c.outcome.Store[v.Place()])...)
	}
	return lines
}

// limits compares what was used with what may be used.
func (c *comparison) limits() (lines []string) {
	most, used := &c.expect.Limits, &c.outcome.Used
	for _, limit := range []struct {
		name      string
		most, got uint64
	}{
		{"model_calls", uint64(most.ModelCalls), uint64(used.ModelCalls)},
		{"tool_calls", uint64(most.ToolCalls), uint64(used.ToolCalls)},
		{"steps", uint64(most.Steps), uint64(used.Steps)},
		{"tokens", uint64(most.Tokens), used.Usage.TotalTokens},
	} {
		if limit.most > 0 && limit.got > limit.most {
			lines = append(lines, fmt.Sprintf("limits.%s: at most %d → %d", limit.name, limit.most, limit.got))
		}
	}
	return lines
}
