package studio_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/studio"
	"github.com/agenthost/agenthost/studio/internal/bundle"
)

// get asks for a file of the page.
func get(t *testing.T, file *studio.File, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, file.Path, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	file.ServeHTTP(answer, request)
	return answer
}

// make generate writes dist/.
func TestTheBundleIsThatOfTheSources(t *testing.T) {
	t.Parallel()
	files, err := bundle.Bundle("web")
	require.NoError(t, err)
	require.Len(t, files, 2)
	for name, text := range files {
		committed, err := os.ReadFile(filepath.Join("dist", name))
		require.NoError(t, err)
		require.True(t, bytes.Equal(committed, text), "%s is stale; run make generate", name)
	}
}

// limit is how many bytes the page may have, compressed.
const limit = 60_000

func TestThePageIsSmall(t *testing.T) {
	t.Parallel()
	size := 0
	for _, file := range studio.Files() {
		answer := get(t, file, "Accept-Encoding", "br, gzip")
		require.Equal(t, "gzip", answer.Header().Get("Content-Encoding"))
		size += answer.Body.Len()
		unzipped, err := gzip.NewReader(answer.Body)
		require.NoError(t, err)
		text, err := io.ReadAll(unzipped)
		require.NoError(t, err)
		require.Equal(t, get(t, file).Body.Bytes(), text)
	}
	t.Logf("%d bytes", size)
	t.Attr("page_bytes", strconv.Itoa(size))
	require.Less(t, size, limit)
}

func TestAFileThatTheBrowserHasIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for _, file := range studio.Files() {
		first := get(t, file, "Accept-Encoding", "gzip;q=0")
		require.Equal(t, http.StatusOK, first.Code)
		require.Empty(t, first.Header().Get("Content-Encoding"))
		require.Equal(t, "no-cache", first.Header().Get("Cache-Control"))
		again := get(t, file, "If-None-Match", first.Header().Get("ETag"))
		require.Equal(t, http.StatusNotModified, again.Code)
		require.Zero(t, again.Body.Len())
	}
}

// Nothing makes HTML of a text, runs a text, or names another server.
func TestTheScriptIsHarmless(t *testing.T) {
	t.Parallel()
	for _, file := range studio.Files() {
		require.Contains(t, get(t, file).Header().Get("Content-Security-Policy"), "require-trusted-types-for 'script'; trusted-types 'none'")
	}
	sources, err := filepath.Glob("web/*.js")
	require.NoError(t, err)
	for _, dir := range []string{"model", "ui"} {
		more, err := filepath.Glob("web/" + dir + "/*.js")
		require.NoError(t, err)
		sources = append(sources, more...)
	}
	require.Greater(t, len(sources), 15)
	for _, path := range sources {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, forbidden := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "dangerouslySetInnerHTML", "document.write", "eval(", "new Function", "localStorage", "srcdoc"} {
			require.NotContains(t, string(text), forbidden, path)
		}
		for _, address := range []string{"'http://", "\"http://", "'https://", "\"https://", "`http"} {
			require.NotContains(t, string(text), address, "%s has the address of another server", path)
		}
	}
}
