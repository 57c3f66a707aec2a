package reference

import (
	"fmt"
	"os"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/test/reference/probe"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// Vector is one test vector.
type Vector struct {
	Name   string
	Doc    string
	Agent  AgentSpec
	Runs   []RunSpec
	Expect []Expected // expectation for each run; our own if we deviate from the reference
	// SkipIfDeviating names a difference from the reference that makes the vector meaningless; "": none.
	SkipIfDeviating string
}

// RunSpec is one run of a vector.
type RunSpec struct {
	Thread     string
	Messages   []abi.Message
	State      wire.Map
	Resume     wire.Raw // the answer to the one pending interrupt
	ResumeEach wire.Map // answers by tool call id
	Continue   bool
}

// limits are the limits of a vector file. They are far larger than any file needs.
var limits = wire.Limits{MaxBytes: 16 << 20, MaxNodes: 1 << 20}

// ReadFile reads a vector's file.
func ReadFile(path string) (*Vector, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	v, err := Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}

// Read reads the text of a vector.
func Read(text []byte) (*Vector, error) {
	raw, err := wire.FromJSON(text, limits)
	if err != nil {
		return nil, err
	}
	o := strict.Open(raw, "vector")
	o.Need("name", "doc", "reference", "agent", "runs", "expect")
	o.Text("reference")
	o.OneOf("record", "requests")
	v := &Vector{Name: o.Text("name"), Doc: o.Text("doc"), SkipIfDeviating: o.Text("skip_if_deviating")}
	if agent := o.Object("agent"); agent != nil {
		v.Agent = readAgent(agent)
	}
	for _, run := range o.Objects("runs") {
		v.Runs = append(v.Runs, readRun(run))
	}
	v.Expect = readExpected(o.Objects("expect"))
	if deviation := o.Object("deviation"); deviation != nil {
		deviation.Need("reason", "expect")
		deviation.Text("reason")
		v.Expect = readExpected(deviation.Objects("expect"))
		_ = deviation.Done()
	}
	if err := o.Done(); err != nil {
		return nil, err
	}
	return v, v.check()
}

// check checks rules that concern several keys.
func (v *Vector) check() error {
	if len(v.Runs) == 0 {
		return fmt.Errorf("vector %q: it has no runs", v.Name)
	}
	if len(v.Expect) == 1 && v.Expect[0].Refused() {
		return nil
	}
	if len(v.Expect) != len(v.Runs) {
		return fmt.Errorf("vector %q: it has %d runs, but expects %d results", v.Name, len(v.Runs), len(v.Expect))
	}
	return nil
}

func readRun(o *strict.Object) RunSpec {
	r := RunSpec{Thread: o.Text("thread")}
	forms := 0
	if input := o.Object("input"); input != nil {
		forms++
		r.Messages = []abi.Message{}
		for _, m := range input.Objects("messages") {
			r.Messages = append(r.Messages, probe.Message(m))
		}
		r.State = input.Map("state")
		_ = input.Done()
	}
	if o.Has("resume") {
		forms++
		r.Resume = o.Raw("resume")
	}
	if o.Has("resume_each") {
		forms++
		r.ResumeEach = o.Map("resume_each")
	}
	if o.True("continue") {
		forms++
		r.Continue = true
	}
	if forms != 1 {
		o.Fail("input", "a run has one of input, resume, resume_each and continue")
	}
	_ = o.Done()
	return r
}

// UsesProbe reports whether the agent has a scripted middleware.
func (v *Vector) UsesProbe() bool {
	for i := range v.Agent.Middleware {
		if v.Agent.Middleware[i].Probe != nil {
			return true
		}
	}
	return false
}
