package dev

import (
	"context"

	"github.com/agenthost/agenthost/host"
)

// Workshop has the calls of plugins, and performs test calls. Errors that the person can do something about are of type [*RefusalError]. Its methods may be
// called by several goroutines at once.
type Workshop interface {
	// Calls returns the calls of plugins in runs of agents, by the ids of these runs, in the order in which they ended.
	Calls(runs []string) ([]Head, error)
	// Call returns one of these calls.
	Call(runs []string, number int) (*Call, error)
	// Try performs one of these calls again, with the present module.
	Try(ctx context.Context, runs []string, number int, edit Edit) (*Outcome, error)
	// Case returns the call that a golden case of a plugin leads to.
	Case(ctx context.Context, plugin, name string) (*Call, error)
	// TryCase performs that call again.
	TryCase(ctx context.Context, plugin, name string, edit Edit) (*Outcome, error)
	// Record writes the calls into a cassette next to the manifest of the agent. name makes a part of the file's name.
	Record(runs []string, agent, name string) (*Recording, error)
	// MakeCase writes a case for `agenthost test` of the events of an agent's runs, next to the manifest of the agent. name makes a part of the
	// file's name.
	MakeCase(agent, name string, events []host.Event) (*TestCase, error)
}

// RefusalError is an error that the person at the page is told.
type RefusalError struct {
	Status int // of HTTP
	Text   string
}

func (r *RefusalError) Error() string { return r.Text }

// Head names a call of a plugin.
type Head struct {
	Number int    `json:"number"`
	Plugin string `json:"plugin"`
	Hook   string `json:"hook"` // or call_tool
	Step   string `json:"step"`
	Tool   string `json:"tool,omitempty"`  // that is called
	Fuel   uint64 `json:"fuel"`            // that the call used
	Fault  string `json:"fault,omitempty"` // the kind of fault
}

// Call is a call of a plugin. Documents are texts in JSON, because numbers in them are larger than those of JavaScript.
type Call struct {
	Head

	Digest  string  `json:"digest"`
	Input   string  `json:"input"`   // what the hook got
	Answers string  `json:"answers"` // a list: what the host answered to next and to operations
	Outcome Outcome `json:"outcome"`
}

// Edit is what a test call gets in place of what the call got. "" leaves it as it was.
type Edit struct {
	Input   string `json:"input"`
	Answers string `json:"answers"`
}

// Outcome says how a call ended.
type Outcome struct {
	Digest      string   `json:"digest"` // of the module that was called
	Result      string   `json:"result"` // the document that the hook returned, as JSON; "": it returned nothing
	Error       string   `json:"error"`  // the message of the error that the document says; "": it says none
	Asked       []Asked  `json:"asked"`
	Fuel        uint64   `json:"fuel"`
	Memory      int64    `json:"memory"` // bytes; 0: it is not known
	HostCalls   int      `json:"host_calls"`
	Duration    int64    `json:"duration"` // nanoseconds; 0: it is not known
	Log         []string `json:"log"`
	Fault       *Fault   `json:"fault"`       // null: none
	Differences []string `json:"differences"` // from the call that is repeated
}

// Fault is a fault of a plugin.
type Fault struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// Asked is a call of next or of an operation of the host.
type Asked struct {
	Op      string `json:"op"`
	Payload string `json:"payload"` // JSON
	Status  string `json:"status"`  // "": it was not answered
	Reply   string `json:"reply"`   // JSON; "": none
}

// Recording is a cassette that was written.
type Recording struct {
	File    string `json:"file"`
	Calls   int    `json:"calls"`
	Command string `json:"command"` // that repeats the calls
}
