package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/text"
)

// edge is one way from a step to the next.
type edge struct {
	to    int
	label string
}

// edges returns all ways from a step that [program.next] can take, apart from errors.
func (p *program) edges(at int) []edge {
	s := &p.steps[at]
	var out []edge
	add := func(to int, label string) {
		i := slices.IndexFunc(out, func(e edge) bool { return e.to == to })
		switch {
		case i < 0:
			out = append(out, edge{to, label})
		case label != "" && out[i].label != "":
			out[i].label += ", " + label
		default:
			out[i].label = ""
		}
	}
	switch s.router {
	case afterModel:
		if p.tools != endStep {
			add(p.tools, "tool calls")
			add(p.loopEntry, "all answered")
			add(p.exit, "no tool calls")
		} else {
			add(p.loopEntry, "malformed tool calls")
			add(p.exit, "otherwise")
		}
	case afterTools:
		add(p.loopEntry, "")
		if len(p.returns) > 0 {
			add(p.exit, "returns directly")
		}
	default:
		add(s.next, "")
	}
	for _, target := range []abi.Target{abi.JumpModel, abi.JumpTools, abi.JumpEnd} {
		if i, _ := targetIndex(target); s.jumps[i] {
			add(p.target(s, target), "jump "+string(target))
		}
	}
	return out
}

// Graph returns the program as a Mermaid flowchart, with the steps as nodes and the transitions between them as edges.
func (a *Agent) Graph() string {
	a.mu.Lock()
	p := a.present.program
	a.mu.Unlock()
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	b.WriteString("  start([start])\n")
	for i := range p.steps {
		shape := `["%s"]`
		if p.steps[i].kind != stepHook {
			shape = `[["%s"]]`
		}
		fmt.Fprintf(&b, "  s%d"+shape+"\n", i, strings.ReplaceAll(text.Clean(p.steps[i].name), `"`, "#quot;"))
	}
	b.WriteString("  finish([end])\n")
	fmt.Fprintf(&b, "  start --> s%d\n", p.entry)
	for i := range p.steps {
		for _, e := range p.edges(i) {
			to := "finish"
			if e.to != endStep {
				to = fmt.Sprintf("s%d", e.to)
			}
			if e.label == "" {
				fmt.Fprintf(&b, "  s%d --> %s\n", i, to)
			} else {
				fmt.Fprintf(&b, "  s%d -->|%s| %s\n", i, e.label, to)
			}
		}
	}
	return b.String()
}
