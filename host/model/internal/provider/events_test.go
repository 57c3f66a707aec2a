package provider_test

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// read is what a stream says: its events, its loose lines, and how it ended.
type read struct {
	events []provider.Event
	loose  string
	err    error // nil: by itself
}

func readAll(body io.Reader) (out read) {
	events := provider.NewEvents(body)
	for {
		event, err := events.Next()
		if err != nil {
			if out.loose = string(events.Loose()); !errors.Is(err, io.EOF) {
				out.err = err
			}
			return out
		}
		event.Data = append([]byte{}, event.Data...)
		out.events = append(out.events, event)
	}
}

func event(kind, data string) provider.Event { return provider.Event{Kind: kind, Data: []byte(data)} }

func cut(kind, data string) provider.Event {
	return provider.Event{Kind: kind, Data: []byte(data), Cut: true}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text   string
		events []provider.Event
		loose  string
	}{
		"nothing":                      {"", nil, ""},
		"one":                          {"data: a\n\n", []provider.Event{event("", "a")}, ""},
		"with a kind":                  {"event: x\ndata: a\n\ndata: b\n\n", []provider.Event{event("x", "a"), event("", "b")}, ""},
		"the last kind counts":         {"event: x\nevent: y\ndata: a\n\n", []provider.Event{event("y", "a")}, ""},
		"a kind without data":          {"event: x\n\ndata: a\n\n", []provider.Event{event("", "a")}, ""},
		"several lines":                {"data: a\ndata\ndata:b\n\n", []provider.Event{event("", "a\n\nb")}, ""},
		"empty data":                   {"data\n\ndata:\n\n", []provider.Event{event("", ""), event("", "")}, ""},
		"one space is none":            {"data:  a\n\ndata:a\n\n", []provider.Event{event("", " a"), event("", "a")}, ""},
		"comments and other fields":    {": hi\nid: 1\nretry: 2\ndata: a\n:\n\n", []provider.Event{event("", "a")}, ""},
		"CRLF":                         {"event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []provider.Event{event("x", "a"), event("", "b")}, ""},
		"CR":                           {"data: a\r\rdata: b\r\r", []provider.Event{event("", "a"), event("", "b")}, ""},
		"all of them":                  {"data: a\r\ndata: b\ndata: c\r\n\ndata: d\r\r\n", []provider.Event{event("", "a\nb\nc"), event("", "d")}, ""},
		"the mark of UTF-8":            {"\uFEFFdata: a\n\n\uFEFFdata: b\n\n", []provider.Event{event("", "a")}, "\uFEFFdata: b\n"},
		"the mark and nothing else":    {"\uFEFF", nil, ""},
		"the end cuts a line":          {"data: a\n\ndata: b", []provider.Event{event("", "a"), cut("", "b")}, ""},
		"the end cuts an event":        {"event: x\ndata: a\n", []provider.Event{cut("x", "a")}, ""},
		"the end cuts one without any": {"data: a\n\nevent: x\n", []provider.Event{event("", "a")}, ""},
		"no stream":                    {"{\n \"error\": 1}", nil, "{\n \"error\": 1}\n"},
		"no stream behind one":         {"data: a\n\n[1]\nx", []provider.Event{event("", "a")}, "[1]\nx\n"},
		"much that is not a stream":    {strings.Repeat("x", 1<<20) + "\ny\ndata: a\n\n", []provider.Event{event("", "a")}, strings.Repeat("x", 64<<10)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := read{test.events, test.loose, nil}
			require.Equal(t, want, readAll(strings.NewReader(test.text)))
			require.Equal(t, want, readAll(iotest.OneByteReader(strings.NewReader(test.text))))
			require.Equal(t, want, readAll(iotest.DataErrReader(strings.NewReader(test.text))))
		})
	}
}

// What an error cuts off is not an event.
func TestEventsOfABrokenStream(t *testing.T) {
	t.Parallel()
	body := io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	require.Equal(t, read{[]provider.Event{event("", "a")}, "", io.ErrUnexpectedEOF}, readAll(body))
}

func TestEventsThatAreTooLong(t *testing.T) {
	t.Parallel()
	endless := func(piece string) io.Reader { return &repeated{text: piece} }
	for name, body := range map[string]io.Reader{
		"a line":         endless("data: " + strings.Repeat("x", 1<<16)),
		"a comment":      endless(strings.Repeat(":", 1<<16)),
		"a line of none": endless(strings.Repeat("x", 1<<16)),
		"lines of data":  endless("data: " + strings.Repeat("x", 1<<16) + "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.EqualError(t, readAll(body).err, "an event of the response is longer than 32 MiB")
		})
	}
}

// repeated is a text without an end.
type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) {
		copied := copy(p[n:], r.text[r.at:])
		n, r.at = n+copied, (r.at+copied)%len(r.text)
	}
	return n, nil
}

// An event needs no memory of its own.
func TestEventsAreReadInPlace(t *testing.T) { //nolint:paralleltest // it counts allocations
	events := provider.NewEvents(&repeated{text: "id: 7\ndata: {\"choices\":[{\"index\":0}]}\n\n: ping\n\n"})
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if _, err := events.Next(); err != nil {
			t.Error(err)
		}
	}))
}

var (
	ends   = regexp.MustCompile("\r\n|\r|\n")
	fields = regexp.MustCompile(`(?s)^(event|data)(?:: ?(.*))?$`)
)

// specified is what a text says that is short enough, read as the specification has it.
func specified(text []byte) (out read) {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	lines := ends.Split(string(text), -1)
	last := lines[len(lines)-1]
	if lines = lines[:len(lines)-1]; last != "" {
		lines = append(lines, last)
	}
	var now *provider.Event
	kind := ""
	for _, line := range lines {
		name, _, _ := strings.Cut(line, ":")
		found := fields.FindStringSubmatch(line)
		switch {
		case line == "":
			if now != nil {
				now.Kind = kind
				out.events = append(out.events, *now)
			}
			now, kind = nil, ""
		case found == nil && name != "" && name != "id" && name != "retry":
			out.loose += line + "\n"
		case found == nil:
		case found[1] == "event":
			kind = found[2]
		case now == nil:
			now = &provider.Event{Data: []byte(found[2])}
		default:
			now.Data = append(append(now.Data, '\n'), found[2]...)
		}
	}
	if now != nil {
		now.Kind, now.Cut = kind, true
		out.events = append(out.events, *now)
	}
	return out
}

func FuzzEvents(f *testing.F) {
	for _, text := range []string{
		"event: x\r\ndata: a\r\rid: 1\nretry\ndata\ndata: b\n\n: c\n", "\uFEFFdata: a\n\n{\n}\n", "data:\n\n\nevent:\ndata: [DONE]", "event: a:b\ndata: \xff\n",
	} {
		f.Add([]byte(text), 1)
	}
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		if len(text) > 60<<10 { // of more, not all is kept
			return
		}
		want := specified(text)
		require.Equal(t, want, readAll(bytes.NewReader(text)))
		require.Equal(t, want, readAll(&pieces{text, max(1, size)}))
	})
}

// pieces is a text that comes in pieces of a size.
type pieces struct {
	text []byte
	size int
}

func (p *pieces) Read(into []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(into, p.text[:min(p.size, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}
