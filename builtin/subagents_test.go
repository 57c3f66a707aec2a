package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// speaker is a model that says what the function makes of a request.
type speaker func(ctx context.Context, req *model.Request) (abi.Message, error)

func (speaker) Info() model.Info { return model.Info{Name: "speaker"} }

func (s speaker) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	m, err := s(ctx, req)
	if err != nil {
		return nil, err
	}
	m.Usage = &abi.Usage{InputTokens: 1}
	return model.Reply(m), nil
}

// boss is a model that hands on tasks, and is done when they are.
func boss(tasks ...abi.ToolCall) speaker {
	return func(_ context.Context, req *model.Request) (abi.Message, error) {
		if req.Messages.Len() == 1 {
			return abi.AI("", tasks...), nil
		}
		return abi.AI("done"), nil
	}
}

// alwaysSay is a model that always says the same.
func alwaysSay(text string) speaker {
	return func(context.Context, *model.Request) (abi.Message, error) { return abi.AI(text), nil }
}

func task(id, to, description string) abi.ToolCall {
	return abi.Call(id, "task", map[string]any{"description": description, "subagent_type": to})
}

// team is an agent with subagents, of which there is none for general purposes.
func team(t *testing.T, config host.Config, agents ...builtin.Subagent) *host.Agent {
	t.Helper()
	config.Middleware = append(config.Middleware, builtin.Subagents{Agents: agents, GeneralPurpose: new(false)})
	agent, err := host.New(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent
}

// member is a subagent with a model of its own, which is there.
func member(t *testing.T, name string, config host.Config) builtin.Subagent {
	t.Helper()
	agent, err := host.New(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return builtin.Subagent{Name: name, Description: "Does things.", Agent: agent}
}

func start(text string) host.Input { return host.Input{Messages: []abi.Message{abi.Human(text)}} }

func TestASubagentKnowsItsTaskAlone(t *testing.T) {
	t.Parallel()
	var heard []string
	var prompt string
	config := host.Config{
		Model: boss(task("1", "researcher", "Find the sea.")), SystemPrompt: abi.Text("You are the boss."),
		Models: map[string]model.Model{"small": speaker(func(_ context.Context, req *model.Request) (abi.Message, error) {
			for _, m := range req.Messages.All() {
				heard = append(heard, m.Content.Text())
			}
			prompt = req.System.Text()
			return abi.AI("It is\nin the west. \n\t"), nil
		})},
	}
	agent := team(t, config, builtin.Subagent{Name: "researcher", Description: "Finds.", SystemPrompt: "You find.", Model: "small"})
	result, err := agent.Run(t.Context(), start("Secret: where is the sea?"))
	require.NoError(t, err)
	require.Equal(t, []string{"Find the sea."}, heard)
	require.Equal(t, "You find.", prompt)
	require.Equal(t, []string{"human Secret: where is the sea?", "ai task:1", "tool 1 It is\nin the west.", "ai done"}, lines(result.Messages))
	require.Equal(t, abi.Usage{InputTokens: 3}, result.Usage, "the subagent's tokens are the run's")
}

func TestTheReportIsTheLastTextOfASubagent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		turns []scripted.Turn
		want  string
	}{
		"trailing empty message": {[]scripted.Turn{
			{Message: abi.AI("Found it.\n", abi.Call("i", "look", nil))}, scripted.Say("  \n"),
		}, "Found it."},
		"nothing said": {[]scripted.Turn{scripted.Say("")}, ""},
		"blocks": {[]scripted.Turn{{Message: abi.Message{
			Role: abi.RoleAI, Content: abi.Blocks(abi.TextBlock("one "), abi.TextBlock("two ")),
		}}}, "one two"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			look := tool.Func("look", "", func(context.Context, struct{}) (string, error) { return "seen", nil })
			agent := team(t, host.Config{Model: boss(task("1", "r", "x"))},
				member(t, "r", host.Config{Model: scripted.NewTurns(test.turns...), Tools: []host.Tool{look}}))
			result, err := agent.Run(t.Context(), start("go"))
			require.NoError(t, err)
			report := result.Messages.At(2)
			require.Equal(t, test.want, report.Content.Text())
			require.False(t, report.Failed())
		})
	}
}

// A subagent whose answer is a value gives that to who asked.
func TestTheReportIsTheValueOfASubagent(t *testing.T) {
	t.Parallel()
	type depth struct {
		Metres int    `json:"metres"`
		Of     string `json:"of"`
	}
	tells := speaker(func(_ context.Context, _ *model.Request) (abi.Message, error) {
		return abi.AI("Let me see.", abi.Call("v", "depth", map[string]any{"of": "lake", "metres": 40})), nil
	})
	agent := team(t, host.Config{Model: boss(task("1", "r", "x")), Models: map[string]model.Model{"tells": tells}},
		builtin.Subagent{Name: "r", Description: "Measures.", Model: "tells", ResponseFormat: host.Respond[depth]()})
	result, err := agent.Run(t.Context(), start("go"))
	require.NoError(t, err)
	require.Equal(t, `tool 1 {"metres":40,"of":"lake"}`, lines(result.Messages)[2])
	require.True(t, result.Structured.IsZero(), "it is the subagent's")
}

// All three subagents must have begun before one of them ends.
func TestTasksOfOneAnswerRunAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int32
		all := make(chan struct{})
		worker := speaker(func(ctx context.Context, req *model.Request) (abi.Message, error) {
			if begun.Add(1) == 3 {
				close(all)
			}
			select {
			case <-all:
			case <-ctx.Done():
				return abi.Message{}, ctx.Err()
			}
			first := req.Messages.At(0)
			return abi.AI("done: " + first.Content.Text()), nil
		})
		agent, err := host.New(host.Config{
			Model:  boss(task("1", "general-purpose", "a"), task("2", "w", "b"), task("3", "w", "c")),
			Models: map[string]model.Model{"worker": worker},
			Middleware: []host.Middleware{builtin.Subagents{Agents: []builtin.Subagent{
				{Name: "general-purpose", Description: "All.", Model: "worker"}, {Name: "w", Description: "Works.", Model: "worker"},
			}}},
		})
		require.NoError(t, err)
		defer func() { require.NoError(t, agent.Close()) }()
		var told []string
		result, err := agent.RunEvents(t.Context(), start("go"), func(e host.Event) error {
			var data struct {
				Agent  string     `json:"agent"`
				CallID string     `json:"call_id"`
				Event  host.Event `json:"event"`
			}
			if e.Type != host.EventCustom {
				return nil
			}
			if err := json.Unmarshal([]byte(e.Data.JSON()), &data); err != nil {
				return err
			}
			if data.Event.Type == host.EventEnd {
				told = append(told, data.CallID+" "+data.Agent+" "+string(data.Event.Status))
			}
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, []string{"human go", "ai task:1 task:2 task:3", "tool 1 done: a", "tool 2 done: b", "tool 3 done: c", "ai done"},
			lines(result.Messages))
		require.Equal(t, []string{"1 general-purpose completed", "2 w completed", "3 w completed"}, told)
	})
}

func TestTheSubagentForGeneralPurposes(t *testing.T) {
	t.Parallel()
	var offered []string
	look := tool.Func("look", "", func(context.Context, struct{}) (string, error) { return "seen", nil })
	var described, prompt string
	m := speaker(func(_ context.Context, req *model.Request) (abi.Message, error) {
		last := req.Messages.At(req.Messages.Len() - 1)
		switch text := last.Content.Text(); text {
		case "go":
			prompt = req.System.Text()
			described = req.Tools[slices.IndexFunc(req.Tools, func(s abi.ToolSpec) bool { return s.Name == "task" })].Description
			return abi.AI("", task("1", "general-purpose", "look around")), nil
		case "look around":
			for _, spec := range req.Tools {
				offered = append(offered, spec.Name)
			}
			return abi.AI("", abi.Call("i", "look", nil)), nil
		default:
			return abi.AI("It was " + text), nil
		}
	})
	agent, err := host.New(host.Config{
		Model: m, Tools: []host.Tool{look}, SystemPrompt: abi.Text("Be brief."),
		Middleware: []host.Middleware{builtin.Subagents{
			Agents:       []builtin.Subagent{{Name: "idle", Description: "Rests.", Tools: []host.Tool{}}},
			SystemPrompt: "Hand on what is long.", TaskDescription: "Known: {available_agents}.",
		}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	result, err := agent.Run(t.Context(), start("go"))
	require.NoError(t, err)
	require.Equal(t, []string{"look"}, offered, "the agent's own tools, and no task inside of a task")
	require.Regexp(t, `^Known: - general-purpose: .+\n- idle: Rests\.\.$`, described)
	require.Regexp(t, `^Be brief\.\n\nHand on what is long\.\n\nAvailable subagent types:\n\n- general-purpose: .+\n- idle: Rests\.$`, prompt)
	require.Equal(t, "tool 1 It was seen", lines(result.Messages)[2])
}

func TestTasksThatNobodyCanDo(t *testing.T) {
	t.Parallel()
	agent := team(t, host.Config{Model: boss(
		task("1", "nobody", "x"), abi.Call("2", "task", map[string]any{"description": "x"}),
		abi.Call("3", "task", map[string]any{"description": 1, "subagent_type": "a"}),
	)}, builtin.Subagent{Name: "a", Description: "A."}, builtin.Subagent{Name: "b", Description: "B."})
	result, err := agent.Run(t.Context(), start("go"))
	require.NoError(t, err)
	unknown := result.Messages.At(2)
	require.Equal(t, "We cannot invoke subagent nobody because it does not exist, the only allowed types are `a`, `b`", unknown.Content.Text())
	require.False(t, unknown.Failed(), "as in deepagents")
	for i, key := range map[int]string{3: "subagent_type", 4: "description"} {
		m := result.Messages.At(i)
		require.True(t, m.Failed())
		require.Contains(t, m.Content.Text(), key)
	}

	// Deepagents refuses a call without an id; here the host gives each one.
	agent = team(t, host.Config{Model: boss(task("", "a", "x")), Models: map[string]model.Model{"says": alwaysSay("fine")}},
		builtin.Subagent{Name: "a", Description: "A.", Model: "says"})
	result, err = agent.Run(t.Context(), start("go"))
	require.NoError(t, err)
	answer := result.Messages.At(2)
	require.Equal(t, "fine", answer.Content.Text())
	require.NotEmpty(t, answer.ToolCallID)
}

// A subagent that fails takes nothing from the others where tool_error answers.
func TestASubagentThatFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("out of order")
	failing := func(t *testing.T) builtin.Subagent {
		t.Helper()
		return member(t, "bad", host.Config{Model: scripted.NewTurns(scripted.Fail(broken))})
	}
	agent := team(t, host.Config{Model: boss(task("1", "bad", "x"))}, failing(t))
	_, err := agent.Run(t.Context(), start("go"))
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, `tool "task": call "1": agent bad: `)

	agent = team(t, host.Config{
		Model:      boss(task("1", "bad", "x"), task("2", "good", "y")),
		Middleware: []host.Middleware{builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{tool} failed: {message}"}}},
	}, failing(t), member(t, "good", host.Config{Model: alwaysSay("fine")}))
	result, err := agent.Run(t.Context(), start("go"))
	require.NoError(t, err)
	require.Equal(t, []string{
		"human go", "ai task:1 task:2", `tool 1! task failed: agent bad: model "scripted": out of order`, "tool 2 fine", "ai done",
	}, lines(result.Messages))
}

// A limit that fails the run of a subagent is a failure of the tool, also to what lets limits of its own run pass.
func TestLimitsAreInherited(t *testing.T) {
	t.Parallel()
	loops := speaker(func(_ context.Context, req *model.Request) (abi.Message, error) {
		return abi.AI("", abi.Call(fmt.Sprint(req.Messages.Len()), "work", nil)), nil
	})
	for name, config := range map[string]host.Config{
		"recursion limit": {RecursionLimit: 6},
		"model steps":     {ToolCalls: host.ToolCallConfig{MaxLoops: 4, ErrorOnExceedLimit: new(true), Alert: map[string]int{"work": 100}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config.Model, config.Models = boss(task("1", "w", "x")), map[string]model.Model{"loops": loops}
			config.Tools = []host.Tool{tool.Func("work", "", func(context.Context, struct{}) (string, error) { return "", nil })}
			config.Middleware = []host.Middleware{builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{type}"}}}
			agent := team(t, config, builtin.Subagent{Name: "w", Description: "Works.", Model: "loops"})
			result, err := agent.Run(t.Context(), start("go"))
			require.NoError(t, err)
			require.Equal(t, "tool 1! limit_error", lines(result.Messages)[2])
		})
	}
}

func TestACancellationReachesSubagents(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var waiting, ended atomic.Int32
	waits := speaker(func(ctx context.Context, _ *model.Request) (abi.Message, error) {
		if waiting.Add(1) == 2 {
			cancel()
		}
		<-ctx.Done()
		ended.Add(1)
		return abi.Message{}, ctx.Err()
	})
	agent := team(t, host.Config{
		Model:      boss(task("1", "w", "x"), task("2", "w", "y")),
		Models:     map[string]model.Model{"waits": waits},
		Middleware: []host.Middleware{builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "swallowed"}}},
	}, builtin.Subagent{Name: "w", Description: "Waits.", Model: "waits"})
	result, err := agent.Run(ctx, start("go"))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, host.Cancelled, result.Status)
	require.EqualValues(t, 2, ended.Load())
}

func TestSubagentsInsideOfSubagents(t *testing.T) {
	t.Parallel()
	leaf := builtin.Subagent{Name: "leaf", Description: "Knows.", Model: "leaf"}
	agent := team(t, host.Config{
		Name: "top", Model: boss(task("1", "branch", "ask the leaf")),
		Models: map[string]model.Model{"branch": boss(task("i", "leaf", "what is it?")), "leaf": alwaysSay("green")},
	}, builtin.Subagent{
		Name: "branch", Description: "Asks.", Model: "branch",
		Middleware: []host.Middleware{builtin.Subagents{Agents: []builtin.Subagent{leaf}, GeneralPurpose: new(false)}},
	})
	var names []string
	result, err := agent.RunEvents(t.Context(), start("go"), func(e host.Event) error {
		if e.Type == host.EventCustom {
			data := e.Data.JSON()
			for _, name := range []string{"top.branch", "top.branch.leaf"} {
				if strings.Contains(data, `"agent":"`+name+`"`) && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"human go", "ai task:1", "tool 1 done", "ai done"}, lines(result.Messages))
	require.Equal(t, []string{"top.branch", "top.branch.leaf"}, names)
	require.Equal(t, abi.Usage{InputTokens: 5}, result.Usage)
}

func TestSubagentsAreNotInsideOfEachOtherForEver(t *testing.T) {
	t.Parallel()
	m := &builtin.Subagents{GeneralPurpose: new(false)}
	m.Agents = []builtin.Subagent{{Name: "a", Description: "A.", Middleware: []host.Middleware{m}}}
	_, err := host.New(host.Config{Model: alwaysSay(""), Middleware: []host.Middleware{m}})
	require.ErrorContains(t, err, "subagents are nested more than 8 deep")
}

// closes notes whether it was closed.
type closes struct {
	closed *atomic.Int32
}

func (closes) Name() string { return "closes" }

func (c closes) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	return &host.Hooks{
		Close:        func() error { c.closed.Add(1); return nil },
		Capabilities: []host.Capability{{Op: "kv"}},
	}, nil
}

// One middleware in two subagents makes hooks for each; those that were made are closed when a later one cannot be made, and a
// ready agent never is.
func TestSubagentsAreClosed(t *testing.T) {
	t.Parallel()
	var closed atomic.Int32
	shared := []host.Middleware{closes{&closed}}
	agents := []builtin.Subagent{
		{Name: "a", Description: "A.", Middleware: shared},
		{Name: "b", Description: "B.", Middleware: shared},
		member(t, "ready", host.Config{Model: alwaysSay(""), Middleware: shared}),
	}
	agent, err := host.New(host.Config{Model: alwaysSay(""), Middleware: []host.Middleware{builtin.Subagents{Agents: agents, DefaultMiddleware: shared}}})
	require.NoError(t, err)
	var asked []string
	for _, c := range agent.Capabilities() {
		asked = append(asked, c.Middleware)
	}
	require.Equal(t, []string{
		"subagents.general-purpose.closes", "subagents.a.closes", "subagents.a.closes#2", "subagents.b.closes", "subagents.b.closes#2",
	}, asked)
	require.NoError(t, agent.Close())
	require.EqualValues(t, 5, closed.Swap(0))

	agents = append(agents, builtin.Subagent{Name: "c", Description: "C.", Model: "none"})
	_, err = host.New(host.Config{Model: alwaysSay(""), Middleware: []host.Middleware{builtin.Subagents{Agents: agents, GeneralPurpose: new(false)}}})
	require.ErrorContains(t, err, "agents[3].model")
	require.EqualValues(t, 2, closed.Load())
}

// What follows from the seed of a run includes its subagents, also those that run at once.
func TestSubagentsFollowTheSeed(t *testing.T) {
	t.Parallel()
	runs := make([][]string, 2)
	for i := range runs {
		agent := team(t, host.Config{
			Model: boss(task("1", "w", "a"), task("2", "w", "b")), Seed: func() uint64 { return 7 },
		}, builtin.Subagent{Name: "w", Description: "Works."})
		_, err := agent.RunEvents(t.Context(), start("go"), func(e host.Event) error {
			if e.Type == host.EventCustom {
				var data struct {
					Event struct {
						Run      string        `json:"run"`
						Messages []abi.Message `json:"messages"`
					} `json:"event"`
				}
				if err := json.Unmarshal([]byte(e.Data.JSON()), &data); err != nil {
					return err
				}
				runs[i] = append(runs[i], data.Event.Run)
				for _, m := range data.Event.Messages {
					runs[i] = append(runs[i], m.ID)
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
	require.NotEmpty(t, runs[0])
	require.Equal(t, runs[0], runs[1])
	require.Greater(t, len(slices.Compact(slices.Sorted(slices.Values(runs[0])))), 2, "each has ids of its own")
}
