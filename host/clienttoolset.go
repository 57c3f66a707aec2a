package host

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// The limits of the client tools of a run.
const (
	MaxClientTools     = 128
	MaxClientToolBytes = 256 << 10 // of their names, descriptions and parameters together
)

// clientToolName is the form of the names that all providers accept.
var clientToolName = lazyregexp.New(`^[A-Za-z0-9_-]{1,64}$`)

// equip adds the tools of the run's client to those of the agent.
func (r *run) equip(tools []ClientTool) (err error) {
	if r.agent, err = r.agent.withClientTools(tools); err != nil {
		return err
	}
	p, in := r.agent.program, &r.input
	r.progress.step = p.entry
	if len(p.steps) != len(r.progress.cursors) {
		r.progress.cursors = make([]history.Cursor, len(p.steps))
	}
	r.breaks, err = p.breakAt(in.InterruptBefore, in.InterruptAfter, p.breaks)
	return err
}

// CheckClientTools returns the error with which a run that begins now would refuse these tools of its client.
func (a *Agent) CheckClientTools(tools []ClientTool) error {
	b, err := a.open()
	if err == nil {
		_, err = b.withClientTools(tools)
	}
	return err
}

// withClientTools returns the agent for a run whose client has these tools. The agent itself stays as it is.
func (a *build) withClientTools(tools []ClientTool) (*build, error) {
	if len(tools) == 0 {
		return a, nil
	}
	bound, err := a.bindClientTools(tools)
	if err != nil {
		return a, err
	}
	out, program := *a, *a.program
	out.tools, out.program = a.tools.with(bound), &program
	if program.tools == endStep {
		if out.program, err = a.program.withTools(a.middleware); err != nil {
			return a, err
		}
		if out.program.breaks, err = out.program.breakAt(a.config.InterruptBefore, a.config.InterruptAfter, nil); err != nil {
			return a, err
		}
	}
	out.program.returns, out.program.responds, out.program.mustRespond = out.tools.returns(), a.respond != nil, false
	out.identify()
	out.identity.ClientTools = tools
	return &out, out.checkToolsOf(a.config.Model, out.tools.specs)
}

// bindClientTools checks the tools. None may take the name of another one, which the middleware may guard.
func (a *build) bindClientTools(tools []ClientTool) ([]*boundTool, error) {
	refuse := func(t *ClientTool, err error) error {
		return &ConfigError{ConfigSubject{Kind: SubjectClientTool, Name: t.Name}, err}
	}
	if len(tools) > MaxClientTools {
		return nil, &ConfigError{ConfigSubject{}, fmt.Errorf("the input has %d client tools; at most %d are allowed", len(tools), MaxClientTools)}
	}
	owners, size := a.poolOwners(), 0
	out := make([]*boundTool, len(tools))
	for i := range tools {
		t := &tools[i]
		size += len(t.Name) + len(t.Description) + len(t.Parameters)
		switch {
		case !clientToolName().MatchString(t.Name):
			return nil, refuse(t, errors.New("the name must have 1 to 64 letters, digits and characters of \"_-\""))
		case a.tools.byName[t.Name] != nil || a.tools.dynamic[t.Name] != nil || a.respond.has(t.Name):
			return nil, refuse(t, errors.New("the agent has a tool of this name; rename the client's"))
		case slices.ContainsFunc(tools[:i], func(other ClientTool) bool { return other.Name == t.Name }):
			return nil, refuse(t, errors.New("another client tool has this name; rename one of them"))
		case !utf8.ValidString(t.Description):
			return nil, refuse(t, errors.New("the description is not UTF-8"))
		case size > MaxClientToolBytes:
			return nil, refuse(t, fmt.Errorf("the client tools up to this one take more than %d bytes; declare fewer or shorter ones", MaxClientToolBytes))
		case !t.Parameters.IsNil() && !t.Parameters.IsMap():
			return nil, refuse(t, errors.New("the parameters must be a JSON Schema of type object"))
		case tooDeep(t.Parameters):
			return nil, refuse(t, errors.New("the parameters are refused: "+tooDeepText))
		}
		// Performing it again after a crash only asks again.
		spec := abi.ToolSpec{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Idempotent: true}
		bound, err := bindTool(&clientTool{spec})
		if err == nil {
			bound.needs, err = chainNeeds(a.toolWraps, t.Name).ordered(owners)
		}
		if err != nil {
			return nil, refuse(t, err)
		}
		out[i] = bound
	}
	return out, nil
}
