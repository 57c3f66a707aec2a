package a2a_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBadBodies(t *testing.T) {
	t.Parallel()
	r := setup(t, "limits: {body: 64KiB}")
	r.client = &http.Client{Transport: &http.Transport{}} // JSON-RPC answers bad bodies with 200, so they are not held against the description
	t.Cleanup(r.client.CloseIdleConnections)
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	envelope := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`
	}
	for name, test := range map[string]struct {
		body string
		code float64
		says string
	}{
		"nothing":           {"", -32700, "not valid JSON"},
		"no JSON":           {"{", -32700, "not valid JSON"},
		"two documents":     {"{} {}", -32700, "not valid JSON"},
		"a batch":           {"[]", -32600, "batches"},
		"deep":              {`{"method":"SendMessage","params":` + deep + `}`, -32700, "within each other"},
		"not UTF-8":         {"{\"method\":\"\xff\"}", -32700, "UTF-8"},
		"no method":         {`{"jsonrpc":"2.0","id":7}`, -32600, ""},
		"another version":   {`{"jsonrpc":"1.0","id":7,"method":"GetTask"}`, -32600, ""},
		"an unknown method": {envelope("DoIt", "{}"), -32601, ""},
		"no message":        {envelope("SendMessage", "{}"), -32602, "message is missing"},
		"no parts":          {envelope("SendMessage", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[]}}`), -32602, "parts"},
		"a null part":       {envelope("SendMessage", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[null]}}`), -32602, "null"},
		"two contents":      {envelope("SendMessage", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"a","url":"b"}]}}`), -32700, ""},
		"no id":             {envelope("SendMessage", `{"message":{"role":"ROLE_USER","parts":[{"text":"a"}]}}`), -32602, "messageId"},
		"an agent's word":   {envelope("SendMessage", `{"message":{"messageId":"1","role":"ROLE_AGENT","parts":[{"text":"a"}]}}`), -32602, "role"},
		"a bad context":     {envelope("SendMessage", `{"message":{"messageId":"1","contextId":"../x","role":"ROLE_USER","parts":[{"text":"a"}]}}`), -32602, "contextId"},
		"a wrong type":      {envelope("GetTask", `{"id":7}`), -32602, ""},
		"no task":           {envelope("GetTask", `{}`), -32602, "missing"},
		"a negative length": {envelope("GetTask", `{"id":"x","historyLength":-1}`), -32001, ""},
		"a bad address": {
			envelope("SendMessage", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"a"}]},`+
				`"configuration":{"taskPushNotificationConfig":{"url":"http://127.0.0.1/"}}}`), -32602, "not public",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, answer := r.do("POST", "/a2a/agent", test.body)
			require.Equal(t, http.StatusOK, status)
			failure, _ := answer["error"].(doc)
			require.InDelta(t, test.code, failure["code"], 0, "%v", answer)
			require.Contains(t, failure["message"], test.says)
		})
	}
	_, answer := r.do("POST", "/a2a/agent", "no JSON", "Content-Type", "text/plain")
	require.InDelta(t, -32005, objectIn(answer["error"])["code"], 0)
	status, answer := r.do("POST", "/a2a/agent/message:send", "{")
	require.Equal(t, http.StatusBadRequest, status)
	details := objectIn(listIn(objectIn(answer["error"])["details"])[0])
	require.Equal(t, "PARSE_ERROR", details["reason"])
	status, _ = r.do("POST", "/a2a/agent/message:send", strings.Repeat(" ", 65<<10))
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	status, answer = r.do("POST", "/a2a/nobody", doc{"jsonrpc": "2.0", "id": 1, "method": "GetTask"})
	require.Equal(t, http.StatusNotFound, status)
	require.Equal(t, `the server does not have the agent "nobody"; it has agent`, objectIn(answer["error"])["message"])
	status, _ = r.do("PUT", "/a2a/agent/tasks", nil)
	require.Equal(t, http.StatusMethodNotAllowed, status)
	status, _ = r.do("GET", "/a2a/agent/elsewhere", nil)
	require.Equal(t, http.StatusNotFound, status)
}

// JSON for Protocol Buffers may have the names of members in either form.
func TestNamesOfProtocolBuffers(t *testing.T) {
	t.Parallel()
	r := setup(t, "listen: 127.0.0.1:8123")
	task := r.task(doc{"message": doc{"message_id": "1", "role": "ROLE_USER", "parts": []any{doc{"data": doc{"my_key": 1}}}, "metadata": doc{"a_b": 1}}})
	require.Equal(t, []string{`You said: {"my_key":1}`}, texts(task["artifacts"]))
	require.Equal(t, doc{"a_b": 1.0}, objectIn(listIn(task["history"])[0])["metadata"])
	require.Nil(t, r.result("GetTask", doc{"id": task["id"], "history_length": 0})["history"])
}

func TestVersions(t *testing.T) {
	t.Parallel()
	r := setup(t, "listen: 127.0.0.1:8123")
	_, answer := r.do("POST", "/a2a/agent", doc{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": message("hi")}, "A2A-Version", "99.0")
	require.InDelta(t, -32009, objectIn(answer["error"])["code"], 0)
	status, _ := r.do("GET", "/a2a/agent/tasks", nil, "A2A-Version", "0.3")
	require.Equal(t, http.StatusBadRequest, status)
	status, _ = r.do("GET", "/a2a/agent/tasks?A2A-Version=2.0", nil)
	require.Equal(t, http.StatusBadRequest, status)
	for _, version := range []string{"", "0.3", "0.3.0"} {
		_, answer := r.do("POST", "/a2a/agent", doc{"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": doc{"message": doc{
			"kind": "message", "messageId": "1", "role": "user", "parts": []any{doc{"kind": "text", "text": "hi"}},
		}}}, "A2A-Version", version)
		task, _ := answer["result"].(doc)
		require.Equal(t, "task", task["kind"], "%v", answer)
		require.Equal(t, "completed", stateOf(task))
	}
	events := r.events(r.send(t.Context(), "POST", "/a2a/agent", doc{"jsonrpc": "2.0", "id": 1, "method": "message/stream", "params": doc{"message": doc{
		"kind": "message", "messageId": "2", "role": "user", "parts": []any{doc{"kind": "text", "text": "hi"}},
	}}}))
	require.Equal(t, "task", events[0]["kind"])
	last := events[len(events)-1]
	require.Equal(t, "completed", stateOf(last))
	require.Equal(t, true, last["final"])
}

// FuzzRequests sends any text as a call.
func FuzzRequests(f *testing.F) {
	r := setup(f, "listen: 127.0.0.1:8123")
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"hi"}]}}}`,
		`{"jsonrpc":"2.0","id":"x","method":"SendStreamingMessage","params":{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"data":{"a":[1]}}]}}}`,
		`{"jsonrpc":"2.0","id":null,"method":"ListTasks","params":{"pageSize":5,"pageToken":"eyJ1IjoiIn0"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"1","role":"user","parts":[{"kind":"text","text":"a"}]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"CreateTaskPushNotificationConfig","params":{"taskId":"1","url":"https://example.com"}}`, `[]`, `{"id":{}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/a2a/agent", strings.NewReader(body))
		request.Host = "127.0.0.1"
		recorder := httptest.NewRecorder()
		r.handler.ServeHTTP(recorder, request)
		text, err := io.ReadAll(recorder.Body)
		require.NoError(t, err)
		require.NotContains(t, string(text), "Internal server error", "%q", body)
		require.NotEqual(t, http.StatusInternalServerError, recorder.Code, "%q", body)
	})
}
