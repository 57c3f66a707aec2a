package access_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/detail"
)

func TestBudget(t *testing.T) {
	t.Parallel()
	const kept = 100
	large := strings.Repeat("x", access.FreeBody+kept)
	var within func() // while the request has its body and no answer
	var answered func()
	h := access.NewBudget(kept).Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			detail.Write(w, err)
			return
		}
		if f := within; f != nil {
			within = nil
			f()
		}
		_, _ = w.Write(body[:1])
		if f := answered; f != nil {
			answered = nil
			f()
		}
	}))
	send := func(body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body)))
		return w
	}
	require.Equal(t, http.StatusOK, send(large).Code)
	require.Equal(t, http.StatusServiceUnavailable, send(large+"x").Code, "it alone is too much")

	within = func() {
		refused := send(large)
		require.Equal(t, http.StatusServiceUnavailable, refused.Code)
		require.Equal(t, "1", refused.Header().Get("Retry-After"))
		require.Contains(t, refused.Body.String(), "too many large requests")
		require.Equal(t, http.StatusOK, send(large[:access.FreeBody]).Code, "small ones pass")
	}
	require.Equal(t, http.StatusOK, send(large).Code)
	answered = func() { require.Equal(t, http.StatusOK, send(large).Code, "an answer that has begun needs no body") }
	require.Equal(t, http.StatusOK, send(large).Code)
	require.Nil(t, answered)
	require.Equal(t, http.StatusOK, send(large).Code, "all of it was given back")
}

func TestMessagesOfAWebSocketCount(t *testing.T) {
	t.Parallel()
	const kept = 100
	budget := access.NewBudget(kept)
	large := strings.Repeat("x", access.FreeBody+kept)
	read := func() (release func(), err error) {
		counted, release := budget.Count(strings.NewReader(large))
		_, err = io.Copy(io.Discard, counted)
		return release, err
	}
	release, err := read()
	require.NoError(t, err)
	releaseSecond, err := read()
	require.ErrorContains(t, err, "too many large requests")
	releaseSecond()
	release()
	release, err = read()
	require.NoError(t, err)
	release()
}
