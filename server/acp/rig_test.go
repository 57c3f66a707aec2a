package acp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/acp"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
	"github.com/agenthost/agenthost/server/acp/internal/rpc"
)

// rig is a server with a client.
type rig struct {
	t      *testing.T
	conn   *rpc.Conn // the client's side
	stop   context.CancelFunc
	end    func() error       // ends the stream, as a client does that leaves
	over   chan error         // the result of Serve
	onCall map[string]handler // what the client answers, by method

	mu      sync.Mutex
	updates []map[string]any
	news    chan struct{}
}

type handler func(params json.RawMessage) (any, error)

// everything are capabilities of a client.
const everything = `{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"elicitation":{"form":{}}}`

// reviewOf asks about tools, as the command does.
func reviewOf(tools []string) host.Middleware {
	policies := map[string]builtin.ReviewPolicy{}
	for _, name := range tools {
		policies[name] = builtin.ReviewPolicy{AllowedDecisions: []builtin.DecisionType{builtin.Approve, builtin.Reject}}
	}
	return &builtin.HumanInTheLoop{InterruptOn: policies, InterruptMode: "per_call"}
}

// connect starts a server with an agent, and connects a client to it.
func connect(t *testing.T, config host.Config, change func(*acp.Config)) *rig {
	t.Helper()
	names := 0
	served := acp.Config{
		Build: func(ctx context.Context, adjust func(*host.Config)) (*acp.Agent, error) {
			c := config
			adjust(&c)
			agent, err := host.NewContext(ctx, c)
			if err != nil {
				return nil, err
			}
			return &acp.Agent{Agent: agent, Close: agent.Close}, nil
		},
		Review: reviewOf, Clock: time.Now, Directory: "/work", Version: "1",
		NewThread: func() string {
			names++
			return fmt.Sprintf("thread-%d", names)
		},
	}
	if change != nil {
		change(&served)
	}
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	r := &rig{
		t: t, conn: rpc.New(rpc.Limits{Message: 1 << 20, Requests: 100}), stop: stop, end: toServer.Close, over: make(chan error, 1),
		onCall: map[string]handler{}, news: make(chan struct{}, 1),
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		err := acp.New(served).Serve(ctx, fromClient, toClient)
		_ = fromClient.Close()
		_ = toClient.Close()
		r.over <- err
	})
	serving.Go(func() { _ = r.conn.Serve(context.WithoutCancel(ctx), fromServer, toServer, r.handle) })
	t.Cleanup(func() {
		stop()
		serving.Wait()
		r.conn.Close()
		r.conn.Wait()
		<-r.conn.Written()
	})
	return r
}

// handle answers the server.
func (r *rig) handle(q *rpc.Request) (func(context.Context) (*rpc.Answer, error), error) {
	if q.Method == protocol.SessionUpdate {
		var n struct {
			Update map[string]any `json:"update"`
		}
		if err := json.Unmarshal(q.Params, &n); err != nil {
			return nil, err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.updates = append(r.updates, n.Update)
		select {
		case r.news <- struct{}{}:
		default:
		}
		return nil, nil //nolint:nilnil // nothing is left to do
	}
	r.mu.Lock()
	answer := r.onCall[q.Method]
	r.mu.Unlock()
	if answer == nil {
		return nil, rpc.Errorf(rpc.CodeNoMethod, "the client has no %s", q.Method)
	}
	return func(context.Context) (*rpc.Answer, error) {
		result, err := answer(q.Params)
		return &rpc.Answer{Result: result}, err
	}, nil
}

// on sets what the client answers.
func (r *rig) on(method string, answer handler) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onCall[method] = answer
}

// choose lets the client's user choose an option whenever it is asked.
func (r *rig) choose(option string) *[]protocol.PermissionRequest {
	asked := &[]protocol.PermissionRequest{}
	r.on(protocol.RequestPermission, func(params json.RawMessage) (any, error) {
		var p protocol.PermissionRequest
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		*asked = append(*asked, p)
		return json.RawMessage(`{"outcome":{"outcome":"selected","optionId":"` + option + `"}}`), nil
	})
	return asked
}

// call calls a method with parameters in JSON, and returns the result.
func (r *rig) call(method, params string) (map[string]any, error) {
	var result map[string]any
	err := r.conn.Call(r.t.Context(), method, json.RawMessage(params), &result)
	return result, err
}

func (r *rig) must(method, params string) map[string]any {
	r.t.Helper()
	result, err := r.call(method, params)
	require.NoError(r.t, err)
	return result
}

// begin introduces the client, and begins a session in /work.
func (r *rig) begin(capabilities string) (session string) {
	r.t.Helper()
	r.must(protocol.Initialize, `{"protocolVersion":1,"clientCapabilities":`+capabilities+`}`)
	session, _ = r.must(protocol.SessionNew, `{"cwd":"/work","mcpServers":[]}`)["sessionId"].(string)
	require.NotEmpty(r.t, session)
	return session
}

// say prompts the agent.
func (r *rig) say(session, text string) (reason string, err error) {
	r.mu.Lock()
	r.updates = nil
	r.mu.Unlock()
	result, err := r.call(protocol.SessionPrompt, fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, session, text))
	reason, _ = result["stopReason"].(string)
	return reason, err
}

// said returns the texts that the client was sent.
func (r *rig) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := ""
	for _, u := range r.updates {
		if u["sessionUpdate"] == string(protocol.AgentChunk) {
			content, _ := u["content"].(map[string]any)
			all += fmt.Sprint(content["text"])
		}
	}
	return all
}

// until waits for an update.
func (r *rig) until(wanted func(map[string]any) bool) map[string]any {
	r.t.Helper()
	for {
		r.mu.Lock()
		for _, u := range r.updates {
			if wanted(u) {
				r.mu.Unlock()
				return u
			}
		}
		r.mu.Unlock()
		select {
		case <-r.news:
		case <-r.t.Context().Done():
			require.Fail(r.t, "the update has not come")
		}
	}
}
