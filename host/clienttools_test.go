package host_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// object is a JSON Schema of an object with one property of type text, which it requires.
func object(t *testing.T, property string) wire.Raw {
	t.Helper()
	raw, err := wire.FromJSON(fmt.Appendf(nil, `{"type":"object","properties":{%q:{"type":"string"}},"required":[%q]}`, property, property), wire.Limits{})
	require.NoError(t, err)
	return raw
}

// locating is an input with the client tool locate, whose argument is a city.
func locating(t *testing.T) host.Input {
	t.Helper()
	in := say("where?")
	in.ClientTools = []host.ClientTool{{Name: "locate", Description: "Locates a city.", Parameters: object(t, "city")}}
	return in
}

func locates(id, city string) abi.ToolCall {
	return abi.Call(id, "locate", map[string]any{"city": city})
}

// offering notes the names of the tools that the model is offered.
func (b *bundle) offering() *bundle {
	return b.use(host.WrapModelCall("offers", func(
		ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		names := make([]string, 0, len(req.Tools))
		for _, spec := range req.Tools {
			names = append(names, spec.Name)
		}
		require.Len(b.t, rt.Tools(), len(names))
		b.notef("offers %v", names)
		resp, err := next(ctx, req)
		return resp, nil, err
	}))
}

// awaiting runs an agent until it waits for the results of client tools, and returns their calls.
func awaiting(t *testing.T, agent *host.Agent, in host.Input) (result *host.Result, calls []host.ClientCall) {
	t.Helper()
	result, err := agent.Run(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	for i := range result.Interrupts {
		call, ok := result.Interrupts[i].ClientCall()
		require.True(t, ok)
		calls = append(calls, call)
	}
	return result, calls
}

func resultOf(t *testing.T, r host.ClientResult) wire.Raw {
	t.Helper()
	value, err := r.Answer()
	require.NoError(t, err)
	return value
}

func TestTheClientPerformsItsTools(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} {
		t.Run(fmt.Sprintf("an agent with tools of its own: %t", own), func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.CallTools(locates("1", "Rome")), scripted.Say("in Italy"), scripted.Say("no tools")).keeps().offering()
			names := "[locate]"
			if own {
				b.answering("search", "found")
				names = "[search locate]"
			}
			agent := b.build()
			stopped, calls := awaiting(t, agent, locating(t))
			require.Equal(t, []host.ClientCall{{ID: "1", Name: "locate", Args: locates("1", "Rome").Args}}, calls)
			require.Equal(t, host.ToolsStep, stopped.Next)

			answer := resultOf(t, host.ClientResult{ID: "from-the-client", Content: abi.Text("41.9 N")})
			done := completed(t, agent, resume(host.Answer{Value: answer}))
			require.Equal(t, []string{"human: where?", "ai: ", "tool 1: 41.9 N", "ai: in Italy"}, lines(done.Messages))
			require.Equal(t, "from-the-client", done.Messages.At(2).ID)
			require.Equal(t, "locate", done.Messages.At(2).Name)
			require.Equal(t, stopped.RunID, done.RunID)

			completed(t, agent, say("again"))
			without := "[]"
			if own {
				without = "[search]"
			}
			require.Equal(t, []string{"offers " + names, "offers " + names, "offers " + without}, b.log, "a run that goes on keeps the tools")
		})
	}
}

func TestAnotherProcessGoesOnWithTheToolsOfTheClient(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(locates("1", "Rome"))).keeps().offering()
	awaiting(t, b.build(), locating(t))
	b.log, b.Model = nil, scripted.NewTurns(scripted.CallTools(locates("2", "Bern")), scripted.Say("done"))
	agent := b.build()
	held, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	_, ok := held.Interrupts[0].ClientCall()
	require.True(t, ok)
	_, calls := awaiting(t, agent, resume(host.Answer{Value: "41.9 N"}))
	require.Equal(t, "2", calls[0].ID)

	in := resume(host.Answer{Value: map[string]any{"lat": 46.9}})
	in.ClientTools = []host.ClientTool{locating(t).ClientTools[0], {Name: "paint"}}
	done := completed(t, agent, in)
	require.Equal(t, []string{
		"human: where?", "ai: ", "tool 1: 41.9 N", "ai: ", `tool 2: {"lat":46.9}`, "ai: done",
	}, lines(done.Messages), "any value is a result")
	require.Equal(t, []string{"offers [locate]", "offers [locate paint]"}, b.log, "a client may declare others")

	programs := 0
	for record, err := range agent.History(t.Context(), "t") {
		require.NoError(t, err)
		if record.Program != nil {
			programs++
		}
	}
	require.Equal(t, 2, programs, "a thread keeps the tools once")
}

func TestCallsOfClientToolsWaitWhileOthersAreDone(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(locates("1", "Rome"), call("2", "search"), locates("3", "Bern")), scripted.Say("done")).keeps()
	agent := b.answering("search", "found").build()
	stopped, calls := awaiting(t, agent, locating(t))
	require.Equal(t, []string{"search"}, b.log)
	require.Equal(t, []string{"1", "3"}, []string{calls[0].ID, calls[1].ID})

	same := host.ClientResult{ID: "m", Content: abi.Text("no such place"), Failed: true}
	stopped, calls = awaiting(t, agent, resume(host.Answer{Interrupt: stopped.Interrupts[1].ID, Value: resultOf(t, same)}))
	require.Equal(t, "1", calls[0].ID)
	same.Failed = false
	done := completed(t, agent, resume(host.Answer{Interrupt: stopped.Interrupts[0].ID, Value: resultOf(t, same)}))
	require.Equal(t, []string{
		"human: where?", "ai: ", "tool 1: no such place", "tool 2: found", "failed 3: no such place", "ai: done",
	}, lines(done.Messages))
	require.Equal(t, "m", done.Messages.At(4).ID)
	distinct(t, done)
	require.Equal(t, []string{"search"}, b.log, "it is not performed again")
}

func TestAResultDoesNotReplaceAMessage(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(locates("1", "Rome")), scripted.Say("done")).keeps()
	agent := b.build()
	stopped, _ := awaiting(t, agent, locating(t))
	answer := resultOf(t, host.ClientResult{ID: stopped.Messages.At(0).ID, Content: abi.Text("here")})
	done := completed(t, agent, resume(host.Answer{Value: answer}))
	require.Equal(t, []string{"human: where?", "ai: ", "tool 1: here", "ai: done"}, lines(done.Messages))
	distinct(t, done)
}

func TestMiddlewareSeesCallsOfClientTools(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(locates("1", "rome")), scripted.Say("done")).keeps()
	b.use(host.WrapToolCall("around", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		require.True(t, req.Known())
		m, err := next(ctx, req.WithArgs(locates("1", "Rome").Args))
		if m != nil {
			m.Content = abi.Text("[" + m.Content.Text() + "]")
		}
		return m, nil, err
	}))
	agent := b.build()
	_, calls := awaiting(t, agent, locating(t))
	require.Equal(t, locates("1", "Rome").Args, calls[0].Args)
	done := completed(t, agent, resume(host.Answer{Value: "41.9 N"}))
	require.Equal(t, "[41.9 N]", lines(done.Messages)[2][len("tool 1: "):])
}

func TestArgumentsThatDoNotFitDoNotReachTheClient(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("locate"), scripted.CallTools(locates("2", "Rome"))).keeps()
	stopped, calls := awaiting(t, b.build(), locating(t))
	require.Equal(t, "2", calls[0].ID)
	require.Contains(t, lines(stopped.Messages)[2], "failed 1: Error invoking tool 'locate'")
}

func TestANewMessageGivesUpCallsOfClientTools(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(locates("1", "Rome"), locates("2", "Bern")), scripted.Say("never mind")).keeps()
	agent := b.build()
	awaiting(t, agent, locating(t))
	in := say("stop")
	in.Messages = []abi.Message{abi.ToolResult(locates("2", "Bern"), "46.9 N"), abi.Human("stop")}
	done := completed(t, agent, in)
	require.Equal(t, []string{
		"human: where?", "ai: ", "failed 1: The client did not perform this tool call.", "tool 2: 46.9 N", "human: stop", "ai: never mind",
	}, lines(done.Messages), "each call has an answer")
}

func TestClientToolsWithAStructuredAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(locates("1", "Rome")), scripted.CallTools(reports("2", "Italy"))).keeps()
	b.ResponseFormat = host.Respond[report]()
	agent := b.build()
	awaiting(t, agent, locating(t))
	done := completed(t, agent, resume(host.Answer{Value: "41.9 N"}))
	require.JSONEq(t, `{"title":"Italy"}`, done.Structured.JSON())
}

func TestBreakpointsAtCallsOfClientTools(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(locates("1", "Rome"))).keeps()
	agent := b.use(host.AfterAgent("last", constant(nil, nil))).build()
	in := locating(t)
	in.InterruptBefore = []string{host.ToolsStep}
	stopped, calls := awaiting(t, agent, in)
	require.Equal(t, host.ToolsStep, stopped.Next)
	require.Empty(t, calls, "it stopped before them")
	_, calls = awaiting(t, agent, goOn())
	require.Len(t, calls, 1)
}

func TestClientToolsThatAreRefused(t *testing.T) {
	t.Parallel()
	deep := wire.Int(1)
	for range wire.MaxValueDepth + 1 {
		deep = wire.Map{{Key: "a", Value: deep}}.Raw()
	}
	many := make([]host.ClientTool, host.MaxClientTools+1)
	b := setup(t, scripted.Say("never")).keeps().answering("search", "found")
	b.ResponseFormat = host.Respond[report]()
	agent := b.build()
	for _, test := range []struct {
		tools []host.ClientTool
		want  string
	}{
		{[]host.ClientTool{{Name: "search"}}, `client tool "search": the agent has a tool of this name; rename the client's`},
		{[]host.ClientTool{{Name: "report"}}, `client tool "report": the agent has a tool of this name; rename the client's`},
		{[]host.ClientTool{{Name: "a"}, {Name: "a"}}, `client tool "a": another client tool has this name; rename one of them`},
		{[]host.ClientTool{{}}, `client tool "": the name must have 1 to 64 letters, digits and characters of "_-"`},
		{[]host.ClientTool{{Name: "a b"}}, `client tool "a b": the name must have 1 to 64 letters, digits and characters of "_-"`},
		{[]host.ClientTool{{Name: "a", Description: "\xff"}}, `client tool "a": the description is not UTF-8`},
		{[]host.ClientTool{{Name: "a", Parameters: wire.String("x")}}, `client tool "a": the parameters must be a JSON Schema of type object`},
		{[]host.ClientTool{{Name: "a", Parameters: deep}}, `client tool "a": the parameters are refused: it nests more than `},
		{
			[]host.ClientTool{{Name: "a", Parameters: wire.Map{{Key: "type", Value: wire.Int(1)}}.Raw()}},
			`client tool "a": parameters: `,
		},
		{
			[]host.ClientTool{{Name: "a", Description: strings.Repeat("x", host.MaxClientToolBytes)}},
			`client tool "a": the client tools up to this one take more than 262144 bytes; declare fewer or shorter ones`,
		},
		{many, `agent: the input has 129 client tools; at most 128 are allowed`},
	} {
		in := say("hi")
		in.ClientTools = test.tools
		_, err := agent.Run(t.Context(), in)
		require.ErrorContains(t, err, test.want)
		require.ErrorAs(t, err, new(*host.ConfigError))
		require.Equal(t, err, agent.CheckClientTools(test.tools))
	}
	require.NoError(t, agent.CheckClientTools(locating(t).ClientTools))
	_, err := agent.State(t.Context(), "t", 0)
	require.ErrorIs(t, err, checkpoint.ErrNoThread, "nothing has begun")
}

func TestAResultThatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.CallTools(locates("1", "Rome")), scripted.Say("done")).keeps()
	agent := b.build()
	awaiting(t, agent, locating(t))
	_, err := agent.Run(t.Context(), resume(host.Answer{Value: map[string]any{"type": "tool", "content": 7}}))
	require.ErrorContains(t, err, "the content of the tool message")
	completed(t, agent, resume(host.Answer{Value: "41.9 N"}))
}

func TestOnlyTheModelCallsClientTools(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done")).keeps()
	b.MayHaveTool = func(string) bool { return true }
	b.use(&middleware{name: "calls", hooks: host.Hooks{Calls: []string{"locate"}, BeforeModel: host.NodeHook{
		Func: func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
			_, err := rt.CallTool(ctx, "locate", locates("", "Rome").Args)
			b.notef("%v", err)
			return nil, nil
		},
	}}})
	completed(t, b.build(), locating(t))
	require.Len(t, b.log, 1)
	require.Contains(t, b.log[0], "it is a tool of the client, which only the model can call")
}

func TestOtherInterruptsAreNoClientCalls(t *testing.T) {
	t.Parallel()
	for _, i := range []host.Interrupt{
		{},
		{Step: "tools", Key: "client_tool", CallID: "1"},
		{Step: "tools", Key: "client_tool", CallID: "1", Value: wire.Map(nil).Raw()},
		{Step: "x.before_model", Key: "client_tool", Value: wire.Map{{Key: "name", Value: wire.String("a")}}.Raw()},
	} {
		_, ok := i.ClientCall()
		require.False(t, ok)
	}
}
