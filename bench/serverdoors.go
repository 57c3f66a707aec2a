package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// doorsSuite measures the same run through each door of one server.
func doorsSuite() *Suite {
	rows := make([]Row, len(doors))
	for i, d := range doors {
		rows[i] = Row{Label: d.label, Peer: "agenthost", Flavor: d.label}
	}
	return &Suite{
		Name: "doors", Title: "the same run through each door of agenthost serve, with a new thread, in SQLite", Unit: "run",
		Cases: []Case{{"1", "1 client"}, {"16", "16 clients"}},
		Extra: []Extra{{runsPerSecond, "runs a second", digits}, {runP99, "p99 of a run", duration}, {doorAnswer, "the answer", size}},
		Free:  true,
		Reps:  serverReps,
		Rows:  rows,
		Measure: func(ctx context.Context, o *Options, row Row, c Case) (*Measurement, error) {
			for i := range doors {
				if doors[i].label == row.Flavor {
					return doors[i].measure(ctx, o, c)
				}
			}
			return nil, fmt.Errorf("there is no door %q", row.Flavor)
		},
	}
}

// doorAnswer is how many bytes the answer to the last request of a door had.
const doorAnswer = "answer_bytes"

// door is a way to ask for a run. In a text, ID is a new id.
type door struct {
	label, path, body string
	header            map[string]string
}

// newerMCP is the version of MCP in which a request needs no session.
const newerMCP = "2026-07-28"

var doors = []door{
	{label: "LangGraph, wait", path: "/threads/ID/runs/wait", body: langGraphRun("")},
	{label: "LangGraph, stream", path: "/threads/ID/runs/stream", body: langGraphRun(`"stream_mode": ["messages-tuple", "values"], `)},
	{label: "AG-UI", path: "/agui/agent", body: `{"threadId": "ID", "runId": "ID", "messages": [{"id": "ID", "role": "user", "content": "hi"}], ` +
		`"state": {}, "tools": [], "context": [], "forwardedProps": {}}`},
	{label: "OpenAI, chat completions", path: "/v1/chat/completions", body: completion("")},
	{label: "OpenAI, chat completions, stream", path: "/v1/chat/completions", body: completion(`"stream": true, `)},
	{label: "OpenAI, responses", path: "/v1/responses", body: `{"model": "agent", "input": "hi"}`},
	{
		label: "MCP", path: "/mcp",
		body: rpc("tools/call", `{"name": "agent", "arguments": {"prompt": "hi"}, "_meta": {"io.modelcontextprotocol/protocolVersion": "`+newerMCP+`", `+
			`"io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"}, "io.modelcontextprotocol/clientCapabilities": {}}}`),
		header: map[string]string{
			"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": newerMCP, "Mcp-Method": "tools/call", "Mcp-Name": "agent",
		},
	},
	{
		label: "A2A", path: "/a2a/agent", header: map[string]string{"A2A-Version": "1.0"},
		body: rpc("SendMessage", `{"message": {"messageId": "ID", "role": "ROLE_USER", "parts": [{"text": "hi"}]}}`),
	},
}

func langGraphRun(more string) string {
	return `{"assistant_id": "agent", "if_not_exists": "create", ` + more + `"input": {"messages": [{"role": "user", "content": "hi"}]}}`
}

func completion(more string) string {
	return `{"model": "agent", ` + more + `"messages": [{"role": "user", "content": "hi"}]}`
}

func rpc(method, params string) string {
	return `{"jsonrpc": "2.0", "id": 1, "method": "` + method + `", "params": ` + params + `}`
}

// measure starts a server and makes runs by the case's clients, each one after the other.
func (d *door) measure(ctx context.Context, o *Options, c Case) (_ *Measurement, err error) {
	s, err := startAgents(ctx, Row{Peer: "agenthost", Flavor: inSQLite}, "http://127.0.0.1:1")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	var answer atomic.Int64 // bytes of the last answer
	run := func(ctx context.Context) error {
		n, err := d.run(ctx, s)
		answer.Store(int64(n))
		return err
	}
	length := time.Duration(o.Seconds * serverLength * float64(time.Second))
	if _, _, err = runsOf(ctx, clientsOf(c), length/4, run); err != nil { // warms it up
		return nil, err
	}
	took, all, err := runsOf(ctx, clientsOf(c), length, run)
	if err != nil {
		return nil, err
	}
	runs := float64(len(took))
	return &Measurement{
		NS: all.Seconds() * 1e9 / runs, Check: "rounds=1, a new thread a run",
		Extra: map[string]float64{runsPerSecond: runs / all.Seconds(), runP99: quantile(took, 0.99), doorAnswer: float64(answer.Load())},
	}, nil
}

// run makes a run, reads the whole answer, and checks what the agent said in the end.
func (d *door) run(ctx context.Context, s *agentServer) (int, error) {
	fill := strings.NewReplacer("/ID/", "/"+newID()+"/", `"ID"`, `"`+newID()+`"`)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+fill.Replace(d.path), strings.NewReader(fill.Replace(d.body)))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range d.header {
		request.Header.Set(name, value)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err == nil && (response.StatusCode != http.StatusOK || !bytes.Contains(text, []byte("calm."))) {
		err = fmt.Errorf("%s answered with %s: %.400q", d.label, response.Status, text)
	}
	return len(text), err
}
