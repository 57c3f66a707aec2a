package studio_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Someone takes what a hook got in a run, changes it, and calls the plugin again, by the keyboard where it matters. The thread stays as it was.
func TestATestCallFromThePage(t *testing.T) {
	t.Parallel()
	a := develops(t, loudAgent)
	a.say("hello")
	a.see("YOU SAID: HELLO")
	a.view("Plugins")
	a.click(`button('Test call')`)
	a.wait(`field('Begin with')?.options.length > 2`)
	a.choose("Begin with", "wrap_model_call")
	a.wait(`field('Input of wrap_model_call')?.value.includes('loud.wrap_model_call')`)
	a.click(`button('Call the plugin')`)
	a.see("returned a document")
	a.see("None: it did what it did then.")
	a.wait(`all('.outcome pre').some((n) => n.textContent.includes('YOU SAID: HELLO'))`)
	a.click(`button('What the host answers')`)
	a.wait(`field('Answers to next and to operations, in their order')`)
	a.edit("Answers to next and to operations, in their order", "You said: hello", "bye")
	a.press("\r", ctrl())
	a.wait(`all('.outcome del').some((n) => n.textContent.includes('YOU SAID: HELLO')) && all('.outcome ins').some((n) => n.textContent.includes('BYE'))`)
	a.shoot("dev-testcall")
	a.axe("a test call")

	a.choose("Begin with", "before_model")
	a.wait(`field('Input of before_model')?.value.includes('"hello"')`)
	a.edit("Input of before_model", `"hello"`, `"boom"`)
	a.click(`button('Call the plugin')`)
	a.see("returned an error")
	a.see("<b>it hurts</b>")
	a.see("info: it was said: boom")
	a.shoot("dev-testcall-error")
	a.edit("Input of before_model", `"boom"`, `boom`)
	a.expect("status of 422")
	a.click(`button('Call the plugin')`)
	a.see("input: json")
	a.click(`button('Undo my changes')`)

	// The next call takes the module that is in the file by then.
	a.save("loud.js", strings.Replace(loud, "it was said", "someone said", 1))
	a.see("the changed plugins are in use since")
	a.click(`button('Call the plugin')`)
	a.see("another module than then")
	a.see("info: someone said: hello")
	a.view("Chat")
	require.Equal(t, 2, eval[int](a.page, `all('.message').length`), "nothing was written to the thread")
}

// Someone makes a test case of a thread. The command performs it.
func TestATestCaseIsMadeOnThePage(t *testing.T) {
	t.Parallel()
	a := develops(t, loudAgent)
	a.say("hello")
	a.see("YOU SAID: HELLO")
	a.click(`button('More')`)
	a.click(`button('Make a test case')`)
	a.see("A test case in")
	a.shoot("dev-case")
	line := eval[string](a.page, `document.querySelector('.command').textContent`)
	name, found := strings.CutPrefix(line, "agenthost test ")
	require.True(t, found, line)
	require.Regexp(t, `^tests/thread-ada-[0-9a-f]{8}\.yaml$`, name)
	require.Contains(t, a.runs("test", name), "1 case, 0 failed")
}

// Someone keeps a run as a cassette. The page says where it is, and how to repeat it; the command does so.
func TestARunIsRecordedFromThePage(t *testing.T) {
	t.Parallel()
	a := develops(t, loudAgent)
	a.say("hello")
	a.see("YOU SAID: HELLO")
	a.click(`button('More')`)
	a.click(`button('Record the last run')`)
	a.see("2 calls of plugins in")
	a.shoot("dev-recorded")
	line := eval[string](a.page, `document.querySelector('.command').textContent`)
	name, found := strings.CutPrefix(line, "agenthost plugin replay ")
	require.True(t, found, line)
	require.Regexp(t, `^run-ada-[0-9a-f]{8}\.cassette$`, name)
	info, err := os.Stat(filepath.Join(a.dir, name))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Contains(t, a.runs("plugin", "replay", name), "2 calls repeated, 0 different")
	a.expect("status of 409")
	a.click(`button('More')`)
	a.click(`button('Record the last run')`)
	a.see("is there already, and is not overwritten")
}
