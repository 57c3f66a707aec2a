package builtin

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/client"
)

// AsyncSubagents hands tasks to agents on other servers, which work in the background while this agent goes on. The servers speak the
// HTTP API of LangGraph. The model gets five tools: start_async_task, check_async_task, update_async_task, cancel_async_task and
// list_async_tasks.
//
// The state field async_tasks keeps the tasks with the thread: {id: {task_id, agent_name, thread_id, run_id, status, created_at,
// last_checked_at, last_updated_at, superseded_run_ids}}. The id of a task is that of its thread on the server. The status is pending,
// running, waiting (a person has to answer, on the server), success, error, timeout or cancelled. The caller of a run may set the
// field, and with it choose threads of the servers that the model can read: let only callers set it who may see these threads.
//
// Before each model call and after each final answer, unfinished tasks are looked at, for at most 5 seconds each. The model learns
// of a task that has ended or waits from a message of the user's role that begins with [SYSTEM NOTIFICATION - NOT USER INPUT]; news
// after a final answer gives the model another turn. Notifications escape what a subagent says. The key deepagents_notification of
// the message's meta lets programs tell it from the user's.
//
// A server that fails or does not answer never ends the run: the tool says what went wrong, and the task is looked at again later.
// The model reads whatever a server returns: choose servers that you trust that far. Of media, it gets at most 4 MiB of a result.
//
// Behaviour and texts are those of deepagents 0.7.32's AsyncSubAgentMiddleware on its asynchronous path, with these differences:
//
//   - url is required. A subagent cannot run in the same deployment, and so it cannot wake this agent between runs: there is no
//     notify_parent.
//   - The header x-auth-scheme is sent only if headers has it; a LangSmith deployment needs it, with the value langsmith.
//   - JSON in notifications is compact. A result has at most 1,000,000 characters, and an agent at most 1,000 tasks.
//   - Each turn of a user has at most 32 notifications that give the model another turn.
type AsyncSubagents struct {
	// AsyncSubagents are the subagents, at least one.
	AsyncSubagents []AsyncSubagent `yaml:"async_subagents"`
	// SystemPrompt is added to the system prompt, with the list of subagents. "": nothing is added.
	SystemPrompt string `yaml:"system_prompt"`
	// Notifications tells the model about tasks that have ended or wait. false: it learns of them only through its tools, as on the
	// reference's synchronous path. nil: true.
	Notifications *bool `yaml:"notifications" schema:"default=true"`
}

// AsyncSubagent is an agent on another server.
type AsyncSubagent struct {
	// Name is the name by which the model calls the subagent. Required.
	Name string `yaml:"name"`
	// Description is what the subagent does; the model uses it to choose a subagent. Required.
	Description string `yaml:"description"`
	// GraphID is the name of the graph, or the id of the assistant, on the server. Required.
	GraphID string `yaml:"graph_id"`
	// URL is the address of the server, such as https://agents.example.com. Required.
	URL string `yaml:"url"`
	// Headers are sent with each request, for example {x-api-key: "${AGENTS_KEY}"}.
	Headers map[string]string `yaml:"headers"`
	// Webhook is an address that the server calls when a run of the subagent has ended. "": none.
	Webhook string `yaml:"webhook"`
	// UpdateStrategy is what update_async_task does while the subagent works. "interrupt" (or ""): the work stops, and goes on with the
	// new message; "enqueue": the message waits until the work is done.
	UpdateStrategy string `yaml:"update_strategy" schema:"default=interrupt,enum=interrupt|enqueue"`
	// Mode is what the subagent learns. "isolated" (or ""): the description of the task; "fork": also the conversation so far.
	Mode string `yaml:"mode" schema:"default=isolated,enum=isolated|fork"`
}

var asyncSubagentsEntry = Entry{
	Name:    "async_subagents",
	Aliases: []string{"async_sub_agent"},
	Summary: "hands tasks to agents on other servers, which work in the background",
	Example: `- async_subagents:
    notifications: true
    async_subagents:
      - name: researcher
        description: Researches a topic thoroughly. Takes some minutes.
        graph_id: research
        url: https://agents.example.com
        update_strategy: enqueue
`,
	New: func() host.Middleware { return &AsyncSubagents{} },
}

const (
	strategyEnqueue = client.StrategyEnqueue
	modeFork        = "fork"
)

// Name returns "async_subagents".
func (s AsyncSubagents) Name() string { return "async_subagents" }

// Hooks checks the configuration and makes the tools. It does not connect to the servers.
func (s AsyncSubagents) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	if len(s.AsyncSubagents) == 0 {
		return nil, errors.New("At least one async subagent must be specified") //nolint:staticcheck // the text is LangChain's
	}
	crew := &remoteCrew{agents: make([]remoteAgent, 0, len(s.AsyncSubagents))}
	for i := range s.AsyncSubagents {
		made, err := crew.connect(&s.AsyncSubagents[i])
		if err != nil {
			return nil, errors.Join(fmt.Errorf("async_subagents[%d]: %w", i, err), crew.close())
		}
		crew.agents = append(crew.agents, made)
	}
	tools, err := crew.tools()
	if err != nil {
		return nil, errors.Join(err, crew.close())
	}
	hooks := &host.Hooks{State: []host.Field{asyncTasks.Field}, Tools: tools, Close: crew.close}
	if s.Notifications == nil || *s.Notifications {
		hooks.BeforeModel = host.NodeHook{Func: crew.beforeModel}
		hooks.AfterModel = host.NodeHook{Func: crew.afterModel, CanJumpTo: []abi.Target{abi.JumpModel}}
	}
	if s.SystemPrompt != "" {
		hooks.WrapModelCall = promptHook(s.SystemPrompt + "\n\nAvailable async subagent types:\n\n" + crew.list())
	}
	return hooks, nil
}

// remoteCrew are the subagents of an [AsyncSubagents].
type remoteCrew struct{ agents []remoteAgent }

// remoteAgent is a checked [AsyncSubagent].
type remoteAgent struct {
	AsyncSubagent

	server *client.Client
}

// connect checks a subagent and makes the client of its server.
func (c *remoteCrew) connect(a *AsyncSubagent) (remoteAgent, error) {
	made := remoteAgent{AsyncSubagent: *a}
	for _, required := range []struct{ key, value string }{
		{"name", a.Name}, {"description", a.Description}, {"graph_id", a.GraphID}, {"url", a.URL},
	} {
		if strings.TrimSpace(required.value) == "" {
			return made, fmt.Errorf("%s is missing", required.key)
		}
	}
	if c.find(a.Name) != nil {
		return made, fmt.Errorf("name: there are two subagents %q; give them different names", a.Name)
	}
	switch a.UpdateStrategy {
	case "", client.StrategyInterrupt, strategyEnqueue:
	default:
		return made, fmt.Errorf("update_strategy is %q; use interrupt or enqueue", a.UpdateStrategy)
	}
	switch a.Mode {
	case "", "isolated", modeFork:
	default:
		return made, fmt.Errorf("mode is %q; use isolated or fork", a.Mode)
	}
	if webhook, err := url.Parse(a.Webhook); a.Webhook != "" && (err != nil || webhook.Host == "" || webhook.Scheme != "https" && webhook.Scheme != "http") {
		return made, errors.New("webhook: the URL is invalid; write it as https://example.com/done")
	}
	var err error
	made.server, err = client.New(client.Config{URL: a.URL, Headers: a.Headers})
	return made, err
}

func (c *remoteCrew) close() error {
	errs := make([]error, 0, len(c.agents))
	for i := range c.agents {
		errs = append(errs, c.agents[i].server.Close())
	}
	return errors.Join(errs...)
}

// find returns the subagent of that name; nil if there is none.
func (c *remoteCrew) find(name string) *remoteAgent {
	at := slices.IndexFunc(c.agents, func(a remoteAgent) bool { return a.Name == name })
	if at < 0 {
		return nil
	}
	return &c.agents[at]
}

// list describes the subagents to the model.
func (c *remoteCrew) list() string {
	lines := make([]string, len(c.agents))
	for i := range c.agents {
		lines[i] = "- " + c.agents[i].Name + ": " + c.agents[i].Description
		if c.agents[i].Mode == modeFork {
			lines[i] += forkSuffix
		}
	}
	return strings.Join(lines, "\n")
}

// names returns the names of the subagents that a condition selects, in backquotes.
func (c *remoteCrew) names(which func(a *remoteAgent) bool) string {
	var names []string
	for i := range c.agents {
		if which(&c.agents[i]) {
			names = append(names, "`"+c.agents[i].Name+"`")
		}
	}
	return strings.Join(names, ", ")
}
