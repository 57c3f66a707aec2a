package abi_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// The files of testdata/v1 hold the documents of SPEC.md as bytes and as JSON, so that an SDK in any language can
// test its codec. index.json describes each file, and says where its JSON form has bytes as base64. Released vectors
// must never change (see TestVersion10IsFrozen); only new ones may be added.

var update = flag.Bool("update", false, "rewrite the byte vectors and the examples in SPEC.md")

const vectorDir = "testdata/v1"

// vector is one document with the name of its files.
type vector struct {
	stem string
	doc  codec
	bin  []string // JSON pointers to the strings that are bytes in msgpack
}

// indexed is the entry of a vector in index.json.
type indexed struct {
	Document string   `json:"document"`
	Bytes    []string `json:"bytes,omitempty"`
}

func mapOf(values map[string]any) wire.Map {
	m, err := wire.MapOf(values)
	if err != nil {
		panic(err)
	}
	return m
}

func rawOf(v any) wire.Raw {
	raw, err := wire.Of(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// vectors is the source of the files.
func vectors() []vector {
	return slices.Concat(
		messageVectors(), inputVectors(), resultVectors(), requestVectors(), descriptionVectors(), operationVectors(),
		kvVectors(), fetchVectors(), scalarVectors(), workedVectors(),
	)
}

func messageVectors() []vector {
	call := abi.Call("call_1", "search", map[string]any{"limit": 3, "q": "go msgpack"})
	everything := abi.Message{
		Artifact: rawOf([]any{1, nil}), Content: abi.Text("Found 3."), ID: "m7",
		InvalidToolCalls: []abi.InvalidToolCall{{Args: "{", Error: "unexpected end", ID: "call_2", Name: "search"}},
		Meta:             mapOf(map[string]any{"provider": map[string]any{"cached": true}}),
		Name:             "search", Role: abi.RoleTool, Status: abi.StatusSuccess, ToolCallID: "call_1",
		ToolCalls: []abi.ToolCall{call}, Usage: &abi.Usage{
			CacheCreationTokens: 128, CacheReadTokens: 512, InputTokens: 812, OutputTokens: 40, ReasoningTokens: 8, TotalTokens: 852,
		},
	}
	blocks := abi.Message{ID: "m3", Role: abi.RoleAI, Content: abi.Blocks(
		abi.ReasoningBlock("The user asks for two things.", "c2lnbmF0dXJl"),
		abi.TextBlock("Here you are:"),
		abi.ImageBlock("image/png", []byte{0x89, 'P', 'N', 'G'}),
		abi.ImageURLBlock("https://example.com/a.png"),
		abi.FileBlock("a.pdf", "application/pdf", []byte("%PDF")),
		abi.BlockOf(mapOf(map[string]any{"type": "text", "text": "cited", "citations": []any{map[string]any{"page": 4}}})),
		abi.BlockOf(mapOf(map[string]any{"type": "x_provider_block", "opaque": []byte{0, 255}, "level": 1.0})),
	)}
	return []vector{
		{"message.minimal", &abi.Message{Role: abi.RoleHuman}, nil},
		{"message.full", &everything, nil},
		{"message.human", &abi.Message{Role: abi.RoleHuman, ID: "m1", Content: abi.Text("Grüße, 世界! 🚀\n\"quoted\"")}, nil},
		{"message.blocks", &blocks, []string{"/content/2/data", "/content/4/data", "/content/6/opaque"}},
		{"message.ai_calls", &abi.Message{Role: abi.RoleAI, ID: "m2", ToolCalls: []abi.ToolCall{call}}, nil},
		{"tool_call.minimal", &abi.ToolCall{Args: wire.Map(nil).Raw()}, nil},
		{"tool_call.full", &call, nil},
		{"invalid_tool_call.minimal", &abi.InvalidToolCall{}, nil},
		{"invalid_tool_call.full", &everything.InvalidToolCalls[0], nil},
		{"usage.minimal", &abi.Usage{}, nil},
		{"usage.full", everything.Usage, nil},
		{"usage.boundaries", &abi.Usage{InputTokens: 127, OutputTokens: 1 << 32, TotalTokens: math.MaxUint64}, nil},
		{"content.minimal", new(abi.Text("")), nil},
		{"content.full", new(abi.Blocks(abi.TextBlock("a"), abi.BlockOf(mapOf(map[string]any{"type": "text", "text": "b", "lang": "en"})))), nil},
		{"content.text", new(abi.Text("hi")), nil},
		{"patch.minimal", new(abi.NewPatch("m2")), nil},
		{"patch.full", new(abi.NewPatch("m2").SetContent(abi.Text("[redacted]")).Set("a_key_of_tomorrow", rawOf(map[string]any{"x": -1}))), nil},
	}
}

func inputVectors() []vector {
	view := abi.View{From: 1, Items: []abi.Message{{Role: abi.RoleAI, ID: "m2", Content: abi.Text("hello")}}, Total: 2}
	fullView := abi.View{
		From: 2, Items: []abi.Message{{Role: abi.RoleHuman, ID: "m4", Content: abi.Text("and?")}},
		Patch: []abi.Message{{Role: abi.RoleHuman, ID: "m1", Content: abi.Text("[redacted]")}}, Remove: []string{"m2"}, Reset: true, Total: 3,
	}
	call := abi.Call("call_1", "search", map[string]any{"q": "go"})
	request := abi.ModelRequest{
		Messages: &view, Model: "gpt-5.2", Settings: mapOf(map[string]any{"temperature": 0.0}), System: abi.Text("Be brief."),
		ToolChoice: "auto", Tools: []string{"search", "fetch"},
	}
	base := abi.HookInput{N: 1, Now: 1767225600000000000, Run: "r1", Seed: 7, Step: "x.before_model"}
	full := abi.HookInput{
		Answers: mapOf(map[string]any{"approve": map[string]any{"ok": true}}), Call: &call, IdempotencyKey: "9f86d081884c7d659a2feaa0c55ad015", Known: true, Large: []string{"notes"},
		Messages: &fullView, N: 300, Now: 1767225600000000000, Request: &request, Run: "r1", Seed: math.MaxUint64,
		State: mapOf(map[string]any{"count": -3}), Step: "x.wrap_tool_call", Thread: "t1",
	}
	node, wrapModel, wrapTool, callTool := base, base, base, base
	node.Messages, node.State, node.Thread = &view, mapOf(map[string]any{"count": 2}), "t1"
	wrapModel.Step, wrapModel.Request = "x.wrap_model_call", &request
	wrapTool.Step, wrapTool.Call, wrapTool.Known = "x.wrap_tool_call", &call, true
	callTool.Step, callTool.Call, callTool.State, callTool.N = "tools", &call, mapOf(map[string]any{"count": 2}), 0
	callTool.IdempotencyKey = "9f86d081884c7d659a2feaa0c55ad015"
	full11 := full
	full11.Context = mapOf(map[string]any{"tenant": "acme"})
	return []vector{
		{"hook_input.minimal", &abi.HookInput{}, nil},
		{"hook_input.full", &full, nil},
		{"hook_input.full_1_1", &full11, nil},
		{"hook_input.node", &node, nil},
		{"hook_input.wrap_model_call", &wrapModel, nil},
		{"hook_input.wrap_tool_call", &wrapTool, nil},
		{"hook_input.call_tool", &callTool, nil},
		{"view.minimal", &abi.View{}, nil},
		{"view.full", &fullView, nil},
		{"view.last", &view, nil},
		{"model_request.minimal", &abi.ModelRequest{}, nil},
		{"model_request.full", &request, nil},
		{"model_response.minimal", &abi.ModelResponse{}, nil},
		{"model_response.full", &abi.ModelResponse{
			Messages: []abi.Message{{Role: abi.RoleAI, ID: "m3", Content: abi.Text("42")}}, Model: "gpt-5.2", StopReason: "stop",
			Structured: rawOf(map[string]any{"answer": 42}),
		}, nil},
		{"tool_reply.minimal", &abi.ToolReply{}, nil},
		{"tool_reply.full", &abi.ToolReply{ToolMessage: abi.Message{
			Role: abi.RoleTool, ID: "m3", Name: "search", ToolCallID: "call_1", Status: abi.StatusSuccess, Content: abi.Text("3 hits"),
		}}, nil},
	}
}

func resultVectors() []vector {
	change := abi.ResponseChange{
		Messages: []abi.Patch{abi.NewPatch("m3").SetContent(abi.Text("[redacted]"))}, Model: "small", StopReason: "stop",
		Structured: rawOf(map[string]any{"answer": nil}),
	}
	hookError := abi.Error{Data: rawOf(map[string]any{"status": 503}), Message: "try later", Retryable: true, Type: "unavailable"}
	interrupt := abi.Interrupt{Key: "approve", Value: rawOf(map[string]any{"question": "Send it?"})}
	answer := abi.Patch{}.SetContent(abi.Text("3 hits")).Set("artifact", rawOf([]any{"a", "b", "c"}))
	return []vector{
		{"result.minimal", &abi.Result{}, nil},
		{"result.full", &abi.Result{
			Error: &hookError, Interrupts: []abi.Interrupt{interrupt}, JumpTo: "end", Messages: []abi.Message{abi.Human("more")},
			Overwrite: true, Patch: []abi.Patch{abi.NewPatch("m1").SetContent(abi.Text(""))}, Remove: []string{"m2"}, Response: &change,
			State: mapOf(map[string]any{"count": 1}), ToolMessage: &answer,
		}, nil},
		{"result.node", &abi.Result{
			JumpTo: "end", Messages: []abi.Message{abi.AI("Limit reached.")}, State: mapOf(map[string]any{"count": 1}),
		}, nil},
		{"result.patch", &abi.Result{Patch: []abi.Patch{abi.NewPatch("m2").SetContent(abi.Text("[redacted]"))}}, nil},
		{"result.wrap_model_call", &abi.Result{Response: &abi.ResponseChange{Messages: []abi.Patch{
			abi.NewPatch("m3").SetContent(abi.Text("[redacted]")),
			abi.Patch{}.SetContent(abi.Text("P.S.")).Set("role", wire.String("ai")),
		}}}, nil},
		{"result.wrap_tool_call", &abi.Result{ToolMessage: new(abi.Patch{}.SetContent(abi.Text("refused")).Set("status", wire.String("error")))}, nil},
		{"result.call_tool", &abi.Result{State: mapOf(map[string]any{"count": 1}), ToolMessage: &answer}, nil},
		{"result.interrupt", &abi.Result{Interrupts: []abi.Interrupt{interrupt}}, nil},
		{"result.error", &abi.Result{Error: &hookError}, nil},
		{"response_change.minimal", &abi.ResponseChange{}, nil},
		{"response_change.full", &change, nil},
		{"interrupt.minimal", &abi.Interrupt{Value: rawOf(nil)}, nil},
		{"interrupt.full", &interrupt, nil},
		{"error.minimal", &abi.Error{}, nil},
		{"error.full", &hookError, nil},
	}
}

func requestVectors() []vector {
	return []vector{
		{"request_change.minimal", &abi.RequestChange{}, nil},
		{"request_change.full", &abi.RequestChange{
			AddTools: []abi.ToolSpec{{Name: "lookup", Description: "Look it up."}}, AppendSystem: new(abi.Text("Think.")),
			Messages: []abi.Message{abi.Human("go on")}, Model: "small", Overwrite: true,
			Patch: []abi.Patch{abi.NewPatch("m1").SetContent(abi.Text(""))}, Remove: []string{"m2"},
			Settings: mapOf(map[string]any{"max_tokens": 100}), System: new(abi.Text("Be brief.")), ToolChoice: new("any"),
			Tools: abi.NameList{"search"},
		}, nil},
		{"request_change.no_tools", &abi.RequestChange{ToolChoice: new(""), Tools: abi.NameList{}}, nil},
		{"request_change.keep_tools", &abi.RequestChange{AppendSystem: new(abi.Text("Use search.")), Tools: abi.NameList{"search"}}, nil},
		{"call_change.minimal", &abi.CallChange{}, nil},
		{"call_change.full", &abi.CallChange{
			Args: rawOf(map[string]any{"q": "go"}), Name: "search", SetArgs: mapOf(map[string]any{"limit": 3}), Tool: "search_eu",
		}, nil},
	}
}

func descriptionVectors() []vector {
	integer := rawOf(map[string]any{"type": "integer"})
	hook := abi.HookSpec{
		CanJumpTo: []string{"end"}, Messages: abi.ViewLast(1), PassesTokens: true, Reads: []string{"count", "todos"}, Tools: []string{"search"},
		Writes: []string{"todos"},
	}
	afterModel := hook // the keys that a hook may have
	afterModel.PassesTokens, afterModel.Tools = false, nil
	field := abi.FieldSpec{HideInput: true, HideOutput: true, Lifetime: "run", Name: "count", Reducer: "add", Schema: integer}
	tool := abi.ToolSpec{
		Description: "Look it up.", Dynamic: true, Extras: mapOf(map[string]any{"defer_loading": true}), Idempotent: true, Name: "lookup",
		Parameters:   rawOf(map[string]any{"type": "object", "properties": map[string]any{"q": map[string]any{"type": "string"}}}),
		ReturnDirect: true,
	}
	capability := abi.Capability{Op: "http.fetch", Reason: "asks the weather service", Required: true}
	hooks := abi.HookSpecs{
		AfterAgent: &abi.HookSpec{}, AfterModel: &afterModel, BeforeAgent: &abi.HookSpec{Messages: abi.ViewAll()},
		BeforeModel: &abi.HookSpec{Messages: abi.ViewNew()}, WrapModelCall: &abi.HookSpec{PassesTokens: true},
		WrapToolCall: &abi.HookSpec{Tools: []string{"search"}},
	}
	return []vector{
		{"description.minimal", &abi.Description{}, nil},
		{"description.full", &abi.Description{
			ABI: 1, Capabilities: []abi.Capability{capability}, ConfigSchema: rawOf(map[string]any{"type": "object"}),
			Fields: []abi.FieldSpec{field}, Guards: true, Hooks: hooks, Name: "everything", Tools: []abi.ToolSpec{tool}, Version: "1.2.3",
		}, nil},
		{"description.full_1_1", &abi.Description{
			ABI: 1, Capabilities: []abi.Capability{capability}, ConfigSchema: rawOf(map[string]any{"type": "object"}), Context: []string{"tenant"},
			Fields: []abi.FieldSpec{field}, Guards: true, Hooks: hooks, Name: "everything", Tools: []abi.ToolSpec{tool}, Version: "1.2.3",
		}, nil},
		{"description.tool", &abi.Description{
			ABI: 1, Name: "adder", Version: "0.1.0",
			Tools: []abi.ToolSpec{{Name: "add", Description: "Add two numbers.", Idempotent: true}},
		}, nil},
		{"hook_specs.minimal", &abi.HookSpecs{}, nil},
		{"hook_specs.full", &hooks, nil},
		{"hook_spec.minimal", &abi.HookSpec{}, nil},
		{"hook_spec.full", &hook, nil},
		{"field_spec.minimal", &abi.FieldSpec{}, nil},
		{"field_spec.full", &field, nil},
		{"tool_spec.minimal", &abi.ToolSpec{}, nil},
		{"tool_spec.full", &tool, nil},
		{"capability.minimal", &abi.Capability{}, nil},
		{"capability.full", &capability, nil},
	}
}

func operationVectors() []vector {
	return []vector{
		{"state_query.minimal", &abi.StateQuery{}, nil},
		{"state_query.full", &abi.StateQuery{Count: 20, Fields: []string{"notes"}, From: 1000}, nil},
		{"state_query.messages", &abi.StateQuery{Count: 20, From: 1000}, nil},
		{"state_query.fields", &abi.StateQuery{Fields: []string{"notes"}}, nil},
		{"state_reply.minimal", &abi.StateReply{}, nil},
		{"state_reply.full", &abi.StateReply{Items: []abi.Message{abi.Human("hi")}, State: mapOf(map[string]any{"notes": "long"})}, nil},
		{"state_reply.fields", &abi.StateReply{State: mapOf(map[string]any{"notes": "long"})}, nil},
		{"event_emit.minimal", &abi.EventEmit{}, nil},
		{"event_emit.full", &abi.EventEmit{Data: rawOf(map[string]any{"done": 0.5}), Name: "progress"}, nil},
		{"budget.minimal", &abi.Budget{}, nil},
		{"budget.full", &abi.Budget{HostCalls: 9999, Next: 10}, nil},
		{"generate_request.minimal", &abi.GenerateRequest{}, nil},
		{"generate_request.full", &abi.GenerateRequest{
			Messages: []abi.Message{abi.Human("Is this spam? Buy now!")}, Model: "small",
			Settings: mapOf(map[string]any{"max_tokens": 5}), System: abi.Text("Say yes or no."),
		}, nil},
		{"tool_request.minimal", &abi.ToolRequest{Args: wire.Map(nil).Raw()}, nil},
		{"tool_request.full", &abi.ToolRequest{Args: rawOf(map[string]any{"q": "go"}), Name: "search"}, nil},
		{"clock.minimal", &abi.Clock{}, nil},
		{"clock.full", &abi.Clock{UnixNS: 1767225600000000000}, nil},
		{"random_request.minimal", &abi.RandomRequest{}, nil},
		{"random_request.full", &abi.RandomRequest{Count: 4}, nil},
		{"random_bytes.minimal", &abi.RandomBytes{}, []string{"/bytes"}},
		{"random_bytes.full", &abi.RandomBytes{Bytes: []byte{0, 0x7f, 0x80, 0xff}}, []string{"/bytes"}},
		{"run_info.minimal", &abi.RunInfo{}, nil},
		{"run_info.full", &abi.RunInfo{Agent: "support", Parent: "r0", Usage: abi.Usage{
			CacheReadTokens: 512, InputTokens: 812, OutputTokens: 40, ReasoningTokens: 8, TotalTokens: 852,
		}}, nil},
		{"model_query.minimal", &abi.ModelQuery{}, nil},
		{"model_query.full", &abi.ModelQuery{Model: "small"}, nil},
		{"model_info.minimal", &abi.ModelInfo{}, nil},
		{"model_info.full", &abi.ModelInfo{
			AudioInputs: new(false), ImageInputs: new(true), ImageToolMessage: new(true), MaxInputTokens: 400_000, MaxOutputTokens: 128_000, Name: "gpt-5.2",
			PDFInputs: new(true), PDFToolMessage: new(false), Provider: "openai", ReasoningOutput: true, StructuredOutput: true, VideoInputs: new(false),
		}, nil},
		{"tool_list.minimal", &abi.ToolList{}, nil},
		{"tool_list.full", &abi.ToolList{Tools: []abi.ToolSpec{{
			Description: "Search the web.", Name: "search", Parameters: rawOf(map[string]any{"type": "object", "properties": map[string]any{"q": map[string]any{"type": "string"}}}),
		}}}, nil},
		{"token_query.minimal", &abi.TokenQuery{}, nil},
		{"token_query.full", &abi.TokenQuery{Messages: []abi.Message{abi.Human("hello")}, Model: "small"}, nil},
		{"token_count.minimal", &abi.TokenCount{}, nil},
		{"token_count.full", &abi.TokenCount{Tokens: 2}, nil},
		{"batch.minimal", &abi.Batch{}, nil},
		{"batch.full", &abi.Batch{Calls: []abi.BatchCall{
			{Op: abi.OpHTTPFetch, Payload: rawOf(map[string]any{"url": "https://a.example/"})}, {Op: abi.OpHTTPFetch, Payload: rawOf(map[string]any{"url": "https://b.example/"})},
		}}, nil},
		{"batch_call.minimal", &abi.BatchCall{}, nil},
		{"batch_call.full", &abi.BatchCall{Op: abi.OpModelGenerate, Payload: rawOf(map[string]any{"messages": []any{}})}, nil},
		{"batch_replies.minimal", &abi.BatchReplies{}, nil},
		{"batch_replies.full", &abi.BatchReplies{Replies: []abi.BatchReply{
			{Reply: rawOf(map[string]any{"headers": []any{}, "status": 200, "url": "https://a.example/"})}, {Status: abi.EDENIED},
		}}, nil},
		{"batch_reply.minimal", &abi.BatchReply{}, nil},
		{"batch_reply.full", &abi.BatchReply{Reply: rawOf(map[string]any{"message": "slow", "type": "http_timeout"}), Status: abi.StatusFailed}, nil},
		{"sleep_request.minimal", &abi.SleepRequest{}, nil},
		{"sleep_request.full", &abi.SleepRequest{DurationMS: 1500}, nil},
	}
}

func kvVectors() []vector {
	item := abi.KVItem{Key: "seen/Grüße", Size: 3, Version: 7}
	return []vector{
		{"kv_get.minimal", &abi.KVGet{}, nil},
		{"kv_get.full", &abi.KVGet{Key: "last_seen", Scope: abi.ScopeThread}, nil},
		{"kv_entry.minimal", &abi.KVEntry{Value: rawOf(nil)}, nil},
		{"kv_entry.full", &abi.KVEntry{Value: rawOf(map[string]any{"at": 1767225600, "by": "m2"}), Version: 7}, nil},
		{"kv_put.minimal", &abi.KVPut{Value: rawOf(nil)}, nil},
		{"kv_put.full", &abi.KVPut{IfVersion: new(uint64(7)), Key: "last_seen", Scope: abi.ScopeThread, Value: rawOf(map[string]any{"by": "m3"})}, nil},
		{"kv_put.if_absent", &abi.KVPut{IfVersion: new(uint64(0)), Key: "lock", Scope: abi.ScopePlugin, Value: rawOf(true)}, nil},
		{"kv_put.bytes", &abi.KVPut{Key: "blob", Scope: abi.ScopeRun, Value: rawOf([]byte{0, 255})}, []string{"/value"}},
		{"kv_version.minimal", &abi.KVVersion{}, nil},
		{"kv_version.full", &abi.KVVersion{Version: 8}, nil},
		{"kv_delete.minimal", &abi.KVDelete{}, nil},
		{"kv_delete.full", &abi.KVDelete{IfVersion: new(uint64(8)), Key: "last_seen", Scope: abi.ScopeThread}, nil},
		{"kv_list.minimal", &abi.KVList{}, nil},
		{"kv_list.full", &abi.KVList{After: "seen/a", Limit: 50, Prefix: "seen/", Scope: abi.ScopePlugin}, nil},
		{"kv_page.minimal", &abi.KVPage{}, nil},
		{"kv_page.full", &abi.KVPage{Items: []abi.KVItem{item, {Key: "seen/b", Size: 1, Version: 300}}, More: true}, nil},
		{"kv_item.minimal", &abi.KVItem{}, nil},
		{"kv_item.full", &item, nil},
	}
}

func fetchVectors() []vector {
	authorization := abi.Header{Name: "authorization", Value: "Bearer ${secret:WEATHER}"}
	return []vector{
		{"fetch_request.minimal", &abi.FetchRequest{}, nil},
		{"fetch_request.full", &abi.FetchRequest{
			Body: []byte("{}"), Headers: []abi.Header{authorization, {Name: "content-type", Value: "application/json"}}, Method: "POST",
			TimeoutMS: 2000, URL: "https://api.example.com/v1/report",
		}, []string{"/body"}},
		{"fetch_request.get", &abi.FetchRequest{URL: "https://api.example.com/v1/tides?at=Cuxhaven"}, nil},
		{"fetch_response.minimal", &abi.FetchResponse{}, nil},
		{"fetch_response.full", &abi.FetchResponse{
			Body: []byte(`{"high":"12:04"}`), Headers: []abi.Header{{Name: "content-type", Value: "application/json"}}, Status: 200,
			URL: "https://api.example.com/v1/tides?at=Cuxhaven",
		}, []string{"/body"}},
		{"header.minimal", &abi.Header{}, nil},
		{"header.full", &authorization, nil},
	}
}

func scalarVectors() []vector {
	return []vector{
		{"view_spec.minimal", new(abi.ViewNone()), nil},
		{"view_spec.full", new(abi.ViewLast(20)), nil},
		{"view_spec.new", new(abi.ViewNew()), nil},
		{"view_spec.all", new(abi.ViewAll()), nil},
		{"view_spec.last_most", new(abi.ViewLast(math.MaxUint64)), nil},
		{"name_list.minimal", &abi.NameList{}, nil},
		{"name_list.full", &abi.NameList{"b", "a", "a long name that needs a head of two bytes"}, nil},
	}
}

// workedVectors are the documents of the worked call in SPEC.md.
func workedVectors() []vector {
	return []vector{
		{"description.worked", &abi.Description{
			ABI: 1, Name: "turns", Version: "1.0.0",
			Fields: []abi.FieldSpec{{Name: "turns", Lifetime: "run", Reducer: "add", Schema: rawOf(map[string]any{"type": "integer"})}},
			Hooks:  abi.HookSpecs{BeforeModel: &abi.HookSpec{Reads: []string{"turns"}}},
		}, nil},
		{"hook_input.worked", &abi.HookInput{
			N: 3, Now: 1767225600000000000, Run: "r1", Seed: 7, State: mapOf(map[string]any{"turns": 2}), Step: "turns.before_model", Thread: "t1",
		}, nil},
		{"result.worked", &abi.Result{State: mapOf(map[string]any{"turns": 1})}, nil},
	}
}

// documentOf returns the name of a vector's document type: HookInput for "hook_input.full".
func documentOf(stem string) string {
	kind, _, _ := strings.Cut(stem, ".")
	for _, d := range documentTypes() {
		if snake(d.name) == kind {
			return d.name
		}
	}
	panic(kind + " is not a document")
}

func TestVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors() {
		t.Run(v.stem, func(t *testing.T) {
			t.Parallel()
			if *update {
				writeVector(t, v)
			}
			b, err := os.ReadFile(filepath.Join(vectorDir, v.stem+".msgpack"))
			require.NoError(t, err, "go test ./abi -update writes it")
			text, err := os.ReadFile(filepath.Join(vectorDir, v.stem+".json"))
			require.NoError(t, err)

			checkGenerated(t, v, b)
			checkJSON(t, v, b, text)
			checkOracle(t, v, b, text)
		})
	}
}

func writeVector(t *testing.T, v vector) {
	t.Helper()
	b, err := v.doc.MarshalMsg(nil)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(vectorDir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(vectorDir, v.stem+".msgpack"), b, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(vectorDir, v.stem+".json"), indented(t, b), 0o600))
}

func indented(t *testing.T, b []byte) []byte {
	t.Helper()
	text, err := wire.AppendJSON(nil, b)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, json.Indent(&out, text, "", "  "))
	out.WriteByte('\n')
	return out.Bytes()
}

// checkGenerated checks the bytes with our own codecs.
func checkGenerated(t *testing.T, v vector, b []byte) {
	t.Helper()
	canonical, err := wire.IsCanonical(b, wire.Limits{})
	require.NoError(t, err)
	require.True(t, canonical)

	made, err := v.doc.MarshalMsg(nil)
	require.NoError(t, err)
	require.Equal(t, b, made)
	require.LessOrEqual(t, len(made), v.doc.Msgsize())

	i := slices.IndexFunc(documentTypes(), func(d documentType) bool { return d.name == documentOf(v.stem) })
	require.GreaterOrEqual(t, i, 0, "%s is not a document", documentOf(v.stem))
	decoded := documentTypes()[i].make()
	rest, err := decoded.UnmarshalMsg(b)
	require.NoError(t, err)
	require.Empty(t, rest)
	again, err := decoded.MarshalMsg(nil)
	require.NoError(t, err)
	require.Equal(t, b, again)
}

// checkJSON checks the JSON form with our own conversions.
func checkJSON(t *testing.T, v vector, b, text []byte) {
	t.Helper()
	require.Equal(t, string(indented(t, b)), string(text))
	if len(v.bin) == 0 {
		back, err := wire.FromJSON(text, wire.Limits{})
		require.NoError(t, err)
		require.Equal(t, wire.Raw(b), back)
	}
}

// checkOracle checks both files with independent codecs: encoding/json and vmihailenco/msgpack.
func checkOracle(t *testing.T, v vector, b, text []byte) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var fromJSON any
	require.NoError(t, d.Decode(&fromJSON))
	used := 0
	fromJSON = oracleValue(t, fromJSON, "", v.bin, &used)
	require.Equal(t, len(v.bin), used, "not all of %v are in the JSON", v.bin)

	var fromMsgpack any
	require.NoError(t, msgpack.Unmarshal(b, &fromMsgpack))
	require.Equal(t, fromJSON, normal(fromMsgpack))

	var out bytes.Buffer
	e := msgpack.NewEncoder(&out)
	e.UseCompactInts(true)
	e.SetSortMapKeys(true)
	require.NoError(t, e.Encode(fromJSON))
	require.Equal(t, b, out.Bytes())
}

// oracleValue converts a value decoded by encoding/json to the intended types: integers, floats, and bytes at the given
// pointers.
func oracleValue(t *testing.T, v any, at string, bin []string, used *int) any {
	t.Helper()
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = oracleValue(t, v[i], at+"/"+strconv.Itoa(i), bin, used)
		}
	case map[string]any:
		for k := range v {
			v[k] = oracleValue(t, v[k], at+"/"+k, bin, used)
		}
	case string:
		if slices.Contains(bin, at) {
			*used++
			b, err := base64.StdEncoding.DecodeString(v)
			require.NoError(t, err)
			return b
		}
	case json.Number:
		return oracleNumber(t, string(v))
	}
	return v
}

func oracleNumber(t *testing.T, text string) any {
	t.Helper()
	if strings.ContainsAny(text, ".eE") {
		f, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		return f
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i
	}
	u, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return u
}

// normal converts all integers to one Go type, because the oracle chooses a type by their size.
func normal(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = normal(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = normal(v[k])
		}
	case int8:
		return int64(v)
	case int16:
		return int64(v)
	case int32:
		return int64(v)
	case uint8:
		return int64(v)
	case uint16:
		return int64(v)
	case uint32:
		return int64(v)
	case uint64:
		if v <= math.MaxInt64 {
			return int64(v)
		}
	}
	return v
}

func TestVectorIndex(t *testing.T) {
	t.Parallel()
	index, files := map[string]indexed{}, []string{"index.json"}
	for _, v := range vectors() {
		index[v.stem] = indexed{documentOf(v.stem), v.bin}
		files = append(files, v.stem+".json", v.stem+".msgpack")
	}
	require.Len(t, index, len(vectors()), "two vectors have one name")
	version := fmt.Sprintf("%d.%d", abi.Major, abi.Minor)
	want, err := json.MarshalIndent(map[string]any{"abi": version, "vectors": index}, "", "  ")
	require.NoError(t, err)
	path := filepath.Join(vectorDir, "index.json")
	if *update {
		require.NoError(t, os.MkdirAll(vectorDir, 0o755))
		require.NoError(t, os.WriteFile(path, append(want, '\n'), 0o600))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want)+"\n", string(got))

	entries, err := os.ReadDir(vectorDir)
	require.NoError(t, err)
	for _, entry := range entries {
		require.Contains(t, files, entry.Name(), "a file that is in no table")
	}
}

func TestEveryDocumentHasAMinimalAndAFullVector(t *testing.T) {
	t.Parallel()
	byStem := map[string]vector{}
	for _, v := range vectors() {
		byStem[v.stem] = v
	}
	for _, d := range documentTypes() {
		stem := snake(d.name)
		minimal, full := byStem[stem+".minimal"], byStem[stem+".full"]
		if later, ok := byStem[stem+".full_1_1"]; ok { // the vectors of 1.0 do not change
			full = later
		}
		require.NotNil(t, minimal.doc, stem+".minimal")
		require.NotNil(t, full.doc, stem+".full")
		keys := keysOf(d)
		if keys == nil {
			continue
		}
		var required, all []string
		for _, k := range keys {
			all = append(all, k.name)
			if !k.optional {
				required = append(required, k.name)
			}
		}
		require.Equal(t, required, keysIn(t, minimal.doc), stem+".minimal has the required keys")
		require.Equal(t, all, keysIn(t, full.doc), stem+".full has all keys")
	}
}

func keysIn(t *testing.T, doc codec) []string {
	t.Helper()
	b, err := doc.MarshalMsg(nil)
	require.NoError(t, err)
	var keys []string
	for k := range wire.Raw(b).Pairs() {
		keys = append(keys, string(k))
	}
	return keys
}

// snake returns the name of a document as used in file names: "hook_input" for HookInput, "kv_get" for KVGet.
func snake(name string) string {
	isUpper := func(i int) bool { return i < len(name) && name[i] >= 'A' && name[i] <= 'Z' }
	var out strings.Builder
	for i := range len(name) {
		if i > 0 && isUpper(i) && (!isUpper(i-1) || (i+1 < len(name) && !isUpper(i+1))) {
			out.WriteByte('_')
		}
		out.WriteByte(name[i] | 0x20)
	}
	return out.String()
}
