package host

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
)

// Layout is the order in which the hooks of an agent's middleware run, by the names of the middleware.
type Layout struct {
	BeforeAgent   []string `json:"before_agent"`
	BeforeModel   []string `json:"before_model"`
	WrapModelCall []string `json:"wrap_model_call"` // the outermost first
	AfterModel    []string `json:"after_model"`
	WrapToolCall  []string `json:"wrap_tool_call"` // the outermost first
	AfterAgent    []string `json:"after_agent"`
	Advice        []string `json:"advice"` // middleware in the wrong order, with the reason, and tools that do not exist
}

// Layout returns the order of the agent's hooks, with advice about mistakes in it.
func (a *Agent) Layout() Layout {
	a.mu.Lock()
	b := a.present
	a.mu.Unlock()
	l := Layout{
		BeforeAgent: []string{}, BeforeModel: []string{}, WrapModelCall: []string{}, AfterModel: []string{}, WrapToolCall: []string{},
		AfterAgent: []string{}, Advice: append([]string{}, b.advice...),
	}
	lists := map[abi.Hook]*[]string{
		abi.BeforeAgent: &l.BeforeAgent, abi.BeforeModel: &l.BeforeModel, abi.AfterModel: &l.AfterModel, abi.AfterAgent: &l.AfterAgent,
		abi.WrapModelCall: &l.WrapModelCall, abi.WrapToolCall: &l.WrapToolCall,
	}
	note := func(step string) {
		name := middlewareOf(step)
		list := lists[abi.Hook(step[len(name)+1:])]
		*list = append(*list, name)
	}
	for i := range b.program.steps {
		if s := &b.program.steps[i]; s.kind == stepHook {
			note(s.name)
		}
	}
	for i := range b.modelWraps {
		note(b.modelWraps[i].name)
	}
	for i := range b.toolWraps {
		note(b.toolWraps[i].name)
	}
	return l
}

// kind is the name by which other middleware refers to this one, see [Order].
func (m *boundMiddleware) kind() string {
	if m.hooks.Kind != "" {
		return m.hooks.Kind
	}
	name, _, _ := strings.Cut(m.config.Name(), "[")
	return name
}

// advise collects advice about middleware that is in the wrong order, or that names tools that do not exist.
func (a *build) advise() {
	a.protects = map[string]bool{}
	for _, m := range a.middleware {
		a.adviseTools(m)
	}
	for i, m := range a.middleware {
		for _, order := range m.hooks.Order {
			for j, other := range a.middleware {
				side := "outside of"
				if order.Inside != "" {
					side = "inside of"
				}
				wrong := i > j && order.Outside == other.kind() || i < j && order.Inside == other.kind()
				if i == j || !wrong || cmp.Or(order.Outside, order.Inside) == "" {
					continue
				}
				text := fmt.Sprintf("middleware %q should stand %s %q: %s", m.name, side, other.name, order.Reason)
				a.protects[text] = a.protects[text] || order.Protects
				if !slices.Contains(a.advice, text) {
					a.advice = append(a.advice, text)
				}
			}
		}
	}
}

// adviseTools adds advice about tools that a middleware names and the agent does not have: a misspelt name limits nothing.
func (a *build) adviseTools(m *boundMiddleware) {
	var missing []string
	for _, name := range m.hooks.Expects {
		if a.tools.byName[name] == nil && a.tools.dynamic[name] == nil && !a.mayHaveTool(name) && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		has := "it has none"
		if known := a.tools.names(); len(known) > 0 {
			has = "it has [" + strings.Join(known, ", ") + "]"
		}
		text := fmt.Sprintf("middleware %q names tools that the agent does not have: %s; %s", m.name, strings.Join(missing, ", "), has)
		a.advice, a.protects[text] = append(a.advice, text), true
	}
}
