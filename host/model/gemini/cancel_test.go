package gemini_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/gemini"
)

const piece = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hel\"}]}}]}\n\n"

// hanging starts a server that says a piece, or nothing, and then waits for the client to go, which it tells.
func hanging(t *testing.T, text string, asked func()) (s *server, gone chan struct{}) {
	t.Helper()
	gone = make(chan struct{}, 10)
	s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if text != "" {
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
		}
		asked()
		<-r.Context().Done()
		gone <- struct{}{}
	})
	return s, gone
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	cause := errors.New("the person has left")
	for _, text := range []string{"", piece} {
		bothWays(t, func(t *testing.T, streaming bool) {
			t.Helper()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			s, gone := hanging(t, text, func() { cancel(cause) })
			_, err := ask(ctx, modelAt(t, s), request(abi.Human("hi")), streaming)
			require.Equal(t, cause, err)
			<-gone
			_, err = ask(ctx, modelAt(t, s), request(abi.Human("hi")), streaming)
			require.Equal(t, cause, err)
			require.Equal(t, 1, s.count(), "nothing is sent any more")
		})
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	const soon = 50 * time.Millisecond
	for _, text := range []string{"", piece} {
		bothWays(t, func(t *testing.T, streaming bool) {
			t.Helper()
			s, _ := hanging(t, text, func() {}) // which it may never be asked; at the end it waits until the client has gone
			ctx, cancel := context.WithTimeout(t.Context(), soon)
			defer cancel()
			_, err := ask(ctx, modelAt(t, s), request(abi.Human("hi")), streaming)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, model.ErrorTimeout, failure(t, err).Kind)
			require.True(t, failure(t, err).Retryable)

			m := modelAt(t, s)
			m.HTTPClient.Timeout = soon
			_, err = ask(t.Context(), m, request(abi.Human("hi")), streaming)
			require.Equal(t, model.ErrorTimeout, failure(t, err).Kind)
		})
	}
	s := saying(t, hello)
	m := modelAt(t, s)
	m.HTTPClient.Timeout = time.Minute
	_, err := m.Generate(t.Context(), request(abi.Human("hi")))
	require.NoError(t, err)
	require.Equal(t, time.Minute, m.HTTPClient.Timeout, "the client is the caller's")
}

func TestConsumersThatStop(t *testing.T) {
	t.Parallel()
	s, gone := hanging(t, piece, func() {})
	m := modelAt(t, s)
	for chunk, err := range m.Stream(t.Context(), request(abi.Human("hi"))) {
		require.NoError(t, err)
		require.Equal(t, model.Chunk{Text: "Hel"}, chunk)
		break
	}
	<-gone
	require.PanicsWithValue(t, "mine", func() {
		for _, err := range m.Stream(t.Context(), request(abi.Human("hi"))) {
			require.NoError(t, err)
			panic("mine")
		}
	})
	<-gone
	for _, err := range (&gemini.Model{Name: "x", BaseURL: "nonsense"}).Stream(t.Context(), request()) {
		require.Error(t, err)
		break
	}
}

// TestPiecesComeAtOnce delivers a stream byte by byte, and waits for each piece before it goes on.
func TestPiecesComeAtOnce(t *testing.T) {
	t.Parallel()
	got := make(chan struct{})
	text := testdata(t, "documented", "thinking.sse")
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for i := range len(text) {
			_, _ = io.WriteString(w, text[i:i+1])
			_ = http.NewResponseController(w).Flush()
			if i > 4 && text[i-3:i+1] == "\r\n\r\n" && i < len(text)/2 { // the first pieces are thoughts and texts
				select {
				case <-got:
				case <-r.Context().Done():
					return
				}
			}
		}
	})
	var chunks []model.Chunk
	for chunk, err := range modelAt(t, s).Stream(t.Context(), request(abi.Human("hi"))) {
		require.NoError(t, err)
		if chunks = append(chunks, chunk); len(chunks) <= 2 {
			got <- struct{}{}
		}
	}
	require.Len(t, chunks, 5)
	require.Equal(t, model.Chunk{Reasoning: "**Weather**\n\nThe person"}, chunks[0])
	require.Equal(t, model.Chunk{Reasoning: " asks for two cities."}, chunks[1])
	require.Equal(t, model.Chunk{Text: "I look "}, chunks[2])
	require.Equal(t, model.Chunk{Text: "it up."}, chunks[3])
	require.Len(t, chunks[4].Response.AI().ToolCalls, 2)
}
