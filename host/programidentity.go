package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/text"
)

// identify works out the identity of the program, by which checkpoints distinguish it from others: its steps and their jumps, and
// the middleware with versions and digests.
func (a *build) identify() {
	id := &checkpoint.Program{Manifest: a.config.Manifest}
	sum := sha256.New()
	for _, m := range a.middleware {
		part := checkpoint.Part{Name: m.name, Version: m.hooks.Version, Digest: m.hooks.Digest}
		id.Middleware = append(id.Middleware, part)
		for _, text := range []string{part.Name, part.Version, part.Digest} {
			_, _ = sum.Write(wire.AppendString(nil, text))
		}
	}
	for i := range a.program.steps {
		s := &a.program.steps[i]
		_, _ = sum.Write(wire.AppendString([]byte{byte(s.kind)}, s.name))
		for _, may := range s.jumps {
			_, _ = sum.Write(wire.AppendBool(nil, may))
		}
	}
	id.Digest = hex.EncodeToString(sum.Sum(nil)[:16])
	a.identity = id
}

// same reports whether two programs are the same.
func same(a, b *checkpoint.Program) bool {
	return a == b || a != nil && b != nil && a.Digest == b.Digest
}

// program returns the program to save. A run that goes on keeps the manifest that it was started with, even if the manifest of this
// agent describes the same program.
func (r *run) program() *checkpoint.Program {
	was, is := r.thread.program, r.agent.identity
	switch {
	case !r.input.goesOn() || !same(was, is) || was.Manifest == "":
		return is
	case sameClientTools(was, is):
		return was
	default:
		goesOn := *is
		goesOn.Manifest = was.Manifest
		return &goesOn
	}
}

// sameClientTools reports whether two programs have the same tools of clients.
func sameClientTools(a, b *checkpoint.Program) bool {
	return slices.EqualFunc(a.ClientTools, b.ClientTools, func(x, y ClientTool) bool {
		return x.Name == y.Name && x.Description == y.Description && x.Parameters.Equal(y.Parameters)
	})
}

// ProgramError means that the agent's program has changed since the run stopped. The run continues only if the input has
// AcceptChanges.
type ProgramError struct {
	Next        string   // the step that comes next
	Differences []string // differences between the program that the run began with and the agent's program
}

func (e *ProgramError) Error() string {
	return fmt.Sprintf("the run began with another program: %s; build the agent as it was, or accept the changes "+
		"(AcceptChanges of the input, --accept-changes) to go on before the step %q, or start a new run by a message",
		strings.Join(e.Differences, "; "), e.Next)
}

// ErrorType names the type of the error in documents.
func (*ProgramError) ErrorType() string { return "program_error" }

// checkProgram refuses to go on with a run of another program, unless the input accepts that. A run cannot go on at all if the
// agent does not have its next step.
func (a *build) checkProgram(began *checkpoint.Program, next string, accept bool) error {
	present := a.program.find(next) >= 0
	if present && (began == nil || same(began, a.identity) || accept) {
		return nil
	}
	err := &ProgramError{Next: next}
	if began != nil {
		err.Differences = differences(began, a.identity)
	}
	if !present {
		return fmt.Errorf("it stopped before the step %q, which this agent does not have: %s", next,
			strings.Join(append(err.Differences, "go on with an agent that has it, or start a new run by a message"), "; "))
	}
	return err
}

// differences describes how two programs differ.
func differences(was, is *checkpoint.Program) []string {
	find := func(in *checkpoint.Program, name string) *checkpoint.Part {
		at := slices.IndexFunc(in.Middleware, func(p checkpoint.Part) bool { return p.Name == name })
		if at < 0 {
			return nil
		}
		return &in.Middleware[at]
	}
	var out []string
	before, now := make([]string, 0, len(was.Middleware)), make([]string, 0, len(is.Middleware)) // names of the middleware in both
	for i := range was.Middleware {
		old := &was.Middleware[i]
		present := find(is, old.Name)
		switch {
		case present == nil:
			out = append(out, fmt.Sprintf("middleware %q was removed", old.Name))
			continue
		case present.Version != old.Version:
			out = append(out, fmt.Sprintf("middleware %q has the version %q, it had %q", old.Name, present.Version, old.Version))
		case present.Digest != old.Digest:
			out = append(out, fmt.Sprintf("middleware %q has the digest %s, it had %s", old.Name, short(present.Digest), short(old.Digest)))
		}
		before = append(before, old.Name)
	}
	for i := range is.Middleware {
		if name := is.Middleware[i].Name; find(was, name) == nil {
			out = append(out, fmt.Sprintf("middleware %q is new", name))
		} else {
			now = append(now, name)
		}
	}
	if !slices.Equal(before, now) {
		out = append(out, fmt.Sprintf("the order of the middleware is %q, it was %q", now, before))
	}
	if len(out) == 0 {
		out = append(out, "its steps or their jumps differ")
	}
	return out
}

// short shortens a digest for display.
func short(digest string) string {
	if digest == "" {
		return "none"
	}
	return text.Head(digest, 19)
}
