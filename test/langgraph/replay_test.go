package langgraph_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// replay holds a recorded conversation again.
type replay struct {
	t      *testing.T
	url    string
	client *http.Client
	gate   *gate
	bound  map[string]string // values of placeholders
}

// names are placeholders in texts.
var names = regexp.MustCompile(`<[a-z]+(?:_\d+|-id)>`)

// fill returns a text with the values of its placeholders. One that no answer had is the client's own choice.
func (r *replay) fill(text string) string {
	return names.ReplaceAllStringFunc(text, func(name string) string {
		if r.bound[name] == "" {
			r.bound[name] = uuid.NewString()
		}
		return r.bound[name]
	})
}

// bind learns the values of placeholders from an answer.
func (r *replay) bind(recorded, got any) {
	switch want := recorded.(type) {
	case map[string]any:
		have, _ := got.(map[string]any)
		for key, member := range want {
			r.bind(member, have[key])
		}
	case []any:
		have, _ := got.([]any)
		for i, element := range want {
			if i < len(have) {
				r.bind(element, have[i])
			}
		}
	case string:
		if have, ok := got.(string); ok {
			r.bindText(want, have)
		}
	}
}

func (r *replay) bindText(recorded, got string) {
	found := names.FindAllString(recorded, -1)
	if len(found) == 0 {
		return
	}
	pattern := "^" + names.ReplaceAllString(regexp.QuoteMeta(recorded), "(.+?)") + "$"
	groups := regexp.MustCompile(pattern).FindStringSubmatch(got)
	for i, name := range found {
		if len(groups) > i+1 && (r.bound[name] == "" || name == "<event-id>") {
			r.bound[name] = groups[i+1]
		}
	}
}

// ask sends a request and reads its answer.
func (r *replay) ask(e *exchange) *answer {
	r.t.Helper()
	follows := joins.MatchString(e.Request.Method + " " + e.Request.Path)
	if follows && e.Response.SSE == nil {
		r.gate.letAll()
	}
	response, frames := r.start(e)
	if follows && e.Response.SSE != nil {
		return r.read(e, response, frames, r.first(frames))
	}
	return r.read(e, response, frames, nil)
}

// joins matches requests that wait for a run, which goes on only then.
var joins = regexp.MustCompile(`^GET .*/runs/[^/]+/(join|stream)$`)

// first returns the first frame of the stream of a run, if there is one. It lets the run go on piece by piece until then, because a server may
// send the headers of a stream a moment before it follows the run.
func (r *replay) first(frames *frameReader) (out []frame) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	var letting sync.WaitGroup
	letting.Go(func() {
		for ctx.Err() == nil {
			r.gate.letOne(ctx)
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond): // the server does not follow the run yet
			}
		}
	})
	f, err := frames.next()
	cancel()
	letting.Wait()
	r.gate.letAll()
	if errors.Is(err, io.EOF) {
		return nil
	}
	require.NoError(r.t, err)
	return []frame{f}
}

// start sends a request, and returns its answer with what reads its frames.
func (r *replay) start(e *exchange) (*reply, *frameReader) {
	r.t.Helper()
	address := r.url + r.fill(e.Request.Path)
	if len(e.Request.Query) > 0 {
		query := url.Values{}
		for key, value := range e.Request.Query {
			query.Set(key, r.fill(fmt.Sprint(value)))
		}
		address += "?" + query.Encode()
	}
	var body io.Reader = http.NoBody
	if text := string(e.Request.Body); text != "" && text != "null" {
		body = strings.NewReader(r.fill(text))
	}
	request, err := http.NewRequestWithContext(r.t.Context(), e.Request.Method, address, body)
	require.NoError(r.t, err)
	for name, value := range e.Request.Headers {
		if token, ok := strings.CutPrefix(value, "Bearer token-"); ok {
			value = "Bearer " + secret("token-"+token)
		}
		request.Header.Set(name, r.fill(value))
	}
	response, err := r.client.Do(request)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = response.Body.Close() })
	return &reply{response.StatusCode, response.Header, response.Body}, &frameReader{lines: bufio.NewReader(response.Body)}
}

// reply is an answer whose body is still to be read. It is closed when the test ends.
type reply struct {
	status int
	header http.Header
	body   io.ReadCloser
}

// read reads an answer, or as much of a stream as the recorded client read; early frames were read before.
func (r *replay) read(e *exchange, response *reply, frames *frameReader, early []frame) *answer {
	r.t.Helper()
	defer func() { _ = response.body.Close() }()
	out := &answer{Status: response.status, Headers: map[string]string{}}
	for name := range response.header {
		out.Headers[strings.ToLower(name)] = response.header.Get(name)
	}
	if mediaType(response.header.Get("Content-Type")) == "text/event-stream" {
		out.SSE = append([]frame{}, early...)
		for !e.Response.Left || len(out.SSE) < len(e.Response.SSE) {
			f, err := frames.next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(r.t, err)
			out.SSE = append(out.SSE, f)
			if e.Response.Open && last(f) == last(e.Response.SSE[len(e.Response.SSE)-1]) {
				break
			}
		}
	} else {
		text, err := io.ReadAll(response.body)
		require.NoError(r.t, err)
		if len(bytes.TrimSpace(text)) > 0 {
			require.NoError(r.t, json.Unmarshal(text, &out.Body), "%s", text)
		}
	}
	for name, value := range e.Response.Headers {
		r.bindText(value, out.Headers[name])
	}
	r.bind(e.Response.Body, out.Body)
	for i, f := range e.Response.SSE {
		if i < len(out.SSE) {
			r.bindText(f.ID, out.SSE[i].ID)
			r.bind(f.Data, out.SSE[i].Data)
		}
	}
	return out
}

// last returns what tells the last frame of a stream that has no end from those before it: how far the run is.
func last(f frame) string {
	text, _ := json.Marshal(f.Data) //nolint:errchkjson // it was read from JSON
	var event struct {
		Params struct {
			Data struct {
				Event    string            `json:"event"`
				Messages []json.RawMessage `json:"messages"`
			} `json:"data"`
		} `json:"params"`
	}
	_ = json.Unmarshal(text, &event)
	return fmt.Sprint(f.Event, event.Params.Data.Event, len(event.Params.Data.Messages))
}

// frameReader reads frames as the specification of server-sent events says.
type frameReader struct{ lines *bufio.Reader }

func (r *frameReader) next() (f frame, err error) {
	var data []string
	for {
		line, err := r.lines.ReadString('\n')
		if err != nil {
			return f, err
		}
		line = strings.TrimRight(line, "\r\n")
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && data != nil:
			return f, json.Unmarshal([]byte(strings.Join(data, "\n")), &f.Data)
		case line == "":
			f = frame{}
		case field == "event":
			f.Event = value
		case field == "id":
			f.ID = value
		case field == "data":
			data = append(data, value)
		}
	}
}

// overlaps are exchanges that began before another one, and whose answers were complete after a third one.
var overlaps = map[string]overlap{
	"s14_cancel_interrupt": {exchange: 3, begins: 2, ends: 4}, // it is cancelled while it streams
}

type overlap struct{ exchange, begins, ends int }

// going starts a stream and reads it to the first frame of the kind that the recorded one ended with. It returns what reads and checks the rest.
func (r *replay) going(e *exchange, check func(*exchange, *answer)) (rest func()) {
	r.t.Helper()
	response, frames := r.start(e)
	last := e.Response.SSE[len(e.Response.SSE)-1].Event
	var early []frame
	for len(early) == 0 || early[len(early)-1].Event != last {
		f, err := frames.next()
		require.NoError(r.t, err)
		early = append(early, f)
	}
	r.bindText(e.Response.Headers["content-location"], response.header.Get("Content-Location"))
	return func() { check(e, r.read(e, response, frames, early)) }
}

// TestConversations holds all recorded conversations with our server.
func TestConversations(t *testing.T) { //nolint:tparallel // the end of the first subtest waits for those within it
	t.Parallel()
	used := &usedExceptions{}
	t.Run("all", func(t *testing.T) {
		for name, exchanges := range transcripts(t) {
			if notCompared[name] != "" {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := serve(t, name)
				check := func(e *exchange, got *answer) {
					for _, d := range compare(&e.Response, got) {
						if !used.excepted(name, e, d) {
							t.Errorf("%d %s %s (%s): %s", e.N, e.Request.Method, e.Request.Path, e.Note, d)
						}
					}
				}
				o, going := overlaps[name], func() {}
				for i := range exchanges {
					e := &exchanges[i]
					if e.N == o.begins {
						going = r.going(&exchanges[o.exchange-1], check)
					}
					if e.N != o.exchange {
						check(e, r.ask(e))
					}
					if e.N == o.ends {
						going()
					}
				}
			})
		}
	})
	used.check(t)
}
