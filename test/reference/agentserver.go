package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/test/reference/strict"
)

const asyncSubagentsType = "async_subagents"

// The operations of an agent server, by the names of LangGraph's SDK.
const (
	createThread = "threads.create"
	getThread    = "threads.get"
	createRun    = "runs.create"
	getRun       = "runs.get"
	listRuns     = "runs.list"
	cancelRun    = "runs.cancel"
)

// ServerSpec is a scripted agent server that a vector describes.
type ServerSpec struct {
	Runs []RemoteRun
	Fail []RemoteFailure
}

// RemoteRun is what a run of the server does.
type RemoteRun struct {
	Statuses []string // what it is at each look; the last one stays
	Error    string
	Created  string // its status when it is created

	ThreadStatus string
	Messages     wire.Raw
	Interrupts   wire.Raw
}

// RemoteFailure is an operation that fails.
type RemoteFailure struct {
	Op, Error string
	OnlyOn    []int // the calls of the operation that fail, from 1; none: all
}

// takeServer takes the server out of the configuration.
func takeServer(config wire.Raw, path string) (wire.Raw, *ServerSpec, error) {
	var fields wire.Map
	if _, err := fields.UnmarshalMsg(config); err != nil {
		return nil, nil, err
	}
	if !fields.Has("server") {
		return config, &ServerSpec{}, nil
	}
	o := strict.Open(fields.Get("server"), path+".server")
	server := readServer(o)
	fields.Delete("server")
	return fields.Raw(), server, o.Err()
}

func readServer(o *strict.Object) *ServerSpec {
	s := &ServerSpec{}
	for _, run := range o.Objects("runs") {
		s.Runs = append(s.Runs, readRemoteRun(run))
	}
	for _, failure := range o.Objects("fail") {
		s.Fail = append(s.Fail, readRemoteFailure(failure))
	}
	_ = o.Done()
	return s
}

func readRemoteRun(o *strict.Object) RemoteRun {
	r := RemoteRun{Statuses: o.Texts("statuses"), Error: o.TextOrNull("error"), Created: o.Text("created"), ThreadStatus: "idle"}
	if r.Created == "" {
		r.Created = "pending"
	}
	if len(r.Statuses) == 0 {
		r.Statuses = []string{"running"}
	}
	if thread := o.Object("thread"); thread != nil {
		if status := thread.Text("status"); status != "" {
			r.ThreadStatus = status
		}
		r.Messages, r.Interrupts = thread.Raw("messages"), thread.Raw("interrupts")
		_ = thread.Done()
	}
	_ = o.Done()
	return r
}

// readRemoteFailure reads a failure, whose error is a text or, as elsewhere in the format, {type, message}.
func readRemoteFailure(o *strict.Object) RemoteFailure {
	o.Need("op", "error")
	f := RemoteFailure{Op: o.OneOf("op", createThread, getThread, createRun, getRun, listRuns, cancelRun)}
	if o.Raw("error").IsMap() {
		failure := o.Object("error")
		failure.Text("type")
		f.Error = failure.Text("message")
		_ = failure.Done()
	} else {
		f.Error = o.Text("error")
	}
	for _, item := range o.Items("only_on") {
		n, ok := item.AsInt()
		if !ok || n < 1 {
			o.Fail("only_on", "must be a list of numbers from 1")
		}
		f.OnlyOn = append(f.OnlyOn, int(n))
	}
	_ = o.Done()
	return f
}

// remoteRequest is a recorded request to the server.
type remoteRequest struct {
	op, thread, run, graph, strategy string
	messages, metadata               wire.Raw
}

func (r remoteRequest) document() any {
	out := map[string]any{"op": r.op}
	for key, text := range map[string]string{"thread": r.thread, "run": r.run, "graph": r.graph, "strategy": r.strategy} {
		if text != "" {
			out[key] = text
		}
	}
	for key, raw := range map[string]wire.Raw{"messages": r.messages, "metadata": r.metadata} {
		if !raw.IsNil() {
			out[key] = value(raw)
		}
	}
	return out
}

// comparedOps are the operations that are compared. How often a host looks at runs and threads is its own affair.
var comparedOps = []any{createThread, createRun, cancelRun}

// remote compares requests to the server.
func (d *differences) remote(want, got any) {
	compared := func(requests any) []any {
		list, _ := requests.([]any)
		return slices.DeleteFunc(slices.Clone(list), func(r any) bool {
			request, _ := r.(map[string]any)
			return !slices.Contains(comparedOps, request["op"])
		})
	}
	d.value("remote_requests", compared(want), any(compared(got)))
}

func checkRemote(o *strict.Object) {
	o.Need("op")
	o.OneOf("op", createThread, getThread, createRun, getRun, listRuns, cancelRun)
	for _, key := range []string{"thread", "run", "graph", "strategy"} {
		checkText(o, key)
	}
	o.Items("messages")
	o.Map("metadata")
	_ = o.Done()
}

// asyncSubagents is the middleware with its server, which runs as long as the agent.
type asyncSubagents struct {
	builtin.AsyncSubagents

	spec   *ServerSpec
	record *recorder
}

func makeAsyncSubagents(m *MiddlewareSpec, record *recorder) (host.Middleware, error) {
	out := &asyncSubagents{spec: m.Server, record: record}
	if err := strictyaml.Decode(m.Type, []byte(m.Config.JSON()), &out.AsyncSubagents); err != nil {
		return nil, err
	}
	if out.Notifications == nil { // the vectors come from the reference's synchronous path, which has none
		out.Notifications = new(false)
	}
	return out, nil
}

// Hooks starts the server.
func (a *asyncSubagents) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	server := httptest.NewServer(&agentServer{spec: a.spec, record: a.record, calls: map[string]int{}})
	config := a.AsyncSubagents
	config.AsyncSubagents = slices.Clone(config.AsyncSubagents)
	for i := range config.AsyncSubagents {
		config.AsyncSubagents[i].URL = server.URL
	}
	hooks, err := config.Hooks(ctx, env)
	if err != nil {
		server.Close()
		return nil, err
	}
	inner := hooks.Close
	hooks.Close = func() error {
		err := inner()
		server.Close()
		return err
	}
	return hooks, nil
}

// agentServer plays a scripted server over HTTP.
type agentServer struct {
	spec   *ServerSpec
	record *recorder // nil: nothing is recorded

	mu      sync.Mutex
	calls   map[string]int // by operation
	threads int
	runs    []*remoteRunState
}

type remoteRunState struct {
	thread      string
	script      RemoteRun
	looks       int
	interrupted bool
}

// ServeHTTP answers a request of LangGraph's API.
func (s *agentServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	answer, err := s.answer(r)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		answer = map[string]any{"detail": err.Error()}
	}
	_ = json.NewEncoder(w).Encode(answer) //nolint:errchkjson // values of the vector and texts
}

func (s *agentServer) answer(r *http.Request) (any, error) {
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	asked := remoteRequest{op: remoteOp(r.Method, segments)}
	if len(segments) > 1 {
		asked.thread = segments[1]
	}
	if len(segments) > 3 {
		asked.run = segments[3]
	}
	if asked.op == createThread || asked.op == createRun {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		doc, err := wire.FromJSON(body, limits)
		if err != nil {
			return nil, err
		}
		asked.metadata, asked.messages = doc.Get("metadata"), doc.Get("input").Get("messages")
		asked.graph, _ = doc.Get("assistant_id").AsString()
		asked.strategy, _ = doc.Get("multitask_strategy").AsString()
	}
	if s.record != nil {
		s.record.remoteRequest(asked)
	}
	s.calls[asked.op]++
	for _, f := range s.spec.Fail {
		if f.Op == asked.op && (len(f.OnlyOn) == 0 || slices.Contains(f.OnlyOn, s.calls[asked.op])) {
			return nil, errors.New(f.Error)
		}
	}
	return s.perform(&asked)
}

func remoteOp(method string, path []string) string {
	switch method + strconv.Itoa(len(path)) {
	case "POST1":
		return createThread
	case "GET2":
		return getThread
	case "POST3":
		return createRun
	case "GET3":
		return listRuns
	case "GET4":
		return getRun
	case "POST5":
		return cancelRun
	default:
		return ""
	}
}

func (s *agentServer) perform(asked *remoteRequest) (any, error) {
	switch asked.op {
	case createThread:
		s.threads++
		return map[string]any{"thread_id": fmt.Sprintf("thread-%d", s.threads), "status": "idle"}, nil
	case createRun:
		return s.createRun(asked), nil
	case listRuns:
		if at := s.latest(asked.thread); at >= 0 {
			return []any{s.look(at)}, nil
		}
		return []any{}, nil
	case getThread:
		return s.thread(asked.thread), nil
	}
	var n int
	if _, err := fmt.Sscanf(asked.run, "run-%d", &n); err != nil || n < 1 || n > len(s.runs) || s.runs[n-1].thread != asked.thread {
		return nil, errors.New("Not Found") //nolint:staticcheck // the server's text
	}
	if asked.op == cancelRun {
		s.runs[n-1].interrupted = true
		return nil, nil
	}
	return s.look(n - 1), nil
}

func (s *agentServer) createRun(asked *remoteRequest) any {
	if asked.strategy == "interrupt" {
		for _, run := range s.runs {
			run.interrupted = run.interrupted || run.thread == asked.thread
		}
	}
	state := &remoteRunState{thread: asked.thread, script: RemoteRun{Statuses: []string{"running"}, Created: "pending", ThreadStatus: "idle"}}
	if n := len(s.runs); n < len(s.spec.Runs) {
		state.script = s.spec.Runs[n]
	}
	s.runs = append(s.runs, state)
	return map[string]any{"run_id": fmt.Sprintf("run-%d", len(s.runs)), "thread_id": asked.thread, "status": state.script.Created}
}

// latest returns the newest run of a thread; -1 if there is none.
func (s *agentServer) latest(thread string) int {
	for at, run := range slices.Backward(s.runs) {
		if run.thread == thread {
			return at
		}
	}
	return -1
}

// look shows a run, which goes on with each look.
func (s *agentServer) look(at int) any {
	run := s.runs[at]
	status := run.script.Statuses[min(run.looks, len(run.script.Statuses)-1)]
	run.looks++
	if run.interrupted {
		status = "interrupted"
	}
	out := map[string]any{"run_id": fmt.Sprintf("run-%d", at+1), "thread_id": run.thread, "status": status}
	if run.script.Error != "" {
		out["error"] = run.script.Error
	}
	return out
}

func (s *agentServer) thread(id string) any {
	out := map[string]any{"thread_id": id, "status": "idle"}
	if at := s.latest(id); at >= 0 {
		script := &s.runs[at].script
		out["status"] = script.ThreadStatus
		if !script.Messages.IsNil() {
			out["values"] = map[string]any{"messages": script.Messages}
		}
		if !script.Interrupts.IsNil() {
			out["interrupts"] = script.Interrupts
		}
	}
	return out
}
