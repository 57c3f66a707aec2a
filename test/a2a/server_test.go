package a2a_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	checkpoints "github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	values "github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/host/store/semantic"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/a2a"
	"github.com/agenthost/agenthost/server/a2a/older"
	"github.com/agenthost/agenthost/server/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server with an agent, and returns its address.
func serve(t *testing.T, yaml string) string {
	t.Helper()
	threads := checkpoints.New()
	agent, err := host.New(host.Config{
		Name: "agent", Model: answering{}, Checkpointer: threads,
		Tools: []host.Tool{
			tool.Func("write_file", "Writes a file.", func(_ context.Context, in struct {
				Content string `json:"content"`
			},
			) (string, error) {
				return "wrote " + in.Content, nil
			}),
			tool.Func("ask", "Asks a person.", func(ctx context.Context, _ struct{}) (string, error) {
				answer, err := host.RuntimeOf(ctx).Interrupt("question", wire.String("What is missing?"))
				if err != nil {
					return "", err
				}
				text, _ := answer.AsString()
				return text, nil
			}),
			tool.Func("wait", "Waits until it is cancelled, or a little.", func(ctx context.Context, _ struct{}) (string, error) {
				select {
				case <-time.After(resubscription):
					return "waited", nil
				case <-ctx.Done():
					return "", context.Cause(ctx)
				}
			}),
		},
		Middleware: []host.Middleware{builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"write_file": {AllowedDecisions: []builtin.DecisionType{
			builtin.Approve, builtin.Reject,
		}}}}},
	})
	require.NoError(t, err)
	serve, err := config.Parse("serve.yaml", []byte(yaml), config.Options{})
	require.NoError(t, err)
	s, err := server.New(server.Config{
		Agents: map[string]runs.Agent{"agent": {Agent: agent, Threads: threads, Description: "It answers."}},
		Runs:   memory.New(memory.Options{}), Serve: serve, Version: "test", OlderA2A: older.New(), Store: semantic.WithoutIndex(values.New()),
	})
	require.NoError(t, err)
	listening := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s.Close(ctx)
		listening.CloseClientConnections()
		listening.Close()
		http.DefaultClient.CloseIdleConnections()
		require.NoError(t, agent.Close())
	})
	return listening.URL
}

// resubscription is how long a task lasts whose client comes back, in the conformance suite.
const resubscription = 4 * time.Second

// answering is a model that answers by the last message alone: by its text, or by the id that the conformance suite gives it.
type answering struct{}

var _ model.Streamer = answering{}

func (answering) Info() model.Info { return model.Info{Provider: "scripted", Name: "scripted"} }

func (m answering) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	for chunk, err := range m.Stream(ctx, req) {
		if err != nil || chunk.Response != nil {
			return chunk.Response, err
		}
	}
	return nil, errors.New("no answer")
}

// Stream streams the texts of the answer word by word.
func (answering) Stream(_ context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		last, _ := req.Messages.Last()
		answer, err := answerTo(&last)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		if answer.Content.IsText() {
			for word := range strings.SplitAfterSeq(answer.Content.Text(), " ") {
				if word != "" && !yield(model.Chunk{Text: word}, nil) {
					return
				}
			}
		}
		yield(model.Chunk{Response: model.Reply(answer)}, nil)
	}
}

func answerTo(m *abi.Message) (abi.Message, error) {
	text := m.Content.Text()
	if m.Role == abi.RoleTool {
		return abi.AI("The tool said: " + text), nil
	}
	if id, _ := m.Meta.Get(a2a.MessageIDKey).AsString(); id != "" {
		longest := ""
		for prefix := range byID {
			if strings.HasPrefix(id, prefix) && len(prefix) > len(longest) {
				longest = prefix
			}
		}
		if longest != "" {
			return byID[longest], nil
		}
	}
	switch {
	case strings.HasPrefix(text, "write "):
		return abi.AI("I write it.", abi.Call("call-1", "write_file", map[string]any{"content": text[6:]})), nil
	case strings.HasPrefix(text, "wait"):
		return abi.AI("I wait.", abi.Call("call-2", "wait", map[string]any{})), nil
	case strings.HasPrefix(text, "fail"):
		return abi.Message{}, errors.New("the model failed")
	default:
		return abi.AI("You said: " + text), nil
	}
}

// byID are the answers that the conformance suite wants to messages whose ids begin so.
var byID = map[string]abi.Message{
	"tck-complete-task":           abi.AI("Hello from TCK"),
	"tck-artifact-text":           abi.AI("Generated text content"),
	"tck-artifact-file-url":       {Role: abi.RoleAI, Content: abi.Blocks(link)},
	"tck-artifact-file-":          {Role: abi.RoleAI, Content: abi.Blocks(abi.FileBlock("output.txt", "text/plain", []byte("output")))},
	"tck-stream-artifact-file":    {Role: abi.RoleAI, Content: abi.Blocks(abi.FileBlock("output.txt", "text/plain", []byte("output")))},
	"tck-input-required":          abi.AI("", abi.Call("call-1", "ask", map[string]any{})),
	"tck-stream-001":              abi.AI("Stream hello from TCK"),
	"tck-stream-003":              abi.AI("Stream task lifecycle"),
	"tck-stream-ordering-001":     abi.AI("Ordered output"),
	"tck-stream-artifact-text":    abi.AI("Streamed text content"),
	"tck-stream-artifact-chunked": abi.AI("chunk-1 chunk-2"),
	"test-resubscribe-message-id": abi.AI("", abi.Call("call-1", "wait", map[string]any{})),
}

var link = abi.BlockOf(wire.Map{
	{Key: "mime_type", Value: wire.String("text/plain")},
	{Key: "name", Value: wire.String("output.txt")},
	{Key: "type", Value: wire.String("file")},
	{Key: "url", Value: wire.String("https://example.com/output.txt")},
})
