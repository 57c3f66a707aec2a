package host

import (
	"context"
	"log/slog"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/store"
)

// Config describes an agent. Only Model is required.
type Config struct {
	Name         string // name of the agent, in the model's messages and in events
	Model        model.Model
	Models       map[string]model.Model // named models for middleware
	SystemPrompt abi.Content            // such as abi.Text("Be brief."), or blocks with keys for the provider; zero: none
	Tools        []Tool
	// RefreshTools is called before each run, one call at a time, for tools that change while the agent lives. If it returns other tools
	// than the agent has, they take the place of Tools for the runs that begin then. If the agent cannot be built with them, or the tools
	// are nil, it keeps those that it has, and the next run tries again. An error, or why the agent cannot be built, is a warning of the
	// run. Unchanged tools must be the same comparable values, such as pointers, in the same order. nil: Tools never change.
	RefreshTools func(ctx context.Context) ([]Tool, error)
	// MayHaveTool reports whether the agent may have a tool that Tools does not list. If it returns true, middleware may name the
	// tool. It is for agents that are only inspected, whose servers of tools are not connected. nil: there are no such tools.
	MayHaveTool func(name string) bool
	// ResponseFormat asks for a structured answer, as Respond[T]() does; the result holds it as Structured.
	// nil: the answer is text.
	ResponseFormat *model.ResponseFormat
	// ContextSchema is a JSON Schema that Input.Context must fit, see [ContextError]; nil: any value does. A missing context is an empty object,
	// and gets the schema's defaults, as a map[string]any does. Inner agents get the context of the run that calls them.
	ContextSchema wire.Raw
	Middleware    []Middleware     // the first is the outermost
	State         []Field          // the agent's own fields; they override declarations of middleware
	Checkpointer  checkpoint.Store // keeps the threads; nil: runs remember nothing
	Durability    Durability       // when a run saves its thread; "": DurabilityRound
	Store         store.Store      // values that outlive threads, for hooks, tools and plugins; nil: none
	// Manifest is the absolute path of the manifest that the agent was built from; "": none. Threads keep the path of the manifest
	// that started their last run, so that people are told how to continue it.
	Manifest string

	// InterruptBefore and InterruptAfter name steps, such as "model", "tools" or "name.before_agent". A run stops as interrupted
	// before or after them, until an input with Continue goes on. [AllSteps] stands for every step.
	InterruptBefore, InterruptAfter []string

	// RecursionLimit is the number of steps at which a run fails: a run must end in fewer steps. A step is one call of a node
	// hook, one model call with its wraps, or one batch of tool calls. 0 means DefaultRecursionLimit.
	RecursionLimit int
	ToolCalls      ToolCallConfig
	Prices         *model.Prices // what models cost; nil: nobody knows
	// MaxCost is what a run may cost, in the currency of Prices. When it has cost that much, or if nobody can say how much, the next model call is a
	// [*LimitError]. Each agent inside the run has the same budget for itself, and what it spent counts when it has ended. 0: any amount.
	MaxCost model.Amount

	Tracer Tracer // is told when runs and their parts begin and end; nil: nobody is
	// Logger gets warnings and details of runs. A record whose text an event reports, too, has the attribute "event" with the type of
	// that event, so that a program which shows both can leave one out. nil: nothing is logged.
	Logger *slog.Logger
	Clock  func() time.Time // called from several goroutines at once; nil: time.Now
	// Seed returns the random number from which a run's id, the ids of its messages and the seeds of its hooks are derived. It
	// must not return the same number twice for one thread. nil: a secure source.
	Seed func() uint64
}

// DefaultRecursionLimit is the recursion limit of an agent whose Config sets none.
const DefaultRecursionLimit = 10_000
