package a2a_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	protocol "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/test/clientscript"
	"github.com/agenthost/agenthost/test/testservers"
)

func TestPythonClient(t *testing.T) {
	t.Parallel()
	run(t, testservers.PythonDoorClient(t, filepath.Join("testdata", "sdk.py")))
}

// The program in docs/a2a.md works as it is.
func TestDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "a2a.md"))
	require.NoError(t, err)
	_, program, found := strings.Cut(string(text), "```python\n")
	require.True(t, found)
	program, _, _ = strings.Cut(program, "```")
	require.Contains(t, program, "http://127.0.0.1:8123")
	script := filepath.Join(t.TempDir(), "program.py")
	program = strings.ReplaceAll(program, "http://127.0.0.1:8123", serve(t, "listen: 127.0.0.1:8123"))
	require.NoError(t, os.WriteFile(script, []byte(program), 0o600))
	command := testservers.PythonDoorClient(t, script)
	said, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Equal(t, "You said: hello", string(said))
}

func TestJavaScriptClient(t *testing.T) {
	t.Parallel()
	testservers.Tool(t, "node_modules/@a2a-js/sdk/package.json", "node")
	run(t, testservers.NodeClient(t, filepath.Join("testdata", "sdk.mjs")))
}

// run runs a client against a server of its own, whose address is its argument.
func run(t *testing.T, command []string) {
	t.Helper()
	clientscript.Run(t, append(command, serve(t, "listen: 127.0.0.1:8123")))
}

// An agent of a manifest has an agent of another server as a tool, and answers its question.
func TestAnAgentElsewhereAsATool(t *testing.T) {
	t.Parallel()
	dir, url := t.TempDir(), serve(t, "listen: 127.0.0.1:8123")
	for name, text := range map[string]string{
		"agenthost.yaml": "apiVersion: agenthost/v1\nmodel: {provider: scripted, rules: rules.yaml}\ntools:\n  - a2a: {url: " + url + "}\n",
		"rules.yaml": `rules:
  - {from: human, when: "^(.*)$", call: [{name: agent, args: {message: "$1"}}]}
  - {from: tool, when: '(?s)task_id "([^"]+)"', call: [{name: agent, args: {message: approve, task_id: "$1"}}]}
  - {from: tool, when: "(?s)(.*)", say: "It said: $1"}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	path := filepath.Join(dir, "agenthost.yaml")
	m, err := manifest.Load(path, manifest.Options{})
	require.NoError(t, err)
	agent, err := m.Build(t.Context(), nil, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	var told []string
	result, err := agent.RunEvents(t.Context(), host.Input{Messages: []abi.Message{abi.Human("write a note")}}, func(e host.Event) error {
		if text, ok := e.Data.Get("message").AsString(); ok && e.Name == "progress" {
			told = append(told, text)
		}
		return nil
	})
	require.NoError(t, err)
	require.Contains(t, result.Answer(), "The tool said: wrote a note")
	require.Contains(t, told, "Calling the tool write_file.")
}

// The library's own client, by both bindings.
func TestGoClient(t *testing.T) {
	t.Parallel()
	url := serve(t, "listen: 127.0.0.1:8123")
	card, err := agentcard.DefaultResolver.Resolve(t.Context(), url)
	require.NoError(t, err)
	require.Equal(t, "agent", card.Name)
	for _, binding := range []protocol.TransportProtocol{protocol.TransportProtocolJSONRPC, protocol.TransportProtocolHTTPJSON} {
		t.Run(string(binding), func(t *testing.T) {
			t.Parallel()
			client, err := a2aclient.NewFromCard(t.Context(), card, a2aclient.WithConfig(a2aclient.Config{
				PreferredTransports: []protocol.TransportProtocol{binding},
			}))
			require.NoError(t, err)
			defer func() { require.NoError(t, client.Destroy()) }()
			say := func(text string, task *protocol.Task) *protocol.SendMessageRequest {
				m := protocol.NewMessage(protocol.MessageRoleUser, protocol.NewTextPart(text))
				if task != nil {
					m.TaskID = task.ID
				}
				return &protocol.SendMessageRequest{Message: m}
			}
			var kinds []string
			for event, err := range client.SendStreamingMessage(t.Context(), say("hi there", nil)) {
				require.NoError(t, err)
				switch e := event.(type) {
				case *protocol.TaskArtifactUpdateEvent:
					kinds = append(kinds, "artifact")
				case *protocol.TaskStatusUpdateEvent:
					kinds = append(kinds, string(e.Status.State))
				case *protocol.Task:
					kinds = append(kinds, "task")
				}
			}
			require.Equal(t, "task", kinds[0])
			require.Equal(t, "TASK_STATE_COMPLETED", kinds[len(kinds)-1])

			result, err := client.SendMessage(t.Context(), say("write it", nil))
			require.NoError(t, err)
			task, ok := result.(*protocol.Task)
			require.True(t, ok)
			require.Equal(t, protocol.TaskStateInputRequired, task.Status.State)
			result, err = client.SendMessage(t.Context(), say("approve", task))
			require.NoError(t, err)
			done, ok := result.(*protocol.Task)
			require.True(t, ok)
			require.Equal(t, protocol.TaskStateCompleted, done.Status.State)
			got, err := client.GetTask(t.Context(), &protocol.GetTaskRequest{ID: task.ID})
			require.NoError(t, err)
			require.Equal(t, "The tool said: wrote it", got.Artifacts[len(got.Artifacts)-1].Parts[0].Text())
			_, err = client.GetTask(t.Context(), &protocol.GetTaskRequest{ID: "nobody"})
			require.ErrorIs(t, err, protocol.ErrTaskNotFound)
			list, err := client.ListTasks(t.Context(), &protocol.ListTasksRequest{})
			require.NoError(t, err)
			require.NotEmpty(t, list.Tasks)
		})
	}
}
