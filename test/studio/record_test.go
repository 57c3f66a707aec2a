package studio_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
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

// lean is middleware whose requests are short.
func lean(t *testing.T) []host.Middleware {
	t.Helper()
	return usual(t)[1:]
}

// The runs in studio/testdata, which the tests of the reducer replay. Nothing is compared here: times and ids differ each time.
func TestRecord(t *testing.T) {
	t.Parallel()
	if !*update {
		t.Skip("only with -update; make recordings does it")
	}
	edit := map[string]any{"type": "edit", "edited_action": map[string]any{
		"name": "write_file", "args": map[string]any{"path": "notes.md", "content": "buy oat milk", "append": true},
	}}
	noDelay := builtin.Seconds(0)
	retry := builtin.ModelRetry{Retry: builtin.Retry{InitialDelay: &noDelay}}
	for name, c := range map[string]struct {
		more  []host.Middleware
		turns []map[string]any
	}{
		"approval": {nil, []map[string]any{say("weather Rome"), say("write buy milk"), resume(edit)}},
		"fork":     {nil, []map[string]any{say("hello"), say("write to ann@mail.example"), {"checkpoint_id": "00000000000000000002", "input": nil}, say("hostile")}},
		"failure":  {nil, []map[string]any{say("fail"), say("hello")}},
		"agent":    {nil, []map[string]any{say("research Rome")}},
		"fault":    {[]host.Middleware{bomb(t)}, []map[string]any{say("hello"), say("again"), say("once more")}},
		"retry":    {[]host.Middleware{retry}, []map[string]any{say("flaky")}},
		"stream":   {nil, []map[string]any{say("think aloud")}},
	} {
		r := newServer(t, "{}", append(lean(t), c.more...)...)
		for range 10 {
			r.gate.let <- struct{}{}
		}
		thread := r.newThread()
		for _, turn := range c.turns {
			turn["assistant_id"] = "helper"
			r.post("POST", thread+"/runs/wait", turn)
		}
		r.record(thread, name)
	}
	r := newServer(t, "{}", lean(t)...)
	thread, turn := r.newThread(), say("wait")
	turn["assistant_id"] = "helper"
	run := r.post("POST", thread+"/runs", turn)
	<-r.gate.began
	r.replace() // the first attempt ends here, and the second one goes on
	<-r.gate.began
	r.gate.let <- struct{}{}
	r.post("GET", fmt.Sprintf("%s/runs/%s/join", thread, run["run_id"]), nil)
	r.record(thread, "cut")
}

// newThread makes a thread, and returns its path.
func (r *rig) newThread() string {
	r.t.Helper()
	return fmt.Sprint("/threads/", r.post("POST", "/threads", map[string]any{})["thread_id"])
}

// record writes the events and states of a thread to studio/testdata.
func (r *rig) record(thread, name string) {
	r.t.Helper()
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
		require.NoError(r.t, err)
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
	require.NoError(r.t, err)
	require.NoError(r.t, os.WriteFile(filepath.Join("..", "..", "studio", "testdata", name+".json"), append(text, '\n'), 0o600))
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
