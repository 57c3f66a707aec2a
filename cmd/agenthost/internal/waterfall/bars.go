// Package waterfall draws when the parts of runs began and ended, from their events.
package waterfall

import (
	"cmp"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool"
)

// Bar is a part of a run that has a duration.
type Bar struct {
	Depth  int           `json:"depth"`
	Kind   string        `json:"kind"` // run, hook, model or tool
	Name   string        `json:"name"`
	Begin  time.Time     `json:"begin"`
	Took   time.Duration `json:"duration"` // nanoseconds
	Tokens *abi.Usage    `json:"usage,omitempty"`
	Fuel   uint64        `json:"fuel,omitempty"`
	Cost   *model.Amount `json:"cost,omitempty"`
	Status host.Status   `json:"status,omitempty"`
	Error  string        `json:"error,omitempty"`
	Asks   int           `json:"interrupts,omitempty"` // questions to people
}

func (b *Bar) end() time.Time { return b.Begin.Add(b.Took) }

// Of returns the bars of events, each below the one that it happened in. Runs that have not ended have no bar of their own.
func Of(events []host.Event) []Bar {
	out := make([]Bar, 0, len(events))
	for i := range events {
		out = append(out, barsOf(&events[i], 0)...)
	}
	slices.SortStableFunc(out, func(a, b Bar) int {
		return cmp.Or(a.Begin.Compare(b.Begin), cmp.Compare(b.Took, a.Took), cmp.Compare(rank(a.Kind), rank(b.Kind)))
	})
	var open []*Bar
	for i := range out {
		b := &out[i]
		for len(open) > 0 && !within(b, open[len(open)-1]) {
			open = open[:len(open)-1]
		}
		b.Depth = len(open)
		open = append(open, b)
	}
	return out
}

// rank orders bars that begin and end at the same time.
func rank(kind string) int { return slices.Index([]string{"run", "tool", "hook", "model"}, kind) }

// slack is how much a part may seem to outlast what it happened in: their clocks are read one after the other.
const slack = 50 * time.Microsecond

// within reports whether a bar that began later happened in another one.
func within(b, in *Bar) bool {
	return !b.end().After(in.end().Add(slack)) && in.Kind != "model" && in.end().After(b.Begin)
}

// maxDepth is how many agents inside agents are shown.
const maxDepth = 20

func barsOf(e *host.Event, depth int) []Bar {
	b := Bar{Begin: e.Time.Add(-e.Duration), Took: e.Duration, Fuel: e.Fuel, Cost: e.Cost, Status: e.Status, Asks: len(e.Interrupts)}
	if e.Error != nil {
		b.Error = e.Error.Message
	}
	switch e.Type {
	case host.EventEnd:
		b.Kind, b.Name = "run", cmp.Or(e.Agent, e.Run)
	case host.EventHook:
		b.Kind, b.Name = "hook", e.Step
	case host.EventModel:
		b.Kind, b.Name, b.Tokens = "model", e.Model, usageOf(e.Messages)
	case host.EventTool:
		if e.Call == nil || e.Messages == nil && e.Error == nil && e.Interrupts == nil { // it starts
			return nil
		}
		b.Kind, b.Name = "tool", e.Call.Name
	case host.EventCustom:
		return nested(e, depth)
	default:
		return nil
	}
	return []Bar{b}
}

// nested returns the bars of an event of an agent inside a tool.
func nested(e *host.Event, depth int) []Bar {
	if depth == maxDepth {
		return nil
	}
	inner, ok := tool.InnerEventOf(e)
	if !ok {
		return nil
	}
	return barsOf(&inner.Event, depth+1)
}

func usageOf(messages []abi.Message) *abi.Usage {
	var sum abi.Usage
	for i := range messages {
		if used := messages[i].Usage; used != nil {
			sum = sum.Add(*used)
		}
	}
	if sum == (abi.Usage{}) {
		return nil
	}
	return &sum
}
