package protocol_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/langgraph/internal/frames"
	"github.com/agenthost/agenthost/server/langgraph/internal/protocol"
)

type doc = map[string]any

// run is a run with its events, as a store keeps them.
type run struct {
	t      *testing.T
	row    runs.Run
	events []runs.Event
	seq    uint64
}

func newRun(t *testing.T) *run {
	t.Helper()
	return &run{t: t, row: runs.Run{ID: "01a21c10-22b7-7018-a035-28fa6e5018fa", Thread: "6f0c7c5e-aaaa-4d28-8000-1db9e5e1f6a4", Agent: "agent", Number: 7}, seq: runs.FirstSeq(1)}
}

// tell adds events to the run.
func (r *run) tell(events ...host.Event) {
	r.t.Helper()
	for i := range events {
		r.seq++
		e := &events[i]
		e.Time = time.UnixMilli(1795486007436)
		kept, err := runs.NewEvent(r.row.ID, r.seq, e)
		require.NoError(r.t, err)
		r.events = append(r.events, *kept)
	}
}

// again begins another attempt.
func (r *run) again() { r.seq = runs.FirstSeq(int(r.seq>>32) + 1) }

// frames returns the frames of a subscription.
func (r *run) frames(filters ...*protocol.Filter) (out []protocol.Frame) {
	r.t.Helper()
	translator := protocol.New(protocol.Config{Run: &r.row, Wanted: filters, Before: frames.ContentIn(protocol.Form, nil, nil)})
	for i := range r.events {
		found, err := translator.Translate(&r.events[i])
		require.NoError(r.t, err)
		out = append(out, found...)
	}
	row := r.row
	row.Status = runs.Success
	return append(out, translator.End(&row)...)
}

// to subscribes to channels.
func to(channels ...string) *protocol.Filter { return &protocol.Filter{Channels: channels} }

func everything() *protocol.Filter { return to(protocol.Channels()...) }

// names returns what frames say, in short.
func names(frames []protocol.Frame) (out []string) {
	for i := range frames {
		f := &frames[i]
		var data doc
		_ = json.Unmarshal(f.Data, &data)
		name := f.Method
		if event, ok := data["event"].(string); ok {
			name += " " + event
		}
		if len(f.Namespace) > 0 {
			name = strings.Join(f.Namespace, "|") + " " + name
		}
		out = append(out, name)
	}
	return out
}

func raw(t *testing.T, value any) wire.Raw {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	out, err := wire.FromJSON(text, wire.Limits{})
	require.NoError(t, err)
	return out
}

func withID(m abi.Message, id string) abi.Message {
	m.ID = id
	return m
}

// weather is the run that was recorded with LangGraph's server.
func weather(t *testing.T) *run {
	t.Helper()
	r := newRun(t)
	call := abi.Call("call-2", "get_weather", map[string]any{"city": "Oslo"})
	question, answer := withID(abi.Human("weather Oslo"), "m1"), withID(abi.AI("", call), "m2")
	answer.Usage = &abi.Usage{InputTokens: 2, TotalTokens: 2}
	answer.Meta.Set("finish_reason", wire.String("tool_calls"))
	result := abi.Message{Role: abi.RoleTool, Name: "get_weather", ToolCallID: "call-2", Content: abi.Text("sunny in Oslo"), Status: "success"}
	last := withID(abi.AI("The tool get_weather said: sunny in Oslo"), "m4")
	last.Usage = &abi.Usage{InputTokens: 4, OutputTokens: 7, TotalTokens: 11}
	last.Meta.Set("finish_reason", wire.String("stop"))
	r.tell(
		host.Event{Type: host.EventRun, Messages: []abi.Message{question}},
		host.Event{Type: host.EventState, Step: "input", Messages: []abi.Message{question}},
		host.Event{Type: host.EventCheckpoint, Checkpoint: 1, Source: "input", Next: "model"},
		host.Event{Type: host.EventStep, Step: "model", Index: 1},
		host.Event{Type: host.EventToken, Step: "model", Index: 1, Message: "m2", CallPiece: &model.CallPiece{ID: "call-2", Name: "get_weather", Args: `{"city":`}},
		host.Event{Type: host.EventToken, Step: "model", Index: 1, Message: "m2", CallPiece: &model.CallPiece{Args: ` "Oslo"}`}},
		host.Event{Type: host.EventModel, Step: "model", Messages: []abi.Message{answer}},
		host.Event{Type: host.EventState, Step: "model", Messages: []abi.Message{answer}},
		host.Event{Type: host.EventCheckpoint, Step: "model", Checkpoint: 2, Parent: 1, Source: "loop", Next: "tools"},
		host.Event{Type: host.EventStep, Step: "tools", Index: 2},
		host.Event{Type: host.EventTool, Step: "tools", Call: &call},
		host.Event{Type: host.EventCustom, Step: "tools", Name: "progress", Data: raw(t, doc{"at": 1})},
		host.Event{Type: host.EventTool, Step: "tools", Call: &call, Messages: []abi.Message{result}, Duration: 1},
		host.Event{Type: host.EventState, Step: "tools", Messages: []abi.Message{withID(result, "m3")}},
		host.Event{Type: host.EventCheckpoint, Step: "tools", Checkpoint: 3, Parent: 2, Source: "loop", Next: "model"},
		host.Event{Type: host.EventStep, Step: "model", Index: 3},
	)
	for _, word := range strings.SplitAfter("The tool get_weather said: sunny in Oslo", " ") {
		r.tell(host.Event{Type: host.EventToken, Step: "model", Index: 1, Message: "m4", Text: word})
	}
	r.tell(
		host.Event{Type: host.EventModel, Step: "model", Messages: []abi.Message{last}},
		host.Event{Type: host.EventState, Step: "model", Messages: []abi.Message{last}},
		host.Event{Type: host.EventCheckpoint, Step: "model", Checkpoint: 4, Parent: 3, Source: "loop"},
		host.Event{Type: host.EventEnd, Status: host.Completed},
	)
	return r
}

// recorded returns the events of the conversation with LangGraph's server that package test/langgraph has: those of the request with a number.
func recorded(t *testing.T, number int) (out []doc) {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "..", "..", "test", "langgraph", "testdata", "s22_protocol_run.jsonl"))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var exchange struct {
			N        int `json:"n"`
			Response struct {
				SSE []struct {
					Data doc `json:"data"`
				} `json:"sse"`
			} `json:"response"`
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &exchange))
		if exchange.N == number {
			for _, f := range exchange.Response.SSE {
				out = append(out, f.Data)
			}
		}
	}
	require.NotEmpty(t, out)
	return out
}

// The same run leads to the same events as with LangGraph's server, apart from ids, places and times, and from members that are ours alone.
func TestARecordedRun(t *testing.T) {
	t.Parallel()
	r := weather(t)
	found := r.frames(to(protocol.Values, protocol.Messages, protocol.Tools, protocol.Lifecycle, protocol.Input))
	// The result of a call gets its id with the state. Ours follows the message that LangGraph's server shows at once, but not another event.
	want := recorded(t, 3)
	require.Len(t, found, len(want))
	for i, f := range found {
		text, err := json.Marshal(&f)
		require.NoError(t, err)
		var got doc
		require.NoError(t, json.Unmarshal(text, &got))
		params, _ := got["params"].(doc)
		wanted, _ := want[i]["params"].(doc)
		require.Equal(t, want[i]["method"], got["method"], i)
		require.Equal(t, wanted["namespace"], params["namespace"], i)
		require.Equal(t, "event", got["type"])
		requireSame(t, wanted["data"], params["data"], got["method"])
	}
}

// requireSame requires what was recorded to be there, apart from what differs by its nature.
func requireSame(t *testing.T, want, got, at any) {
	t.Helper()
	switch w := want.(type) {
	case doc:
		g, ok := got.(doc)
		require.True(t, ok, "%v: %v", at, got)
		if delta, old := w["content"].(doc); old && w["event"] == "content-block-delta" { // an earlier form
			text := delta["text"]
			w = doc{"event": w["event"], "index": w["index"], "delta": doc{"type": "text-delta", "text": text}}
		}
		for key, member := range w {
			if key == "id" && w["type"] != "tool_call" || key == "index" && w["type"] == "text" {
				continue
			}
			require.Contains(t, g, key, at)
			requireSame(t, member, g[key], key)
		}
	case []any:
		g, ok := got.([]any)
		require.True(t, ok, "%v: %v", at, got)
		require.Len(t, g, len(w), at)
		for i := range w {
			requireSame(t, w[i], g[i], at)
		}
	default:
		require.Equal(t, want, got, at)
	}
}

// Whatever a client subscribes to, each event has the same place, and what it gets is the part of all that it asked for.
func TestPlacesDoNotDependOnTheSubscription(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*run{"weather": weather(t), "nested": nested(t), "cut": cut(t)} {
		all := r.frames(everything())
		for i := 1; i < len(all); i++ {
			require.True(t, all[i].Behind(all[i-1].Place), "%s: %v", name, all[i])
			require.Greater(t, all[i].Seq(), all[i-1].Seq())
		}
		for bits := range 1 << len(protocol.Channels()) {
			var channels []string
			for i, channel := range protocol.Channels() {
				if bits&(1<<i) != 0 {
					channels = append(channels, channel)
				}
			}
			filter := to(channels...)
			want := slices.DeleteFunc(slices.Clone(all), func(f protocol.Frame) bool { return !filter.Wants(f.Channel, f.Namespace) })
			require.Equal(t, places(want), places(r.frames(filter)), "%s: %v", name, channels)
		}
	}
}

func places(frames []protocol.Frame) []string {
	out := []string{}
	for i := range frames {
		out = append(out, frames[i].String()+" "+frames[i].Method)
	}
	return out
}

// Clients take a checkpoint and the state that follows it for a pair.
func TestTheStateFollowsItsCheckpoint(t *testing.T) {
	t.Parallel()
	found := weather(t).frames(to(protocol.Checkpoints, protocol.Values))
	require.Equal(t, []string{"checkpoints", "values", "checkpoints", "values", "checkpoints", "values", "checkpoints", "values"}, names(found))
	require.JSONEq(t, `{"id":"00000000000000000001","parent_id":"00000000000000000000","step":0,"source":"input"}`, string(found[0].Data))
}

// Without its tokens, which are removed some time after the end of a run, a message is shown as a whole.
func TestMessagesWithoutTokens(t *testing.T) {
	t.Parallel()
	r := weather(t)
	r.events = slices.DeleteFunc(r.events, func(e runs.Event) bool { return e.Token() })
	require.Equal(t, []string{
		"messages message-start", "messages content-block-start", "messages content-block-finish", "messages message-finish",
		"tools:call-2 messages message-start", "tools:call-2 messages content-block-start", "tools:call-2 messages content-block-delta",
		"tools:call-2 messages content-block-finish", "tools:call-2 messages message-finish",
		"messages message-start", "messages content-block-start", "messages content-block-delta", "messages content-block-finish", "messages message-finish",
	}, names(r.frames(to(protocol.Messages))))
}

func TestReasoningAndText(t *testing.T) {
	t.Parallel()
	r := newRun(t)
	answer := withID(abi.AI("yes"), "m")
	r.tell(
		host.Event{Type: host.EventToken, Step: "model", Index: 1, Message: "m", Reasoning: "let me "},
		host.Event{Type: host.EventToken, Step: "model", Index: 1, Message: "m", Reasoning: "think"},
		host.Event{Type: host.EventToken, Step: "model", Index: 1, Message: "m", Text: "yes"},
		host.Event{Type: host.EventToken, Step: "model", Index: 1, Message: "m", CallPiece: &model.CallPiece{ID: "c", Name: "t", Args: "{"}},
		host.Event{Type: host.EventModel, Step: "model", Messages: []abi.Message{answer}},
	)
	found := r.frames(to(protocol.Messages))
	require.Len(t, found, 12)
	for at, want := range map[int]string{
		1:  `{"event":"content-block-start","index":0,"content":{"type":"reasoning","reasoning":""}}`,
		2:  `{"event":"content-block-delta","index":0,"delta":{"type":"reasoning-delta","reasoning":"let me "}}`,
		5:  `{"event":"content-block-delta","index":1,"delta":{"type":"text-delta","text":"yes"}}`,
		8:  `{"event":"content-block-finish","index":0,"content":{"type":"reasoning","reasoning":"let me think"}}`,
		10: `{"event":"content-block-finish","index":2,"content":{"type":"invalid_tool_call","id":"c","name":"t","args":"{","error":"its arguments cannot be read"}}`,
	} {
		require.JSONEq(t, want, string(found[at].Data))
	}
}

// cut is a run whose process died while the model wrote, and that failed later.
func cut(t *testing.T) *run {
	t.Helper()
	r := newRun(t)
	question := withID(abi.Human("hi"), "m1")
	r.tell(
		host.Event{Type: host.EventRun},
		host.Event{Type: host.EventState, Step: "input", Messages: []abi.Message{question}},
		host.Event{Type: host.EventCheckpoint, Checkpoint: 1, Source: "input"},
		host.Event{Type: host.EventStep, Step: "model", Index: 1},
		host.Event{Type: host.EventToken, Step: "model", Index: 1, Message: "m2", Text: "Hel"},
		host.Event{Type: host.EventToken, Step: "model", Index: 2, Message: "m2", Text: "Hello"},
	)
	r.again()
	r.tell(
		host.Event{Type: host.EventStep, Step: "model", Index: 1},
		host.Event{Type: host.EventToken, Step: "model", Index: 1, Message: "m2", Text: "H"},
		host.Event{Type: host.EventEnd, Status: host.Failed, Error: &host.EventError{Type: "model_error", Message: "the model failed"}},
	)
	return r
}

// A message that stays incomplete ends with an error, and the next attempt begins again with the state that was saved.
func TestAMessageThatIsCutOff(t *testing.T) {
	t.Parallel()
	found := cut(t).frames(to(protocol.Messages, protocol.Lifecycle, protocol.Values))
	require.Equal(t, []string{
		"lifecycle running", "values",
		"messages message-start", "messages content-block-start", "messages content-block-delta", "messages error",
		"messages message-start", "messages content-block-start", "messages content-block-delta", "messages error",
		"lifecycle running", "values",
		"messages message-start", "messages content-block-start", "messages content-block-delta", "messages error",
		"lifecycle failed",
	}, names(found))
	require.JSONEq(t, `{"event":"error","message":"the model is asked again"}`, string(found[5].Data))
	require.JSONEq(t, `{"event":"failed","graph_name":"agent","error":"the model failed"}`, string(found[16].Data))
	require.JSONEq(t, string(found[1].Data), string(found[11].Data))
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	r := newRun(t)
	asked := host.Interrupt{ID: "ask-1-1", Value: raw(t, doc{"question": "go on?"})}
	var answers wire.Map
	answers.Set("ask-1-1", raw(t, "yes"))
	r.tell(
		host.Event{Type: host.EventRun, Answers: answers},
		host.Event{Type: host.EventStep, Step: "ask", Index: 1},
		host.Event{Type: host.EventEnd, Status: host.Interrupted, Next: "ask", Interrupts: []host.Interrupt{asked}},
	)
	found := r.frames(to(protocol.Input, protocol.Lifecycle, protocol.Tasks))
	require.Equal(t, []string{"lifecycle running", "input.answered", "tasks", "tasks", "input.requested", "lifecycle interrupted"}, names(found))
	require.JSONEq(t, `{"interrupt_ids":["ask-1-1"]}`, string(found[1].Data))
	require.JSONEq(t, `{"interrupt_id":"ask-1-1","payload":{"question":"go on?"},"value":{"question":"go on?"}}`, string(found[4].Data))
	require.Contains(t, string(found[3].Data), `"interrupts":[{"id":"ask-1-1","value":{"question":"go on?"}}]`)
}

// A run whose events do not say how it ended, ends with its status.
func TestRunsWithoutAnEnd(t *testing.T) {
	t.Parallel()
	for want, row := range map[string]runs.Run{
		`{"event":"failed","graph_name":"agent","error":"it took too long"}`: {Status: runs.TimedOut, Failure: &runs.Failure{Message: "it took too long"}},
		`{"event":"interrupted","graph_name":"agent"}`:                       {Status: runs.Interrupted},
		`{"event":"completed","graph_name":"agent"}`:                         {Status: runs.Success},
	} {
		r := newRun(t)
		found := protocol.New(protocol.Config{Run: &r.row, Wanted: protocol.Union{everything()}}).End(&row)
		require.Len(t, found, 1)
		require.JSONEq(t, want, string(found[0].Data))
	}
	found := weather(t).frames(to(protocol.Lifecycle))
	require.Equal(t, []string{"lifecycle running", "lifecycle completed"}, names(found), "the end is told once")

	r := newRun(t) // a process gave it back
	r.tell(host.Event{Type: host.EventRun}, host.Event{Type: host.EventEnd, Status: host.Cancelled})
	r.again()
	r.tell(host.Event{Type: host.EventEnd, Status: host.Completed})
	require.Equal(t, []string{"lifecycle running", "lifecycle running", "lifecycle completed"}, names(r.frames(to(protocol.Lifecycle))))
}

// nested is a run in which an agent runs as a tool.
func nested(t *testing.T) *run {
	t.Helper()
	r := newRun(t)
	call := abi.Call("call-d", "delegate", map[string]any{"task": "x"})
	inner := func(e host.Event) host.Event {
		text, err := json.Marshal(e)
		require.NoError(t, err)
		return host.Event{Type: host.EventCustom, Step: "tools", Name: "agent", Data: raw(t, doc{"agent": "helper", "call_id": "call-d", "event": json.RawMessage(text)})}
	}
	innerCall := abi.Call("call-i", "look", map[string]any{})
	found := abi.Message{Role: abi.RoleTool, Name: "look", ToolCallID: "call-i", Content: abi.Text("found")}
	r.tell(
		host.Event{Type: host.EventRun},
		host.Event{Type: host.EventStep, Step: "tools", Index: 1},
		host.Event{Type: host.EventTool, Step: "tools", Call: &call},
		inner(host.Event{Type: host.EventRun}),
		inner(host.Event{Type: host.EventStep, Step: "model", Index: 1}),
		inner(host.Event{Type: host.EventModel, Step: "model", Messages: []abi.Message{withID(abi.AI("I look", innerCall), "i1")}}),
		inner(host.Event{Type: host.EventTool, Step: "tools", Call: &innerCall}),
		inner(host.Event{Type: host.EventTool, Step: "tools", Call: &innerCall, Messages: []abi.Message{found}, Duration: 1}),
		inner(host.Event{Type: host.EventCheckpoint, Step: "tools", Checkpoint: 1}),
		inner(host.Event{Type: host.EventEnd, Status: host.Completed}),
		host.Event{Type: host.EventTool, Step: "tools", Call: &call, Error: &host.EventError{Type: "tool_error", Message: "no"}, Duration: 1},
		host.Event{Type: host.EventEnd, Status: host.Completed},
	)
	return r
}

func TestAgentsThatRunAsTools(t *testing.T) {
	t.Parallel()
	r := nested(t)
	found := r.frames(to(protocol.Lifecycle, protocol.Messages, protocol.Tools))
	work := found[2].Namespace[0]
	require.Regexp(t, `^tools:[0-9a-f-]{36}$`, work)
	require.Equal(t, []string{
		"lifecycle running", "tools tool-started", work + " lifecycle started",
		work + " messages message-start", work + " messages content-block-start", work + " messages content-block-delta",
		work + " messages content-block-finish", work + " messages content-block-start", work + " messages content-block-finish", work + " messages message-finish",
		work + " tools tool-started", work + " tools tool-finished",
		work + "|tools:call-i messages message-start", work + "|tools:call-i messages content-block-start", work + "|tools:call-i messages content-block-delta",
		work + "|tools:call-i messages content-block-finish", work + "|tools:call-i messages message-finish",
		work + " lifecycle completed", "tools tool-error", "lifecycle completed",
	}, names(found))
	var started doc
	require.NoError(t, json.Unmarshal(found[2].Data, &started))
	require.Equal(t, doc{"type": "toolCall", "tool_call_id": "call-d"}, started["cause"])
	require.Equal(t, "helper", started["graph_name"])

	depth := 0
	root := r.frames(&protocol.Filter{Channels: protocol.Channels(), Namespaces: [][]string{{}}, Depth: &depth})
	for i := range root {
		require.Empty(t, root[i].Namespace)
	}
	require.Contains(t, names(root), "tasks")
	inner := r.frames(&protocol.Filter{Channels: []string{protocol.Messages}, Namespaces: [][]string{{"tools"}}, Depth: &depth})
	require.Len(t, inner, 7)
}

func TestCustomEvents(t *testing.T) {
	t.Parallel()
	r := weather(t)
	found := r.frames(to("custom:progress"))
	require.Len(t, found, 1)
	require.Equal(t, "custom", found[0].Method)
	require.JSONEq(t, `{"name":"progress","payload":{"at":1}}`, string(found[0].Data))
	require.Len(t, r.frames(to(protocol.Custom)), 1)
	require.Empty(t, r.frames(to("custom:other")))
}

// Fields that are hidden are in no event.
func TestHiddenFields(t *testing.T) {
	t.Parallel()
	r := newRun(t)
	var fields wire.Map
	fields.Set("shown", raw(t, 1))
	fields.Set("secret", raw(t, "marked"))
	r.tell(host.Event{Type: host.EventStep, Step: "s", Index: 1}, host.Event{Type: host.EventState, Step: "s", State: fields}, host.Event{Type: host.EventCheckpoint, Step: "s"})
	translator := protocol.New(protocol.Config{Run: &r.row, Wanted: protocol.Union{everything()}, Hidden: func(name string) bool { return name == "secret" }})
	seen := ""
	for i := range r.events {
		found, err := translator.Translate(&r.events[i])
		require.NoError(t, err)
		for j := range found {
			seen += string(found[j].Data)
		}
	}
	require.Contains(t, seen, "shown")
	require.NotContains(t, seen, "marked")
	require.NotContains(t, seen, "secret")

	_, err := translator.Translate(&runs.Event{Run: r.row.ID, Seq: r.seq + 1, Type: "state", Data: runs.Document("{")})
	require.ErrorContains(t, err, "cannot be read")
}
