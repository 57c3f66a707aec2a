package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	runsmemory "github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/config"
	"github.com/agenthost/agenthost/server/internal/doortest"
)

const (
	annsKey   = "ann-0123456789abcdef"
	annsOther = "ann-other-0123456789"
	bobsKey   = "bob-0123456789abcdef"
	runsOnly  = "only-runs-0123456789"
	noScopes  = "no-scopes-0123456789"
)

// keys is a serve.yaml with two owners.
func keys() string {
	return doortest.Keys(
		doortest.Key{Key: annsKey, Owner: "ann", Scopes: "admin"},
		doortest.Key{Key: annsOther, Owner: "ann", Scopes: "admin"},
		doortest.Key{Key: bobsKey, Owner: "bob", Scopes: "admin"},
		doortest.Key{Key: runsOnly, Owner: "ann", Scopes: "runs"},
		doortest.Key{Key: noScopes, Owner: "ann"},
	)
}

// served is a server with two agents that answer by rules.
type served struct {
	t       testing.TB
	url     string
	began   chan struct{} // the tool block was called
	let     chan struct{} // it may end
	store   runs.Store
	service *runs.Service
	stop    func(within time.Duration)
}

func serveAll(t testing.TB, yaml string) *served {
	t.Helper()
	r := &served{t: t, began: make(chan struct{}, 100), let: make(chan struct{}), store: runsmemory.New(runsmemory.Options{})}
	rules, err := scripted.NewRules(
		scripted.Rule{From: "human", When: "^write (.*)$", Call: []scripted.RuleCall{{Tool: "write_file", Args: map[string]any{"content": "$1"}}}},
		scripted.Rule{From: "human", When: "^block", Call: []scripted.RuleCall{{Tool: "block", Args: map[string]any{}}}},
		scripted.Rule{From: "tool", When: "(?s)(.*)", Say: "The tool said: $1"},
		scripted.Rule{When: "(?s)^(.*)$", Say: "You said: $1"},
	)
	require.NoError(t, err)
	threads := memory.New()
	agents := map[string]runs.Agent{}
	var made []*host.Agent
	for _, name := range []string{"clerk", "poet.v2"} {
		agent, err := host.New(host.Config{
			Name: name, Model: rules, Checkpointer: threads,
			Tools: []host.Tool{
				tool.Func("write_file", "Writes a file.", func(_ context.Context, in struct {
					Content string `json:"content"`
				},
				) (string, error) {
					return "wrote " + in.Content, nil
				}),
				doortest.Block(r.began, r.let),
			},
			Middleware: []host.Middleware{builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{
				"write_file": {AllowedDecisions: []builtin.DecisionType{builtin.Approve, builtin.Edit, builtin.Reject, builtin.Respond}},
			}}},
		})
		require.NoError(t, err)
		made = append(made, agent)
		agents[name] = runs.Agent{Agent: agent, Threads: threads, Description: "Is " + name + "."}
	}
	serve, err := config.Parse("serve.yaml", []byte(yaml), config.Options{})
	require.NoError(t, err)
	s, err := server.New(server.Config{Agents: agents, Runs: r.store, Serve: serve, Version: "test"})
	require.NoError(t, err)
	listening := httptest.NewServer(s.Handler())
	r.url, r.service = listening.URL, s.Service()
	r.stop = func(within time.Duration) {
		ctx, cancel := context.WithTimeout(context.Background(), within)
		defer cancel()
		s.Close(ctx)
	}
	t.Cleanup(func() {
		r.stop(5 * time.Second)
		listening.Close()
		for _, agent := range made {
			require.NoError(t, agent.Close())
		}
	})
	return r
}

// bearer sends a key with each request.
type bearer struct {
	key  string
	base http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b.key != "" {
		r.Header.Set("Authorization", "Bearer "+b.key)
	}
	return b.base.RoundTrip(r)
}

func (s *served) http(key string) *http.Client {
	transport := &http.Transport{}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: bearer{key, transport}}
}

// versions are a version of the protocol with sessions, and one without.
var versions = []string{"2025-11-25", "2026-07-28"}

// client connects the SDK's client.
func (s *served) client(key, version string, options *sdk.ClientOptions) *sdk.ClientSession {
	s.t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(context.Background(), &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: s.http(key)},
		&sdk.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = session.Close() })
	return session
}

// each runs a test with each version.
func each(t *testing.T, test func(t *testing.T, version string)) {
	t.Helper()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			test(t, version)
		})
	}
}

func TestAllAgentsAreTools(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, version string) {
		t.Helper()
		c := serveAll(t, keys()).client(annsKey, version, nil)
		require.Equal(t, version, c.InitializeResult().ProtocolVersion)
		tools, err := c.ListTools(t.Context(), nil)
		require.NoError(t, err)
		var names []string
		for _, tool := range tools.Tools {
			names = append(names, tool.Name+": "+tool.Description)
		}
		require.Equal(t, []string{"answer_questions", "clerk: Is clerk.", "poet_v2: Is poet.v2."}, append([]string{"answer_questions"}, names[1:]...))
		require.Equal(t, "You said: hello", textOf(t, call(t, c, "poet_v2", map[string]any{"prompt": "hello"})))
		require.Contains(t, textOf(t, call(t, c, "clerk", map[string]any{"prompt": " "})), "the prompt is empty")
		require.Contains(t, textOf(t, call(t, c, "clerk", map[string]any{"prompt": "x", "thread": "a\u009b"})), "no control characters")
		_, err = c.CallTool(t.Context(), &sdk.CallToolParams{Name: "nobody"})
		require.ErrorContains(t, err, "nobody")
	})
}

// A conversation goes on in the owner's thread, whose messages are a resource.
func TestAThreadIsAResource(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, version string) {
		t.Helper()
		s := serveAll(t, keys())
		c := s.client(annsKey, version, nil)
		result := call(t, c, "clerk", map[string]any{"prompt": "one", "thread": "my talk"})
		thread, _ := result.Meta["agenthost/thread"].(string)
		require.Len(t, thread, 36)
		require.Equal(t, thread, call(t, c, "clerk", map[string]any{"prompt": "two", "thread": thread}).Meta["agenthost/thread"])
		call(t, c, "clerk", map[string]any{"prompt": "without a thread"})

		list, err := c.ListResources(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, list.Resources, 1)
		require.Equal(t, "agenthost://threads/"+thread, list.Resources[0].URI)
		templates, err := c.ListResourceTemplates(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, "agenthost://threads/{thread}", templates.ResourceTemplates[0].URITemplate)

		read, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: list.Resources[0].URI})
		require.NoError(t, err)
		var document struct {
			Agent    string `json:"agent"`
			Status   string `json:"status"`
			Messages []struct {
				ID      string `json:"id"`
				Content string `json:"content"`
			} `json:"messages"`
		}
		require.NoError(t, json.Unmarshal([]byte(read.Contents[0].Text), &document))
		require.Equal(t, "clerk", document.Agent)
		require.Equal(t, "idle", document.Status)
		require.Len(t, document.Messages, 4)
		require.Equal(t, "two", document.Messages[2].Content)
		require.NotEmpty(t, document.Messages[3].ID)

		bob := s.client(bobsKey, version, nil)
		others, err := bob.ListResources(t.Context(), nil)
		require.NoError(t, err)
		require.Empty(t, others.Resources)
		_, err = bob.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: list.Resources[0].URI})
		require.ErrorContains(t, err, "not found")
		require.Equal(t, "You said: mine", textOf(t, call(t, bob, "clerk", map[string]any{"prompt": "mine", "thread": thread})), "the id is free for one's own")
		again, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: list.Resources[0].URI})
		require.NoError(t, err)
		require.Equal(t, read.Contents[0].Text, again.Contents[0].Text)
	})
}

func TestResourcesComeInPages(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, version string) {
		t.Helper()
		s := serveAll(t, "{}")
		for i := range 230 {
			require.NoError(t, s.store.CreateThread(t.Context(), &runs.Thread{ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i)}))
		}
		seen := map[string]bool{}
		for resource, err := range s.client("", version, nil).Resources(t.Context(), nil) {
			require.NoError(t, err)
			seen[resource.URI] = true
		}
		require.Len(t, seen, 230)
		_, err := s.client("", version, nil).ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: "LTE"})
		require.ErrorContains(t, err, "cursor")
	})
}

// asker answers the forms of a server.
func asker(answer func(*sdk.ElicitParams) *sdk.ElicitResult) *sdk.ClientOptions {
	return &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		return answer(req.Params), nil
	}}
}

func TestTheUserDecides(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, version string) {
		t.Helper()
		s := serveAll(t, keys())
		for decision, test := range map[string]struct {
			content map[string]any
			said    string
		}{
			"approve": {nil, "The tool said: wrote a"},
			"edit":    {map[string]any{"arguments": `{"content": "b"}`}, "\nwrote b"},
			"reject":  {map[string]any{"message": "no"}, "no"},
			"respond": {map[string]any{"message": "done by hand"}, "The tool said: done by hand"},
		} {
			content := map[string]any{"decision": decision}
			maps.Copy(content, test.content)
			c := s.client(annsKey, version, asker(func(p *sdk.ElicitParams) *sdk.ElicitResult {
				require.Contains(t, p.Message, "write_file")
				return &sdk.ElicitResult{Action: "accept", Content: content}
			}))
			result := call(t, c, "clerk", map[string]any{"prompt": "write a"})
			require.False(t, result.IsError, decision)
			require.Contains(t, textOf(t, result), test.said)
		}
	})
}

// If the user declines, nothing runs, and a model cannot answer in the user's place. The user can be asked again.
func TestTheUserDeclines(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, version string) {
		t.Helper()
		s := serveAll(t, keys())
		action := "decline"
		c := s.client(annsKey, version, asker(func(*sdk.ElicitParams) *sdk.ElicitResult {
			return &sdk.ElicitResult{Action: action, Content: map[string]any{"decision": "approve"}}
		}))
		result := call(t, c, "clerk", map[string]any{"prompt": "write a"})
		require.True(t, result.IsError)
		require.Contains(t, textOf(t, result), "has not answered")
		thread := result.Meta["agenthost/thread"]
		result = call(t, c, "answer_questions", map[string]any{"thread": thread, "answers": []any{map[string]any{"id": "x", "decision": "approve"}}})
		require.Contains(t, textOf(t, result), "can ask its user")
		action = "accept"
		result = call(t, c, "answer_questions", map[string]any{"thread": thread})
		require.Equal(t, "The tool said: wrote a", textOf(t, result))

		action = "cancel"
		again := map[string]any{"prompt": "write b", "thread": "talk"}
		require.True(t, call(t, c, "clerk", again).IsError)
		action = "accept"
		require.True(t, call(t, c, "clerk", map[string]any{"prompt": "other", "thread": "talk"}).IsError)
		require.Equal(t, "The tool said: wrote b", textOf(t, call(t, c, "clerk", again)), "a call that is made again asks again")
	})
}

// A client that cannot ask learns how to answer.
func TestAnswersByATool(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, version string) {
		t.Helper()
		s := serveAll(t, keys())
		c := s.client(annsKey, version, nil)
		result := call(t, c, "clerk", map[string]any{"prompt": "write a"})
		require.True(t, result.IsError)
		thread := result.Meta["agenthost/thread"]
		_, said, found := strings.Cut(textOf(t, result), `"answers": [{"id": "`)
		require.True(t, found, textOf(t, result))
		id, said, _ := strings.Cut(said, `"`)
		require.Contains(t, said, "approve|edit|reject|respond")

		bob := s.client(bobsKey, version, nil)
		approve := map[string]any{"thread": thread, "answers": []any{map[string]any{"id": id, "decision": "approve"}}}
		require.Contains(t, textOf(t, call(t, bob, "answer_questions", approve)), "nothing in the thread waits")
		require.Contains(t, textOf(t, call(t, c, "clerk", map[string]any{"prompt": "other", "thread": thread})), "was not given the prompt")
		for _, wrong := range []any{
			map[string]any{"id": id, "decision": "perhaps"},
			map[string]any{"id": id},
			map[string]any{"id": "other", "decision": "approve"},
			map[string]any{"id": id, "decision": "edit"},
			map[string]any{"id": id, "value": map[string]any{"decisions": []any{}}},
			1,
		} {
			result := call(t, c, "answer_questions", map[string]any{"thread": thread, "answers": []any{wrong}})
			require.True(t, result.IsError, "%v", wrong)
		}
		edit := map[string]any{"id": id, "decision": "edit", "arguments": map[string]any{"content": "b"}}
		require.Contains(t, textOf(t, call(t, c, "answer_questions", map[string]any{"thread": thread, "answers": []any{edit}})), "\nwrote b")
		require.Contains(t, textOf(t, call(t, c, "answer_questions", approve)), "nothing in the thread waits")
	})
}

func TestProgressAndCancelling(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, version string) {
		t.Helper()
		s := serveAll(t, keys())
		told := make(chan string, 100)
		c := s.client(annsKey, version, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
			told <- req.Params.Message
		}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			params := &sdk.CallToolParams{Name: "clerk", Arguments: map[string]any{"prompt": "block", "thread": "00000000-0000-4000-8000-000000000001"}}
			params.SetProgressToken("p")
			_, err := c.CallTool(ctx, params)
			ended <- err
		}()
		<-s.began
		require.Equal(t, "calls the tool block", <-told)
		cancel()
		require.Error(t, <-ended)
		found, err := s.store.FindRuns(t.Context(), "ann", "00000000-0000-4000-8000-000000000001", &runs.RunQuery{})
		require.NoError(t, err)
		run, err := s.service.Reader().Wait(t.Context(), "ann", found[0].ID)
		require.NoError(t, err)
		require.Equal(t, runs.Interrupted, run.Status)
	})
}

// post sends a message without the SDK.
func (s *served) post(key, body string, header ...string) (status int, got string, headers http.Header) {
	s.t.Helper()
	return s.send(http.MethodPost, key, body, header...)
}

func (s *served) send(method, key, body string, header ...string) (status int, got string, headers http.Header) {
	s.t.Helper()
	return s.sendTo("/mcp", method, key, body, header...)
}

func (s *served) sendTo(path, method, key, body string, header ...string) (status int, got string, headers http.Header) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	answer, err := s.http(key).Do(req)
	require.NoError(s.t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	require.NoError(s.t, answer.Body.Close())
	return answer.StatusCode, string(text), answer.Header
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	listTools  = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
)

// A session belongs to the credential with which it was opened.
func TestSessionsBelongToWhoOpenedThem(t *testing.T) {
	t.Parallel()
	s := serveAll(t, keys())
	status, _, header := s.post(annsKey, initialize)
	require.Equal(t, http.StatusOK, status)
	id := header.Get("Mcp-Session-Id")
	require.NotEmpty(t, id)
	for _, key := range []string{bobsKey, annsOther, runsOnly} {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			status, text, _ := s.send(method, key, listTools, "Mcp-Session-Id", id)
			require.Equal(t, http.StatusNotFound, status, "%s %s: %s", key, method, text)
		}
	}
	status, text, _ := s.post(annsKey, listTools, "Mcp-Session-Id", id)
	require.Equal(t, http.StatusOK, status, text)
	status, _, _ = s.send(http.MethodDelete, annsKey, "", "Mcp-Session-Id", id)
	require.Equal(t, http.StatusNoContent, status)
	status, text, _ = s.post(annsKey, listTools, "Mcp-Session-Id", id)
	require.Equal(t, http.StatusNotFound, status)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"there is no such session; begin a new one"}}`, text)
}

func TestDoorScopes(t *testing.T) {
	t.Parallel()
	s := serveAll(t, keys())
	for _, version := range versions {
		c := s.client(runsOnly, version, nil)
		require.Equal(t, "You said: hi", textOf(t, call(t, c, "clerk", map[string]any{"prompt": "hi"})))
		_, err := c.ListResources(t.Context(), nil)
		require.Error(t, err)
		_, err = c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "agenthost://threads/x"})
		require.Error(t, err)
		c = s.client(noScopes, version, nil)
		_, err = c.ListTools(t.Context(), nil)
		require.NoError(t, err)
		_, err = c.CallTool(t.Context(), &sdk.CallToolParams{Name: "clerk", Arguments: map[string]any{"prompt": "hi"}})
		require.Error(t, err)
	}
	status, _, header := s.post(runsOnly, initialize)
	require.Equal(t, http.StatusOK, status)
	id := header.Get("Mcp-Session-Id")
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`, `{"jsonrpc":"2.0","id":2,"method":"ping","method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"agenthost://threads/x"}}`,
	} {
		status, text, _ := s.post(runsOnly, body, "Mcp-Session-Id", id)
		require.Equal(t, http.StatusForbidden, status, text)
	}
}

func TestRequestsTheDoorRefuses(t *testing.T) {
	t.Parallel()
	s := serveAll(t, keys()+"limits: {body: 2KiB}\n")
	for name, test := range map[string]struct {
		key, body string
		header    []string
		status    int
	}{
		"no key":         {"", initialize, nil, 401},
		"a wrong key":    {"wrong-0123456789abcdef", initialize, nil, 401},
		"another host":   {annsKey, initialize, []string{"Host", "evil.example"}, 403},
		"another page":   {"", initialize, []string{"Origin", "https://evil.example"}, 403},
		"a batch":        {annsKey, "[" + initialize + "]", nil, 400},
		"no JSON":        {annsKey, "{", nil, 400},
		"too deep":       {annsKey, strings.Repeat("[", 50) + strings.Repeat(`{"a":`, 200), nil, 400},
		"an empty body":  {annsKey, "", nil, 400},
		"too large":      {annsKey, `{"x":"` + strings.Repeat("x", 3000) + `"}`, nil, 413},
		"no message":     {annsKey, `{"jsonrpc":"2.0"}`, nil, 400},
		"another method": {annsKey, `{"jsonrpc":"2.0","id":1,"method":"x/y"}`, nil, 400},
		"another type":   {annsKey, initialize, []string{"Content-Type", "text/plain"}, 415},
		"no stream":      {annsKey, initialize, []string{"Accept", "application/json"}, 400},
		"a version":      {annsKey, initialize, []string{"Mcp-Protocol-Version", "1999-01-01"}, 400},
		"a new version":  {annsKey, listTools, []string{"Mcp-Protocol-Version", "2099-01-01"}, 400},
	} {
		status, text, _ := s.post(test.key, test.body, test.header...)
		require.Equal(t, test.status, status, "%s: %s", name, text)
	}
	status, _, header := s.send(http.MethodPut, annsKey, "")
	require.Equal(t, http.StatusMethodNotAllowed, status)
	require.Equal(t, "DELETE, GET, POST", header.Get("Allow"))
	status, _, _ = s.send(http.MethodGet, annsKey, "")
	require.Equal(t, http.StatusNotFound, status)
}

// An owner with too many sessions loses the one that was used least recently, so that clients that are gone lock nobody out.
func TestTooManySessions(t *testing.T) {
	t.Parallel()
	s := serveAll(t, keys()+"limits: {streams_per_owner: 2, streams: 3}\n")
	open := func(key string) string {
		status, text, header := s.post(key, initialize)
		require.Equal(t, http.StatusOK, status, text)
		return header.Get("Mcp-Session-Id")
	}
	use := func(id string) int {
		status, _, _ := s.post(annsKey, listTools, "Mcp-Session-Id", id)
		return status
	}
	first, second := open(annsKey), open(annsKey)
	require.Equal(t, 200, use(first))
	third := open(annsKey)
	require.Equal(t, []int{200, 404, 200}, []int{use(first), use(second), use(third)})
	bobs := open(bobsKey)
	require.NotEmpty(t, open(bobsKey))
	require.Equal(t, 404, func() int { status, _, _ := s.post(bobsKey, listTools, "Mcp-Session-Id", bobs); return status }())
	require.Equal(t, []int{200, 200}, []int{use(first), use(third)})
}

// A stopping server ends streams, and says where the run goes on.
func TestTheServerStops(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, version string) {
		t.Helper()
		s := serveAll(t, keys())
		c := s.client(annsKey, version, nil)
		type end struct {
			result *sdk.CallToolResult
			err    error
		}
		ended := make(chan end, 1)
		go func() {
			result, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "clerk", Arguments: map[string]any{"prompt": "block"}})
			ended <- end{result, err}
		}()
		<-s.began
		s.stop(0) // the tool does not end by itself
		got := <-ended
		require.NoError(t, got.err)
		require.True(t, got.result.IsError)
		require.Contains(t, textOf(t, got.result), "the server is stopping; the run goes on")
		status, _, header := s.post(annsKey, initialize)
		require.Equal(t, http.StatusServiceUnavailable, status)
		require.Equal(t, "1", header.Get("Retry-After"))
	})
}

// A client that watches a thread learns when a run of it has ended, whoever started it; another owner's thread with the same id is none of its business.
func TestAClientWatchesAThread(t *testing.T) {
	t.Parallel()
	s := serveAll(t, keys())
	const thread = "00000000-0000-4000-8000-00000000000a"
	told := make(chan string, 10)
	options := &sdk.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, req *sdk.ResourceUpdatedNotificationRequest) { told <- req.Params.URI }}
	c := s.client(annsKey, "2025-11-25", options)
	uri := "agenthost://threads/" + thread
	require.ErrorContains(t, c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}), "not found")
	say := func(key string) {
		require.Equal(t, "You said: hi", textOf(t, call(t, s.client(key, "2026-07-28", nil), "clerk", map[string]any{"prompt": "hi", "thread": thread})))
	}
	say(annsKey)
	require.NoError(t, c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}))
	say(bobsKey)
	require.Empty(t, told)
	say(annsOther)
	require.Equal(t, uri, <-told)
	require.NoError(t, c.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: uri}))
	say(annsKey)
	require.Empty(t, told)
}
