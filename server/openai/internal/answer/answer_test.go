package answer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/doortest"
	"github.com/agenthost/agenthost/server/openai/internal/answer"
)

// story is a run with its events, as a store keeps them.
type story struct {
	t      testing.TB
	events []runs.Event
	seq    uint64
}

func newStory(t testing.TB) *story {
	t.Helper()
	return &story{t: t, seq: runs.FirstSeq(1)}
}

// tell adds events.
func (s *story) tell(events ...host.Event) *story {
	s.t.Helper()
	for i := range events {
		s.seq++
		kept, err := runs.NewEvent("r", s.seq, &events[i])
		require.NoError(s.t, err)
		s.events = append(s.events, *kept)
	}
	return s
}

// again begins another attempt.
func (s *story) again() *story {
	s.seq = runs.FirstSeq(int(s.seq>>32) + 1)
	return s
}

// translate returns the pieces as a text, one a line, and the whole answer.
func (s *story) translate(config answer.Config) ([]string, *answer.Answer) {
	s.t.Helper()
	t := answer.New(config)
	var out []string
	for i := range s.events {
		pieces, err := t.Translate(&s.events[i])
		require.NoError(s.t, err)
		for _, p := range pieces {
			out = append(out, strings.Join([]string{[]string{"text", "reasoning", "progress"}[p.Kind], p.Message, p.Text}, "|"))
		}
	}
	return out, t.Whole(&runs.Run{Status: runs.Success})
}

func token(index int, id, text string) host.Event {
	return host.Event{Type: host.EventToken, Step: "model", Index: index, Message: id, Text: text}
}

func ai(id, text string) abi.Message {
	m := abi.AI(text)
	m.ID = id
	return m
}

// added is what a step does that adds messages.
func added(messages ...abi.Message) host.Event {
	return host.Event{Type: host.EventState, Step: "model", Messages: messages}
}

func TestPiecesOfAnAnswer(t *testing.T) {
	t.Parallel()
	counted := ai("m1", "")
	counted.Usage = &abi.Usage{InputTokens: 3, OutputTokens: 2, TotalTokens: 5}
	call := abi.Call("c", "search", map[string]any{"q": "x"})
	s := newStory(t).tell(
		host.Event{Type: host.EventState, Step: "input", Messages: []abi.Message{ai("old", "of the client")}},
		host.Event{Type: host.EventToken, Message: "m1", Reasoning: "Hm."}, token(0, "m1", "Hel"), token(0, "m1", "lo"),
		host.Event{Type: host.EventModel, Messages: []abi.Message{counted}}, added(ai("m1", "Hello")),
		host.Event{Type: host.EventTool, Call: &call}, host.Event{Type: host.EventTool, Call: &call, Error: &host.EventError{Type: "tool_error", Message: "no"}},
		host.Event{Type: host.EventModel, Messages: []abi.Message{counted}}, added(ai("m2", "not in pieces")),
	)
	pieces, whole := s.translate(answer.Config{Progress: true})
	require.Equal(t, []string{
		"reasoning|m1|Hm.", "text|m1|Hel", "text|m1|lo", "progress||search {\"q\":\"x\"}\n", "progress||search failed: no\n", "text|m2|not in pieces",
	}, pieces)
	require.Equal(t, "Hello\n\nnot in pieces", whole.Text())
	require.Equal(t, uint64(10), whole.Usage.TotalTokens, "all calls of the model count")
	pieces, _ = s.translate(answer.Config{})
	require.NotContains(t, strings.Join(pieces, " "), "progress")
}

func TestAModelThatIsAskedAgain(t *testing.T) {
	t.Parallel()
	pieces, whole := newStory(t).tell(
		token(0, "m1", "wro"), host.Event{Type: host.EventModel, Error: &host.EventError{Type: "model_error"}},
		token(1, "m1", "right"), added(ai("m1", "right")),
	).translate(answer.Config{})
	require.Equal(t, []string{"text|m1|wro", "text|m1|right"}, pieces)
	require.Equal(t, "right", whole.Text(), "the whole answer has what stays")
}

func TestAnotherAttemptVoidsWhatWasNotSaved(t *testing.T) {
	t.Parallel()
	_, whole := newStory(t).tell(
		added(ai("m1", "saved")), host.Event{Type: host.EventCheckpoint, Checkpoint: 1},
		token(0, "m2", "lost"), added(ai("m2", "lost")),
	).again().tell(
		token(0, "m2", "found"), added(ai("m2", "found")),
	).translate(answer.Config{})
	require.Equal(t, "saved\n\nfound", whole.Text())
}

func TestWhatMiddlewareChanges(t *testing.T) {
	t.Parallel()
	pieces, whole := newStory(t).tell(
		token(0, "m1", "my number is 42"), added(ai("m1", "my number is 42")),
		host.Event{Type: host.EventState, Step: "redact", Patch: []abi.Message{ai("m1", "my number is [x]")}},
		added(ai("m2", "secret")), host.Event{Type: host.EventState, Step: "guard", Remove: []string{"m2"}},
		token(0, "m3", "I will"), added(ai("m3", "I will not")),
	).translate(answer.Config{})
	require.Equal(t, "my number is [x]\n\nI will not", whole.Text())
	require.Equal(t, "text|m3| not", pieces[len(pieces)-1], "what was not sent follows")

	_, whole = newStory(t).tell(
		added(ai("m1", "long")),
		host.Event{Type: host.EventState, Step: "compact", Reset: true, Messages: []abi.Message{ai("before", "of an earlier run"), ai("m1", "short")}},
	).translate(answer.Config{})
	require.Equal(t, "short", whole.Text())
}

func TestAStructuredAnswer(t *testing.T) {
	t.Parallel()
	value := wire.Map{{Key: "city", Value: wire.String("Bern")}}.Raw()
	s := newStory(t).tell(token(0, "m1", "thinking aloud"), host.Event{
		Type: host.EventState, Step: "model", Messages: []abi.Message{ai("m1", "thinking aloud")}, State: wire.Map{{Key: "structured_response", Value: value}},
	})
	pieces, whole := s.translate(answer.Config{Structured: true})
	require.Empty(t, pieces)
	require.JSONEq(t, `{"city":"Bern"}`, whole.Text())
	_, whole = s.tell(host.Event{Type: host.EventState, Step: "model", State: wire.Map{{Key: "structured_response", Value: wire.AppendNil(nil)}}}).
		translate(answer.Config{Structured: true})
	require.Nil(t, whole.Structured)
}

func TestTheEnd(t *testing.T) {
	t.Parallel()
	cut := ai("m", "half")
	cut.Meta = wire.Map{{Key: "stop_reason", Value: wire.String("length")}}
	_, whole := newStory(t).tell(added(cut)).translate(answer.Config{})
	require.Equal(t, model.CutOff, whole.Ending())
	declined := abi.Message{Role: abi.RoleAI, ID: "m", Content: abi.Blocks(abi.RefusalBlock("I will not.", ""))}
	_, whole = newStory(t).tell(added(declined)).translate(answer.Config{})
	require.Equal(t, "I will not.", whole.Text())
	_, whole = newStory(t).tell(host.Event{Type: host.EventEnd, Status: host.Failed, Error: &host.EventError{Type: "model_error", Message: "no"}}).
		translate(answer.Config{})
	require.Equal(t, &runs.Failure{Type: "model_error", Message: "no"}, whole.Failure)
	require.Equal(t, model.Complete, whole.Ending())
	for value, text := range map[string]string{`"Which one?"`: "Which one?", `{"question":"Sure?"}`: "Sure?", `{"a":1}`: `{"a":1}`} {
		asked, err := wire.FromJSON([]byte(value), wire.Limits{})
		require.NoError(t, err)
		_, whole = newStory(t).tell(host.Event{Type: host.EventEnd, Status: host.Interrupted, Interrupts: []host.Interrupt{{ID: "ask-1", Value: asked}}}).
			translate(answer.Config{})
		require.Equal(t, text, whole.Text())
	}
}

// recorded returns the runs of a recording of the studio, in their order.
func recorded(t *testing.T, name string) (out []*story) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "studio", "testdata", name+".json"))
	require.NoError(t, err)
	var recording struct {
		Events []struct {
			ID    string          `json:"id"`
			Run   string          `json:"run_id"`
			Event json.RawMessage `json:"event"`
		} `json:"events"`
	}
	require.NoError(t, json.Unmarshal(text, &recording))
	last := ""
	for _, e := range recording.Events {
		if e.Run != last {
			last, out = e.Run, append(out, newStory(t))
		}
		_, seq, _ := strings.Cut(e.ID, ".")
		number, err := strconv.ParseUint(seq, 10, 64)
		require.NoError(t, err)
		s := out[len(out)-1]
		s.events = append(s.events, *doortest.Event(e.Run, number, e.Event))
	}
	return out
}

// The pieces of a recorded run are its whole answer, unless a model was asked again.
func TestRecordedRuns(t *testing.T) {
	t.Parallel()
	asked, failed := 0, 0
	for _, name := range []string{"agent", "stream", "fork", "fault", "approval", "failure", "cut", "retry"} {
		for i, s := range recorded(t, name) {
			pieces, whole := s.translate(answer.Config{})
			var said strings.Builder
			last := ""
			for _, p := range pieces {
				parts := strings.SplitN(p, "|", 3)
				if parts[0] != "text" {
					continue
				}
				if last != "" && last != parts[1] {
					said.WriteString(answer.Gap)
				}
				last = parts[1]
				said.WriteString(parts[2])
			}
			text := strings.TrimPrefix(strings.TrimSuffix(whole.Text(), whole.Asked()), answer.Gap)
			if name != "retry" {
				require.Equal(t, strings.TrimSuffix(text, answer.Gap), said.String(), "%s, run %d", name, i+1)
			}
			asked += len(whole.Questions)
			if whole.Failure != nil {
				failed++
			}
		}
	}
	require.Positive(t, asked)
	require.Positive(t, failed)
}

func FuzzTranslate(f *testing.F) {
	s := newStory(f).tell(token(0, "m1", "a"), added(ai("m1", "ab")), host.Event{Type: host.EventEnd, Status: host.Interrupted, Interrupts: []host.Interrupt{
		{ID: "ask-1", Step: "tools", Key: "client_tool", CallID: "c", Value: wire.Map{{Key: "name", Value: wire.String("t")}}.Raw()},
	}})
	for _, e := range s.events {
		f.Add([]byte(e.Data), uint8(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, attempt uint8) {
		translator := answer.New(answer.Config{Progress: true})
		for n := range uint64(3) {
			pieces, err := translator.Translate(doortest.Event("r", runs.FirstSeq(1+int(attempt%3))+n+1, data))
			if err != nil {
				require.Empty(t, pieces)
			}
		}
		whole := translator.Whole(&runs.Run{Status: runs.Success})
		_ = whole.Text() + whole.Reasoning() + string(whole.Ending())
	})
}
