package updates_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/a2a/internal/updates"
	"github.com/agenthost/agenthost/server/internal/doortest"
)

var info = a2a.TaskInfo{TaskID: "task", ContextID: "context"}

// recorded performs a run, and returns its events as those of an attempt.
func recorded(t testing.TB, attempt int) (out []runs.Event) {
	t.Helper()
	rules, err := scripted.NewRules(
		scripted.Rule{From: "human", Say: "I look it up.", Call: []scripted.RuleCall{{Tool: "look", Args: map[string]any{}}}},
		scripted.Rule{From: "tool", When: "(.*)", Say: "It is $1 and nothing else"},
	)
	require.NoError(t, err)
	agent, err := host.New(host.Config{
		Model: rules, Checkpointer: memory.New(), Tools: []host.Tool{tool.Func("look", "Looks.", func(context.Context, struct{}) (string, error) {
			return "red", nil
		})},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	_, err = agent.RunEvents(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("hi")}}, func(e host.Event) error {
		kept, err := runs.NewEvent("task", runs.FirstSeq(attempt)+uint64(len(out))+1, &e)
		if err == nil {
			out = append(out, *kept)
		}
		return err
	})
	require.NoError(t, err)
	return out
}

// translate returns a task after events, and how many updates each artifact had.
func translate(t testing.TB, events []runs.Event) (*a2a.Task, map[a2a.ArtifactID]int) {
	t.Helper()
	translator, task, pieces := updates.New(info), &a2a.Task{ID: "task"}, map[a2a.ArtifactID]int{}
	for i := range events {
		all, err := translator.Translate(&events[i])
		require.NoError(t, err)
		for _, e := range all {
			require.Equal(t, info, e.TaskInfo())
			if artifact, ok := e.(*a2a.TaskArtifactUpdateEvent); ok {
				require.Equal(t, pieces[artifact.Artifact.ID] > 0, artifact.Append)
				pieces[artifact.Artifact.ID]++
				if artifact.LastChunk {
					pieces[artifact.Artifact.ID] = 0
				}
			}
			updates.Apply(task, e)
		}
	}
	return task, pieces
}

func said(task *a2a.Task) (out []string) {
	for _, a := range task.Artifacts {
		for _, p := range a.Parts {
			out = append(out, p.Text())
		}
	}
	return out
}

func TestARunIsTranslated(t *testing.T) {
	t.Parallel()
	task, open := translate(t, recorded(t, 1))
	require.Equal(t, []string{"I look it up.", "It is red and nothing else"}, said(task))
	require.Equal(t, a2a.TaskStateWorking, task.Status.State, "the end is not the translator's business")
	for id, n := range open {
		require.Zero(t, n, "the artifact %s was ended", id)
	}
	for _, a := range task.Artifacts {
		require.NotEmpty(t, a.ID)
		require.Equal(t, "answer", a.Name)
	}
}

// What an attempt wrote and did not save is replaced by what the next one writes.
func TestALaterAttemptReplacesWhatWasNotSaved(t *testing.T) {
	t.Parallel()
	first, second := recorded(t, 1), recorded(t, 2)
	cut := 0
	for i := range first {
		if first[i].Token() {
			cut = i + 1
		}
	}
	translator, task := updates.New(info), &a2a.Task{}
	for _, e := range append(first[:cut:cut], second...) {
		all, err := translator.Translate(&e)
		require.NoError(t, err)
		for _, update := range all {
			updates.Apply(task, update)
		}
	}
	texts := said(task)
	require.Contains(t, texts, "It is red and nothing else")
	for _, text := range texts {
		require.NotContains(t, text, "red and nothing elseIt")
	}
}

// event returns an event as a store has it.
func event(t testing.TB, seq uint64, e host.Event) runs.Event {
	t.Helper()
	out, err := runs.NewEvent("task", runs.FirstSeq(1)+seq, &e)
	require.NoError(t, err)
	return *out
}

func TestAnAnswerThatAHookChanged(t *testing.T) {
	t.Parallel()
	changed := abi.AI("it is blue")
	changed.ID = "m"
	task, _ := translateAny(t,
		event(t, 1, host.Event{Type: host.EventToken, Message: "m", Index: 1, Text: "it is "}),
		event(t, 2, host.Event{Type: host.EventToken, Message: "m", Index: 1, Text: "red"}),
		event(t, 3, host.Event{Type: host.EventToken, Message: "m", Index: 2, Text: "it is red again"}),
		event(t, 4, host.Event{Type: host.EventState, Step: "model", Messages: []abi.Message{changed}}),
	)
	require.Equal(t, []string{"it is blue"}, said(task))
}

func TestFilesAndStructuredAnswers(t *testing.T) {
	t.Parallel()
	m := abi.Message{Role: abi.RoleAI, ID: "m", Content: abi.Blocks(
		abi.TextBlock("see"), abi.ReasoningBlock("secret", ""), abi.ImageBlock("image/png", []byte{1, 2}), abi.ImageURLBlock("https://example.com/x.png"),
	)}
	value, err := wire.Of(map[string]any{"color": "red"})
	require.NoError(t, err)
	state := wire.Map{}
	state.Set(updates.StructuredArtifact, value)
	task, all := translateAny(t, event(t, 1, host.Event{Type: host.EventState, Step: "model", Messages: []abi.Message{m}, State: state}))
	require.Len(t, all, 2)
	text, err := json.Marshal(task.Artifacts)
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"artifactId": "m", "name": "answer", "parts": [{"text": "see"}, {"raw": "AQI=", "mediaType": "image/png"}, {"url": "https://example.com/x.png"}]},
		{"artifactId": "structured_response", "name": "structured_response", "parts": [{"data": {"color": "red"}, "mediaType": "application/json"}]}
	]`, string(text))
}

func translateAny(t testing.TB, events ...runs.Event) (*a2a.Task, []a2a.Event) {
	t.Helper()
	translator, task, out := updates.New(info), &a2a.Task{}, []a2a.Event(nil)
	for i := range events {
		all, err := translator.Translate(&events[i])
		require.NoError(t, err)
		for _, e := range all {
			updates.Apply(task, e)
		}
		out = append(out, all...)
	}
	return task, out
}

func TestPartsBecomeContent(t *testing.T) {
	t.Parallel()
	content, err := updates.Content(a2a.ContentParts{
		a2a.NewTextPart("look"),
		{Content: a2a.Raw("png"), MediaType: "image/png"},
		{Content: a2a.Raw("%PDF"), MediaType: "application/pdf", Filename: "a.pdf"},
		a2a.NewFileURLPart("https://example.com/a.mp3", "audio/mpeg"), a2a.NewDataPart(map[string]any{"a": 1}),
	})
	require.NoError(t, err)
	var kinds []string
	for _, b := range content.Blocks() {
		kinds = append(kinds, b.Type())
	}
	require.Equal(t, []string{"text", "image", "file", "audio", "text"}, kinds)
	require.Equal(t, `{"a":1}`, content.Blocks()[4].Text())
	for _, bad := range []a2a.ContentParts{{nil}, {{}}} {
		_, err := updates.Content(bad)
		require.ErrorContains(t, err, "message.parts[0]")
	}
}

// FuzzTranslator translates any event after another one.
func FuzzTranslator(f *testing.F) {
	for _, e := range recorded(f, 1) {
		f.Add(string(e.Data), string(e.Data), e.Seq)
	}
	f.Fuzz(func(t *testing.T, first, second string, seq uint64) {
		translator, task := updates.New(info), &a2a.Task{}
		for _, data := range []string{first, second} {
			all, err := translator.Translate(doortest.Event("task", seq, []byte(data)))
			if err != nil {
				continue
			}
			for _, e := range all {
				_, err := json.Marshal(a2a.StreamResponse{Event: e})
				require.NoError(t, err)
				updates.Apply(task, e)
			}
			seq++
		}
		_, err := json.Marshal(task)
		require.NoError(t, err)
	})
}
