package studio_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "record the runs in studio/testdata again")

// recorded has the events of a thread as the server told them, and the states that it had at its checkpoints.
type recorded struct {
	Events []json.RawMessage `json:"events"`
	States []recordedState   `json:"states"`
}

type recordedState struct {
	Checkpoint int            `json:"checkpoint"`
	Messages   [][2]string    `json:"messages"` // ids and roles
	Fields     map[string]any `json:"fields"`
}

// The runs in studio/testdata, which the tests of the reducer replay. Nothing is compared here: times and ids differ each time.
func TestRecord(t *testing.T) {
	t.Parallel()
	if !*update {
		t.Skip("only with -update")
	}
	for name, turns := range map[string][]map[string]any{
		"approval": {say("weather Rome"), say("write buy milk"), resume(map[string]any{"type": "edit", "edited_action": map[string]any{
			"name": "write_file", "args": map[string]any{"path": "notes.md", "content": "buy oat milk", "append": true},
		}})},
		"fork":    {say("hello"), say("write to ann@mail.example"), {"checkpoint_id": "00000000000000000002", "input": nil}, say("hostile")},
		"failure": {say("fail"), say("hello")},
	} {
		r := newServer(t, "{}")
		thread := "/threads/" + r.post("POST", "/threads", map[string]any{})["thread_id"].(string) //nolint:forcetypeassert // the API says so
		for _, turn := range turns {
			turn["assistant_id"] = "helper"
			r.post("POST", thread+"/runs/wait", turn)
		}
		var out recorded
		r.read("GET", thread+"/events", nil, &out)
		var states []struct {
			Values     map[string]any `json:"values"`
			Checkpoint struct {
				ID string `json:"checkpoint_id"`
			} `json:"checkpoint"`
		}
		r.read("GET", thread+"/history?limit=1000", nil, &states)
		for _, s := range states {
			number, err := strconv.Atoi(s.Checkpoint.ID)
			require.NoError(t, err)
			if number == 0 { // the empty thread
				continue
			}
			state := recordedState{Checkpoint: number}
			for _, m := range s.Values["messages"].([]any) { //nolint:forcetypeassert // the API says so
				message := m.(map[string]any)                                                                        //nolint:forcetypeassert // likewise
				state.Messages = append(state.Messages, [2]string{message["id"].(string), message["type"].(string)}) //nolint:forcetypeassert // likewise
			}
			delete(s.Values, "messages")
			state.Fields = s.Values
			out.States = append(out.States, state)
		}
		text, err := json.Marshal(out)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join("..", "..", "studio", "testdata", name+".json"), append(text, '\n'), 0o600))
	}
}

func say(text string) map[string]any {
	return map[string]any{"input": map[string]any{"messages": []any{map[string]any{"role": "user", "content": text}}}}
}

func resume(decision map[string]any) map[string]any {
	return map[string]any{"command": map[string]any{"resume": map[string]any{"decisions": []any{decision}}}}
}

func (r *rig) read(method, path string, body, into any) {
	r.t.Helper()
	var reader io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		require.NoError(r.t, err)
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, reader)
	require.NoError(r.t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(r.t, err)
	defer func() { require.NoError(r.t, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	require.NoError(r.t, err)
	require.Equal(r.t, http.StatusOK, response.StatusCode, "%s", text)
	require.NoError(r.t, json.Unmarshal(text, into), "%s", text)
}

func (r *rig) post(method, path string, body any) (out map[string]any) {
	r.t.Helper()
	r.read(method, path, body, &out)
	return out
}
