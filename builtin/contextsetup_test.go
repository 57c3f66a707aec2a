package builtin_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// witness is a model that answers as its script says and keeps what it was asked.
type witness struct {
	*scripted.Turns

	info  model.Info
	mu    sync.Mutex
	asked []*model.Request
}

func newWitness(turns ...scripted.Turn) *witness {
	return &witness{
		Turns: &scripted.Turns{Script: turns, AfterEnd: scripted.EndRepeat}, info: model.Info{Name: "witness", Provider: "acme"},
	}
}

func (w *witness) Info() model.Info { return w.info }

func (w *witness) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	w.mu.Lock()
	w.asked = append(w.asked, req)
	w.mu.Unlock()
	return w.Turns.Generate(ctx, req)
}

// Stream tells its answer as a whole.
func (w *witness) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		resp, err := w.Generate(ctx, req)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		_ = yield(model.Chunk{Text: resp.AI().Content.Text()}, nil) && yield(model.Chunk{Response: resp}, nil)
	}
}

// prompts returns the texts of the first messages of what the model was asked.
func (w *witness) prompts() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]string, len(w.asked))
	for i, req := range w.asked {
		m := req.Messages.At(0)
		out[i] = m.Content.Text()
	}
	return out
}

// seen shows the messages of the last request, see lines.
func (w *witness) seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return lines(w.asked[len(w.asked)-1].Messages)
}

// newReader makes an agent with the tools search and calc, whose model is the witness and whose model "small" is another.
func newReader(t testingT, main, small model.Model, middleware ...host.Middleware) *host.Agent {
	return newReaderWith(t, host.Config{Model: main, Models: map[string]model.Model{"small": small}}, middleware...)
}

func newReaderWith(t testingT, config host.Config, middleware ...host.Middleware) *host.Agent {
	type query struct {
		Q string `json:"q,omitempty"`
	}
	for _, name := range []string{"search", "calc"} {
		config.Tools = append(config.Tools, tool.Func(name, "", func(_ context.Context, q query) (string, error) {
			return name + " result " + q.Q, nil
		}))
	}
	config.Middleware = middleware
	agent, err := host.New(config)
	require.NoError(t, err)
	if test, ok := t.(*testing.T); ok {
		test.Cleanup(func() { require.NoError(test, agent.Close()) })
	}
	return agent
}

// talk makes messages of lines such as "human go", "ai search:1 calc:2", "ai: a text" and "tool 1 result". Their ids are m0,
// m1, ….
func talk(text ...string) []abi.Message {
	out := make([]abi.Message, 0, len(text))
	for i, line := range text {
		role, rest, _ := strings.Cut(line, " ")
		var m abi.Message
		switch role {
		case "ai":
			m = abi.AI("", calls(rest)...)
		case "ai:":
			m = abi.AI(rest)
		case "tool":
			id, result, _ := strings.Cut(rest, " ")
			m = abi.ToolResult(abi.Call(id, "search", nil), result)
		case "system":
			m = abi.System(rest)
		default:
			m = abi.Human(rest)
		}
		m.ID = "m" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		out = append(out, m)
	}
	return out
}

func ids(messages []abi.Message) []string {
	out := make([]string, len(messages))
	for i := range messages {
		out[i] = messages[i].ID
	}
	return out
}

// ask starts a run without a thread.
func ask(t testingT, agent *host.Agent, messages []abi.Message) (*host.Result, error) {
	return agent.Run(t.Context(), host.Input{Messages: slices.Clone(messages)})
}
