package host

import (
	"cmp"
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

// Program is what an agent does, as data: its steps in their order, and the ways between them.
type Program struct {
	// Digest names the program: a thread's run goes on with any agent whose program has the same digest.
	Digest string        `json:"digest"`
	Steps  []ProgramStep `json:"steps"`
	Ways   []Way         `json:"ways"`
}

// ProgramStep is a step of a [Program]: a hook that is a step of its own, the model, or the tools.
type ProgramStep struct {
	Name       string   `json:"name"`                 // as in events and breakpoints
	Middleware string   `json:"middleware,omitempty"` // name of the middleware whose hook it is; "": it is not a hook
	Hook       abi.Hook `json:"hook,omitempty"`       // "": it is not a hook
	// Wraps are the names of the middleware whose hooks wrap the step's calls of the model or of tools, the outermost first.
	Wraps []string `json:"wraps,omitempty"`
}

// Way is a way from a step of a [Program] to one that may follow.
type Way struct {
	From  string `json:"from"`            // name of a step; "": the start of a run
	To    string `json:"to"`              // name of a step; "": the run is over
	Label string `json:"label,omitempty"` // when a run takes this way; "": when it takes no other
}

// Program returns the agent's program.
func (a *Agent) Program() *Program {
	a.mu.Lock()
	b := a.present
	a.mu.Unlock()
	p := b.program
	out := &Program{Digest: b.identity.Digest, Ways: []Way{{To: p.name(p.entry)}}}
	for i := range p.steps {
		s := ProgramStep{Name: p.steps[i].name, Hook: p.steps[i].hookOf}
		switch p.steps[i].kind {
		case stepModel:
			for j := range b.modelWraps {
				s.Wraps = append(s.Wraps, middlewareOf(b.modelWraps[j].name))
			}
		case stepTools:
			for j := range b.toolWraps {
				s.Wraps = append(s.Wraps, middlewareOf(b.toolWraps[j].name))
			}
		default:
			s.Middleware = middlewareOf(s.Name)
		}
		out.Steps = append(out.Steps, s)
		for _, e := range p.edges(i) {
			out.Ways = append(out.Ways, Way{From: s.Name, To: p.name(e.to), Label: e.label})
		}
	}
	return out
}

// middlewareOf returns the name of the middleware whose hook this is.
func middlewareOf(hook string) string { return hook[:strings.LastIndexByte(hook, '.')] }

// Mermaid returns the program as a Mermaid flowchart, with the steps as nodes and the ways between them as edges.
func (p *Program) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	b.WriteString("  start([start])\n")
	nodes := map[string]string{}
	for i := range p.Steps {
		s := &p.Steps[i]
		shape := `["%s"]`
		if s.Hook == "" {
			shape = `[["%s"]]`
		}
		nodes[s.Name] = fmt.Sprintf("s%d", i)
		fmt.Fprintf(&b, "  s%d"+shape+"\n", i, strings.ReplaceAll(text.Clean(s.Name), `"`, "#quot;"))
	}
	b.WriteString("  finish([end])\n")
	for _, w := range p.Ways {
		from, to := cmp.Or(nodes[w.From], "start"), cmp.Or(nodes[w.To], "finish")
		if w.Label == "" {
			fmt.Fprintf(&b, "  %s --> %s\n", from, to)
		} else {
			fmt.Fprintf(&b, "  %s -->|%s| %s\n", from, w.Label, to)
		}
	}
	return b.String()
}
