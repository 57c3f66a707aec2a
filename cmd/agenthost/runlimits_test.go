package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestTheModelAndTheStepsOfARun(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	require.Equal(t, exitLimit, b.run("run", "-q", "--thread", "ada", "--max-steps", "2", "hi"))
	require.Contains(t, b.err.String(), "recursion limit of 2 reached")
	require.Contains(t, b.err.String(), " --set recursion_limit=2\n", "who goes on does so with the limit")
	require.Equal(t, exitOK, b.run("run", "--max-steps", "20", "hi"), &b.err)
	require.Equal(t, exitUsage, b.run("run", "--model", "acme:one", "hi"))
	require.Contains(t, b.err.String(), `agenthost: --model acme:one: model: the provider "acme" is unknown`)
}

// --model replaces the model of the manifest, and --set changes the keys of the new one, in any order.
func TestTheModelOfARunAndItsKeys(t *testing.T) {
	t.Parallel()
	for name, manifest := range map[string]string{
		"a scripted model": say, "another address": "apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, base_url: 'http://none.invalid', top_p: 1}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Pointer[string]
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				said := r.URL.Path + " " + string(body)
				asked.Store(&said)
				_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`)
			}))
			defer server.Close()
			b := setup(t, manifest)
			base := "model.base_url=" + server.URL + "/v2"
			for _, args := range [][]string{
				{"--model", `openai:qwen"3: x`, "--set", base, "--set", "model.temperature=0.5"},
				{"--set", base, "--set", "model.temperature=0.5", "--model", `openai:qwen"3: x`},
			} {
				require.Equal(t, exitOK, b.run(slices.Concat([]string{"run"}, args, []string{"hi"})...), &b.err)
				require.Equal(t, "hi\n", b.out.String())
				require.Contains(t, *asked.Load(), `/v2/chat/completions {`)
				require.Contains(t, *asked.Load(), `"model":"qwen\"3: x"`)
				require.Contains(t, *asked.Load(), `"temperature":0.5`)
				require.NotContains(t, *asked.Load(), "top_p", "that was of the model that is replaced")
				require.Equal(t, exitOK, b.says("hi\n", append([]string{"-q"}, args...)...), &b.err)
				require.Equal(t, "hi\n", b.out.String())
			}
		})
	}
}

func TestFlagsThatContradictASet(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--model", "openai:x", "--set", "model=openai:y"}, "--model and --set model: each of them chooses the model; give only one"},
		{[]string{"--set", "model.name=y", "--model", "openai:x"}, "--model and --set model.name: each of them chooses the model; give only one"},
		{[]string{"--set", `["model"].provider=y`, "--model", "openai:x"}, "--model and --set model.provider: each of them chooses"},
		{[]string{"--max-steps", "3", "--set", "recursion_limit=4"}, "--max-steps and --set recursion_limit: each of them limits the steps"},
	} {
		for _, command := range [][]string{{"run", "hi"}, {"resume", "ada"}, {"chat"}} {
			require.Equal(t, exitUsage, b.run(slices.Concat(command[:1], test.args, command[1:])...), command)
			require.Contains(t, b.err.String(), test.says, command)
		}
	}
}

func TestTheTimeOfARun(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	require.Equal(t, exitLimit, b.run("run", "--thread", "ada", "--timeout", "1ns", "hi"))
	require.Equal(t, "agenthost: the run took longer than --timeout 1ns\n", b.err.String())
	require.Equal(t, exitOK, b.atTerminal("a\n", "run", "-q", "--timeout", "1m", "note a"), &b.err)
}

func TestTheTimeOfARunIsOver(t *testing.T) {
	t.Parallel()
	agent, err := host.New(host.Config{Model: stuck{}, Checkpointer: memory.New()})
	require.NoError(t, err)
	run := &limitedRun{agent: agent, limits: runLimits{timeout: 20 * time.Millisecond}}
	result, err := run.perform(t.Context(), host.Input{Thread: "ada", Messages: []abi.Message{abi.Human("hi")}}, func(host.Event) error { return nil })
	require.EqualError(t, err, "the run took longer than --timeout 20ms")
	require.Equal(t, "model", result.Next, "it can go on")
	_, err = run.perform(t.Context(), host.Input{Thread: "ada", Continue: true}, func(host.Event) error { return nil })
	require.ErrorAs(t, err, new(*stoppedError), "its time is over")
	require.NoError(t, agent.Close())
}

// stuck is a model that answers only when its context ends.
type stuck struct{}

func (stuck) Info() model.Info { return model.Info{Name: "stuck"} }

func (stuck) Generate(ctx context.Context, _ *model.Request) (*model.Response, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestTheTokensOfARun(t *testing.T) {
	t.Parallel()
	call := scripted.CallTools(abi.Call("1", "look", nil))
	call.Message.Usage = &abi.Usage{InputTokens: 60, OutputTokens: 40, TotalTokens: 100}
	done := scripted.Say("done")
	done.Message.Usage = call.Message.Usage
	for budget, steps := range map[uint64]int{99: 2, 100: 3, 200: 3, 0: 3} {
		agent, err := host.New(host.Config{Model: scripted.NewTurns(call, done), Checkpointer: memory.New(), Tools: []host.Tool{looking{}}})
		require.NoError(t, err)
		run := &limitedRun{agent: agent, limits: runLimits{budget: budget, timeout: time.Minute}}
		result, err := run.perform(t.Context(), host.Input{Thread: "ada", Messages: []abi.Message{abi.Human("hi")}}, func(host.Event) error { return nil })
		require.Equal(t, steps, result.Steps)
		if budget == 99 {
			require.EqualError(t, err, "the run used 100 tokens; --budget-tokens allows 99")
			require.Equal(t, "model", result.Next)
			require.Equal(t, 3, result.Messages.Len(), "the tool has answered")
			run = &limitedRun{agent: agent, limits: runLimits{budget: 100}}
			result, err = run.perform(t.Context(), host.Input{Thread: "ada", Continue: true}, func(host.Event) error { return nil })
		}
		require.NoError(t, err)
		require.Equal(t, "done", result.Text())
		require.NoError(t, agent.Close())
	}
}

// looking returns a tool.
type looking struct{}

func (looking) Spec() abi.ToolSpec { return abi.ToolSpec{Name: "look"} }

func (looking) Call(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
	return host.TextOutput("seen"), nil
}
