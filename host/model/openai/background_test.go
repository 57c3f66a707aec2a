package openai_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

// behind is a server that answers in the background: one answer for each request, the last one again and again.
type behind struct {
	answers []string // a status code alone is an error
	seen    []string
}

func (b *behind) RoundTrip(r *http.Request) (*http.Response, error) {
	b.seen = append(b.seen, r.Method+" "+r.URL.Path)
	answer := b.answers[0]
	if len(b.answers) > 1 {
		b.answers = b.answers[1:]
	}
	resp := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(answer)), Request: r, Header: http.Header{}}
	switch answer {
	case "503":
		resp.StatusCode = http.StatusServiceUnavailable
	case "404":
		resp.StatusCode = http.StatusNotFound
	case "lost":
		return nil, io.ErrUnexpectedEOF
	}
	return resp, r.Context().Err()
}

const (
	queued  = `{"id":"resp_1","status":"queued","output":[]}`
	running = `{"id":"resp_1","status":"in_progress","output":[]}`
)

func inBackground(answers ...string) (*openai.Model, *behind) {
	b := &behind{answers: answers}
	return &openai.Model{
		Name: "gpt-5.2", BaseURL: "https://example.com/v1", API: openai.Responses, Background: true, HTTPClient: &http.Client{Transport: b},
		Limits: model.Limits{MaxRetries: -1},
	}, b
}

func TestAnAnswerInTheBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, streaming := range []bool{false, true} {
			m, b := inBackground(queued, running, "503", "lost", running, hello[openai.Responses])
			start := time.Now()
			resp, err := ask(t, m, request(hi), streaming)
			require.NoError(t, err)
			require.Equal(t, "hello", resp.AI().Content.Text())
			require.Equal(t, []string{
				"POST /v1/responses", "GET /v1/responses/resp_1", "GET /v1/responses/resp_1", "GET /v1/responses/resp_1",
				"GET /v1/responses/resp_1", "GET /v1/responses/resp_1",
			}, b.seen)
			require.Equal(t, 13187500*time.Microsecond, time.Since(start), "1s, and half as much again each time")
		}
		m, _ := inBackground(queued, hello[openai.Responses])
		out := stream(t.Context(), m, request(hi))
		require.Equal(t, "hello", out.text)
		require.Equal(t, 2, out.chunks)
	})
}

func TestAnAnswerInTheBackgroundIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, b := inBackground(queued, running)
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("enough")
		time.AfterFunc(time.Minute, func() { cancel(stop) })
		_, err := m.Generate(ctx, request(hi))
		require.ErrorIs(t, err, stop)
		require.Equal(t, "POST /v1/responses/resp_1/cancel", b.seen[len(b.seen)-1])

		m, b = inBackground(queued, running)
		start := time.Now()
		_, err = m.Generate(t.Context(), request(hi))
		require.ErrorContains(t, err, "the answer in the background took longer than 1h0m0s; raise timeout if it needs more")
		require.Equal(t, model.ErrorTimeout, failure(t, err).Kind)
		require.Equal(t, time.Hour, time.Since(start))
		require.Equal(t, "POST /v1/responses/resp_1/cancel", b.seen[len(b.seen)-1])

		m, b = inBackground(queued, "503")
		m.Limits.Timeout = 30 * time.Second
		_, err = m.Generate(t.Context(), request(hi))
		require.ErrorContains(t, err, "took longer than 30s")
		require.Equal(t, "POST /v1/responses/resp_1/cancel", b.seen[len(b.seen)-1])
	})
}

func TestAnAnswerInTheBackgroundThatFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			answers []string
			says    string
		}{
			{[]string{queued, "404"}, "404"},
			{[]string{"503"}, "503"},
			{[]string{queued, `{"id":"resp_1","status":"failed","error":{"code":"server_error","message":"no luck"}}`}, "no luck"},
			{[]string{queued, `{"id":"resp_1","status":"cancelled","output":[]}`}, `has the status "cancelled"`},
			{[]string{`{"id":"../../files","status":"queued"}`}, "has no usable id"},
			{[]string{`{"status":"queued"}`}, "has no usable id"},
			{[]string{queued, "a page"}, "a page"},
		} {
			m, b := inBackground(test.answers...)
			_, err := m.Generate(t.Context(), request(hi))
			require.ErrorContains(t, err, test.says)
			require.Len(t, b.seen, len(test.answers))
		}
	})
}
