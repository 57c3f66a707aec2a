package builtin_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// historyPath finds the path in a summary.
var historyPath = regexp.MustCompile(`has been saved to (/conversation_history/session_run-[0-9a-f]+\.md) should`)

// offloading keeps what it summarizes.
func offloading(s builtin.Summarization) builtin.Summarization {
	s.OffloadHistory = true
	return s
}

func TestSummarizedMessagesAreInAFile(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"disk", "state"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			root, in := "", host.Input{Thread: "t"}
			if kind == "disk" {
				root = t.TempDir()
			}
			small := newWitness(scripted.Say("FIRST"), scripted.Say("SECOND"))
			main := newWitness(scripted.Say("ok"))
			agent := newReaderWith(t, host.Config{Model: main, Models: map[string]model.Model{"small": small}, Checkpointer: memory.New()},
				offloading(summarizing(4, 2)), builtin.Filesystem{Root: root})
			var result *host.Result
			var path string
			for _, text := range []string{"one", "two", "three", "four"} {
				var err error
				in.Messages = []abi.Message{abi.Human(text)}
				result, err = agent.Run(t.Context(), in)
				require.NoError(t, err)
				if found := historyPath.FindStringSubmatch(result.Messages.Entry(0).Message().Content.Text()); found != nil {
					require.True(t, path == "" || path == found[1], "a thread has one file")
					path = found[1]
				}
			}
			require.Equal(t, "You are in the middle of a conversation that has been summarized.\n\n"+
				"The full conversation history has been saved to "+path+" should you need to refer back to it for details.\n\n"+
				"A condensed summary follows:\n\n<summary>\nSECOND\n</summary>", result.Messages.Entry(0).Message().Content.Text())
			require.False(t, result.State.Has("summarization_session_id"))

			got := contentOf(t, agent, root, path)
			times := regexp.MustCompile(`## Summarized at \d{4}-\d\d-\d\dT[0-9:.]+Z\n\n`)
			require.Equal(t, []string{
				"", "<message type=\"human\">one</message>\n<message type=\"ai\">ok</message>\n<message type=\"human\">two</message>\n\n",
				"<message type=\"ai\">ok</message>\n<message type=\"human\">three</message>\n\n",
			}, times.Split(got, -1))
		})
	}
}

// contentOf returns a file of the thread "t".
func contentOf(t *testing.T, agent *host.Agent, root, path string) string {
	t.Helper()
	if root != "" {
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		require.NoError(t, err)
		return string(content)
	}
	snapshot, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	var files map[string]struct {
		Content string `msgpack:"content"`
	}
	require.NoError(t, host.Decode(snapshot.State.Get("files"), &files))
	return files[path].Content
}

// After an overflow, the summarized messages and the results that are too long are in files.
func TestAnOverflowMovesLongResultsToFiles(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"disk", "state"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			root := ""
			if kind == "disk" {
				root = t.TempDir()
			}
			long := strings.Repeat("line\n", 2000)
			given := talk("human "+wordy, "ai: 2", "human 3", "ai search:1 search:2", "tool 1 "+long, "tool 2 "+long)
			small, main := newWitness(scripted.Say("SUMMARY")), newWitness(tooLong, tooLong, scripted.Say("done"))
			agent := newReaderWith(t, host.Config{Model: main, Models: map[string]model.Model{"small": small}, Checkpointer: memory.New()},
				offloading(overflowing(3)), builtin.Filesystem{Root: root})
			result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: given})
			require.NoError(t, err)
			require.Equal(t, 3, main.Calls())
			path := historyPath.FindStringSubmatch(result.Messages.Entry(0).Message().Content.Text())
			require.NotNil(t, path)
			require.Contains(t, contentOf(t, agent, root, path[1]), wordy)
			for _, id := range []string{"1", "2"} {
				require.Equal(t, long, contentOf(t, agent, root, "/large_tool_results/"+id))
				require.True(t, strings.HasPrefix(answersByCall(result.Messages)[id],
					"Tool result too large, the result of this tool call "+id+" was saved in the filesystem at this path: /large_tool_results/"+id+"\n\n"))
			}
		})
	}
}

func TestCompactionKeepsTheMessages(t *testing.T) {
	t.Parallel()
	main := newWitness(scripted.CallTools(
		abi.Call("1", "write_file", map[string]any{"file_path": "/a.txt", "content": "x"}), abi.Call("2", "compact_conversation", nil),
	), scripted.Say("done"))
	agent := newReaderWith(t, host.Config{
		Model: main, Models: map[string]model.Model{"small": newWitness(scripted.Say("SUMMARY"))}, Checkpointer: memory.New(),
	}, offloading(compacting(messagesOf(6), 1)), builtin.Filesystem{})
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: talk("human 1", "ai: 2", "human 3")})
	require.NoError(t, err)
	path := historyPath.FindStringSubmatch(result.Messages.Entry(0).Message().Content.Text())
	require.NotNil(t, path)
	require.Contains(t, contentOf(t, agent, "", path[1]), `<message type="human">3</message>`)
	require.Equal(t, "x", contentOf(t, agent, "", "/a.txt"), "the other call of the answer has written its file, too")
}

// The files are those of the agent's filesystem, whatever its backend is.
func TestHistoriesAreInTheBackendOfTheFilesystem(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files := builtin.FileBackend{Backend: backend.Composite{
		Default: backend.State{}, Routes: map[string]backend.Backend{"/work/": backend.Disk{Root: root}}, ArtifactsRoot: "/work",
	}}
	agent := newReader(t, newWitness(scripted.Say("done")), newWitness(scripted.Say("SUMMARY")),
		offloading(summarizing(3, 1)), builtin.Filesystem{Backend: files})
	result, err := ask(t, agent, talk("human 1", "ai: 2", "human 3"))
	require.NoError(t, err)
	require.Contains(t, result.Messages.Entry(0).Message().Content.Text(), "has been saved to /work/conversation_history/session_run-")
	histories, err := filepath.Glob(filepath.Join(root, "conversation_history", "session_*.md"))
	require.NoError(t, err)
	require.Len(t, histories, 1)
}

// A summary without a file is better than none.
func TestAHistoryThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "conversation_history"), nil, 0o600))
	small := newWitness(scripted.Say("SUMMARY"))
	agent := newReader(t, newWitness(scripted.Say("done")), small, offloading(summarizing(3, 1)), builtin.Filesystem{Root: root})
	var warnings []string
	result, err := agent.RunEvents(t.Context(), host.Input{Messages: talk("human 1", "ai: 2", "human 3")}, func(e host.Event) error {
		if e.Type == host.EventWarn {
			warnings = append(warnings, e.Text)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, summaryText+"SUMMARY", result.Messages.Entry(0).Message().Content.Text())
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0], "summarization: the summarized messages are not in a file: ")
}

// A file of a history does not grow for ever.
func TestAFullHistoryFileIsFollowedByAnother(t *testing.T) {
	t.Parallel()
	root, long := t.TempDir(), strings.Repeat("x", 5<<20)
	agent := newReaderWith(t, host.Config{
		Model: newWitness(scripted.Say("ok")), Models: map[string]model.Model{"small": newWitness(scripted.Say("SUMMARY"))}, Checkpointer: memory.New(),
	}, offloading(summarizing(3, 1)), builtin.Filesystem{Root: root, HumanMessageTokenLimitBeforeEvict: new(0)})
	var names []string
	for _, text := range []string{long, "two", long, "four", "five"} {
		result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human(text)}})
		require.NoError(t, err)
		_, name, found := strings.Cut(result.Messages.Entry(0).Message().Content.Text(), "saved to /conversation_history/session_run-")
		if found {
			name, _, _ = strings.Cut(name, " ")
			names = append(names, strings.TrimLeft(name, "0123456789abcdef"))
		}
	}
	require.Equal(t, []string{".md", ".md", "_2.md", "_2.md"}, names)
}

func TestOffloadHistoryNeedsFiles(t *testing.T) {
	t.Parallel()
	_, err := host.New(host.Config{Model: newWitness(), Middleware: []host.Middleware{builtin.Summarization{OffloadHistory: true}}})
	require.ErrorContains(t, err, "offload_history needs the middleware filesystem, with which the model reads the history; add it to the agent")
}

// A file has the whole arguments of the messages that the thread loses, although the model has seen clipped ones.
func TestHistoriesHaveWholeArguments(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 5)
	compact := []scripted.Turn{scripted.CallTools(abi.Call("9", "compact_conversation", nil)), scripted.Say("done")}
	for name, test := range map[string]struct {
		s     builtin.Summarization
		turns []scripted.Turn
	}{
		"trigger":  {summarizing(6, 1), []scripted.Turn{scripted.Say("done")}},
		"overflow": {overflowing(1), []scripted.Turn{tooLong, scripted.Say("done")}},
		"tool":     {compacting(messagesOf(14), 1), compact},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := offloading(test.s)
			s.TruncateArgsSettings = clipping(1, 1).TruncateArgsSettings
			small := newWitness(scripted.Say("SUMMARY"))
			agent := newReaderWith(t, host.Config{
				Model: newWitness(test.turns...), Models: map[string]model.Model{"small": small}, Checkpointer: memory.New(),
			}, s, builtin.Filesystem{})
			result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: writing("write_file", text)})
			require.NoError(t, err)
			require.Contains(t, small.prompts()[0], "(argument truncated)")
			path := historyPath.FindStringSubmatch(result.Messages.Entry(0).Message().Content.Text())
			require.NotNil(t, path)
			content := contentOf(t, agent, "", path[1])
			require.NotContains(t, content, "(argument truncated)")
			require.Contains(t, content, `"content":"`+text+`"`)
		})
	}
}
