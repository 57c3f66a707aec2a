package anthropic

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"sync"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// Provider is the provider name of this package's models.
const Provider = "anthropic"

// APIKeyVariable is the environment variable that holds the key.
const APIKeyVariable = "ANTHROPIC_API_KEY" //nolint:gosec // a name, not a key

// BaseURLVariable is the environment variable that may hold another address, which then gets the key. No other variable changes a request,
// except the proxy settings of Go's HTTP client.
const BaseURLVariable = "ANTHROPIC_BASE_URL"

// path is the path of the Messages API, relative to the provider's address.
const path = "v1/messages"

// ownBaseURL is Anthropic's own address.
const ownBaseURL = "https://api.anthropic.com/"

var service = provider.Service{
	BaseURL: ownBaseURL, Variables: []string{APIKeyVariable}, KeyHeader: "X-Api-Key",
	BaseURLVariable: BaseURLVariable,
}

// Model is a model of Anthropic. Do not change its fields after its first use.
//
// Only Anthropic's own address, api.anthropic.com over https, requires a key. Another server gets a key only if APIKey or APIKeyEnv is
// set, so that changing BaseURL sends nobody the key of Anthropic.
//
// Its settings are the fields of a request (https://platform.claude.com/docs/en/api/messages/create). Two of them are merged
// with the agent's: "tool_choice" may forbid parallel calls, and "output_config" may set the effort. The entries of "tools"
// are tools of the provider; an entry with the name of one of the agent's tools extends it, such as {name: search,
// cache_control: {type: ephemeral}}.
//
// The setting "cache_control" caches the prompt: its value is sent with the last tool, the last block of the system prompt and
// the last block of the conversation, as far as the tools' and blocks' own marks leave room. null turns caching off for a
// request.
//
// Blocks that only the provider knows have the prefix "anthropic_": a server tool's result arrives as
// "anthropic_web_search_tool_result" and is sent back in the same form, and a program's block "anthropic_document" is sent as a
// document with all its keys. A block's key "cache_control" is sent along.
//
// If the API pauses a long turn with server tools ("pause_turn"), the model goes on with it, at most [MaxPauses] times. The
// answer then has the content and the token counts of all requests.
type Model struct {
	Name       string            // such as "claude-haiku-4-5"
	BaseURL    string            // such as "http://localhost:4010", without "/v1"; "": that in ANTHROPIC_BASE_URL, or else Anthropic's own
	APIKey     string            // sent to BaseURL, whatever it is; "": the key in APIKeyEnv
	APIKeyEnv  string            // the variable with the key for BaseURL; "": ANTHROPIC_API_KEY, which is only sent to Anthropic
	Settings   wire.Map          // settings of every request, by the provider's names; a request's own settings win
	Headers    map[string]string // sent with every request
	HTTPClient *http.Client      // nil: a default one
	Limits     model.Limits      // of the time of a call, and of retries
	Profile    *model.Info       // capabilities of the model; nil: those that [model.Lookup] returns

	// Platform is the cloud that serves the model, such as a *bedrock.Platform; nil: Anthropic, or the server at BaseURL.
	Platform provider.Platform
	// ProviderTools are tools that the provider runs itself, such as its web search. No middleware sees their calls before they happen.
	ProviderTools []model.ProviderTool
	// Network is the proxy and the certificates of the requests, for a model without HTTPClient.
	Network model.Network
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

// New returns a model of Anthropic.
func New(name string) *Model { return &Model{Name: name} }

// CloseIdleConnections closes the connections that the model keeps for later requests, if it has a Network of its own.
func (m *Model) CloseIdleConnections() { m.endpoint.CloseIdleConnections() }

// Info describes the model.
func (m *Model) Info() model.Info { return provider.Info(m.provider(), m.Name, m.Profile) }

// provider returns the provider name of the model.
func (m *Model) provider() string { return provider.NameOf(m.Platform, Provider) }

// TakesDocument reports whether documents of a type are sent: texts are, beside PDF.
func (*Model) TakesDocument(mimeType string) bool { return provider.IsTextType(mimeType) }

// Generate answers a request.
func (m *Model) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	resp, err := m.generate(ctx, req)
	return m.endpoint.Hide(resp, err)
}

func (m *Model) generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	return m.finish(req, false, func(call provider.Call) (*answer, error) {
		body, err := m.endpoint.Ask(ctx, call)
		if err != nil {
			return nil, err
		}
		return readAnswer(body)
	})
}

// Stream answers a request in chunks.
func (m *Model) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	if m.DisableStreaming {
		return provider.Whole(func() (*model.Response, error) { return m.Generate(ctx, req) })
	}
	return provider.Stream(func() *provider.Endpoint { return m.endpoint }, func(say func(model.Chunk) error) (*model.Response, error) {
		return m.finish(req, true, func(call provider.Call) (*answer, error) { return m.read(ctx, call, say) })
	})
}

// call returns the call to send for a request.
func (m *Model) call(req *model.Request, stream bool) (provider.Call, error) {
	m.once.Do(func() { m.failed = m.connect() })
	if m.failed != nil {
		return provider.Call{}, m.failed
	}
	body, err := m.body(req, stream)
	return provider.Call{Path: path, Header: m.betas(body["tools"]), Body: body, Stream: stream}, err
}

// connect determines where requests go.
func (m *Model) connect() (err error) {
	m.endpoint, err = service.Connect(m.options())
	return err
}

func (m *Model) options() *provider.Options {
	return &provider.Options{
		Name: m.provider(), API: Provider, Model: m.Name, Platform: m.Platform, BaseURL: m.BaseURL, APIKey: m.APIKey, APIKeyEnv: m.APIKeyEnv,
		LookupEnv: m.LookupEnv, InFile: m.InFile,
		Header: http.Header{"Accept": {"application/json"}, "Anthropic-Version": {"2023-06-01"}}, Headers: m.Headers, HTTPClient: m.HTTPClient,
		Network: m.Network, Limits: m.Limits,
	}
}

// Account says which key is sent where.
func (m *Model) Account() (model.Account, error) { return service.Account(m.options()) }

// malformed returns the error for an unintelligible response.
func malformed(what string, err error) *model.Error {
	return provider.Broken(Provider, fmt.Sprintf("%s cannot be read: %v", what, err))
}
