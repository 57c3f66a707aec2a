package chat

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// serve answers every request so, at a URL, and returns where the body of the last one will be.
func serve(t *testing.T, status int, answer string) (url string, body *string) {
	t.Helper()
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost {
			t.Errorf("%s, %v", r.Method, err)
		}
		asked = string(body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL, &asked
}

func TestComplete(t *testing.T) {
	t.Parallel()
	url, asked := serve(t, http.StatusOK, `{"choices":[{"message":{"content":"hello"}}]}`)
	text, err := Complete(t.Context(), url, Message{Role: "user", Content: "hi"})
	if err != nil || text != "hello" {
		t.Errorf("%q, %v", text, err)
	}
	if want := `{"messages":[{"role":"user","content":"hi"}]}`; *asked != want {
		t.Errorf("asked %s, not %s", *asked, want)
	}
}

func TestNoAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status      int
		answer, err string
	}{
		{http.StatusTeapot, `{}`, "418"},
		{http.StatusOK, `{"choices":[]}`, "no choices"},
		{http.StatusOK, `{`, "EOF"},
	} {
		url, _ := serve(t, c.status, c.answer)
		if text, err := Complete(t.Context(), url); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%d %s: %q, %v", c.status, c.answer, text, err)
		}
	}
}
