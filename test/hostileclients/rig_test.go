//go:build linux

package hostileclients_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/serverprocess"
)

type doc = map[string]any

const (
	normalKey  = "normal-0123456789abcdef"
	hostileKey = "hostile-0123456789abcdef"
)

// generous are limits that stop no test before what it is about.
const generous = "limits: {requests_per_second: 1000000, burst: 1000000, streams_per_owner: 20000, streams: 20000, runs_per_owner: 20000"

// rig is a server with a normal and a hostile owner.
type rig struct {
	t      testing.TB
	server *serverprocess.Process
	before serverprocess.Measures
	client *http.Client
	key    string
}

// setup starts a server. more are more limits.
func setup(t testing.TB, database, more string) *rig {
	t.Helper()
	yaml := "auth:\n  keys:\n"
	for owner, key := range map[string]string{"normal": normalKey, "hostile": hostileKey} {
		sum := sha256.Sum256([]byte(key))
		yaml += fmt.Sprintf("    - {sha256: %s, owner: %s, scopes: [admin]}\n", hex.EncodeToString(sum[:]), owner)
	}
	r := &rig{
		t: t, key: hostileKey, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		server: serverprocess.Start(t, serverprocess.Config{Database: database, Serve: yaml + generous + more + "}\n"}),
	}
	normal := r.as(normalKey)
	normal.run(normal.thread()) // what is made once is there before the first measure
	r.before = r.server.Measure()
	r.server.Forget()
	return r
}

func (r *rig) as(key string) *rig {
	other := *r
	other.key = key
	return &other
}

// send sends a request. The body is text or a value.
func (r *rig) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var reader io.Reader = http.NoBody
	switch b := body.(type) {
	case nil:
	case io.Reader:
		reader = b
	case string:
		reader = strings.NewReader(b)
	default:
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, r.server.URL()+path, reader)
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-Api-Key", r.key)
	return r.client.Do(request)
}

// do sends a request, and returns its status and document.
func (r *rig) do(method, path string, body any) (int, doc) {
	r.t.Helper()
	response, err := r.send(r.t.Context(), method, path, body)
	require.NoError(r.t, err)
	defer func() { require.NoError(r.t, response.Body.Close()) }()
	var document doc
	text, err := io.ReadAll(response.Body)
	require.NoError(r.t, err)
	require.NoError(r.t, json.Unmarshal(text, &document), "%s", text)
	return response.StatusCode, document
}

func (r *rig) object(method, path string, body any) doc {
	r.t.Helper()
	status, document := r.do(method, path, body)
	require.Equal(r.t, http.StatusOK, status, "%v", document)
	return document
}

func (r *rig) thread() string {
	r.t.Helper()
	return fmt.Sprint(r.object("POST", "/threads", doc{})["thread_id"])
}

// order is a run of the agent with an order.
func order(text string) doc {
	return doc{"assistant_id": serverprocess.AgentName, "input": doc{"messages": []doc{{"type": "human", "content": text}}}}
}

// run makes a run of three steps in a thread, which must end well.
func (r *rig) run(thread string) {
	r.t.Helper()
	values := r.object("POST", "/threads/"+thread+"/runs/wait", order("steps 3"))
	messages, ok := values["messages"].([]any)
	require.True(r.t, ok, "%v", values)
	last, ok := messages[len(messages)-1].(doc)
	require.True(r.t, ok)
	require.Equal(r.t, "I made 3 steps.", last["content"])
	require.Zero(r.t, len(messages)%8, "four rounds of the model, a question and three tools")
}

// beside runs the attack, with a normal client beside it whose runs all end well: at least one while the attack acts, and one afterwards. Then the
// server has as many goroutines and descriptors as before, at most memory bytes more at the worst moment, and a log without other errors than those that
// are known.
func (r *rig) beside(memory int64, attack func(), known ...string) {
	r.t.Helper()
	normal := r.as(normalKey)
	thread := normal.thread()
	ctx, end := context.WithCancel(r.t.Context())
	defer end() // also if the attack fails
	during := make(chan int, 1)
	go func() {
		n := 0
		defer func() { during <- n }()
		for more := true; more; n++ {
			normal.run(thread)
			select {
			case <-ctx.Done():
				more = false
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	attack()
	end()
	require.Positive(r.t, <-during)
	normal.run(thread)
	after := r.server.RequireCalm(r.before)
	require.Less(r.t, (after.Peak-r.before.Resident)>>20, memory>>20, "MiB more at the worst moment")
	r.t.Logf("at most %d MiB more; now %d MiB more, of which %d KiB are used", (after.Peak-r.before.Resident)>>20,
		(after.Resident-r.before.Resident)>>20, (after.Heap-r.before.Heap)>>10)
	r.server.RequireCleanLog(known...)
}

// dial opens a connection, which is closed when the test ends.
func (r *rig) dial() net.Conn {
	r.t.Helper()
	c, err := (&net.Dialer{}).DialContext(r.t.Context(), "tcp", r.server.Address)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = c.Close() })
	require.NoError(r.t, c.SetDeadline(time.Now().Add(time.Minute)))
	return c
}

// raw sends bytes on a connection of their own, and then a request for /ok, and returns the answers. {key} in the bytes is the key of the client.
// ended ends what the client sends, and so its last request.
func (r *rig) raw(text string, ended bool) []answer {
	r.t.Helper()
	c := r.dial()
	defer func() { _ = c.Close() }()
	go func() { // the server may answer before it has read all
		_, _ = io.WriteString(c, strings.ReplaceAll(text, "{key}", "X-Api-Key: "+r.key))
		if ended {
			_ = c.(*net.TCPConn).CloseWrite() //nolint:forcetypeassert // it is one of TCP
			return
		}
		_, _ = io.WriteString(c, "GET /ok HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	}()
	return answers(r.t, c)
}

// answer is an answer of the server.
type answer struct {
	status int
	body   string
}

// detail returns the text of {"detail": text}.
func (a answer) detail() string {
	var document struct {
		Detail string `json:"detail"`
	}
	_ = json.Unmarshal([]byte(a.body), &document)
	return document.Detail
}

// answers reads answers until the connection is closed.
func answers(t testing.TB, c io.Reader) (out []answer) {
	t.Helper()
	reader := bufio.NewReader(c)
	for {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return out
		}
		body, _ := io.ReadAll(response.Body) // a cut is what some tests expect
		_ = response.Body.Close()
		out = append(out, answer{response.StatusCode, string(body)})
	}
}
