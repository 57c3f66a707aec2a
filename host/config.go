package host

import (
	"log/slog"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/store"
)

// Config describes an agent. Only Model is required.
type Config struct {
	Name         string // set as the name of the model's messages, and on events
	Model        model.Model
	Models       map[string]model.Model // by name, for middleware
	SystemPrompt string
	Tools        []Tool
	// ResponseFormat asks for an answer that is a value, such as Respond[T]() does, which the result then has as Structured.
	// nil: the answer is a text.
	ResponseFormat *model.ResponseFormat
	Middleware     []Middleware     // the first is the outermost
	State          []Field          // fields of the agent's own; their declarations win over those of middleware
	Checkpointer   checkpoint.Store // keeps the threads; nil: runs remember nothing
	Durability     Durability       // when a run saves its thread; "": DurabilityRound
	Store          store.Store      // values beyond threads, for hooks and tools, and what plugins keep; nil: none

	// InterruptBefore and InterruptAfter name steps, such as "model", "tools" or "name.before_agent", before and after
	// which a run stops as interrupted, until an input with Continue goes on.
	InterruptBefore, InterruptAfter []string

	// RecursionLimit is the number of steps at which a run fails: a run must end in fewer. A step is one call of a node
	// hook, one model call with its wraps, or one batch of tools. 0 means DefaultRecursionLimit.
	RecursionLimit int
	ToolCalls      ToolCallConfig

	Logger *slog.Logger     // nil: nothing is logged
	Clock  func() time.Time // called from several goroutines at once; nil: time.Now
	// Seed gives the random number from which a run's id, the ids of its messages and the seeds of its hooks follow. It
	// must not repeat itself in a thread, or give the same always. nil: a secure source.
	Seed func() uint64
}

// DefaultRecursionLimit is the recursion limit of an agent whose Config has none.
const DefaultRecursionLimit = 10_000
