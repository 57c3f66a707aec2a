package studio_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/studio"
)

// file writes the page with a recording, and returns its address.
func file(t *testing.T, r studio.Recording) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	var page bytes.Buffer
	require.NoError(t, studio.WriteFile(&page, r))
	require.NoError(t, os.WriteFile(path, page.Bytes(), 0o600))
	return "file://" + path
}

// Someone exports a thread and sends it to a colleague as a file, which shows the same and sends nothing.
func TestAThreadThatIsSentAsAFile(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.say("weather Rome")
	r.see("The tool said: sunny in Rome")
	r.say("hostile")
	r.wait(`has('<img src=x onerror=') && document.querySelector('.top .badge').textContent === 'idle'`)
	said := func(p *page) []string { return eval[[]string](p, `all('.message').map((n) => n.innerText)`) }
	before := said(r.page)
	require.Len(t, before, 6)
	r.view("Timeline")
	spans := `all('.spanrow .text').map((n) => n.textContent)`
	timeline := eval[[]string](r.page, spans)
	r.click(`button('More')`)
	exported := r.download(`button('Export')`)
	require.Greater(t, strings.Count(exported, "\n"), 40)

	p := open(t, file(t, studio.Recording{Name: "thread.jsonl", Text: exported}))
	p.see("The tool said: sunny in Rome")
	require.Equal(t, before, said(p))
	require.Zero(t, eval[int](p, `all('.composer, .side, .questions').length`), "there is nobody to talk to")
	p.view("Timeline")
	p.wait(`document.querySelectorAll('.spanrow').length > 10`)
	require.Equal(t, timeline, eval[[]string](p, spans))
	for _, view := range []string{"State", "History", "Requests", "Graph", "Plugins"} {
		p.view(view)
		p.wait(`!has('Reading') && document.querySelector('.view').innerText.length > 100`)
		require.NotEqual(t, "owned", eval[string](p, `document.title`))
	}
	p.wait(`all('.part').some((n) => n.textContent.includes('redact') && n.textContent.includes('fuel of a call'))`)
}

// A file that is not a recording says so in the page.
func TestAFileThatIsNoRecording(t *testing.T) {
	t.Parallel()
	p := open(t, file(t, studio.Recording{Name: "</script><script>x", Text: "hello\n</script><script>document.title='owned'</script>"}))
	p.see("Line 1 is not an event.")
	require.NotEqual(t, "owned", eval[string](p, `document.title`))
}
