package workshop

import (
	"net/http"
	"sync"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/server/dev"
)

// Workshop shows and repeats the calls of a tape.
type Workshop struct {
	tape   *Tape
	engine *plugin.Engine
	bench  chan struct{} // has room for the one test call that is performed

	mu     sync.Mutex
	agents []Agent
}

// Agent is an agent that is served.
type Agent struct {
	Name     string
	Manifest string        // the path of it
	Plugins  []plugin.Wasm // those of the manifest itself
}

// New returns a workshop. Test calls share what the engine has compiled.
func New(tape *Tape, engine *plugin.Engine) *Workshop {
	return &Workshop{tape: tape, engine: engine, bench: make(chan struct{}, 1)}
}

// Serve says which agents are served now. The list must not be changed afterwards.
func (w *Workshop) Serve(agents []Agent) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.agents = agents
}

// plugin returns a plugin of a served agent by its name.
func (w *Workshop) plugin(name string) (plugin.Wasm, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.agents {
		for i := range a.Plugins {
			if a.Plugins[i].Name() == name {
				return a.Plugins[i], true
			}
		}
	}
	return plugin.Wasm{}, false
}

// deadline returns how long the plugin may take in a run; that of an agent which is a tool of the manifest has the default.
func (w *Workshop) deadline(name string) time.Duration {
	if p, ok := w.plugin(name); ok && p.Limits.Deadline > 0 {
		return p.Limits.Deadline
	}
	return plugin.DefaultLimits.Deadline
}

// Calls returns the calls of runs.
func (w *Workshop) Calls(runs []string) ([]dev.Head, error) {
	frames, whole := w.tape.frames(runs)
	if !whole {
		return nil, forgotten()
	}
	heads := make([]dev.Head, len(frames))
	for i, f := range frames {
		heads[i] = headOf(f)
	}
	return heads, nil
}

func forgotten() error {
	return &dev.RefusalError{Status: http.StatusGone, Text: "the calls of this run are no longer kept: dev keeps those of the last runs; run it again"}
}

// Call returns a call of runs.
func (w *Workshop) Call(runs []string, number int) (*dev.Call, error) {
	f, err := w.frame(runs, number)
	if err != nil {
		return nil, err
	}
	return callOf(f)
}

func (w *Workshop) frame(runs []string, number int) (*cassette.Frame, error) {
	frames, whole := w.tape.frames(runs)
	for _, f := range frames {
		if f.Number == number {
			return f, nil
		}
	}
	if !whole {
		return nil, forgotten()
	}
	return nil, &dev.RefusalError{Status: http.StatusNotFound, Text: "the run has no call of a plugin with this number"}
}

func headOf(f *cassette.Frame) dev.Head {
	head := dev.Head{Number: f.Number, Plugin: f.Plugin.Name, Hook: f.Export, Step: f.Step, Fuel: f.Fuel}
	head.Tool, _ = wire.Raw(f.Input).Get("call").Get("name").AsString()
	if f.Fault != nil {
		head.Fault = f.Fault.Kind
	}
	return head
}

func callOf(f *cassette.Frame) (*dev.Call, error) {
	input, err := text(f.Input)
	if err != nil {
		return nil, err
	}
	answers, err := answersText(f.Exchanges)
	if err != nil {
		return nil, err
	}
	outcome, err := outcomeOf(f)
	if err != nil {
		return nil, err
	}
	return &dev.Call{Head: headOf(f), Digest: Short(f.Plugin.SHA256), Input: input, Answers: answers, Outcome: *outcome}, nil
}

// outcomeOf says how a call ended.
func outcomeOf(f *cassette.Frame) (*dev.Outcome, error) {
	out := &dev.Outcome{Digest: Short(f.Plugin.SHA256), Fuel: f.Fuel}
	if f.Fault != nil {
		out.Fault = &dev.Fault{Kind: f.Fault.Kind, Message: f.Fault.Message}
	}
	if f.Returned && f.Code == abi.ReturnResult && len(f.Result) > 0 {
		var err error
		if out.Result, err = text(f.Result); err != nil { // a guest wrote it
			out.Result = ""
			out.Differences = append(out.Differences, "the result is not a document: "+err.Error())
		}
		out.Error, _ = wire.Raw(f.Result).Get("error").Get("message").AsString()
	}
	for i := range f.Exchanges {
		x := &f.Exchanges[i]
		asked := dev.Asked{Op: x.Name()}
		var err error
		if asked.Payload, err = text(x.Payload); err != nil {
			asked.Payload = ""
		}
		if x.Answered {
			asked.Status = x.Status.String()
			if asked.Reply, err = text(x.Reply); err != nil {
				return nil, err
			}
		}
		if x.Op != "" {
			out.HostCalls++
		}
		out.Asked = append(out.Asked, asked)
	}
	return out, nil
}

// Short returns a digest as events have it.
func Short(sha256 string) string {
	if sha256 == "" {
		return ""
	}
	return "sha256:" + sha256[:min(12, len(sha256))]
}
