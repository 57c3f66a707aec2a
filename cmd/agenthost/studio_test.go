//go:build !no_serve

package main

import (
	"context"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever agenthost records can be shown by one file, which only its owner can read.
func TestStudioWritesAFile(t *testing.T) {
	t.Parallel()
	module, err := badGuest()
	require.NoError(t, err)
	b := threads(t, noting+"  - plugin: "+module+"\n    config: {how: \"\"}\n")
	require.Equal(t, exitOK, b.run("run", "--thread", "ada", "--record", b.path("run.cassette"), "-o", "jsonl", "</script>hello"), &b.err)
	b.write("run.jsonl", b.out.String())
	require.Equal(t, exitOK, b.run("threads", "export", "ada", "--output", b.path("ada.json")), &b.err)
	for name, part := range map[string]string{"run.jsonl": "hello", "ada.json": "hello", "run.cassette": "bad.after_model"} {
		page := b.path(name + ".html")
		require.Equal(t, exitOK, b.runWith(t.Context(), "", "studio", b.path(name), "--html", page), &b.err)
		require.Empty(t, b.out.String())
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		_, shown, found := strings.Cut(string(text), `id="recording">`)
		require.True(t, found, name)
		shown, _, _ = strings.Cut(shown, "</script")
		require.Contains(t, shown, `{"name":"`+name)
		require.Contains(t, shown, part)
		require.Equal(t, 2, strings.Count(string(text), "</script"), name)
		info, err := os.Stat(page)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "studio", b.path("run.jsonl"), "--html", "-"), &b.err)
	require.True(t, strings.HasPrefix(b.out.String(), "<!doctype html>"))
}

func TestStudioRefusesWhatIsNoRecording(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\n")
	for name, content := range map[string]string{"empty": "", "text": "hello", "json": `{"a": 1}`, "list": "[1]", "binary": "\x81\xa0\xff"} {
		b.write(name, content)
		require.Equal(t, exitUsage, b.runWith(t.Context(), "", "studio", b.path(name)), name)
		require.Contains(t, b.err.String(), "it is not a recording; use a file of", name)
	}
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "studio", b.path("missing")))
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "studio"))
}

// lines takes what a command prints, and hands it on when it fits.
type lines struct {
	fits *regexp.Regexp
	to   chan string
}

func (l lines) Write(p []byte) (int, error) {
	if found := l.fits.Find(p); found != nil {
		l.to <- string(found)
	}
	return len(p), nil
}

// Without --html the page is there until the command ends, at an address that others cannot guess.
func TestStudioShowsAPage(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(t.Context())
	printed := lines{regexp.MustCompile(`http://127\.0\.0\.1:\d+/[A-Z2-7]{26}`), make(chan string, 1)}
	a := &app{streams: streams{err: printed}}
	ended := make(chan error, 1)
	go func() { ended <- a.showPage(ctx, []byte("the page")) }()
	address := <-printed.to
	get := func(url string) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	require.Equal(t, http.StatusOK, get(address))
	require.Equal(t, http.StatusNotFound, get(address[:len(address)-1]))
	end()
	require.NoError(t, <-ended)
}
