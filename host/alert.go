package host

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/agenthost/agenthost/abi"
)

// alert watches how often one tool, or all tools, are called.
type alert struct {
	tool  string // or AllTools
	limit int    // calls in a minute

	mu    sync.Mutex
	calls []time.Time // times of the last calls, at most limit; once full, a ring that begins at next
	next  int
	above bool // the limit is exceeded, and that was reported
}

func newAlerts(limits map[string]int) []*alert {
	alerts := make([]*alert, 0, len(limits))
	for _, tool := range slices.Sorted(maps.Keys(limits)) {
		alerts = append(alerts, &alert{tool: tool, limit: limits[tool]})
	}
	return alerts
}

// called records a call and reports whether it is the one that exceeds the limit within a minute.
func (a *alert) called(now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.calls) < a.limit {
		a.calls = append(a.calls, now)
		return false
	}
	oldest := a.calls[a.next]
	a.calls[a.next] = now
	a.next = (a.next + 1) % a.limit
	was := a.above
	a.above = now.Sub(oldest) < time.Minute
	return a.above && !was
}

// checkAlerts refuses alerts for tools that the agent does not have, unless a wrap_tool_call hook may provide them.
func (a *build) checkAlerts() error {
	for _, watched := range a.alerts {
		if watched.tool != AllTools && !a.wrapsCalls() && a.tools.byName[watched.tool] == nil && !a.mayHaveTool(watched.tool) {
			return &ConfigError{ConfigSubject{Kind: SubjectToolCalls}, a.unknownTool("field Alert names", watched.tool, "")}
		}
	}
	return nil
}

// alerts counts the call with every alert on its tool, and reports those that it exceeds.
func (c *toolCall) alerts() {
	r := c.run
	for _, a := range r.agent.alerts {
		if (a.tool != AllTools && a.tool != c.call.Name) || !a.called(r.agent.now()) {
			continue
		}
		text := alertText(a, c.call)
		r.agent.logger.Warn(text, "run", r.id, "step", ToolsStep, logEvent, EventAlert)
		if c.events.on() {
			c.events.send(&Event{Type: EventAlert, Step: ToolsStep, Call: c.call, Text: text})
		}
	}
}

func alertText(a *alert, call *abi.ToolCall) string {
	what := fmt.Sprintf("calls of the tool %q", call.Name)
	if a.tool == AllTools {
		what = "tool calls"
	}
	return fmt.Sprintf("%s exceed %d a minute", what, a.limit)
}
