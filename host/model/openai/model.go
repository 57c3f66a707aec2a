package openai

import (
	"context"
	"iter"
	"net/http"
	"sync"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// Provider is the default provider name of this package's models.
const Provider = "openai"

// APIKeyVariable is the environment variable that holds the key.
const APIKeyVariable = "OPENAI_API_KEY" //nolint:gosec // a name, not a key

// BaseURLVariable is the environment variable that may hold another address, which then gets the key. No other variable changes a request,
// except the proxy settings of Go's HTTP client.
const BaseURLVariable = "OPENAI_BASE_URL"

// API is one of the two interfaces of OpenAI.
type API string

// These are the APIs.
const (
	ChatCompletions API = "chat_completions" // the default, which other servers offer too
	Responses       API = "responses"        // OpenAI's own, which keeps a model's reasoning
)

// Model is a model of OpenAI, or of a compatible server. Do not change its fields after its first use.
//
// Provider may name one of the [Presets], whose address, key and peculiarities then replace those of OpenAI.
//
// Only the service's own address requires its key: for OpenAI, api.openai.com and its subdomains, over https. Another server gets a key
// only if APIKey or APIKeyEnv is set, so that changing BaseURL sends nobody the key of OpenAI, or if its address is from the environment.
//
// Its settings are the fields of a request: see https://platform.openai.com/docs/api-reference/chat/create and
// https://platform.openai.com/docs/api-reference/responses/create, plus any that the server adds. Some are merged with the
// agent's: the entries of "tools" are tools of the provider, and an entry with the name of one of the agent's tools extends
// it, such as {type: function, function: {name: search, strict: true}}. A tool choice or a format of the request overrides
// "tool_choice", "response_format" and "text". "max_tokens" works for every model. A "stream_options" of null is not sent, for
// servers that do not know it. "reasoning_effort" and "verbosity" work with both APIs: see [API.Field].
//
// With Responses, OpenAI stores nothing unless the setting "store" or UsePreviousResponseID says so: the model's reasoning
// arrives encrypted and is sent back. The default of the setting "include" therefore requests it, except for models known not
// to reason, which refuse the request.
type Model struct {
	Name string // such as "gpt-5.2"
	// BaseURL is an address such as "http://localhost:11434/v1", with a query if the server needs one. If it is empty, the one
	// in the environment (OPENAI_BASE_URL) is used, or else the service's own.
	BaseURL    string
	APIKey     string            // sent to BaseURL, whatever it is; "": the key in APIKeyEnv
	APIKeyEnv  string            // the variable with the key for BaseURL; "": the service's own, which is only sent to it
	API        API               // "": ChatCompletions
	Provider   string            // the service: one of the [Presets], or a name for errors and events; "": "openai"
	Settings   wire.Map          // settings of every request, by the provider's names; a request's own settings win
	Headers    map[string]string // sent with every request
	HTTPClient *http.Client      // nil: a default one
	Limits     model.Limits      // of the time of a call, and of retries
	Profile    *model.Info       // capabilities of the model; nil: those that [model.Lookup] returns

	// Platform is the cloud that serves the model, such as a *azure.Platform; nil: OpenAI, or the server at BaseURL.
	Platform provider.Platform
	// ProviderTools are tools that the provider runs itself, such as its web search. No middleware sees their calls before they happen.
	ProviderTools []model.ProviderTool
	// Network is the proxy and the certificates of the requests, for a model without HTTPClient.
	Network model.Network
	// UsePreviousResponseID, with Responses, sends the id of the last answer in place of the history up to it, which OpenAI then stores. The
	// history is sent if it is no longer the one that the answer was given to, or OpenAI no longer has the answer.
	UsePreviousResponseID bool
	// Background, with Responses, lets OpenAI answer in the background, and asks again and again whether the answer is complete. Without a
	// limit of its own, a call may take [DefaultBackgroundTimeout]. Such answers are not streamed.
	Background bool
	// DisableStreaming makes Stream ask for the whole answer at once, and yield its text in one chunk.
	DisableStreaming bool

	// LookupEnv looks up the variables with the key and the address; nil: [os.LookupEnv].
	LookupEnv func(name string) (string, bool)
	// InFile reports whether a variable that LookupEnv finds is from a file that comes with a project. A server whose address is from
	// such a file gets no key, unless it is the provider's own. nil: none is.
	InFile func(name string) bool

	once     sync.Once
	endpoint *provider.Endpoint
	failed   error // why there is no endpoint
}

var (
	_ model.Streamer   = (*Model)(nil)
	_ model.Accountant = (*Model)(nil)
)

// New returns a model of OpenAI.
func New(name string) *Model { return &Model{Name: name} }

// CloseIdleConnections closes the connections that the model keeps for later requests, if it has a Network of its own.
func (m *Model) CloseIdleConnections() { m.endpoint.CloseIdleConnections() }

// Info describes the model.
func (m *Model) Info() model.Info {
	if preset := findPreset(m.provider()); preset != nil && m.Profile == nil {
		return preset.Info(m.Name)
	}
	return provider.Info(m.provider(), m.Name, m.Profile)
}

// officeTypes are the types of documents, beside PDF and texts, that the Responses API reads:
// https://platform.openai.com/docs/guides/pdf-files.
var officeTypes = map[string]bool{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   true,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": true,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         true,
}

// TakesDocument reports whether documents of a type are sent as they are: only the Responses API takes any but PDF.
func (m *Model) TakesDocument(mimeType string) bool {
	return m.API == Responses && (provider.IsTextType(mimeType) || officeTypes[mimeType])
}

func (m *Model) provider() string {
	if m.Provider == "" {
		return provider.NameOf(m.Platform, Provider)
	}
	if preset := findPreset(m.Provider); preset != nil {
		return preset.Name
	}
	return m.Provider
}

// Generate answers a request.
func (m *Model) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	if err := m.connect(); err != nil {
		return nil, err
	}
	if m.API == Responses {
		return m.endpoint.Hide(m.respond(ctx, req))
	}
	return m.endpoint.Hide(m.complete(ctx, req))
}

// Stream answers a request in chunks.
func (m *Model) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	if m.DisableStreaming || m.Background {
		return provider.Whole(func() (*model.Response, error) { return m.Generate(ctx, req) })
	}
	return provider.Stream(func() *provider.Endpoint { return m.endpoint }, func(say func(model.Chunk) error) (*model.Response, error) {
		return m.stream(ctx, req, say)
	})
}

// stream passes on the pieces of an answer, and then returns the answer.
func (m *Model) stream(ctx context.Context, req *model.Request, say func(model.Chunk) error) (*model.Response, error) {
	if err := m.connect(); err != nil {
		return nil, err
	}
	if m.API == Responses {
		return m.streamResponse(ctx, req, say)
	}
	return m.streamCompletion(ctx, req, say)
}
