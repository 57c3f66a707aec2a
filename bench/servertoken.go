package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"time"
)

const tokenP99 = "token_p99_ns"

const directCall = "a direct call of the model"

func tokenSuite() *Suite {
	return &Suite{
		Name: "token", Title: "from the model's first token to the client that reads the run's stream", Unit: "token",
		Cases: []Case{{"first", "first token, median"}},
		Extra: []Extra{{tokenP99, "p99", duration}},
		Free:  true,
		Reps:  serverReps,
		Rows: []Row{
			{Label: oursInSQLite, Peer: "agenthost", Flavor: inSQLite},
			{Label: "agenthost, memory", Peer: "agenthost", Flavor: inMemory},
			{Label: oursInPostgres, Peer: "agenthost", Flavor: inPostgres},
			{Label: directCall, Peer: "agenthost", Flavor: "direct"},
			{Label: peerDev, Peer: "langgraph-server"},
			{Label: peerAegra, Peer: "aegra", Flavor: inPostgres},
		},
		Measure: measureToken,
	}
}

// thinking is how long a model takes to its first token. The fastest of providers take several times as long.
const thinking = 50 * time.Millisecond

// clock answers as a provider, whose first token is the time in nanoseconds.
func clock(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	time.Sleep(thinking)
	const frame = `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"clock",` +
		`"choices":[{"index":0,"delta":{"role":"assistant","content":"%s"},"finish_reason":%s}]}` + "\n\n"
	_, _ = fmt.Fprintf(w, frame, "t="+strconv.FormatInt(time.Now().UnixNano(), 10)+".", "null")
	_ = control.Flush()
	_, _ = fmt.Fprintf(w, frame+"data: [DONE]\n\n", " That is it.", `"stop"`)
}

// measureToken makes runs of the agent whose model says the time, one after the other.
func measureToken(ctx context.Context, o *Options, row Row, _ Case) (_ *Measurement, err error) {
	model := httptest.NewServer(http.HandlerFunc(clock))
	defer model.Close()
	var open func() (io.ReadCloser, error)
	if row.Flavor == "direct" {
		s := &agentServer{url: model.URL, client: http.DefaultClient}
		defer s.client.CloseIdleConnections()
		open = func() (io.ReadCloser, error) {
			return s.open(ctx, http.MethodPost, "/", `{"model": "clock", "stream": true, "messages": [{"role": "user", "content": "hi"}]}`)
		}
	} else {
		s, err := startAgents(ctx, row, model.URL)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, s.stop()) }()
		open = func() (io.ReadCloser, error) {
			return s.open(ctx, http.MethodPost, "/threads/"+newID()+"/runs/stream", `{"assistant_id": "clock", "if_not_exists": "create", `+
				`"stream_mode": "messages-tuple", "input": {"messages": [{"role": "user", "content": "hi"}]}}`)
		}
	}
	var late []float64
	length := o.Seconds * serverLength
	for begun := time.Now(); len(late) == 0 || time.Since(begun).Seconds() < length; {
		stream, err := open()
		if err != nil {
			return nil, err
		}
		ns, err := lateness(stream)
		if err := errors.Join(err, stream.Close()); err != nil {
			return nil, err
		}
		late = append(late, ns)
	}
	late = late[len(late)/5:] // what came before warmed it up
	return &Measurement{NS: quantile(late, 0.5), Check: "the first token", Extra: map[string]float64{tokenP99: quantile(late, 0.99)}}, nil
}

var timed = regexp.MustCompile(`t=(\d+)\.`)

// lateness reads a stream to its end, and returns how many nanoseconds after its birth the first token came.
func lateness(stream io.Reader) (float64, error) {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, 1<<20)
	late := 0.0
	for lines.Scan() {
		found := timed.FindSubmatch(lines.Bytes())
		if found == nil || late > 0 {
			continue
		}
		now := time.Now().UnixNano()
		born, err := strconv.ParseInt(string(found[1]), 10, 64)
		if err != nil {
			return 0, err
		}
		late = float64(now - born)
	}
	if late <= 0 {
		return 0, errors.Join(errors.New("the stream had no token"), lines.Err())
	}
	return late, lines.Err()
}
