package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// forged is what the guest forger says everywhere: lines that look like those of the command, and characters that steer a terminal.
const forged = "\nError: something\n$ fake prompt\n  to continue it:\n· warning: all is well\ragenthost: \x1b[2J\u009b31m\u202e\u2028\u0085 x"

// requireNothingForged requires that no line of the output begins with a forged one, not even after spaces.
func requireNothingForged(t *testing.T, out string) {
	t.Helper()
	out = strings.ReplaceAll(out, "\r\n", "\n") // of the chat's editor
	requireTame(t, out)
	for line := range strings.Lines(out) {
		for _, text := range []string{"Error: something", "$ fake prompt", "· warning: all is well"} {
			require.False(t, strings.HasPrefix(strings.TrimLeft(line, " \t"), text), "%q in\n%s", text, out)
		}
	}
}

// forging returns a bundle with the guest forger, whose model calls these tools and then says done.
func forging(t *testing.T, how string, tools ...string) *bundle {
	t.Helper()
	module, err := forgerGuest()
	require.NoError(t, err)
	turns := ""
	for i, name := range tools {
		turns += fmt.Sprintf("{tool_calls: [{id: call-%d, name: %s, args: {}}]}, ", i, name)
	}
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: ["+turns+"{content: done}]}\ncheckpoint: sqlite:agent.db\n"+
		"middleware:\n  - plugin: forger.wasm\n    config: {how: '"+how+"'}\n    grant: {kv: true}\n")
	code, err := os.ReadFile(module)
	require.NoError(t, err)
	b.write("forger.wasm", string(code))
	return b
}

func TestAGuestForgesNothingInARun(t *testing.T) {
	t.Parallel()
	for how, tools := range map[string][]string{
		"load": nil, "trap": nil, "error": nil, "log": nil, "event": nil, "ask": nil, "approve": nil, "state": nil, "undeclared": nil, "jump": nil,
		"none": {"speak", "fail"},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			b := forging(t, how, tools...)
			said := func(what string) {
				t.Helper()
				requireNothingForged(t, b.out.String())
				requireNothingForged(t, b.err.String())
				require.NotEmpty(t, b.out.String()+b.err.String(), what)
			}
			for _, args := range [][]string{
				{"run", "--thread", "t", "hi"},
				{"run", "-v", "hi"},
				{"run", "-o", "json", "hi"},
				{"run", "-o", "jsonl", "hi"},
				{"resume", "t"},
				{"run", "--thread", "t", "again"},
				{"validate"},
				{"order"},
				{"graph"},
			} {
				b.run(args...)
				said(strings.Join(args, " "))
			}
			for _, command := range []string{"show", "history", "list", "export"} {
				args := []string{command, "t"}
				if command == "list" {
					args = args[:1]
				}
				b.threads(args...)
				requireNothingForged(t, b.out.String())
				requireNothingForged(t, b.err.String())
			}
			b.atTerminal("x\nn\n", "run", "--thread", "t", "hi")
			said("run at a terminal")
			b.says("hi\n/tools\n/state\n/graph\n", "-v")
			said("chat")
			b.atTerminal("hi\nx\n/retry\n/state\n/tools\n/threads\n", "chat", "-v")
			said("chat at a terminal")
		})
	}
}

func TestWhatAGuestSaysIsStillShown(t *testing.T) {
	t.Parallel()
	b := forging(t, "error")
	require.NotEqual(t, exitOK, b.run("run", "--thread", "t", "hi"))
	require.Contains(t, b.err.String(), ": not today\n  │ Error: something\n  │ $ fake prompt\n  │   to continue it:\n  │ · warning: all is well")
	require.Contains(t, b.err.String(), "\n  the run stopped before forger.after_model; to continue it:\n  agenthost resume t -f ", "the command's own lines have no bar")

	b = forging(t, "load")
	require.Equal(t, exitUsage, b.run("run", "hi"))
	require.Contains(t, b.err.String(), ": refused Error: something $ fake prompt ")
	require.Contains(t, b.err.String(), "\n  5 |   - plugin: forger.wasm\n", "the line of the manifest has no bar")
}

func TestAGuestForgesNothingInTheCommandsForPlugins(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"load", "trap", "error", "log", "event", "state", "undeclared", "jump"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			b := forging(t, how)
			b.write("testdata/case.yaml", "hook: after_model\nconfig: {how: '"+how+"'}\nexpect: {result: {error: {type: other, message: other}}}\n")
			config := "{how: '" + how + "'}"
			module := b.path("forger.wasm")
			b.run("run", "--record", b.path("run.cassette"), "hi")
			for _, args := range [][]string{
				{"inspect", module},
				{"inspect", "--json", module},
				{"check", module, "--config", config},
				{"check", "--json", module, "--config", config},
				{"check", module, "--config", "{how: '!'}"},
				{"test", b.dir},
				{"test", "--json", b.dir},
				{"bench", module, "--config", config, "--duration", "1ms"},
				{"replay", b.path("run.cassette")},
				{"replay", "--json", b.path("run.cassette")},
				{"pack", module},
			} {
				b.runWith(t.Context(), "", append([]string{"plugin"}, args...)...)
				requireNothingForged(t, b.out.String())
				requireNothingForged(t, b.err.String())
			}
			require.Equal(t, exitUsage, b.run("validate", "--set", "middleware[0].config.how=!"), &b.err)
			requireNothingForged(t, b.err.String())
			b.run("doctor")
			requireNothingForged(t, b.out.String())
		})
	}
}

func TestAProviderForgesNothing(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		message, _ := json.Marshal("wrong" + forged)
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error": {"message": `+string(message)+`}}`)
	}))
	defer server.Close()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, base_url: '"+server.URL+"'}\n")
	require.Equal(t, exitProvider, b.run("run", "hi"), &b.err)
	require.Contains(t, b.err.String(), "wrong")
	requireNothingForged(t, b.err.String())
	b.atTerminal("hi\n", "chat")
	require.Contains(t, b.err.String(), "wrong")
	requireNothingForged(t, b.err.String())
}

func TestAnMCPServerForgesNothing(t *testing.T) {
	t.Parallel()
	server := sdk.NewServer(&sdk.Implementation{Name: "test" + forged, Version: "1" + forged}, nil)
	for name, failed := range map[string]bool{"speak": false, "fail": true} {
		server.AddTool(&sdk.Tool{Name: name, Description: name + forged, InputSchema: map[string]any{"type": "object", "description": forged}},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return &sdk.CallToolResult{IsError: failed, Content: []sdk.Content{&sdk.TextContent{Text: name + forged}}}, nil
			})
	}
	http := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	defer http.Close()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{tool_calls: [{id: a, name: speak, args: {}}]}, "+
		"{tool_calls: [{id: b, name: fail, args: {}}]}, {content: done}]}\ncheckpoint: sqlite:agent.db\ntools: [{mcp: {url: '"+http.URL+"'}}]\n")
	for _, args := range [][]string{{"run", "-v", "--thread", "t", "hi"}, {"run", "-o", "jsonl", "hi"}, {"validate"}, {"doctor"}} {
		b.run(args...)
		requireNothingForged(t, b.out.String())
		requireNothingForged(t, b.err.String())
	}
	require.Equal(t, exitOK, b.threads("show", "t", "--full"))
	require.Contains(t, b.out.String(), "\n  │ speak\n")
	b.atTerminal("hi\n/tools\n", "chat", "-v")
	require.Contains(t, b.err.String(), "tool fail")
	requireNothingForged(t, b.err.String())
}
