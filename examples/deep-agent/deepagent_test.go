// Package deepagent_test runs the example, in copies.
package deepagent_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/manifest"
)

// copied is a copy of the example.
type copied struct {
	dir   string
	agent *manifest.Agent
	asked *recorder
}

// recorder notes the system prompts that the agent's model gets.
type recorder struct {
	model.Model
	prompts []string
}

func (r *recorder) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	r.prompts = append(r.prompts, req.System.Text())
	return r.Model.Generate(ctx, req)
}

func setup(t *testing.T, set ...string) *copied {
	t.Helper()
	c := &copied{dir: t.TempDir()}
	require.NoError(t, os.CopyFS(c.dir, os.DirFS(".")))
	for _, left := range []string{"agent.db", "agent.db-shm", "agent.db-wal", "workspace/RELEASE.md", "workspace/conversation_history"} {
		require.NoError(t, os.RemoveAll(filepath.Join(c.dir, left)))
	}
	m, err := manifest.Load(filepath.Join(c.dir, "agenthost.yaml"), manifest.Options{Set: set})
	require.NoError(t, err)
	c.agent, err = m.Build(t.Context(), nil, func(config *host.Config) {
		c.asked = &recorder{Model: config.Model}
		config.Model = c.asked
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.agent.Close()) })
	return c
}

// start runs the agent until it asks, and returns the request.
func (c *copied) start(t *testing.T) (*host.Result, builtin.ReviewRequest) {
	t.Helper()
	result, err := c.agent.Run(t.Context(), host.Input{Thread: "r", Messages: []abi.Message{abi.Human("Write the notes of release 2.")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Len(t, result.Interrupts, 1)
	var request builtin.ReviewRequest
	require.NoError(t, host.Decode(result.Interrupts[0].Value, &request))
	return result, request
}

// decide answers the request.
func (c *copied) decide(t *testing.T, decision builtin.Decision) *host.Result {
	t.Helper()
	answer, err := host.Encode(builtin.Decisions{Decisions: []builtin.Decision{decision}})
	require.NoError(t, err)
	result, err := c.agent.Run(t.Context(), host.Input{Thread: "r", Resume: []host.Answer{{Value: answer}}})
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	return result
}

// notes are what was written.
func (c *copied) notes(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, "workspace", "RELEASE.md"))
	if os.IsNotExist(err) {
		return ""
	}
	require.NoError(t, err)
	return string(text)
}

const written = "# Release 2\n\n- Starts twice as fast\n- Plugins are a tenth of the size\n"

func TestItPlansReadsDelegatesAndWrites(t *testing.T) {
	t.Parallel()
	c := setup(t)

	waiting, request := c.start(t)

	require.Equal(t, "write_file", request.ActionRequests[0].Name)
	require.Empty(t, c.notes(t), "a person has not approved it yet")
	answers := answersOf(waiting)
	require.Equal(t, []string{"- Starts twice as fast"}, answers["task /changes/0001-faster-start.md"], "out of the file, by a subagent")
	require.Equal(t, []string{"- Plugins are a tenth of the size"}, answers["task /changes/0002-smaller-plugins.md"])
	require.Contains(t, answers["read_file"][0], "How release notes are written here.")
	require.Equal(t, []string{`["/changes/0001-faster-start.md","/changes/0002-smaller-plugins.md"]`}, answers["glob"])

	result := c.decide(t, builtin.Decision{Type: builtin.Approve})

	require.Equal(t, written, c.notes(t))
	require.Equal(t, "The notes of release 2 are in RELEASE.md.", result.Text())
	var todos []builtin.Todo
	require.NoError(t, host.Decode(result.State.Get("todos"), &todos))
	require.Len(t, todos, 2)
	for _, todo := range todos {
		require.Equal(t, builtin.TodoCompleted, todo.Status, todo.Content)
	}
	for _, prompt := range c.asked.prompts {
		for _, part := range []string{
			"You write release notes", "write_todos", "**release-notes**: How release notes are written here", "/skills/release-notes/SKILL.md",
			"Short sentences, no adjectives.",
		} {
			require.Contains(t, prompt, part, "todos, skills and memory are in each prompt")
		}
	}
}

// answersOf are the texts of tool messages, by tool; those of tasks by the file that they speak of.
func answersOf(result *host.Result) map[string][]string {
	out, subjects := map[string][]string{}, map[string]string{}
	for _, m := range result.Messages.All() {
		for _, call := range m.ToolCalls {
			subjects[call.ID] = call.Name
			if _, file, ok := strings.Cut(call.Args.JSON(), "Summarise "); ok {
				file, _, _ = strings.Cut(file, `"`)
				subjects[call.ID] += " " + file
			}
		}
		if m.Role == abi.RoleTool {
			subject := subjects[m.ToolCallID]
			out[subject] = append(out[subject], m.Content.Text())
		}
	}
	return out
}

func TestAPersonDecides(t *testing.T) {
	t.Parallel()
	edited := map[string]any{"file_path": "/RELEASE.md", "content": "# Release 2\n"}
	for name, test := range map[string]struct {
		decision builtin.Decision
		notes    string
		says     string
	}{
		"approve": {builtin.Decision{Type: builtin.Approve}, written, "The notes of release 2 are in RELEASE.md."},
		"edit": {
			builtin.Decision{Type: builtin.Edit, EditedAction: &builtin.Action{Name: "write_file", Args: edited}},
			"# Release 2\n",
			"The notes of release 2 are in RELEASE.md.",
		},
		"reject": {builtin.Decision{Type: builtin.Reject, Message: "not now"}, "", "As you wish: nothing was written."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := setup(t)
			c.start(t)
			require.Equal(t, test.says, c.decide(t, test.decision).Text())
			require.Equal(t, test.notes, c.notes(t))
		})
	}
}

// A long history is summarized by the small model, and the agent goes on.
func TestItSummarizes(t *testing.T) {
	t.Parallel()
	c := setup(t, "middleware[4].summarization.trigger={messages: 8}", "middleware[4].summarization.keep={messages: 3}")

	waiting, _ := c.start(t)

	first := waiting.Messages.At(0)
	require.Contains(t, first.Content.Text(), "<summary>\nThe user asked: Write the notes of release 2.")
	histories, err := filepath.Glob(filepath.Join(c.dir, "workspace", "conversation_history", "session_*.md"))
	require.NoError(t, err)
	require.Len(t, histories, 1)
	require.Less(t, waiting.Messages.Len(), 8)
	c.decide(t, builtin.Decision{Type: builtin.Approve})
	require.Equal(t, written, c.notes(t))
}

// The stack is that of deepagents, and nothing in it should stand otherwise.
func TestOrder(t *testing.T) {
	t.Parallel()
	layout := setup(t).agent.Layout()
	require.Empty(t, layout.Advice)
	require.Equal(t, []string{"skills", "patch_tool_calls", "memory"}, layout.BeforeAgent)
	require.Equal(t, []string{"skills", "summarization"}, layout.BeforeModel)
	require.Equal(t, []string{"todo_list", "skills", "filesystem", "summarization", "anthropic_prompt_caching", "memory", "unsupported_content"}, layout.WrapModelCall)
	require.Equal(t, []string{"human_in_the_loop", "todo_list"}, layout.AfterModel)
	require.Equal(t, []string{"filesystem", "human_in_the_loop"}, layout.WrapToolCall)
}
