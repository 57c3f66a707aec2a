package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/host/tracecontext"
)

func say(s string) handler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text(s), nil }
}

func TestToolsAreChosenAndNamed(t *testing.T) {
	t.Parallel()
	server := serving(map[string]handler{"read_file": say("r"), "read.dir": say("d"), "write_file": say("w"), "list": say("l")})
	for _, test := range []struct {
		name   string
		config mcp.Config
		want   []string
		wrong  string
	}{
		{"all", mcp.Config{}, []string{"list", "read_dir", "read_file", "write_file"}, ""},
		{"with a prefix", mcp.Config{Prefix: "fs_", Include: []string{"list"}}, []string{"fs_list"}, ""},
		{"by pattern", mcp.Config{Include: []string{"*_file", "list"}, Exclude: []string{"write*"}}, []string{"list", "read_file"}, ""},
		{
			"by a pattern that fits nothing",
			mcp.Config{Include: []string{"lst"}},
			nil,
			`include: the pattern "lst" matches no tool of the server, which has [list, read.dir, read_file, write_file]`,
		},
		{"misspelt", mcp.Config{Exclude: []string{"writefile"}}, nil, `exclude: the pattern "writefile" matches no tool of the server`},
		{"misspelt again", mcp.Config{Idempotent: []string{"x"}}, nil, `idempotent: the pattern "x" matches no tool of the server`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.config.Transport = inProcess(t, server)
			s, err := mcp.Connect(t.Context(), test.config)
			if test.wrong != "" {
				require.ErrorContains(t, err, `MCP server "server": `+test.wrong)
				return
			}
			require.NoError(t, err)
			defer s.Close()
			require.Equal(t, test.want, names(s))
		})
	}
}

func TestConfigurationsThatCannotBe(t *testing.T) {
	t.Parallel()
	for want, config := range map[string]mcp.Config{
		"neither a command nor a url":                 {},
		"both a command and a url":                    {Command: []string{"x"}, URL: "http://localhost"},
		"the name of the program is empty":            {Command: []string{""}},
		"it only applies to a command":                {URL: "http://localhost", Env: map[string]string{"A": "b"}},
		"they only apply to a url":                    {Command: []string{"x"}, Headers: map[string]string{"A": "b"}},
		"prefix: \"a.\"":                              {Command: []string{"x"}, Prefix: "a."},
		"must not be negative":                        {Command: []string{"x"}, Timeout: -1},
		"the URL is invalid":                          {URL: "http://[secret-user"},
		"the URL must begin with http:// or https://": {URL: "ftp://example.com"},
		"the URL contains a user":                     {URL: "https://user:secret-user@example.com"},
		"the URL has a fragment":                      {URL: "https://example.com#x"},
		`env: "A=B"`:                                  {Command: []string{"x"}, Env: map[string]string{"A=B": "secret-user"}},
		`headers: "X-A" is not a valid header name`:   {URL: "https://example.com", Headers: map[string]string{"X-A": "secret-user\r\nX: y"}},
		`headers: "a b" is not a valid header name`:   {URL: "https://example.com", Headers: map[string]string{"a b": "x"}},
		`headers: "Mcp_Session_Id" is set by the`:     {URL: "https://example.com", Headers: map[string]string{"Mcp_Session_Id": "x"}},
		`headers: "Host" is set by the protocol`:      {URL: "https://example.com", Headers: map[string]string{"Host": "x"}},
		`include: "[" is not a pattern`:               {Command: []string{"x"}, Include: []string{"["}},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			_, err := mcp.Connect(t.Context(), config)
			require.ErrorContains(t, err, want)
			require.NotContains(t, err.Error(), "secret-user")
		})
	}
}

func TestAToolOfTwoServersIsRefused(t *testing.T) {
	t.Parallel()
	one := connect(t, mcp.Config{Name: "one", Transport: inProcess(t, serving(map[string]handler{"a": say(""), "b": say("")}))})
	two := connect(t, mcp.Config{Name: "two", Transport: inProcess(t, serving(map[string]handler{"b": say("")}))})
	_, err := mcp.Join(one, two)
	require.EqualError(t, err, `MCP server "two": the tool "b" has the same name as a tool of the MCP server "one"; give one of the servers a prefix`)
	other := connect(t, mcp.Config{Name: "two", Prefix: "two_", Transport: inProcess(t, serving(map[string]handler{"b": say("")}))})
	tools, err := mcp.Join(one, other)
	require.NoError(t, err)
	require.Len(t, tools, 3)
}

func TestAnnotationsCountIfTheOperatorSaysSo(t *testing.T) {
	t.Parallel()
	server := serving(map[string]handler{"plain": say("")})
	server.AddTool(&sdk.Tool{Name: "reads", InputSchema: object(nil), Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}, say(""))
	server.AddTool(&sdk.Tool{Name: "sets", InputSchema: object(nil), Annotations: &sdk.ToolAnnotations{IdempotentHint: true}}, say(""))
	idempotent := func(config mcp.Config) (out []string) {
		config.Transport = inProcess(t, server)
		for _, tool := range connect(t, config).Tools() {
			if tool.Spec().Idempotent {
				out = append(out, tool.Spec().Name)
			}
		}
		return out
	}
	require.Empty(t, idempotent(mcp.Config{}))
	require.Equal(t, []string{"reads", "sets"}, idempotent(mcp.Config{TrustAnnotations: true}))
	require.Equal(t, []string{"plain"}, idempotent(mcp.Config{Idempotent: []string{"pl*"}}))
}

func TestLiesAboutTools(t *testing.T) {
	t.Parallel()
	var said logs
	config := command(t, "liar")
	config.Logger = said.logger()
	s := connect(t, config)
	require.Equal(t, []string{"fine", "pattern", "recursive", "long_long_long_long_long_long_long_long_long_long_long__", "dotted_name_of_tool"},
		func() []string {
			got := names(s)
			require.Len(t, got[3], 64)
			got[3] = got[3][:56]
			return got
		}())
	require.Equal(t, "it is \uFFFD[31mred", spec(t, s, "fine").Description)
	require.NotContains(t, spec(t, s, "fine").Parameters.JSON(), "$schema")
	require.False(t, spec(t, s, "fine").Idempotent)
	recursive := jsonOf(t, spec(t, s, "recursive").Parameters)
	require.Equal(t, map[string]any{"next": map[string]any{
		"description": "the next",
		"properties":  map[string]any{"next": map[string]any{"description": "the next"}, "leaf": map[string]any{"type": "integer"}},
		"type":        "object",
	}, "leaf": map[string]any{"type": "integer"}}, recursive["properties"])
	for _, name := range []string{"no schema", "a list", "a text", "deep", "large", "outside", "bomb", "dotted_name_of_tool"} {
		require.Contains(t, said.String(), `msg="a tool is left out" mcp_server=liar tool=`+quoted(name))
	}

	config.Include = []string{"fine", "deep"}
	_, err := mcp.Connect(t.Context(), config)
	require.ErrorContains(t, err, `include: the tool "deep" cannot be used: its input schema is more than 32 levels deep`)
}

func quoted(name string) string {
	if strings.Contains(name, " ") {
		return `"` + name + `"`
	}
	return name
}

func TestResults(t *testing.T) {
	t.Parallel()
	png := []byte("\x89PNG")
	results := map[string]*sdk.CallToolResult{
		"text":  text("a\x00b"),
		"texts": {Content: []sdk.Content{&sdk.TextContent{Text: "a"}, &sdk.TextContent{Text: "b"}}},
		"image": {Content: []sdk.Content{&sdk.TextContent{Text: "look"}, &sdk.ImageContent{MIMEType: "image/png", Data: png}}},
		"odd image": {Content: []sdk.Content{
			&sdk.ImageContent{MIMEType: "image/svg+xml", Data: png}, &sdk.AudioContent{MIMEType: "audio/wav", Data: png},
		}},
		"link": {Content: []sdk.Content{&sdk.ResourceLink{URI: "file:///a", Name: "a", MIMEType: "text/plain"}}},
		"resource": {Content: []sdk.Content{
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///a", Text: "hello"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///b.png", MIMEType: "image/png", Blob: png}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///c", MIMEType: "application/zip", Blob: png}},
		}},
		"structured": {StructuredContent: map[string]any{"n": 1, "a": []int{2}}},
		"both":       {Content: []sdk.Content{&sdk.TextContent{Text: "said"}}, StructuredContent: map[string]any{"n": 1}},
		"failed":     {Content: []sdk.Content{&sdk.TextContent{Text: "no such file"}}, IsError: true},
		"long":       text(strings.Repeat("ä", 100)),
		"large":      {Content: []sdk.Content{&sdk.ImageContent{MIMEType: "image/png", Data: make([]byte, 5<<20+1)}}},
		"many":       {Content: slices.Repeat([]sdk.Content{&sdk.TextContent{Text: "x"}}, 300)},
	}
	tools := map[string]handler{}
	for name, result := range results {
		tools[strings.ReplaceAll(name, " ", "_")] = func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return result, nil }
	}
	s := connect(t, mcp.Config{Transport: inProcess(t, serving(tools)), MaxResult: 151})
	for name, want := range map[string]abi.Content{
		"text":      abi.Text("a\x00b"),
		"texts":     abi.Text("a\nb"),
		"image":     abi.Blocks(abi.TextBlock("look"), abi.ImageBlock("image/png", png)),
		"odd_image": abi.Text("[image of the type \"image/svg+xml\" and 4 bytes, which cannot be shown]\n[audio of the type \"audio/wav\" and 4 bytes, which cannot be shown]"),
		"link":      abi.Text("[resource file:///a, a, text/plain]"),
		"resource": abi.Blocks(abi.TextBlock("[resource file:///a]\nhello"), abi.TextBlock("[resource file:///b.png]"), abi.ImageBlock("image/png", png),
			abi.TextBlock("[resource file:///c of the type \"application/zip\" and 4 bytes, which cannot be shown]")),
		"structured": abi.Text(`{"a":[2],"n":1}`),
		"both":       abi.Text("said"),
		"failed":     abi.Text("no such file"),
		"long":       abi.Text(strings.Repeat("ä", 75) + "\n[the result is cut here: 50 more bytes]"),
		"large":      abi.Text("[image of the type \"image/png\" and 5242881 bytes, which is too large to be shown]"),
		"many":       abi.Text(strings.Repeat("x\n", 151) + "[44 more parts of the result are left out]\n[the result is cut here: 105 more bytes]"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := calls(t, s, name, nil)
			require.Equal(t, want, got[0].Content)
			require.Equal(t, name == "failed", got[0].Failed())
		})
	}
}

func TestWhatAServerRefusesIsAnAnswer(t *testing.T) {
	t.Parallel()
	s := connect(t, mcp.Config{Transport: inProcess(t, serving(map[string]handler{
		"bad": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "not \x1b[2Jso"}
		},
	}))})
	require.Equal(t, `Error: the MCP server "server" refuses the call: not  [2Jso`, refused(t, s, "bad"))
}

func TestArgumentsAreCheckedBeforeTheyAreSent(t *testing.T) {
	t.Parallel()
	server := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{Name: "add", InputSchema: object(map[string]any{"n": map[string]any{"type": "integer"}}, "n")}, say("added"))
	s := connect(t, mcp.Config{Transport: inProcess(t, server)})
	require.Contains(t, refused(t, s, "add"), "n: Field required")
	require.Equal(t, "added", answered(t, s, "add", map[string]any{"n": 1 << 60}))
}

func TestProgressIsSeenInTheRun(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	s := connect(t, mcp.Config{Transport: inProcess(t, serving(map[string]handler{
		"slow": func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: req.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half\x1b",
			})
			<-seen
			return text("slow"), err
		},
	}))})
	a := agent(t, s, scripted.CallTools(abi.Call("c1", "slow", nil)))
	result, err := a.RunEvents(t.Context(), host.Input{}, func(e host.Event) error {
		if e.Type == host.EventCustom {
			require.Equal(t, "progress", e.Name)
			require.Equal(t, `{"call":"c1","message":"half ","progress":1.0,"tool":"slow","total":2.0}`, e.Data.JSON())
			close(seen)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, "slow", answers(result)[0].Content.Text())
}

func TestACancelledCallEndsAtTheServer(t *testing.T) {
	t.Parallel()
	started, ended := make(chan struct{}), make(chan struct{})
	s := connect(t, mcp.Config{Transport: inProcess(t, serving(map[string]handler{
		"hang": func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			close(started)
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		},
	}))})
	a := agent(t, s, scripted.CallTools(abi.Call("1", "hang", nil)))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	_, err := a.Run(ctx, host.Input{})
	require.ErrorIs(t, err, context.Canceled)
	<-ended
}

// A server that does not answer any more cannot hold up Close, whatever its transport is.
func TestCloseEndsACallInProgress(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}), make(chan struct{})
	s := connect(t, mcp.Config{Transport: inProcess(t, serving(map[string]handler{
		"deaf": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			close(started)
			<-release
			return text("late"), nil
		},
	}))})
	t.Cleanup(func() { close(release) })
	go func() {
		<-started
		s.Close()
	}()
	require.Contains(t, refused(t, s, "deaf"), "the call may or may not have run")
}

func TestSeveralCallsRunAtOnce(t *testing.T) {
	t.Parallel()
	var both sync.WaitGroup
	both.Add(2)
	s := connect(t, mcp.Config{Transport: inProcess(t, serving(map[string]handler{
		"meet": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			both.Done()
			both.Wait()
			return text("met"), nil
		},
	}))})
	got := answers(agent(t, s, scripted.CallTools(abi.Call("1", "meet", nil), abi.Call("2", "meet", nil))).run(host.Input{}))
	require.Len(t, got, 2)
	require.Equal(t, "met", got[1].Content.Text())
}

func TestAServerThatIsOtherThanItWas(t *testing.T) {
	t.Parallel()
	old := serving(map[string]handler{"gone": say("old"), "changed": say("old"), "stays": say("old")})
	anew := serving(map[string]handler{"stays": say("new")})
	anew.AddTool(&sdk.Tool{Name: "changed", InputSchema: object(map[string]any{"n": map[string]any{"type": "integer"}}, "n")}, say("new"))
	f := &fragile{}
	f.server = func() (*sdk.Server, error) {
		if f.made == 1 {
			return old, nil
		}
		return anew, nil
	}
	s := connect(t, mcp.Config{Transport: f.connect})
	require.Equal(t, "old", answered(t, s, "stays", nil))
	f.end(t)
	require.Equal(t, "new", answered(t, s, "stays", nil), "a call that was not sent is made with the new connection")
	require.Equal(t, `Error: the MCP server "server" has changed its tools, and no longer has this one`, refused(t, s, "gone"))
	require.Contains(t, refused(t, s, "changed"), "this one now takes other arguments than you know")
	require.NoError(t, s.Refresh(t.Context()))
	require.Equal(t, []string{"changed", "stays"}, names(s), "the list of the new connection")
	require.Contains(t, refused(t, s, "changed"), "Field required", "the host checks the new arguments")
}

func TestAServerThatCannotBeReachedIsTriedAgainLater(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	server := serving(map[string]handler{"a": say("b")})
	works := func() (*sdk.Server, error) { return server, nil }
	f := &fragile{server: works}
	s := connect(t, mcp.Config{Clock: func() time.Time { return now }, Transport: f.connect})
	f.server = func() (*sdk.Server, error) { return nil, errors.New("no way") }
	f.end(t)
	require.Contains(t, refused(t, s, "a"), "cannot be reached: no way; the call has not run")
	require.Contains(t, refused(t, s, "a"), "will be tried again in 1s")
	require.Equal(t, 2, f.made)
	now = now.Add(time.Second)
	require.Contains(t, refused(t, s, "a"), "no way")
	require.Contains(t, refused(t, s, "a"), "will be tried again in 2s")
	now = now.Add(2 * time.Second)
	f.server = works
	require.Equal(t, "b", answered(t, s, "a", nil))
	f.end(t)
	require.Equal(t, "b", answered(t, s, "a", nil), "after one that went well it is tried at once")
	s.Close()
	require.Contains(t, refused(t, s, "a"), "the server is closed")
}

func TestOverHTTP(t *testing.T) {
	t.Parallel()
	var authorized []string
	var mu sync.Mutex
	handle := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		mu.Lock()
		authorized = append(authorized, r.Header.Get("Authorization"))
		mu.Unlock()
		return serving(goodTools())
	}, nil)
	web := httptest.NewServer(handle)
	t.Cleanup(web.Close)
	s := connect(t, mcp.Config{URL: web.URL, Headers: map[string]string{"Authorization": "Bearer token-1"}})
	require.Equal(t, strings.TrimPrefix(web.URL, "http://"), s.Name())
	require.Equal(t, `{"a":"b"}`, answered(t, s, "echo", map[string]any{"a": "b"}))
	mu.Lock()
	defer mu.Unlock()
	require.NotEmpty(t, authorized)
	for _, got := range authorized {
		require.Equal(t, "Bearer token-1", got)
	}
}

func TestHostileHTTPServers(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the other server was asked") }))
	t.Cleanup(elsewhere.Close)
	for name, test := range map[string]struct {
		handle http.HandlerFunc
		want   string
	}{
		"redirects": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, "the server redirects to another server"},
		"no access": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "token-1 is wrong", http.StatusUnauthorized)
		}, "Unauthorized"},
		"a web page": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>")
		}, `the server answers with the content type "text/html", which is not part of the protocol`},
		"no end": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range 1000 {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<16)); err != nil {
					return
				}
			}
		}, "the server sent a message of more than 8388608 bytes"},
		"no end of an event": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: ")
			for range 1000 {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<16)); err != nil {
					return
				}
			}
		}, "SSE event exceeded 8388608 bytes"},
		"never": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, "the server did not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(test.handle)
			t.Cleanup(web.Close)
			config := mcp.Config{URL: web.URL, Headers: map[string]string{"Authorization": "Bearer token-1"}, ConnectTimeout: 5 * time.Second}
			if name == "never" {
				config.ConnectTimeout = 200 * time.Millisecond
			}
			_, err := mcp.Connect(t.Context(), config)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "token-1")
		})
	}
}

func TestAnHTTPServerThatForgetsItsSessions(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	options := &sdk.StreamableHTTPOptions{}
	legacy := &sdk.ServerOptions{SupportedProtocolVersions: []string{"2025-11-25"}}
	runs := 0
	server := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, legacy)
	server.AddTool(&sdk.Tool{Name: "count", InputSchema: object(nil)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		runs++
		return text("counted"), nil
	})
	handle := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, options)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := handle
		mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	s := connect(t, mcp.Config{URL: web.URL})
	require.Equal(t, "counted", answered(t, s, "count", nil))
	mu.Lock()
	handle = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, options)
	mu.Unlock()
	require.Equal(t, "counted", answered(t, s, "count", nil), "the server is reached anew, and the call made")
	require.Equal(t, 2, runs)
	for session := range server.Sessions() {
		_ = session.Close()
	}
}

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	specs := mcp.Placeholders(mcp.Config{Prefix: "fs_", Include: []string{"read_file", "list_*"}}, []string{"fs_list_all", "fs_write", "other", "fs_read_file", "fs_*"})
	var got []string
	for _, spec := range specs {
		got = append(got, spec.Name)
	}
	require.Equal(t, []string{"fs_read_file", "fs_list_all"}, got)
	_, err := json.Marshal(specs)
	require.NoError(t, err)
}

// A server learns which span a call belongs to, and traces learn which method was called.
func TestCallsNameTheirSpan(t *testing.T) {
	t.Parallel()
	var got sdk.Meta
	s := serving(map[string]handler{"look": func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		got = req.Params.Meta
		return text("seen"), nil
	}})
	server, err := mcp.Connect(t.Context(), mcp.Config{Name: "s", Transport: inProcess(t, s)})
	require.NoError(t, err)
	t.Cleanup(server.Close)
	look := server.Tools()[0]
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "look", nil)), scripted.Say("done")), Tools: []host.Tool{look},
	})
	require.NoError(t, err)
	span := tracecontext.Context{Parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", State: "a=1"}
	_, err = agent.Run(tracecontext.With(t.Context(), span), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	require.Equal(t, []any{span.Parent, span.State}, []any{got["traceparent"], got["tracestate"]})
	traced, ok := look.(host.TracedTool)
	require.True(t, ok)
	require.Equal(t, "tools/call", traced.TraceAttributes()["mcp.method.name"])
	require.NotEmpty(t, traced.TraceAttributes()["mcp.protocol.version"])
}
