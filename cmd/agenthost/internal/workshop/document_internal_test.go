package workshop

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/cassette"
)

// document has what JSON cannot say: bytes, a float without a fraction, a number larger than those of JavaScript.
func document(t testing.TB) wire.Raw {
	t.Helper()
	m, err := wire.MapOf(map[string]any{
		"seed": uint64(1<<63 + 1), "ratio": 2.0, "data": []byte{0, 255}, "list": []any{"a", []byte{1}, map[string]any{"deep": []byte{2}, "text": "b"}},
	})
	require.NoError(t, err)
	return m.Raw()
}

func TestWhatAPersonLeavesAloneStays(t *testing.T) {
	t.Parallel()
	was := document(t)
	shown, err := text(was)
	require.NoError(t, err)
	same, err := edited(was, shown)
	require.NoError(t, err)
	require.Equal(t, []byte(was), same)
	same, err = edited(was, "")
	require.NoError(t, err)
	require.Equal(t, []byte(was), same)

	changed, err := edited(was, strings.Replace(shown, `"b"`, `"c"`, 1))
	require.NoError(t, err)
	require.Contains(t, wire.Raw(changed).JSON(), `"text":"c"`)
	items, _ := wire.Raw(changed).Get("list").Items()
	for _, value := range []wire.Raw{wire.Raw(changed).Get("data"), items[1], items[2].Get("deep")} {
		_, isBytes := value.AsBytes()
		require.True(t, isBytes, value.JSON())
	}
	require.True(t, wire.Raw(changed).Get("ratio").Equal(was.Get("ratio")), "it is still a float")
	require.True(t, wire.Raw(changed).Get("seed").Equal(was.Get("seed")))

	gone, err := edited(was, `{"more": 1}`)
	require.NoError(t, err)
	require.Equal(t, `{"more":1}`, wire.Raw(gone).JSON())
}

func TestAnswersCanBeEdited(t *testing.T) {
	t.Parallel()
	exchanges := []cassette.Exchange{
		{Op: "", Payload: []byte{0x80}, Answered: true, Status: abi.StatusOK, Reply: document(t)},
		{Op: "kv.get", Payload: []byte{0x80}, Answered: true, Status: abi.ENOENT},
		{Op: "clock.sleep"},
	}
	shown, err := answersText(exchanges)
	require.NoError(t, err)
	same, err := editedAnswers(exchanges, shown)
	require.NoError(t, err)
	require.Equal(t, exchanges, same)
	changed, err := editedAnswers(exchanges, strings.Replace(shown, "ENOENT", "EDENIED", 1))
	require.NoError(t, err)
	exchanges[1].Status = abi.EDENIED
	require.Equal(t, exchanges, changed)
	for bad, says := range map[string]string{
		"{": "answers: ", `[{"op": "kv.get", "more": 1}]`: `unknown field "more"`, `[{"op": "x", "status": "ok", "reply": [1`: "answers: ",
		`[{}]`: "op is missing", `[{"op": "x", "status": "fine"}]`: "is not a status",
	} {
		_, err := editedAnswers(exchanges, bad)
		require.ErrorContains(t, err, says, bad)
	}
}

func FuzzEdited(f *testing.F) {
	was := document(f)
	shown, err := text(was)
	require.NoError(f, err)
	f.Add(shown)
	f.Add(`{"list": [1, 2, 3], "data": {"data": "AP8="}}`)
	f.Fuzz(func(t *testing.T, made string) {
		got, err := edited(was, made)
		if err != nil || strings.TrimSpace(made) == "" {
			return
		}
		require.NoError(t, wire.Validate(got, most), "what a person writes becomes a document")
		want, err := wire.FromJSON([]byte(made), most)
		require.NoError(t, err)
		line, err := wire.AppendJSON(nil, got)
		require.NoError(t, err)
		again, err := wire.FromJSON(line, most)
		require.NoError(t, err)
		require.True(t, again.Equal(want), "and it says what they wrote")
		_, _ = editedAnswers(nil, made)
	})
}
