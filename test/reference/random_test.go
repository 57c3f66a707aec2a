package reference_test

import (
	"encoding/json"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/test/reference"
)

type object = map[string]any

// randomAgent is an agent that rapid draws: a vector without expectations, and options that the format cannot express.
type randomAgent struct {
	t      *rapid.T
	vector *reference.Vector
	text   string // text of the vector, for reports
	limits host.ToolCallConfig

	atOnce  bool // calls of a batch run concurrently
	patches bool // whether it has patch_tool_calls
	wraps   int  // number of answers that hooks of wrap_model_call make
}

var (
	probeNames = []string{"A", "B", "C", "D", "E"}
	toolNames  = []string{"search", "set", "add", "flaky", "broken", "ask", "direct"}
)

func drawAgent(t *rapid.T) *randomAgent {
	a := &randomAgent{t: t}
	a.atOnce = a.one("at once", 4)
	agent := object{
		"model": object{"kind": "scripted", "turns": a.turns(), "after_end": "empty"}, "tools": a.tools(), "middleware": a.middleware(),
		"state": stateFields(), "checkpointer": true, "recursion_limit": 60, "max_concurrency": a.concurrency(),
	}
	if a.one("breakpoint", 8) {
		agent[a.pick("where", "interrupt_before", "interrupt_after")] = []any{a.pick("at", "model", "tools")}
	}
	text, err := json.Marshal(document(agent))
	if err != nil {
		t.Fatal(err)
	}
	a.text = string(text)
	if a.vector, err = reference.Read(text); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	a.limits = a.drawLimits()
	return a
}

// document makes a vector from an agent.
func document(agent object) object {
	return object{
		"name": "random/agent", "doc": "random", "reference": "none", "agent": agent,
		"runs": []any{object{"input": object{}}}, "expect": []any{object{}},
	}
}

// adjust puts the agent-wide limits into its configuration.
func (a *randomAgent) adjust(config *host.Config) {
	parallel := config.ToolCalls.Parallel
	config.ToolCalls = a.limits
	config.ToolCalls.Parallel = parallel
	config.Clock = func() time.Time { return time.Unix(1_700_000_000, 0).UTC() }
}

func (a *randomAgent) number(label string, low, high int) int {
	return rapid.IntRange(low, high).Draw(a.t, label)
}

// one returns true in one of n cases.
func (a *randomAgent) one(label string, n int) bool { return a.number(label, 1, n) == n }

func (a *randomAgent) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(a.t, label)
}

func stateFields() object {
	return object{
		"sum":  object{"schema": object{"type": "number"}, "reducer": "add"},
		"list": object{"schema": object{"type": "array"}, "reducer": "append"},
		"last": object{"schema": object{}, "lifetime": "ephemeral"},
	}
}

func (a *randomAgent) concurrency() int {
	if a.atOnce {
		return 4
	}
	return 1
}

func (a *randomAgent) drawLimits() host.ToolCallConfig {
	c := host.ToolCallConfig{MaxMalformed: a.number("max malformed", 0, 2)}
	if a.one("max loops", 4) {
		c.MaxLoops = a.number("loops", 1, 4)
	}
	if a.one("max per response", 4) {
		c.MaxPerResponse = a.number("per response", 1, 3)
	}
	if a.one("max tokens", 6) {
		c.MaxTotalTokens = a.number("tokens", 1, 20)
	}
	if a.one("lenient", 2) {
		c.ErrorOnExceedLimit = new(false)
	}
	return c
}

// turns draws the model's turns: answers, calls with their own ids, malformed calls, errors.
func (a *randomAgent) turns() []any {
	id := 0
	turns := make([]any, a.number("turns", 1, 8))
	for i := range turns {
		if a.one("model error", 10) {
			turns[i] = object{"error": object{"type": "ValueError", "message": fmt.Sprint("model error ", i)}}
			continue
		}
		var calls, malformed []any
		next := func() string {
			if id == 0 || !a.one("an id again", 15) {
				id++
			}
			return fmt.Sprint("c", id)
		}
		for range a.number("calls", 0, 4) {
			calls = append(calls, a.call(next()))
		}
		if a.one("malformed", 10) {
			malformed = append(malformed, object{"id": next(), "name": "search", "args": `{"q":`})
		}
		turn := object{"content": fmt.Sprint("answer ", i)}
		if calls != nil {
			turn["tool_calls"] = calls
		}
		if malformed != nil {
			turn["invalid_tool_calls"] = malformed
		}
		turns[i] = turn
	}
	return turns
}

func (a *randomAgent) call(id string) object {
	arguments := object{"q": "q" + id}
	if a.one("wrong arguments", 12) {
		arguments = object{"q": 1}
	}
	names := append([]string{"ghost", "search", "search"}, toolNames...)
	if a.atOnce {
		names = []string{"ghost", "search", "add", "ask", "direct"} // concurrent failures happen in any order
	}
	return object{"id": id, "name": a.pick("tool", names...), "args": arguments}
}

func (a *randomAgent) tools() []any {
	behaviors := map[string]object{
		"search": {"kind": "template", "text": "Result for {q}"},
		"set":    {"kind": "command", "update": object{"last": "set"}, "text": "set {q}"},
		"add": {"kind": "command", "text": "added {q}", "update": object{
			"sum": 1, "list": []any{"tool"}, "messages": []any{object{"role": "human", "content": "from a tool"}},
		}},
		"flaky": {
			"kind": "raise", "error": object{"type": "ValueError", "message": "unlucky"}, "times": a.number("times", 1, 2),
			"then": object{"kind": "template", "text": "ok {q}"},
		},
		"broken": {"kind": "raise", "error": object{"type": "KeyError", "message": "boom"}},
		"ask":    {"kind": "interrupt", "ask": "may I {q}?"},
		"direct": {"kind": "template", "text": "direct {q}"},
	}
	tools := make([]any, 0, len(toolNames))
	for _, name := range toolNames {
		tools = append(tools, object{
			"name": name, "description": name, "behavior": behaviors[name], "return_direct": name == "direct",
			"parameters": object{"type": "object", "properties": object{"q": object{"type": "string"}}, "required": []any{"q"}},
		})
	}
	return tools
}

// middleware draws up to five probes, with built-in middleware between them.
func (a *randomAgent) middleware() []any {
	list := []any{}
	if a.patches = a.one("patches", 2); a.patches {
		list = append(list, object{"type": "patch_tool_calls"})
	}
	for _, name := range probeNames[:a.number("probes", 0, len(probeNames))] {
		list = append(list, a.builtin()...)
		list = append(list, a.probe(name))
	}
	return append(list, a.builtin()...)
}

func (a *randomAgent) builtin() []any {
	switch a.number("built-in", 1, 10) {
	case 1:
		return []any{object{"type": "tool_error", "config": object{"on_error": object{"format": "{tool}: {message}"}}}}
	case 2:
		limit := object{"run_limit": a.number("run limit", 0, 4), "exit_behavior": a.pick("exit", "continue", "error", "end")}
		if a.one("thread limit", 2) {
			limit["thread_limit"] = a.number("thread limit", 4, 8)
		}
		if a.one("of one tool", 2) {
			limit["tool_name"] = a.pick("limited tool", toolNames...)
		}
		return []any{object{"type": "tool_call_limit", "config": limit}}
	case 3:
		return []any{object{"type": "model_call_limit", "config": object{
			"thread_limit": a.number("model calls", 0, 9), "exit_behavior": a.pick("exit", "end", "error"),
		}}}
	default:
		return nil
	}
}

// drawRun draws the next run of a thread, depending on how the previous one ended.
func (a *randomAgent) drawRun(before *reference.Outcome) *reference.RunSpec {
	run := &reference.RunSpec{Thread: "t"}
	goesOn := before != nil && !a.one("new input", 3)
	switch {
	case goesOn && len(before.Interrupts) > 0:
		a.drawAnswers(run, before.Interrupts)
	case goesOn && before.Status != host.Completed:
		run.Continue = true
	default:
		run.Messages = []abi.Message{abi.Human(fmt.Sprint("question ", a.number("question", 1, 9)))}
		if a.one("open calls in the input", 6) {
			ask := abi.Call("i2", "ask", nil)
			run.Messages = append(run.Messages,
				abi.AI("", abi.Call("i1", "search", map[string]any{"q": "x"}), ask), abi.ToolResult(ask, "given"), abi.Human("and?"))
		}
	}
	return run
}

// drawAnswers answers the one interrupt of a hook, or some interrupts of tools.
func (a *randomAgent) drawAnswers(run *reference.RunSpec, waiting []wire.Raw) {
	if len(waiting) == 1 {
		run.Resume = wire.Int(int64(a.number("answer", 1, 9)))
		return
	}
	for i, value := range waiting {
		var asked wire.Map
		_, _ = asked.UnmarshalMsg(value)
		id, _ := asked.Get("tool_call_id").AsString()
		if i == 0 || a.one("answered", 2) {
			run.ResumeEach.Set(id, wire.String(fmt.Sprint("answer ", a.number("answer", 1, 9))))
		}
	}
}
