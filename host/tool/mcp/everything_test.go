package mcp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/test/testservers"
)

// The server that exercises all of the protocol, as the SDK in TypeScript speaks it.
func TestTheServerOfEverything(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]func(*testing.T) mcp.Config{
		"stdio": func(t *testing.T) mcp.Config { t.Helper(); return mcp.Config{Command: testservers.Everything(t)} },
		"http":  func(t *testing.T) mcp.Config { t.Helper(); return mcp.Config{URL: testservers.EverythingHTTP(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := config(t)
			config.Elicitation = true
			s := connect(t, config)

			require.Equal(t, "Echo: hello", answered(t, s, "echo", map[string]any{"message": "hello"}))
			require.Equal(t, "The sum of 2 and 3 is 5.", answered(t, s, "get-sum", map[string]any{"a": 2, "b": 3}))
			require.Contains(t, refused(t, s, "get-sum"), "Field required", "the host checks the arguments")
			image := calls(t, s, "get-tiny-image", nil)[0].Content.Blocks()
			require.Equal(t, []string{abi.BlockText, abi.BlockImage, abi.BlockText}, []string{image[0].Type(), image[1].Type(), image[2].Type()})
			require.Contains(t, answered(t, s, "get-resource-links", map[string]any{"count": 2}), "[resource demo://resource/")
			require.Contains(t, answered(t, s, "get-structured-content", map[string]any{"location": "Chicago"}), `"temperature"`)

			a := agent(t, s, scripted.CallTools(abi.Call("1", "trigger-long-running-operation", map[string]any{"duration": 1, "steps": 2})))
			require.Contains(t, answers(a.run(host.Input{}))[0].Content.Text(), "Long running operation completed.")
			var progress int
			for _, e := range a.events {
				if e.Type == host.EventCustom && e.Name == "progress" {
					progress++
				}
			}
			require.Positive(t, progress, "the last may come with the result")

			asking := agent(t, s, scripted.CallTools(abi.Call("1", "trigger-elicitation-request", nil)))
			result := asking.run(host.Input{})
			require.Equal(t, host.Interrupted, result.Status)
			require.Equal(t, "Please provide inputs for the following fields:", jsonOf(t, result.Interrupts[0].Value)["message"])
			result = asking.run(host.Input{Resume: []host.Answer{{Value: map[string]any{"name": "Ada", "check": true}}}})
			require.Equal(t, host.Completed, result.Status)
			require.Contains(t, answers(result)[0].Content.Text(), "Name: Ada")

			for _, tool := range s.Tools() {
				require.NotContains(t, tool.Spec().Name, "sampling", "a client that cannot sample is not offered what samples")
			}
		})
	}
}
