package cassette_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/cassette"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// failure is an error of a provider.
var failure = &model.Error{Provider: "p", Kind: model.ErrorOverloaded, Status: 529, Retryable: true, Err: errors.New("busy")}

func TestRecordedRequestsAreAnsweredWithoutTheModel(t *testing.T) {
	t.Parallel()
	said := abi.AI("Found.", abi.Call("c1", "search", map[string]any{"q": "go"}))
	said.Usage = &abi.Usage{InputTokens: 5, OutputTokens: 2, TotalTokens: 7}
	inner := scripted.NewTurns(scripted.Turn{Message: said}, scripted.Fail(failure), scripted.Fail(errors.New("odd")), scripted.Say("one two"))
	r := cassette.NewRecorder()
	m := r.Model("model", inner)
	first, err := m.Generate(t.Context(), ask("a"))
	require.NoError(t, err)
	_, err = m.Generate(t.Context(), ask("b"))
	require.ErrorIs(t, err, failure)
	_, err = m.Generate(t.Context(), ask("c"))
	require.EqualError(t, err, "odd")
	for chunk, err := range m.(model.Streamer).Stream(t.Context(), ask("d")) { //nolint:forcetypeassert // it says so
		require.NoError(t, err)
		_ = chunk
	}

	read, _ := again(t, r)
	require.Equal(t, 4, read.Len())
	player := cassette.NewPlayer(read)
	played, err := player.Model("model")
	require.NoError(t, err)
	require.Equal(t, inner.Info(), played.Info())
	var text string
	for chunk, err := range played.(model.Streamer).Stream(t.Context(), ask("d")) { //nolint:forcetypeassert // it says so
		require.NoError(t, err)
		text += chunk.Text
	}
	require.Equal(t, "one two", text)
	second, err := played.Generate(t.Context(), ask("a"))
	require.NoError(t, err)
	require.Equal(t, first.AI().ToolCalls, second.AI().ToolCalls)
	require.Equal(t, first.AI().Usage, second.AI().Usage)
	_, err = played.Generate(t.Context(), ask("c"))
	require.EqualError(t, err, "odd")
	_, err = played.Generate(t.Context(), ask("b"))
	again, ok := errors.AsType[*model.Error](err)
	require.True(t, ok)
	require.Equal(t, failure.Error(), again.Error())
	require.True(t, again.Retryable)
	require.Empty(t, player.Mismatches())
}

func TestARequestThatIsNotRecordedShowsTheSmallestDifference(t *testing.T) {
	t.Parallel()
	r := cassette.NewRecorder()
	m := r.Model("model", scripted.NewTurns(scripted.Say("1"), scripted.Say("2")))
	other := ask("the sky")
	other.System, other.ToolChoice, other.Tools = abi.Text("Be long."), "any", nil
	for _, req := range []*model.Request{other, ask("the sea")} {
		_, err := m.Generate(t.Context(), req)
		require.NoError(t, err)
	}
	read, _ := again(t, r)
	player := cassette.NewPlayer(read)
	played, err := player.Model("model")
	require.NoError(t, err)
	_, err = played.Generate(t.Context(), ask("the sky"))
	mismatch, ok := errors.AsType[*cassette.MismatchError](err)
	require.True(t, ok)
	require.Equal(t, 2, mismatch.Nearest)
	require.EqualError(t, mismatch, `call 1 of model is not in the cassette; the nearest recorded request, exchange 2, differs in `+
		`messages[0].content: "the sea" → "the sky"; record it again with --record`)
	provider, ok := errors.AsType[*model.Error](err)
	require.True(t, ok)
	require.False(t, provider.Retryable)

	_, err = played.Generate(t.Context(), ask("the sea"))
	require.NoError(t, err)
	_, err = played.Generate(t.Context(), other)
	require.NoError(t, err)
	_, err = played.Generate(t.Context(), other)
	require.ErrorContains(t, err, "call 4 of model is not in the cassette, which has no more exchanges of this model")
	require.Len(t, player.Mismatches(), 2)
	_, err = player.Model("models.small")
	require.ErrorContains(t, err, `the cassette has no model "models.small", only model`)
}

func TestEqualRequestsAtOnceGetEachAnswerOnce(t *testing.T) {
	t.Parallel()
	r := cassette.NewRecorder()
	var script []scripted.Turn
	for range 20 {
		script = append(script, scripted.Say("x"))
	}
	m := r.Model("model", scripted.NewTurns(script...))
	each := func(m model.Model) {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				_, err := m.Generate(t.Context(), ask("a"))
				require.NoError(t, err)
			})
		}
		all.Wait()
	}
	each(m)
	read, _ := again(t, r)
	played, err := cassette.NewPlayer(read).Model("model")
	require.NoError(t, err)
	each(played)
	_, err = played.Generate(t.Context(), ask("a"))
	require.Error(t, err)
}

func TestSecretsAreNotInTheFile(t *testing.T) {
	t.Parallel()
	const secret = "sk-very/secret+1"
	r := cassette.NewRecorder(secret, "abc")
	m := r.Model("model", scripted.NewTurns(scripted.Say("the key is "+secret), scripted.Fail(errors.New("bad key "+secret))))
	for range 2 {
		_, _ = m.Generate(t.Context(), ask("abc "+secret))
	}
	read, text := again(t, r)
	require.NotContains(t, text, "secret")
	require.Contains(t, text, "abc ***")
	played, err := cassette.NewPlayer(read, "another-secret").Model("model")
	require.NoError(t, err)
	resp, err := played.Generate(t.Context(), ask("abc another-secret"))
	require.NoError(t, err)
	require.Equal(t, "the key is ***", resp.AI().Content.Text())
}

func TestModeratorsAreRecorded(t *testing.T) {
	t.Parallel()
	r := cassette.NewRecorder()
	m := r.Model("model", answering{scripted.NewTurns()})
	judge := func(m model.Model, text string) (*model.Moderation, error) {
		moderator, ok := model.ModeratorOf(m)
		require.True(t, ok)
		return moderator.Moderate(t.Context(), "latest", text)
	}
	for _, text := range []string{"bad", "good", "fail"} {
		_, _ = judge(m, text)
	}
	read, _ := again(t, r)
	player := cassette.NewPlayer(read)
	played, err := player.Model("model")
	require.NoError(t, err)
	judged, err := judge(played, "bad")
	require.NoError(t, err)
	require.Equal(t, &model.Moderation{Flagged: true, Categories: []string{"latest"}}, judged)
	_, err = judge(played, "fail")
	require.ErrorContains(t, err, "slow down")
	_, err = judge(played, "worse")
	require.ErrorContains(t, err, `text: "good" → "worse"`)
	require.Len(t, player.Mismatches(), 1)
}

func TestACancelledCallIsNotRecorded(t *testing.T) {
	t.Parallel()
	r := cassette.NewRecorder()
	m := r.Model("model", scripted.NewTurns(scripted.Say("a")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := m.Generate(ctx, ask("a"))
	require.ErrorIs(t, err, context.Canceled)
	read, _ := again(t, r)
	require.Zero(t, read.Len())
	played, err := cassette.NewPlayer(read).Model("model")
	require.NoError(t, err)
	_, err = played.Generate(ctx, ask("a"))
	require.ErrorIs(t, err, context.Canceled)
}

func TestAFileThatIsNoCassette(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, message string }{
		"empty":         {"", "this is not a cassette of models"},
		"something":     {`{"a":1}`, "this is not a cassette of models"},
		"no JSON":       {"hello", "line 1: this is not a line of a cassette"},
		"no first line": {`{"model":"m","info":{"name":"x"}}`, "this is not a cassette of models"},
		"nothing":       {"{\"model_cassette\":1}\n{\"model\":\"m\"}", "line 2: the line has neither an info nor a request"},
		"newer":         {`{"model_cassette":9}`, "line 1: the cassette has version 9"},
		"no model":      {"{\"model_cassette\":1}\n{\"request\":{}}", "line 2: the name of the model is missing"},
		"no answer":     {"{\"model_cassette\":1}\n{\"model\":\"m\",\"request\":{}}", "needs either a response or an error"},
		"two requests":  {"{\"model_cassette\":1}\n{\"model\":\"m\",\"request\":{},\"decision\":{},\"response\":{}}", "more than one request"},
		"no decisions":  {"{\"model_cassette\":1}\n{\"model\":\"m\",\"decision\":{},\"response\":{}}", "does not fit"},
		"vectors":       {"{\"model_cassette\":1}\n{\"model\":\"m\",\"request\":{},\"response\":{\"vectors\":[\"AAAAAA==\"]}}", "does not fit"},
		"no vector":     {"{\"model_cassette\":1}\n{\"model\":\"m\",\"embedding\":{\"texts\":[\"a\"]},\"response\":{}}", "does not fit"},
		"half a number": {"{\"model_cassette\":1}\n{\"model\":\"m\",\"embedding\":{\"texts\":[\"a\"]},\"response\":{\"vectors\":[\"AAA=\"]}}", "vector 1 has 2 bytes"},
		"not a number":  {"{\"model_cassette\":1}\n{\"model\":\"m\",\"embedding\":{\"texts\":[\"a\"]},\"response\":{\"vectors\":[\"AADAfw==\"]}}", "not finite"},
		"other answer":  {"{\"model_cassette\":1}\n{\"model\":\"m\",\"moderation\":{\"model\":\"a\",\"text\":\"b\"},\"response\":{}}", "does not fit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a.cassette")
			require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
			_, err := cassette.Load(path)
			require.ErrorContains(t, err, test.message)
			require.ErrorContains(t, err, path)
		})
	}
	_, err := cassette.Load(filepath.Join(t.TempDir(), "gone"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// FuzzRead reads anything, and asks the models that it finds.
func FuzzRead(f *testing.F) {
	f.Add("{\"model_cassette\":1}\n{\"model\":\"model\",\"info\":{\"name\":\"x\",\"moderator\":true}}\n" +
		"{\"model\":\"model\",\"request\":{\"messages\":[]},\"response\":{\"messages\":[{\"role\":\"ai\"}]}}\n")
	f.Add("{\"model_cassette\":1}\n{\"model\":\"model\",\"info\":{}}\n{\"model\":\"model\",\"request\":7,\"error\":{\"kind\":\"server\",\"message\":\"x\"}}")
	f.Add("{\"model_cassette\":1}\n{\"model\":\"model\",\"info\":{\"decider\":true}}\n{\"model\":\"index\",\"info\":{\"embedder\":true}}\n" +
		"{\"model\":\"index\",\"embedding\":{\"texts\":[\"a\"]},\"response\":{\"vectors\":[\"AACAPw==\"]}}\n" +
		"{\"model\":\"model\",\"decision\":{\"state\":1,\"questions\":{}},\"response\":{\"decisions\":{\"answers\":{}}}}")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := cassette.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		player := cassette.NewPlayer(c)
		m, err := player.Model("model")
		if err != nil {
			return
		}
		_, _ = m.Generate(t.Context(), ask("a"))
		if moderator, ok := model.ModeratorOf(m); ok {
			_, _ = moderator.Moderate(t.Context(), "a", "b")
		}
		if decider, ok := model.DeciderOf(m); ok {
			_, _ = decider.Decide(t.Context(), isRisky("a", "b"))
		}
		if embedder, err := player.Embedder("index"); err == nil {
			_, _ = embedder.Embed(t.Context(), []string{"a"})
		}
		for _, mismatch := range player.Mismatches() {
			require.NotEmpty(t, mismatch.Error())
		}
	})
}
