package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// says runs chat without a terminal.
func (b *bundle) says(lines string, args ...string) int {
	return b.runWith(b.t.Context(), lines, append([]string{"chat", "-f", b.path("agenthost.yaml")}, args...)...)
}

// A structured answer is shown whether it arrives as text or as a tool call.
func TestChatShowsValues(t *testing.T) {
	t.Parallel()
	const format = "response_format: {schema: {title: Report, type: object, properties: {title: {type: string}}}}\n"
	b := setup(t, "apiVersion: agenthost/v1\n"+`model: {provider: scripted, turns: [{content: thinking, tool_calls: [{name: Report, args: {title: a}}]}]}
`+format)
	require.Equal(t, exitOK, b.says("hi\n", "-q"), &b.err)
	require.Equal(t, `{"title":"a"}`+"\n", b.out.String())
	require.Equal(t, exitOK, b.run("run", "-q", "hi"), &b.err)
	require.Equal(t, `{"title":"a"}`+"\n", b.out.String())
}

func TestChatReadsLines(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	require.Equal(t, exitOK, b.says("hi\n\nhi there\n/tools\n", "--thread", "ada"), &b.err)
	require.Equal(t, "hello\nhello\n", b.out.String())
	require.Contains(t, b.err.String(), "  write_file ")
	require.Len(t, b.shown("ada").Messages, 4)

	require.Equal(t, exitWaiting, b.says("note a\nhi\n", "-q", "--thread", "ada"))
	require.Empty(t, b.out.String())
	require.Contains(t, b.err.String(), "  agenthost resume ada -f "+b.path("agenthost.yaml")+" --approve call-1\n")
	require.Equal(t, exitUsage, b.says("hi\n", "--thread", "ada"), "the run waits")
	require.Contains(t, b.err.String(), "\nto give it up and send the prompt, add --give-up\n")
	require.Equal(t, exitOK, b.says("hi\n", "--thread", "ada", "--give-up"), "the run is given up")
	require.Equal(t, "hello\n", b.out.String())
}

func TestAChatWithoutANameHasAThreadOfItsOwn(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	require.Equal(t, exitOK, b.says("hi\n"), &b.err)
	require.Equal(t, exitOK, b.threads("list"))
	require.Regexp(t, `(?m)^chat-\d{8}-\d{6}-[a-z2-9]{6}  2 `, b.out.String())
	require.Regexp(t, `^chat-20261122-120000-[a-z2-9]{6}$`, newThread("chat", time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)))

	b = setup(t, say) // without a checkpoint
	require.Equal(t, exitProvider, b.says("hi\nhi\n"), "the script has one turn")
	require.Equal(t, "hello\n", b.out.String())
}

func TestChatMistakes(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--thread", ""}, "--thread: the name is empty; give the thread a name"},
		{[]string{"--thread", "a\nb"}, "the name of a thread must have 1 to 512 bytes"},
		{[]string{"--model", "gpt"}, `--model "gpt": write it as PROVIDER:NAME, such as openai:gpt-5.2`},
		{[]string{"--max-steps", "0"}, "--max-steps 0: the number must be at least 1"},
		{[]string{"--timeout", "-1s"}, "--timeout -1s: the duration must be positive"},
		{[]string{"--budget-tokens", "0"}, "--budget-tokens 0: the number must be at least 1"},
		{[]string{"--wait", "-1s"}, "--wait -1s: the duration must not be negative"},
		{[]string{"hello"}, `chat: the command takes no arguments; remove "hello"`},
	} {
		require.Equal(t, exitUsage, b.says("hi\n", test.args...), test.want)
		require.Contains(t, b.err.String(), test.want)
	}
	require.Equal(t, exitUsage, b.says("/thread ada\n"))
	require.Contains(t, b.err.String(), `agenthost: chat: there is no command "/thread"; did you mean "/threads"? /help lists the commands`)
	require.Equal(t, exitUsage, b.runWith(t.Context(), "hi\n", "chat", "-f", b.path("none.yaml")))
	require.Contains(t, b.err.String(), "none.yaml: there is no such file (expected a manifest); name another one with -f FILE")
	require.Equal(t, exitProvider, b.runWith(t.Context(), "hi\n", "chat", "-f", b.path("agenthost.yaml"), "--set", "model.turns[0].error=broken"))
	require.Contains(t, b.err.String(), "broken")
}

func TestAModelWithoutAKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	b := setup(t, say)
	require.Equal(t, exitProvider, b.says("hi\n", "--model", "openai:gpt-5.2"))
	require.Contains(t, b.err.String(), "there is no API key; set the environment variable OPENAI_API_KEY")
}

func TestAChatAtATerminalWithoutKeysOfItsOwn(t *testing.T) {
	t.Parallel()
	b := threads(t, strings.Replace(noting, "  - patch_tool_calls\n", "", 1))
	require.Equal(t, exitOK, b.atTerminal("hi\n/state\n", "chat", "--thread", "ada"), &b.err)
	require.Equal(t, "hello\n", b.out.String())
	require.Contains(t, b.err.String(), "model rules, thread ada (kept in the manifest's checkpoint)\n/help lists the commands, Ctrl-D ends the chat\n"+
		"· without the middleware patch_tool_calls, a model may refuse the thread after you stop a tool call; add it to the manifest\n")
	require.Contains(t, b.err.String(), "· to continue this chat:\n  agenthost chat --thread ada -f "+b.path("agenthost.yaml")+"\n")
	require.Equal(t, exitOK, b.atTerminal("\x04", "chat", "--thread", "ada"), &b.err)
	require.Contains(t, b.err.String(), "· 2 messages so far; the last run is complete\n")
	require.NotContains(t, b.err.String(), "to continue this chat")

	release := b.hold("ada")
	require.Equal(t, exitOK, b.atTerminal("hi\n", "chat", "--thread", "ada", "--wait", "50ms"), &b.err)
	release()
	require.Contains(t, b.err.String(), `thread "ada": waiting up to 50ms`)
	require.Contains(t, b.err.String(), "add --wait 30s to wait for it")
}

func TestAChatSwitchesThreads(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	require.Equal(t, exitOK, b.says("hi\n/new\nhi\nhi\n/resume ada\nhi\n/model\n/clear\n/exit\nhi\n", "--thread", "ada"), &b.err)
	require.Equal(t, "hello\nhello\nhello\nhello\n", b.out.String(), "nothing after /exit")
	require.Regexp(t, `· new thread chat-\d{8}-\d{6}-`, b.err.String())
	require.Contains(t, b.err.String(), "· thread ada\n· 2 messages so far; the last run is complete\n")
	require.Contains(t, b.err.String(), "· model rules\n")
	require.Len(t, b.shown("ada").Messages, 4)

	require.Equal(t, exitOK, b.says("/file "+b.path("data/x.txt")+"\n/new\n/file\n", "--thread", "ada"), &b.err)
	require.Contains(t, b.err.String(), "· no files were added", "a file is for a message of the thread before")
	require.Equal(t, exitUsage, b.says("hi\n/resume nobody\n", "--thread", "ada"))
	require.Contains(t, b.err.String(), "chat: /resume nobody: there is no such thread; /threads lists the threads")
	require.Equal(t, exitUsage, b.says("hi\n/new\n/retry\n", "--thread", "ada"))
	require.Contains(t, b.err.String(), "/retry: there is no message to send again yet", "that of the other thread does not follow")
	require.Equal(t, exitWaiting, b.says("/new\n/resume ada\nnote a\n", "--thread", "eve"))
	require.Contains(t, b.err.String(), "agenthost resume ada ", "the hint names the thread that waits")
}

func TestAChatSwitchesItsModel(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "k")
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: openai, name: first}\nmiddleware: [todo_list]\n")
	require.Equal(t, exitOK, b.says("/model openai:second\n/model\n/tools\n"), &b.err)
	require.Contains(t, b.err.String(), "· model openai:second\n· model openai:second\n")
	require.Equal(t, 1, strings.Count(b.err.String(), "  write_todos "), "the tools are listed once")
	for typed, want := range map[string]string{
		"/model second\n":        `"second": write it as PROVIDER:NAME`,
		"/model nobody:second\n": `chat: /model: nobody:second: model: the provider "nobody" is unknown`,
	} {
		require.Equal(t, exitUsage, b.says(typed), typed)
		require.Contains(t, b.err.String(), want)
	}
}
