package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/server/acp"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
)

// asking is an agent whose tool asks a person the question of its argument.
func asking(questions ...any) host.Config {
	var calls []abi.ToolCall
	for i, q := range questions {
		calls = append(calls, abi.Call(fmt.Sprintf("c%d", i), "ask", map[string]any{"question": q}))
	}
	return host.Config{
		Model: scripted.NewTurns(scripted.CallTools(calls...), scripted.Say("done"), scripted.Say("more")),
		Tools: []host.Tool{tool.Raw(abi.ToolSpec{Name: "ask"}, func(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
			answer, err := rt.Interrupt("q", call.Args.Get("question"))
			if err != nil {
				return nil, err
			}
			return host.TextOutput("answer " + answer.JSON()), nil
		})},
		Middleware: []host.Middleware{&builtin.PatchToolCalls{}},
	}
}

func TestAQuestionBecomesAForm(t *testing.T) {
	t.Parallel()
	r := connect(t, asking("Which colour?", map[string]any{"deep": 1}), nil)
	session := r.begin(everything)
	var forms []protocol.ElicitationRequest
	r.on(protocol.CreateElicitation, func(params json.RawMessage) (any, error) {
		var p protocol.ElicitationRequest
		err := json.Unmarshal(params, &p)
		forms = append(forms, p)
		return json.RawMessage(`{"action":"accept","content":{"answer":"{\"a\": 1}"}}`), err
	})
	reason, err := r.say(session, "go")
	require.NoError(t, err)
	require.Equal(t, "end_turn", reason)
	require.Len(t, forms, 2)
	require.Equal(t, "Which colour?", forms[0].Message)
	require.Contains(t, forms[1].Message, "deep")
	ended := r.until(func(u map[string]any) bool { return u["status"] == "completed" })
	require.Equal(t, `answer {"a":1}`, ended["rawOutput"])
}

func TestAFormThatIsDeclinedGivesUpTheRun(t *testing.T) {
	t.Parallel()
	r := connect(t, asking("Which colour?"), nil)
	session := r.begin(everything)
	r.on(protocol.CreateElicitation, func(json.RawMessage) (any, error) { return json.RawMessage(`{"action":"decline"}`), nil })
	reason, err := r.say(session, "go")
	require.NoError(t, err)
	require.Equal(t, "cancelled", reason)
	reason, err = r.say(session, "next")
	require.NoError(t, err)
	require.Equal(t, "end_turn", reason)
	require.Equal(t, "done", r.said())
}

func TestWithoutFormsTheNextMessageAnswers(t *testing.T) {
	t.Parallel()
	r := connect(t, asking("Which colour?"), nil)
	session := r.begin("{}")
	reason, err := r.say(session, "go")
	require.NoError(t, err)
	require.Equal(t, "end_turn", reason)
	require.Equal(t, "Which colour?\n\n*Your next message is the answer.*", r.said())
	reason, err = r.say(session, "blue")
	require.NoError(t, err)
	require.Equal(t, "end_turn", reason)
	require.Equal(t, "done", r.said())
	ended := r.until(func(u map[string]any) bool { return u["status"] == "completed" })
	require.Equal(t, `answer "blue"`, ended["rawOutput"])
}

func TestSeveralQuestionsNeedForms(t *testing.T) {
	t.Parallel()
	r := connect(t, asking("One?", "Two?"), nil)
	session := r.begin("{}")
	_, err := r.say(session, "go")
	require.ErrorContains(t, err, "the editor has no forms")
	_, err = r.say(session, "next") // the run is not given up
	require.ErrorContains(t, err, "the editor has no forms")
}

func TestABreakpoint(t *testing.T) {
	t.Parallel()
	r := connect(t, host.Config{Model: scripted.NewTurns(scripted.Say("hi")), InterruptBefore: []string{"model"}}, nil)
	session := r.begin("{}")
	asked := r.choose("stop")
	reason, err := r.say(session, "go")
	require.NoError(t, err)
	require.Equal(t, "end_turn", reason)
	require.Empty(t, r.said())
	require.Equal(t, "The run stopped at a breakpoint before model", (*asked)[0].ToolCall.Title)
	r.choose("continue")
	_, err = r.say(session, "go")
	require.NoError(t, err)
	require.Equal(t, "hi", r.said())
}

// writer is an agent that writes a file.
func writer() host.Config {
	return host.Config{Model: scripted.NewTurns(
		scripted.CallTools(abi.Call("1", "editor_write_file", map[string]any{"path": "/work/a", "content": "x"})), scripted.Say("done"),
	)}
}

func TestWhatFailsNeverWrites(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]handler{
		"an error":        func(json.RawMessage) (any, error) { return nil, errors.New("no dialog") },
		"nothing":         func(json.RawMessage) (any, error) { return json.RawMessage(`{}`), nil },
		"another outcome": func(json.RawMessage) (any, error) { return json.RawMessage(`{"outcome":{"outcome":"allowed"}}`), nil },
		"another option": func(json.RawMessage) (any, error) {
			return json.RawMessage(`{"outcome":{"outcome":"selected","optionId":"allow"}}`), nil
		},
		"no JSON object": func(json.RawMessage) (any, error) { return json.RawMessage(`"approve"`), nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := connect(t, writer(), nil)
			session := r.begin(everything)
			r.on(protocol.RequestPermission, answer)
			r.on(protocol.WriteTextFile, func(json.RawMessage) (any, error) {
				t.Error("the file was written")
				return nil, nil
			})
			_, err := r.say(session, "go")
			require.ErrorContains(t, err, "the run waits for an answer")
		})
	}
}

func TestAFileThatTheEditorDoesNotWrite(t *testing.T) {
	t.Parallel()
	r := connect(t, writer(), nil)
	session := r.begin(everything)
	asked := r.choose("approve")
	r.on(protocol.WriteTextFile, func(json.RawMessage) (any, error) { return nil, errors.New("the disk is full") })
	_, err := r.say(session, "go")
	require.NoError(t, err)
	require.Len(t, *asked, 1)
	failed := r.until(func(u map[string]any) bool { return u["status"] == "failed" })
	require.Contains(t, failed["rawOutput"], "the disk is full")
}

func TestAMiddlewareThatDoesNotAskIsRefused(t *testing.T) {
	t.Parallel()
	r := connect(t, writer(), func(c *acp.Config) {
		c.Review = func([]string) host.Middleware { return &builtin.PatchToolCalls{} }
	})
	_, err := r.call(protocol.Initialize, `{"protocolVersion":1,"clientCapabilities":`+everything+`}`)
	require.ErrorContains(t, err, "does not ask about the tool")
	require.ErrorContains(t, <-r.over, "does not ask about the tool")
}

func TestAnAgentInsideAToolCannotWrite(t *testing.T) {
	t.Parallel()
	var inner *host.Agent
	r := connect(t, host.Config{Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "helper", map[string]any{"prompt": "go"})), scripted.Say("done"))},
		func(c *acp.Config) {
			build := c.Build
			c.Build = func(ctx context.Context, adjust func(*host.Config)) (*acp.Agent, error) {
				return build(ctx, func(config *host.Config) {
					adjust(config)
					helper := writer()
					helper.Name, helper.Tools = "helper", config.Tools // as an agent that passes its tools on
					var err error
					inner, err = host.New(helper)
					require.NoError(t, err)
					t.Cleanup(func() { require.NoError(t, inner.Close()) })
					asTool, err := tool.Agent("helper", "Helps.", inner)
					require.NoError(t, err)
					config.Tools = append(config.Tools, asTool)
				})
			}
		})
	session := r.begin(everything)
	_, err := r.say(session, "go")
	require.NoError(t, err)
	shown := r.until(func(u map[string]any) bool { return strings.HasPrefix(fmt.Sprint(u["title"]), "helper: ") })
	failed := r.until(func(u map[string]any) bool { return u["toolCallId"] == shown["toolCallId"] && u["status"] == "failed" })
	require.Contains(t, failed["rawOutput"], "only the agent that talks with the user")
}

func TestHostileRequests(t *testing.T) {
	t.Parallel()
	r := connect(t, writer(), nil)
	for _, early := range []string{protocol.SessionNew, protocol.SessionList, "nothing"} {
		_, err := r.call(early, `{}`)
		require.Error(t, err)
	}
	session := r.begin(everything)
	for _, test := range [][3]string{
		{protocol.Initialize, `{"protocolVersion":1}`, "initialized already"},
		{protocol.Authenticate, `{"methodId":"x"}`, "there is no login"},
		{protocol.SessionNew, `[]`, "must be an object"},
		{protocol.SessionNew, `{"cwd":7}`, "params: "},
		{protocol.SessionNew, `{"cwd":""}`, "not an absolute path"},
		{protocol.SessionNew, `{"cwd":"/a","additionalDirectories":["b"]}`, "not an absolute path"},
		{protocol.SessionNew, `{"cwd":"/a","mcpServers":[{"name":"x"}]}`, "mcpServers[0]: "},
		{protocol.SessionNew, `{"cwd":"/a","mcpServers":[{"type":"acp","name":"x"}]}`, "is not known"},
		{protocol.SessionLoad, `{"cwd":"/a","sessionId":"none"}`, "no such thread"},
		{protocol.SessionLoad, `{"cwd":"/a","sessionId":""}`, "the name of a thread"},
		{protocol.SessionFork, `{"cwd":"/a","sessionId":"none"}`, "no such thread"},
		{protocol.SessionList, `{"cursor":"x"}`, "cursor: "},
		{protocol.SessionPrompt, `{"sessionId":"` + session + `","prompt":[]}`, "it is empty"},
		{protocol.SessionPrompt, `{"sessionId":"` + session + `","prompt":[{"type":"film"}]}`, "there is no type"},
		{protocol.SessionPrompt, `{"sessionId":"` + session + `","prompt":[{"type":"image","data":"!"}]}`, "not in base64"},
		{protocol.SessionPrompt, `{"sessionId":"` + session + `","prompt":[{"type":"resource"}]}`, "the resource is missing"},
		{protocol.SessionSetMode, `{"sessionId":"` + session + `","modeId":"bypass"}`, `no choice "bypass"`},
		{protocol.SessionSetOption, `{"sessionId":"` + session + `","configId":"x","value":"y"}`, `no option "x"`},
		{protocol.SessionSetOption, `{"sessionId":"` + session + `","configId":"mode","value":true}`, "must be a text"},
		{protocol.SessionClose, `{"sessionId":"none"}`, "is not open"},
		{protocol.SessionCancel, `{"sessionId":"none"}`, "only session/cancel a notification"},
		{"fs/read_text_file", `{}`, "there is no method"},
	} {
		_, err := r.call(test[0], test[1])
		require.ErrorContains(t, err, test[2], test)
	}
	for range 100 {
		if _, err := r.call(protocol.SessionNew, `{"cwd":"/work"}`); err != nil {
			require.ErrorContains(t, err, "64 open sessions")
			return
		}
	}
	t.Fatal("sessions are not bounded")
}

func TestASessionHasOnePromptAtATime(t *testing.T) {
	t.Parallel()
	r := connect(t, writer(), nil)
	session := r.begin(everything)
	asks, goOn := make(chan struct{}), make(chan struct{})
	r.on(protocol.RequestPermission, func(json.RawMessage) (any, error) {
		close(asks)
		<-goOn
		return json.RawMessage(`{"outcome":{"outcome":"cancelled"}}`), nil
	})
	first := make(chan string, 1)
	go func() {
		reason, _ := r.say(session, "go")
		first <- reason
	}()
	<-asks
	_, err := r.call(protocol.SessionPrompt, `{"sessionId":"`+session+`","prompt":[{"type":"text","text":"x"}]}`)
	require.ErrorContains(t, err, "a prompt is in progress")
	_, err = r.call(protocol.SessionLoad, `{"sessionId":"`+session+`","cwd":"/work"}`)
	require.ErrorContains(t, err, "a prompt is in progress")
	r.must(protocol.SessionClose, `{"sessionId":"`+session+`"}`)
	require.Equal(t, "cancelled", <-first)
	close(goOn)
}

func TestTheServerStops(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(*rig){
		"by a signal":            func(r *rig) { r.stop() },
		"when the client leaves": func(r *rig) { require.NoError(r.t, r.end()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := memory.New()
			config := writer()
			config.Checkpointer = store
			r := connect(t, config, nil)
			session := r.begin(everything)
			asks := make(chan struct{})
			r.on(protocol.RequestPermission, func(json.RawMessage) (any, error) {
				close(asks)
				<-t.Context().Done()
				return nil, nil
			})
			reason := make(chan string, 1)
			go func() {
				said, _ := r.say(session, "go")
				reason <- said
			}()
			<-asks
			stop(r)
			err := <-r.over
			if name == "by a signal" {
				require.ErrorIs(t, err, context.Canceled)
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, "cancelled", <-reason)
			held, err := store.Load(t.Context(), session, 0)
			require.NoError(t, err)
			require.Len(t, held.Record.Checkpoint.Waiting(), 1, "the run still waits")
		})
	}
}

func TestRunsAreCutOffWhenTheyDoNotStop(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	r := connect(t, host.Config{
		Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "hang", nil)), scripted.Say("done")),
		Tools: []host.Tool{tool.Raw(abi.ToolSpec{Name: "hang"}, func(ctx context.Context, _ *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
			close(started)
			<-ctx.Done()
			return nil, ctx.Err()
		})},
	}, func(c *acp.Config) { c.Grace = 1 })
	session := r.begin("{}")
	go func() { _, _ = r.say(session, "go") }()
	<-started
	r.stop()
	require.ErrorIs(t, <-r.over, context.Canceled)
}

func TestARequestIsCancelled(t *testing.T) {
	t.Parallel()
	r := connect(t, writer(), nil)
	session := r.begin(everything)
	ctx, cancel := context.WithCancel(t.Context())
	r.on(protocol.RequestPermission, func(json.RawMessage) (any, error) {
		cancel() // the client sends $/cancel_request
		<-t.Context().Done()
		return nil, nil
	})
	params := json.RawMessage(`{"sessionId":"` + session + `","prompt":[{"type":"text","text":"go"}]}`)
	require.ErrorIs(t, r.conn.Call(ctx, protocol.SessionPrompt, params, nil), context.Canceled)
	for {
		reason, err := r.say(session, "next") // the call was given up
		if err == nil {
			require.Equal(t, "end_turn", reason)
			break
		}
		require.ErrorContains(t, err, "a prompt is in progress", "the cancelled one is about to end")
	}
	require.Equal(t, "done", r.said())
}

func TestTheStepsOfARunAreBounded(t *testing.T) {
	t.Parallel()
	r := connect(t, host.Config{
		Model: &scripted.Echo{Calls: [][]abi.ToolCall{{abi.Call("1", "step", nil)}}}, RecursionLimit: 5,
		Tools: []host.Tool{tool.Raw(abi.ToolSpec{Name: "step"}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
			return host.TextOutput("on"), nil
		})},
	}, nil)
	session := r.begin("{}")
	reason, err := r.say(session, "go")
	require.NoError(t, err)
	require.Equal(t, "max_turn_requests", reason)
	require.Contains(t, r.said(), "5")
}

func TestListsHavePages(t *testing.T) {
	t.Parallel()
	store := memory.New()
	config := host.Config{Model: &scripted.Echo{}, Checkpointer: store}
	r := connect(t, config, nil)
	r.must(protocol.Initialize, `{"protocolVersion":1}`)
	agent, err := host.New(config)
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	for i := range 45 {
		_, err := agent.Run(t.Context(), host.Input{Thread: fmt.Sprintf("t%d", i), Messages: []abi.Message{abi.Human("hi")}})
		require.NoError(t, err)
	}
	seen := map[string]bool{}
	cursor := ""
	for pages := 1; ; pages++ {
		page := r.must(protocol.SessionList, `{"cursor":"`+cursor+`"}`)
		sessions, _ := page["sessions"].([]any)
		for _, s := range sessions {
			info, _ := s.(map[string]any)
			require.Equal(t, "/work", info["cwd"])
			require.Equal(t, "hi", info["title"])
			seen[fmt.Sprint(info["sessionId"])] = true
		}
		next, more := page["nextCursor"].(string)
		if !more {
			require.Equal(t, 2, pages)
			break
		}
		cursor = next
	}
	require.Len(t, seen, 45)
}
