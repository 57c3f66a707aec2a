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

// Provider is the provider name of this package's models.
const Provider = "gemini"

// APIKeyVariable is the environment variable that holds the key. If unset, GOOGLE_API_KEY is used, as in Google's own tools.
const APIKeyVariable = "GEMINI_API_KEY" //nolint:gosec // a name, not a key

// APIKeyVariables returns the environment variables that may hold the key; the first one that is set counts.
func APIKeyVariables() []string { return []string{APIKeyVariable, "GOOGLE_API_KEY"} }

// Model is a model of the Gemini Developer API. Do not change its fields after its first use.
//
// Only Google's own address, generativelanguage.googleapis.com over https, requires a key. Another server gets a key only if APIKey or
// APIKeyEnv is set, so that changing BaseURL sends nobody the key of Google.
type Model struct {
	Name       string            // such as "gemini-3-flash"
	BaseURL    string            // without the version, such as "http://localhost:8080"; "": Google's own
	APIKey     string            // sent to BaseURL, whatever it is; "": the key in APIKeyEnv
	APIKeyEnv  string            // the variable with the key for BaseURL; "": see [APIKeyVariables], which are only sent to Google
	Settings   wire.Map          // fields of every request's body, such as generationConfig; a request's own fields win
	Headers    map[string]string // sent with every request
	HTTPClient *http.Client      // nil: a default one
	Limits     model.Limits      // of the time of a call, and of retries
	Profile    *model.Info       // capabilities of the model; nil: those that [model.Lookup] returns

	// Platform is the cloud that serves the model, such as a *vertex.Platform; nil: Google, or the server at BaseURL.
	Platform provider.Platform
	// ProviderTools are tools that the provider runs itself, such as its web search. No middleware sees their calls before they happen.
	ProviderTools []model.ProviderTool
	// Network is the proxy and the certificates of the requests, for a model without HTTPClient.
	Network model.Network
	// DisableStreaming makes Stream ask for the whole answer at once, and yield its text in one chunk.
	DisableStreaming bool

	// LookupEnv looks up the variable with the key; nil: [os.LookupEnv].
	LookupEnv func(name string) (string, bool)

	once     sync.Once
	endpoint *provider.Endpoint
	path     string // of the model, relative to the endpoint
	failed   error  // why there is no endpoint
}

var (
	_ model.Streamer   = (*Model)(nil)
	_ model.Accountant = (*Model)(nil)
)

// New returns a model of Google.
func New(name string) *Model { return &Model{Name: name} }

// CloseIdleConnections closes the connections that the model keeps for later requests, if it has a Network of its own.
func (m *Model) CloseIdleConnections() { m.endpoint.CloseIdleConnections() }

// Info describes the model.
func (m *Model) Info() model.Info {
	return provider.Info(m.provider(), m.Name, m.Profile)
}

// TakesDocument reports whether documents of a type are sent: texts are, beside PDF.
func (*Model) TakesDocument(mimeType string) bool { return provider.IsTextType(mimeType) }

// provider returns the provider name of the model.
func (m *Model) provider() string { return provider.NameOf(m.Platform, Provider) }

// Generate answers a request.
func (m *Model) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	resp, err := m.ask(ctx, req, nil)
	return m.endpoint.Hide(resp, err)
}

// Stream answers a request in chunks.
func (m *Model) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	if m.DisableStreaming {
		return provider.Whole(func() (*model.Response, error) { return m.Generate(ctx, req) })
	}
	return provider.Stream(func() *provider.Endpoint { return m.endpoint }, func(say func(model.Chunk) error) (*model.Response, error) {
		return m.ask(ctx, req, say)
	})
}

// maxContinued is how often an answer may be continued. Each continuation is a paid request.
const maxContinued = 32

// ask sends a request and reads the answer, in chunks if say is not nil. If the provider cuts an answer at its limit for one
// response and says how to continue, ask continues it, as Google's own SDK does.
func (m *Model) ask(ctx context.Context, req *model.Request, say func(model.Chunk) error) (*model.Response, error) {
	body, err := m.body(req)
	if err != nil {
		return nil, provider.Named(m.provider(), err)
	}
	a := answer{provider: m.provider(), say: say}
	for range maxContinued {
		if err := m.exchange(ctx, body, &a); err != nil {
			if errors.Is(err, provider.ErrStopped) {
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
	return nil, provider.Broken(Provider, "the model continued its answer too often")
}
