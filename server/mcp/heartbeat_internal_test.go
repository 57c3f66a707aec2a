package mcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// recorder is an answer without a connection.
type recorder struct{ *httptest.ResponseRecorder }

func (recorder) FlushError() error { return nil }

func TestAnAnswerThatTakesLongBeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := recorder{httptest.NewRecorder()}
		w.Header().Set("X-Request-ID", "1")
		b := beat(w, time.Second)
		b.Header().Set("Content-Type", "text/event-stream")
		time.Sleep(2500 * time.Millisecond)
		synctest.Wait()
		_, err := b.Write([]byte("data: 1\n\n"))
		require.NoError(t, err)
		b.WriteHeader(http.StatusTeapot) // the stream has begun
		time.Sleep(time.Second)
		synctest.Wait()
		b.stop()
		const comment = ": heartbeat\n\n"
		require.Equal(t, strings.Repeat(comment, 2)+"data: 1\n\n"+comment, w.Body.String())
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, "1", w.Header().Get("X-Request-ID"))
		require.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
	})
}

// An answer that is not a stream stays as it is.
func TestOtherAnswersDoNotBeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := recorder{httptest.NewRecorder()}
		b := beat(w, time.Second)
		b.Header().Set("Content-Type", "application/json")
		b.WriteHeader(http.StatusNotFound)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		_, err := b.Write([]byte("{}"))
		require.NoError(t, err)
		b.stop()
		require.Equal(t, "{}", w.Body.String())
		require.Equal(t, http.StatusNotFound, w.Code)
	})
}
