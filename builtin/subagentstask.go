package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
)

// taskArguments are the arguments of the tool.
type taskArguments struct {
	Description  string `json:"description"   jsonschema:"The task, with all that is needed to know for it, and what the report must contain."`
	SubagentType string `json:"subagent_type" jsonschema:"Which subagent works on it: one of the agent types in the description of the tool."`
}

// tool returns the tool "task".
func (c *crew) tool(description string) host.Tool {
	var options []tool.Option
	if c.idempotent {
		options = append(options, tool.Idempotent())
	}
	return tool.Func("task", description, c.task, options...)
}

// task runs a subagent, or continues its run.
func (c *crew) task(ctx context.Context, in taskArguments) (*host.ToolOutput, error) {
	at := slices.IndexFunc(c.agents, func(s subagent) bool { return s.name == in.SubagentType })
	if at < 0 {
		return host.TextOutput(fmt.Sprintf("We cannot invoke subagent %s because it does not exist, the only allowed types are %s",
			in.SubagentType, c.types())), nil
	}
	rt, s := host.RuntimeOf(ctx), &c.agents[at]
	shared := sharedFields(rt.State(), s.agent)
	begin := []abi.Message{abi.Human(in.Description)}
	if s.forks {
		begin = forkMessages(rt.State().Messages(), in.Description)
	}
	result, err := tool.RunAgent(ctx, rt, s.name, s.agent, host.Input{
		Messages: begin, State: shared.input(), Context: rt.ContextValue(),
		AcceptChanges: rt.AcceptsChanges(),
	})
	if result.Thread != "" {
		c.threads.add(rt.RunID(), s.agent, result.Thread)
	}
	if err != nil {
		return nil, err
	}
	update, err := shared.changes(rt.State(), result.State)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", s.name, err)
	}
	return &host.ToolOutput{Content: abi.Text(reportOf(result)), Update: update}, nil
}

// types returns the names of the subagents.
func (c *crew) types() string {
	names := make([]string, len(c.agents))
	for i := range c.agents {
		names[i] = "`" + c.agents[i].name + "`"
	}
	return strings.Join(names, ", ")
}

// reportOf returns the answer of a subagent: its structured answer as JSON, or the text of its last message with a text.
// Some models end with an empty message.
func reportOf(result *host.Result) string {
	if !result.Structured.IsZero() {
		return result.Structured.JSON()
	}
	for i := result.Messages.Len() - 1; i >= 0; i-- {
		m := result.Messages.At(i)
		if m.Role != abi.RoleAI {
			continue
		}
		if text := strings.TrimRightFunc(m.Content.Text(), unicode.IsSpace); text != "" {
			return text
		}
	}
	return ""
}

// threadNotes are the threads of tasks by run, until the run is over.
type threadNotes struct {
	mu    sync.Mutex
	notes map[string][]threadNote
}

type threadNote struct {
	agent  *host.Agent
	thread string
}

func (t *threadNotes) add(run string, agent *host.Agent, thread string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.notes == nil {
		t.notes = map[string][]threadNote{}
	}
	note := threadNote{agent, thread}
	if !slices.Contains(t.notes[run], note) {
		t.notes[run] = append(t.notes[run], note)
	}
}

// take returns the notes of a run and forgets them.
func (t *threadNotes) take(run string) []threadNote {
	t.mu.Lock()
	defer t.mu.Unlock()
	notes := t.notes[run]
	delete(t.notes, run)
	return notes
}

// end removes the threads of a run that is over.
func (c *crew) end(ctx context.Context, run string) {
	for _, note := range c.threads.take(run) {
		if err := note.agent.Forget(ctx, note.thread); err != nil {
			c.warn("the thread of a task stays behind", "thread", note.thread, "run", run, "error", err)
		}
	}
}
