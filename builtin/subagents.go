package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// Subagents delegates tasks: the tool "task" runs another agent with a history of its own, and answers with the last text
// of that agent, or with the value that its response_format asks for. So a long search does not fill the history of an
// agent that needs one fact.
//
// The arguments of the tool are a description, which is all that a subagent learns unless it is a fork, and a subagent_type, the name of a
// subagent. Several calls in one answer of the model run in parallel. Each is a run of its own.
//
// State: a subagent gets those fields of the agent that it also declares, and its changes come back through the agent's
// reducers. For a number, a list or another value with a reducer, only the subagent's own addition comes back. Fields that
// either side hides, private fields of plugins, and todos are not shared. Every subagent that is built here declares the
// fields in the agent's own State.
//
// Questions: if a subagent has a question for a person, the run asks it, and the answer continues the subagent. If the agent
// keeps threads, a subagent also continues after a crash: each call has a thread NAME-KEY in the same store until the run is
// over. (If a call and its run end in different processes, the thread of the call stays.)
//
// A subagent that fails is a failed tool call; tool_error can turn its error into an answer. Events of a subagent are events
// of the type custom, named "agent"; its tokens are not streamed. Its token usage counts as the run's. Limits of steps and
// tool calls apply to each subagent separately, and the timeout of tools applies to a whole task.
//
// Middleware of the agent is not applied inside a subagent, unless it is a fork, see mode; give the subagent its own. Only reviews
// by human_in_the_loop are inherited, see interrupt_on, because otherwise a tool that needs a review would run without one.
//
// Behaviour is that of deepagents 0.7.32's SubAgentMiddleware, with these differences: a list to which a subagent adds is not
// doubled; fields that a subagent does not change are not written, so parallel subagents do not conflict; reviews are
// inherited wherever they are in the list; a fork gets the fields that other subagents get, and so loads its memory and skills anew.
type Subagents struct {
	// Agents are the subagents. If the list is empty, there must be a general-purpose one.
	Agents []Subagent `yaml:"agents"`
	// GeneralPurpose adds a subagent "general-purpose" before the others, with the agent's own model and tools, unless there is
	// already one of that name. nil: true.
	GeneralPurpose *bool `yaml:"general_purpose" schema:"default=true"`
	// SystemPrompt is added to the system prompt of the agent, with the list of subagents. "": nothing is added.
	SystemPrompt string `yaml:"system_prompt"`
	// TaskDescription describes the tool to the model, with {available_agents} where the list of subagents belongs. "": a default.
	TaskDescription string `yaml:"task_description"`
	// DefaultMiddlewareEntries is the middleware of all subagents that are defined here, outside their own: entries as in
	// the manifest's middleware. In Go, use DefaultMiddleware.
	DefaultMiddlewareEntries MiddlewareEntries `yaml:"default_middleware"`

	DefaultMiddleware []host.Middleware `yaml:"-"` // middleware of all subagents that are built here, outside their own
}

// Subagent is an agent that [Subagents] runs: either an existing one, or one that Subagents builds from the other fields.
type Subagent struct {
	// Name is the name by which the model calls the subagent. It has at most 100 bytes and no control characters. Required unless
	// file is set; the default is then the name of that manifest.
	Name string `yaml:"name"`
	// Description is the purpose of the subagent; the model uses it to choose a subagent. Required unless file is set; the
	// default is then the description of that manifest.
	Description string `yaml:"description"`
	// Mode is what the subagent begins with. "isolated" (or ""): the task alone. "fork": the agent's messages up to the task. A fork that
	// is built here also has the agent's system prompt and middleware, except that it cannot delegate; a middleware of its own takes the
	// place of one with the same name. Tools that this middleware guards and the fork lacks are not an error. This is experimental in deepagents.
	Mode string `yaml:"mode" schema:"enum=isolated|fork,default=isolated"`
	// SystemPrompt is the subagent's system prompt; that of a fork follows the agent's. "": none.
	SystemPrompt string `yaml:"system_prompt"`
	// Model is the name of one of the agent's named models. "": the agent's own model.
	Model string `yaml:"model"`
	// ToolEntries are the subagent's tools: names of the agent's own tools, and entries as in the manifest's tools, such as
	// "search" and "{files: {root: ./notes}}". Not given: all of the agent's own; an empty list: none. Tools that middleware adds
	// are not among them. In Go, use Tools.
	ToolEntries ToolEntries `yaml:"tools"`
	// MiddlewareEntries is the subagent's middleware, the first the outermost: entries as in the manifest's middleware, such
	// as "model_call_limit: {run_limit: 20}". In Go, use Middleware.
	MiddlewareEntries MiddlewareEntries `yaml:"middleware"`
	// InterruptOn is the review policy of each of the subagent's tools, as in human_in_the_loop. Not given: the agent's reviews
	// apply, unless the subagent's own middleware contains a human_in_the_loop; an empty mapping: none.
	InterruptOn map[string]ReviewPolicy `yaml:"interrupt_on"`
	// ResponseFormatEntry is the format of a structured answer, as in the manifest's response_format. The answer of the task
	// is the value as JSON. In Go, use ResponseFormat.
	ResponseFormatEntry ResponseFormatEntry `yaml:"response_format"`
	// Skills are the directories of the subagent's skills, as in the sources of skills. Everything else is as in the agent's skills, or
	// as in its filesystem, which the subagent gets, too, if it has none. A fork has the skills of the agent instead.
	Skills []SkillSource `yaml:"skills"`
	// Permissions are the rules of the subagent's filesystem, in place of all others. A subagent without the middleware filesystem gets
	// one like the agent's. Not given: the rules are those of its filesystem. A fork with rules of its own that would take over
	// claude_text_editor or claude_memory for the same files needs one of its own.
	Permissions []FilePermission `yaml:"permissions"`
	// File is the manifest of an agent, in place of system_prompt and the keys after it; the path is relative to the manifest
	// that names it. That agent takes over nothing from this one, not even its reviews. In Go, use Agent.
	File string `yaml:"file"`

	Tools      []host.Tool       `yaml:"-"` // nil: the agent's own, [host.Env.Tools]
	Middleware []host.Middleware `yaml:"-"` // each subagent makes hooks of its own
	// ResponseFormat asks for a structured answer. nil: the answer is a text.
	ResponseFormat *model.ResponseFormat `yaml:"-"`
	Agent          *host.Agent           `yaml:"-"` // an existing agent, in place of SystemPrompt and the fields after it; it is not closed
}

var subagentsEntry = Entry{
	Name:    "subagents",
	Aliases: []string{"sub_agent"},
	Summary: "hands on tasks to other agents, which work on them with a history of their own",
	Example: `- subagents:
    agents:
      - name: researcher
        description: Finds out what is known about a topic, and says where it stands.
        system_prompt: Search until you know. Answer in at most ten lines, with sources.
        model: small
        interrupt_on: {search: true}
    general_purpose: false
`,
	Needs: needsSmallModel + needsSearch,
	New:   func() host.Middleware { return &Subagents{} },
}

// SubagentError is an invalid subagent.
type SubagentError struct {
	Index int    // index in Agents; -1 for the general-purpose subagent
	Key   string // a key of its configuration; "" for all of it
	Err   error
}

func (e *SubagentError) Error() string {
	subject := fmt.Sprintf("agents[%d]", e.Index)
	if e.Index < 0 {
		subject = generalPurposeName
	}
	if e.Key != "" {
		subject += "." + e.Key
	}
	return subject + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *SubagentError) Unwrap() error { return e.Err }

// The default texts.
const (
	generalPurposeName        = "general-purpose"
	generalPurposeDescription = "Works on any task of several steps, such as a search that may need many tries, with the tools of the main agent."
	generalPurposePrompt      = "Work on the task with the tools that you have. Who gave it to you sees your last message, and nothing else of " +
		"your work: put the complete answer into it."
	availableAgents = "{available_agents}"
	taskDescription = `Hands on a task to a subagent, which works on it without this conversation and returns one final report.

Available agent types:
` + availableAgents + `

- Tasks that do not need each other's results belong into several calls of one answer: they run at once.
- The subagent knows only the description, unless its type inherits your conversation: say what is to be done, all that it must know for
  it, and what to report. Say too whether it is to change something or only to find out.
- The user does not see the report. Tell what matters of it.`
	systemPromptList = "\n\nAvailable subagent types:\n\n"
)

// Name returns "subagents".
func (s Subagents) Name() string { return "subagents" }

// Hooks checks and builds the subagents.
func (s Subagents) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	ctx, err := deeper(ctx)
	if err != nil {
		return nil, err
	}
	specs, err := s.specs()
	if err != nil {
		return nil, err
	}
	list := listSubagents(specs)
	standIn := refusingTask{description: strings.ReplaceAll(cmp.Or(s.TaskDescription, taskDescription), availableAgents, list)}
	if s.SystemPrompt != "" {
		standIn.prompt = s.SystemPrompt + systemPromptList + list
	}
	crew, err := makeCrew(ctx, &env, specs, standIn)
	if err != nil {
		return nil, err
	}
	hooks := &host.Hooks{
		Tools:        []host.Tool{crew.tool(standIn.description)},
		Capabilities: crew.capabilities(),
		UsesTools:    slices.ContainsFunc(specs, func(spec subagentSpec) bool { return spec.Agent == nil && spec.Tools == nil }),
		End:          crew.end,
		Close:        crew.close,
	}
	if standIn.prompt != "" {
		hooks.WrapModelCall = promptHook(standIn.prompt)
	}
	return hooks, nil
}

// subagentSpec is a subagent with its position in the configuration.
type subagentSpec struct {
	Subagent

	index int
}

// specs returns all subagents, with the general-purpose one.
func (s *Subagents) specs() ([]subagentSpec, error) {
	if s.DefaultMiddlewareEntries.Given() && s.DefaultMiddleware == nil {
		return nil, errDeferred("default_middleware", "DefaultMiddleware")
	}
	var specs []subagentSpec
	taken := map[string]bool{}
	for i := range s.Agents {
		spec := subagentSpec{s.Agents[i], i}
		if key, err := spec.check(taken); err != nil {
			return nil, &SubagentError{i, key, err}
		}
		taken[spec.Name] = true
		spec.Middleware = slices.Concat(s.DefaultMiddleware, spec.Middleware)
		specs = append(specs, spec)
	}
	if (s.GeneralPurpose == nil || *s.GeneralPurpose) && !taken[generalPurposeName] {
		specs = slices.Insert(specs, 0, subagentSpec{Subagent{
			Name: generalPurposeName, Description: generalPurposeDescription, SystemPrompt: generalPurposePrompt, Middleware: s.DefaultMiddleware,
		}, -1})
	}
	if len(specs) == 0 {
		return nil, errors.New("At least one subagent must be specified") //nolint:staticcheck // the text is LangChain's
	}
	return specs, nil
}
