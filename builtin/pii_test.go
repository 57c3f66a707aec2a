package builtin_test

import (
	"context"
	"iter"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

func TestPIIIsDecoded(t *testing.T) {
	t.Parallel()
	entry, ok := builtin.Lookup("pii")
	require.True(t, ok)
	decoded := entry.New()
	require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(`{pii_type: key, strategy: mask, detector: 'sk-\d+', apply_to_input: false,
		apply_to_output: true, apply_to_tool_results: true, apply_to_tool_calls: true}`), decoded))
	require.Equal(t, &builtin.PII{
		PIIType: "key", Strategy: "mask", Detector: `sk-\d+`, ApplyToInput: new(false), ApplyToOutput: true, ApplyToToolResults: true,
		ApplyToToolCalls: true,
	}, decoded)
	require.Equal(t, "pii[key]", decoded.Name())
}

func TestPIIConfigErrors(t *testing.T) {
	t.Parallel()
	for want, config := range map[string]builtin.PII{
		"pii_type is missing":                               {},
		"Unknown PII type: passport. Must be one":           {PIIType: "passport"},
		"Unknown redaction strategy: drop":                  {PIIType: "email", Strategy: "drop"},
		"not a regular expression of Go's":                  {PIIType: "x", Detector: "("},
		"both Detector and Detect are set; use one of them": {PIIType: "x", Detector: "a", Detect: func(string) []builtin.PIIMatch { return nil }},
	} {
		_, err := host.New(host.Config{Model: &scripted.Echo{}, Middleware: []host.Middleware{config}})
		require.ErrorContains(t, err, want)
	}
}

// conversation runs an agent with a script once.
func conversation(t *testing.T, middleware []host.Middleware, in []abi.Message, turns ...scripted.Turn) (*host.Result, error) {
	t.Helper()
	agent, err := host.New(host.Config{Model: &scripted.Turns{Script: turns, AfterEnd: scripted.EndEmpty}, Middleware: middleware})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent.Run(t.Context(), host.Input{Messages: in})
}

func TestPIIKeepsTheRestOfAMessage(t *testing.T) {
	t.Parallel()
	image := abi.ImageBlock("image/png", []byte("ann@example.com"))
	cited := abi.BlockOf(wire.Map{
		{Key: "citations", Value: wire.Bool(true)}, {Key: "text", Value: wire.String("to ann@example.com")}, {Key: "type", Value: wire.String("text")},
	})
	meta := wire.Map{{Key: "from", Value: wire.String("ann@example.com")}}
	in := abi.Message{Role: abi.RoleHuman, ID: "h", Name: "ann", Meta: meta, Content: abi.Blocks(abi.TextBlock("I am ann@example.com"), image, cited)}
	answer := abi.Message{
		Role: abi.RoleAI, ID: "a", Meta: meta, Usage: &abi.Usage{InputTokens: 1, OutputTokens: 2, TotalTokens: 3},
		Content: abi.Blocks(abi.ReasoningBlock("she is ann@example.com", "signed"), abi.ReasoningBlock("hm", "signed"), abi.TextBlock("bob@example.com"),
			abi.RefusalBlock("nothing to bob@example.com", "spam")),
	}
	result, err := conversation(t, []host.Middleware{builtin.PII{PIIType: "email", ApplyToOutput: true}},
		[]abi.Message{abi.Human("first ann@example.com"), in}, scripted.Turn{Message: answer})
	require.NoError(t, err)
	require.Equal(t, 3, result.Messages.Len())
	require.Equal(t, "first ann@example.com", result.Messages.At(0).Content.Text(), "only the last one is looked at")
	in.Content = abi.Blocks(abi.TextBlock("I am [REDACTED_EMAIL]"), image, abi.BlockOf(cited.Fields().With(wire.Map{
		{Key: "text", Value: wire.String("to [REDACTED_EMAIL]")},
	})))
	require.Equal(t, in, result.Messages.At(1))
	answer.Content = abi.Blocks(abi.ReasoningBlock("she is [REDACTED_EMAIL]", ""), abi.ReasoningBlock("hm", "signed"), abi.TextBlock("[REDACTED_EMAIL]"),
		abi.RefusalBlock("nothing to [REDACTED_EMAIL]", "spam"))
	require.Equal(t, answer, result.Messages.At(2))
}

// The history is not written where nothing is found, and only what changed is.
func TestPIIWritesOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	b := setup(t, builtin.PII{PIIType: "email", ApplyToOutput: true, ApplyToToolResults: true, ApplyToToolCalls: true})
	b.model.Script = []scripted.Turn{scripted.CallTools(abi.Call("1", "work", nil)), scripted.Say("mail bob@example.com")}
	written := map[string]int{}
	_, err := b.agent.RunEvents(t.Context(), host.Input{Messages: []abi.Message{abi.Human("no"), abi.Human("ann@example.com")}}, func(e host.Event) error {
		if e.Type == host.EventHook && e.Update != nil {
			written[e.Step] += len(e.Update.Messages)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"pii[email].before_model": 1, "pii[email].after_model": 1}, written)
}

// piiAgent is an agent with the tools "echo", which answers with its arguments, and "ask", which waits for an answer.
func piiAgent(t *testing.T, middleware []host.Middleware, turns ...scripted.Turn) *host.Agent {
	t.Helper()
	echo := tool.Raw(abi.ToolSpec{Name: "echo"}, func(_ context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput(call.Args.JSON() + " by ann@example.com"), nil
	})
	ask := tool.Raw(abi.ToolSpec{Name: "ask"}, func(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		answer, err := rt.Interrupt("question", call.Args)
		if err != nil {
			return nil, err
		}
		text, _ := answer.AsString()
		return host.TextOutput(text), nil
	})
	agent, err := host.New(host.Config{
		Model: &scripted.Turns{Script: turns, AfterEnd: scripted.EndEmpty}, Middleware: middleware, Tools: []host.Tool{echo, ask},
		Checkpointer: memory.New(), ToolCalls: host.ToolCallConfig{Parallel: 4},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent
}

func TestPIIInToolCalls(t *testing.T) {
	t.Parallel()
	to := []any{"ann@example.com", map[string]any{"cc@example.com": "x bob@example.com", "n": 1}}
	nested := map[string]any{"to": to, "body": strings.Repeat("y", 100), "z": nil}
	message := abi.AI("", abi.Call("1", "echo", map[string]any{"q": "nobody"}), abi.Call("2", "echo", nested))
	message.InvalidToolCalls = []abi.InvalidToolCall{{ID: "3", Name: "echo", Args: `{"to": "ann@example.com`, Error: "cut"}}
	agent := piiAgent(t, []host.Middleware{builtin.PII{PIIType: "email", ApplyToToolCalls: true, ApplyToToolResults: true}},
		scripted.Turn{Message: message}, scripted.Say("ok ann@example.com"))
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	redacted := `{"body":"` + strings.Repeat("y", 100) + `","to":["[REDACTED_EMAIL]",{"cc@example.com":"x [REDACTED_EMAIL]","n":1}],"z":null}`
	ai := result.Messages.At(1)
	require.Equal(t, `{"q":"nobody"}`, ai.ToolCalls[0].Args.JSON())
	require.Equal(t, redacted, ai.ToolCalls[1].Args.JSON())
	require.Equal(t, `{"to": "[REDACTED_EMAIL]`, ai.InvalidToolCalls[0].Args)
	var results []string
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool && m.ToolCallID != "3" {
			results = append(results, m.Content.Text())
		}
	}
	keyRedacted := strings.ReplaceAll(redacted, "cc@example.com", "[REDACTED_EMAIL]") // the answer is a text: keys are none
	require.Equal(t, []string{`{"q":"nobody"} by [REDACTED_EMAIL]`, keyRedacted + " by [REDACTED_EMAIL]"}, results)
	last, _ := result.Messages.Last()
	require.Equal(t, "ok ann@example.com", last.Content.Text(), "answers are not looked at")
}

func TestPIIBlocks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config builtin.PII
		turn   scripted.Turn
		human  string
		step   string
		kept   int // messages in the thread
	}{
		"input": {builtin.PII{}, scripted.Say("hi"), "ann@example.com", "before_model", 1},
		"output": {
			builtin.PII{ApplyToOutput: true}, scripted.Say("ann@example.com"), "hi", "after_model", 2,
		},
		"tool results": {builtin.PII{ApplyToToolResults: true}, scripted.CallTools(abi.Call("1", "echo", nil)), "hi", "before_model", 3},
		"tool calls": {
			builtin.PII{ApplyToToolCalls: true}, scripted.CallTools(abi.Call("1", "echo", map[string]any{"a": []any{"ann@example.com"}})), "hi", "after_model", 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.config.PIIType, test.config.Strategy = "email", "block"
			agent := piiAgent(t, []host.Middleware{test.config}, test.turn)
			result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human(test.human)}})
			var blocked *builtin.PIIError
			require.ErrorAs(t, err, &blocked)
			require.Equal(t, "email", blocked.Kind)
			require.ErrorContains(t, err, "Detected 1 instance(s) of email in text content")
			require.Equal(t, "pii_detected", host.ErrorDocument(err).Type)
			var hook *host.HookError
			require.ErrorAs(t, err, &hook)
			require.Equal(t, "pii[email]."+test.step, hook.Step)
			require.Equal(t, test.kept, result.Messages.Len())
			require.NotContains(t, err.Error(), "ann@")
		})
	}
}

// Two kinds and a limiter in one agent: tools that run at once, one of which waits for an answer.
func TestPIIWithOthersOverAnInterrupt(t *testing.T) {
	t.Parallel()
	middleware := []host.Middleware{
		builtin.ToolCallLimit{RunLimit: new(3)},
		builtin.PII{PIIType: "email", ApplyToOutput: true, ApplyToToolResults: true, ApplyToToolCalls: true},
		builtin.PII{PIIType: "ip", Strategy: "mask", ApplyToOutput: true, ApplyToToolResults: true, ApplyToToolCalls: true},
	}
	agent := piiAgent(t, middleware, scripted.CallTools(
		abi.Call("1", "echo", map[string]any{"q": "10.0.0.1"}), abi.Call("2", "ask", map[string]any{"q": "is ann@example.com at 10.0.0.2?"}),
		abi.Call("3", "echo", nil), abi.Call("4", "echo", nil),
	), scripted.Say("write to bob@example.com at 10.0.0.9"))
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("I am ann@example.com at 10.0.0.3")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.JSONEq(t, `{"q":"is [REDACTED_EMAIL] at *.*.*.2?"}`, result.Interrupts[0].Value.JSON())

	result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: "yes, says eve@example.com"}}})
	require.NoError(t, err)
	require.Equal(t, []string{
		"human I am [REDACTED_EMAIL] at *.*.*.3",
		"ai echo:1 ask:2 echo:3 echo:4",
		"tool 4! Tool call limit exceeded. Do not make additional tool calls.",
		`tool 1 {"q":"*.*.*.1"} by [REDACTED_EMAIL]`,
		"tool 2 yes, says [REDACTED_EMAIL]",
		"tool 3 {} by [REDACTED_EMAIL]",
		"ai write to [REDACTED_EMAIL] at *.*.*.9",
	}, lines(result.Messages))
}

func TestPIISaysWhereItShouldStand(t *testing.T) {
	t.Parallel()
	kinds := func(p builtin.PII) (inside []string) {
		hooks, err := p.Hooks(t.Context(), host.Env{})
		require.NoError(t, err)
		for _, order := range hooks.Order {
			inside = append(inside, order.Inside)
		}
		return inside
	}
	require.Empty(t, kinds(builtin.PII{PIIType: "email"}))
	require.Equal(t, []string{"tool_call_limit"}, kinds(builtin.PII{PIIType: "email", ApplyToOutput: true}))
	require.Equal(t, []string{"tool_call_limit", "human_in_the_loop"}, kinds(builtin.PII{PIIType: "email", ApplyToToolCalls: true}))
}

// An argument that changes after its review is reviewed again, so that the redactor stands inside.
func TestPIIInsideOfAReview(t *testing.T) {
	t.Parallel()
	d := newDesk([]host.Middleware{
		builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"mail": builtin.AnyDecision()}},
		builtin.PII{PIIType: "email", ApplyToToolCalls: true},
	}, abi.Call("1", "mail", map[string]any{"to": "ann@example.com"}))
	_, err := d.run(t, host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Len(t, d.asked, 1)
	require.NotContains(t, d.asked[0].Value.JSON(), "ann@")
	_, err = d.run(t, host.Input{Resume: []host.Answer{{Value: builtin.Decisions{Decisions: []builtin.Decision{{Type: builtin.Approve}}}}}})
	require.NoError(t, err)
	require.Empty(t, d.asked)
	require.Equal(t, []string{`mail {"to":"[REDACTED_EMAIL]"}`}, d.ran)
}

func TestPIIWithADetectorOfItsOwn(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`Ann|Bob`)
	result, err := conversation(t, []host.Middleware{builtin.PII{PIIType: "name", Detect: func(text string) (out []builtin.PIIMatch) {
		for _, at := range name.FindAllStringIndex(text, -1) {
			out = append(out, builtin.PIIMatch{Start: at[0], End: at[1]})
		}
		return out
	}}}, []abi.Message{abi.Human("Ann and Bob")}, scripted.Say("hi"))
	require.NoError(t, err)
	require.Equal(t, "[REDACTED_NAME] and [REDACTED_NAME]", result.Messages.At(0).Content.Text())
}

// pieces is a model that says and thinks pieces.
type pieces []model.Chunk

func (pieces) Info() model.Info { return model.Info{Name: "pieces"} }

func (p pieces) Generate(context.Context, *model.Request) (*model.Response, error) {
	var text, reasoning strings.Builder
	for i := range p {
		text.WriteString(p[i].Text)
		reasoning.WriteString(p[i].Reasoning)
	}
	answer := abi.Message{Content: abi.Blocks(abi.ReasoningBlock(reasoning.String(), "signed"), abi.TextBlock(text.String()))}
	return model.Reply(answer), nil
}

func (p pieces) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for i := range p {
			if !yield(p[i], nil) {
				return
			}
		}
		resp, err := p.Generate(ctx, req)
		yield(model.Chunk{Response: resp}, err)
	}
}

// The tokens that are shown are, joined, the answer in the history, however it came.
func TestPIIShowsTheTokensOfTheRedactedAnswer(t *testing.T) {
	t.Parallel()
	parts := []string{"ann@", "example", ".com", " ", ", ", "10.0", ".0.1", "4111 1111 ", "1111 1111", "联", "see ", "https://a.b", "/c", "\n", "sk-1", "2"}
	rapid.Check(t, func(t *rapid.T) {
		var middleware []host.Middleware
		for _, config := range []builtin.PII{
			{PIIType: "email"}, {PIIType: "ip", Strategy: "mask"}, {PIIType: "credit_card", Strategy: "hash"}, {PIIType: "key", Detector: "sk-[0-9]+"}, {PIIType: "url"},
		} {
			if rapid.Bool().Draw(t, config.PIIType) {
				config.ApplyToOutput = true
				middleware = append(middleware, config)
			}
		}
		chunks := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) model.Chunk {
			text := rapid.SampledFrom(parts).Draw(t, "part")
			if rapid.Bool().Draw(t, "reasoning") {
				return model.Chunk{Reasoning: text}
			}
			return model.Chunk{Text: text}
		}), 1, 20).Draw(t, "chunks")
		agent, err := host.New(host.Config{Model: pieces(chunks), Middleware: middleware})
		require.NoError(t, err)
		var text, reasoning strings.Builder
		result, err := agent.RunEvents(t.Context(), host.Input{}, func(e host.Event) error {
			if e.Type == host.EventToken {
				text.WriteString(e.Text)
				reasoning.WriteString(e.Reasoning)
			}
			return nil
		})
		require.NoError(t, err)
		answer, _ := result.Messages.Last()
		require.Equal(t, answer.Content.Text(), text.String())
		require.Equal(t, answer.Content.Blocks()[0].Text(), reasoning.String())
		require.NoError(t, agent.Close())
	})
}

func TestPIIShowsNothingOfABlockedAnswer(t *testing.T) {
	t.Parallel()
	agent, err := host.New(host.Config{
		Model:      pieces{{Reasoning: "hm"}, {Text: "Well, "}, {Text: "write to ann@exam"}, {Text: "ple.com"}},
		Middleware: []host.Middleware{builtin.PII{PIIType: "email", Strategy: "block", ApplyToOutput: true}},
	})
	require.NoError(t, err)
	var shown strings.Builder
	_, err = agent.RunEvents(t.Context(), host.Input{}, func(e host.Event) error {
		shown.WriteString(e.Text)
		return nil
	})
	require.ErrorContains(t, err, "Detected 1 instance(s) of email")
	require.Empty(t, shown.String())
	require.NoError(t, agent.Close())
}
