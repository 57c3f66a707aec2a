package openai

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"sync"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// Provider is what models of this package say as the provider unless theirs has another name.
const Provider = "openai"

// APIKeyVariable is the environment variable with the key. No other one changes a request, but for those with the proxies
// that Go's HTTP client knows.
const APIKeyVariable = "OPENAI_API_KEY" //nolint:gosec // the name of it

// API is one of the two interfaces of OpenAI.
type API string

// The APIs.
const (
	ChatCompletions API = "chat_completions" // the default, which other servers have too
	Responses       API = "responses"        // OpenAI's own, which keeps what a model has thought
)

// Model is a model of OpenAI, or of a server that is compatible. Its fields are not changed after its first use.
//
// Its settings are the fields of a request: https://platform.openai.com/docs/api-reference/chat/create, or
// https://platform.openai.com/docs/api-reference/responses/create, and what the server knows beyond these. Some are joined
// with what the agent says: the entries of "tools" are tools of the provider; one with the name of a tool of the agent adds
// to it, such as {type: function, function: {name: search, strict: true}}. A tool choice or a format of the request wins
// over "tool_choice", "response_format" and "text". "max_tokens" may be said of every model. A "stream_options" of null
// is not sent, for servers that do not know it.
//
// With Responses nothing is stored at OpenAI unless the setting "store" says so: what the model has thought comes encrypted,
// and is sent back. So the setting "include" asks for that unless it is given, or the model's name is one of those that do
// not think, which refuse to be asked.
type Model struct {
	Name       string            // such as "gpt-5.2"
	BaseURL    string            // such as "http://localhost:11434/v1", with a query if the server wants one; "": OpenAI's own
	APIKey     string            // "": that of APIKeyEnv. Only OpenAI's own address demands one
	APIKeyEnv  string            // the environment variable with the key; "": OPENAI_API_KEY
	API        API               // "": ChatCompletions
	Provider   string            // what answers at BaseURL, for errors and events; "": "openai"
	Settings   wire.Map          // for every request, by the provider's names; those of a request win
	Headers    map[string]string // sent with every request
	HTTPClient *http.Client      // nil: a default one, without a timeout: the context has one
	Profile    *model.Info       // what the model can do; nil: what [model.Lookup] says

	once     sync.Once
	endpoint *provider.Endpoint
	own      bool  // it is OpenAI's, and not of another server
	failed   error // why there is no endpoint
}

var _ model.Streamer = (*Model)(nil)

// New returns a model of OpenAI.
func New(name string) *Model { return &Model{Name: name} }

// Info describes the model.
func (m *Model) Info() model.Info {
	return provider.Info(m.provider(), m.Name, m.Profile)
}

func (m *Model) provider() string {
	if m.Provider != "" {
		return m.Provider
	}
	return Provider
}

// Generate answers a request.
func (m *Model) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	if err := m.connect(); err != nil {
		return nil, err
	}
	if m.API == Responses {
		return m.respond(ctx, req)
	}
	return m.complete(ctx, req)
}

// errStopped says that the consumer of a stream wants no more of it.
var errStopped = errors.New("the consumer has stopped")

// Stream answers a request piece by piece.
func (m *Model) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		resp, err := m.stream(ctx, req, func(c model.Chunk) error {
			if (c.Text != "" || c.Reasoning != "") && !yield(c, nil) {
				return errStopped
			}
			return nil
		})
		switch {
		case errors.Is(err, errStopped):
		case err != nil:
			yield(model.Chunk{}, err)
		default:
			yield(model.Chunk{Response: resp}, nil)
		}
	}
}

// stream returns the answer to a request after it has said its pieces.
func (m *Model) stream(ctx context.Context, req *model.Request, say func(model.Chunk) error) (*model.Response, error) {
	if err := m.connect(); err != nil {
		return nil, err
	}
	if m.API == Responses {
		return m.streamResponse(ctx, req, say)
	}
	return m.streamCompletion(ctx, req, say)
}
