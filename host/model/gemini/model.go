package gemini

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

// Provider is what models of this package say as the provider.
const Provider = "gemini"

// APIKeyVariable is the environment variable with the key. Without it that is GOOGLE_API_KEY, as in Google's own tools.
const APIKeyVariable = "GEMINI_API_KEY" //nolint:gosec // the name of it

// Model is a model of the Gemini Developer API. Its fields are not changed after its first use.
type Model struct {
	Name       string            // such as "gemini-3-flash"
	BaseURL    string            // without the version, such as "http://localhost:8080"; "": Google's own
	APIKey     string            // "": that of APIKeyEnv. Only Google's own address demands one
	APIKeyEnv  string            // the environment variable with the key; "": GEMINI_API_KEY, and GOOGLE_API_KEY without it
	Settings   wire.Map          // fields of every request's body, such as generationConfig; a request's own win, field by field
	Headers    map[string]string // sent with every request
	HTTPClient *http.Client      // nil: a default one, without a timeout: the context has one
	Profile    *model.Info       // what the model can do; nil: what [model.Lookup] says

	once     sync.Once
	endpoint *provider.Endpoint
	path     string // of the model, below the endpoint
	failed   error  // why there is no endpoint
}

// New returns a model of Google.
func New(name string) *Model { return &Model{Name: name} }

// Info describes the model.
func (m *Model) Info() model.Info {
	return provider.Info(Provider, m.Name, m.Profile)
}

// Generate answers a request.
func (m *Model) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	return m.ask(ctx, req, nil)
}

// errStopped says that the consumer of a stream wants no more of it.
var errStopped = errors.New("the consumer has stopped")

// Stream answers a request piece by piece.
func (m *Model) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		resp, err := m.ask(ctx, req, func(c model.Chunk) error {
			if !yield(c, nil) {
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

// maxContinued is how often an answer may be continued. Each time is a request that is paid for.
const maxContinued = 32

// ask sends a request and reads the answer: piece by piece if there is a function that takes the pieces. An answer that the
// provider cuts at its limit for one response, and says how to continue, is continued, as Google's own SDK does.
func (m *Model) ask(ctx context.Context, req *model.Request, say func(model.Chunk) error) (*model.Response, error) {
	body, err := m.body(req)
	if err != nil {
		return nil, err
	}
	a := answer{say: say}
	for range maxContinued {
		if err := m.exchange(ctx, body, &a); err != nil {
			if errors.Is(err, errStopped) {
				return nil, err
			}
			return nil, provider.Failed(ctx, Provider, err)
		}
		token := a.next()
		if token == "" {
			return a.response(req)
		}
		body["continuationToken"] = token
	}
	return nil, provider.Broken(Provider, "the answer was continued too often")
}
