package sse_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/internal/sse"
)

// read reads all events of a text, and returns them, the last id and the error that ended it.
func read(text string) (events []sse.Event, lastID string, err error) {
	r := sse.NewReader(iotest.OneByteReader(strings.NewReader(text)), 100)
	for {
		e, err := r.Next()
		if err != nil {
			return events, r.LastID(), err
		}
		events = append(events, e)
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	event := func(name, id, data string) sse.Event { return sse.Event{Name: name, ID: id, Data: []byte(data)} }
	for name, test := range map[string]struct {
		text   string
		want   []sse.Event
		lastID string
	}{
		"LF":                       {"event: a\ndata: 1\nid: 7\n\n", []sse.Event{event("a", "7", "1")}, "7"},
		"CRLF":                     {"event: a\r\ndata: 1\r\nid: 7\r\n\r\ndata:2\r\n\r\n", []sse.Event{event("a", "7", "1"), event("", "", "2")}, "7"},
		"CR":                       {"data: 1\rdata:  2\r\r", []sse.Event{event("", "", "1\n 2")}, ""},
		"byte order mark":          {"\uFEFFdata: 1\n\n", []sse.Event{event("", "", "1")}, ""},
		"comments":                 {": heartbeat\n\n:\n\ndata: 1\n: x\n\n", []sse.Event{event("", "", "1")}, ""},
		"no data":                  {"event: a\n\ndata: 1\n\n", []sse.Event{event("", "", "1")}, ""},
		"an id without data":       {"id: 9\n\n", nil, "9"},
		"an id with the character": {"id: 9\n\nid: a\x00\ndata: 1\n\n", []sse.Event{event("", "", "1")}, "9"},
		"empty data":               {"data\n\n", []sse.Event{{}}, ""},
		"cut":                      {"data: 1\n\nid: 2\ndata: 2\n", []sse.Event{event("", "", "1")}, ""},
		"cut in a line":            {"data: 1\n\ndata: 2", []sse.Event{event("", "", "1")}, ""},
		"unknown fields":           {"retry: 1\nwhat: 2\nx\ndata: 1\n\n", []sse.Event{event("", "", "1")}, ""},
		"many events":              {strings.Repeat("data: 0123456789\n\n", 50), make50(event("", "", "0123456789")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, lastID, err := read(test.text)
			require.ErrorIs(t, err, io.EOF)
			require.Equal(t, test.want, events)
			require.Equal(t, test.lastID, lastID)
		})
	}
}

func make50(e sse.Event) []sse.Event {
	out := make([]sse.Event, 50)
	for i := range out {
		out[i] = e
	}
	return out
}

func TestReaderIsBounded(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"data: " + strings.Repeat("x", 200) + "\n\n", strings.Repeat("data: 0123456789\n", 20) + "\n", ":" + strings.Repeat("x", 200), strings.Repeat("data\n", 200),
	} {
		_, _, err := read(text)
		require.ErrorIs(t, err, sse.ErrTooLarge)
	}
	broken := errors.New("cut")
	_, err := sse.NewReader(iotest.ErrReader(broken), 0).Next()
	require.ErrorIs(t, err, broken)
}

// FuzzReader holds for every text: nothing panics, and every event that was read can be sent, and is the same after that.
func FuzzReader(f *testing.F) {
	for _, text := range []string{"", "data: 1\n\n", "event: a\r\nid: 2\rdata: 3\n\r\n", "\uFEFFdata\n\n: x\n\n", "id: \x00\ndata:\n\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		events, _, _ := read(text)
		w := deadlines{httptest.NewRecorder()}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		err := sse.Serve(w, request, func(context.Context) ([]sse.Event, <-chan struct{}, error) { return events, nil, io.EOF }, sse.Config{})
		require.NoError(t, err)
		r := sse.NewReader(w.Body, 0)
		for _, want := range events {
			got, err := r.Next()
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		_, err = r.Next()
		require.ErrorIs(t, err, io.EOF)
	})
}
