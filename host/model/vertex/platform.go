//go:build !no_cloud

package vertex

import (
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// Platform is Vertex AI. Do not change its fields after its first use. Several models may share one.
//
// Only Google's own hosts get access tokens, unless TrustBaseURL is set or the model names the variable with the token.
type Platform struct {
	Project      string // "": GOOGLE_CLOUD_PROJECT, or the project of the credentials
	Location     string // such as "europe-west4"; "": GOOGLE_CLOUD_LOCATION, or "global"
	TrustBaseURL bool   // the model's BaseURL gets access tokens, whatever it is

	// ProcessEnv looks up a variable of the process alone; nil: [os.LookupEnv]. A credentials file that the model's LookupEnv finds and
	// ProcessEnv does not must be the key of a service account: other kinds name a file or a program to read, and where to send it.
	ProcessEnv func(name string) (string, bool)
}

var _ provider.Platform = (*Platform)(nil)

// New returns a model of Google on Vertex AI, such as "gemini-2.5-flash".
func New(name string) *gemini.Model { return &gemini.Model{Name: name, Platform: &Platform{}} }

// NewAnthropic returns a model of Anthropic on Vertex AI, such as "claude-sonnet-4-5@20250929".
func NewAnthropic(name string) *anthropic.Model {
	return &anthropic.Model{Name: name, Platform: &Platform{}}
}

// Name returns the provider name of the models that Vertex AI serves with an API.
func (*Platform) Name(api string) string {
	if api == anthropic.Provider {
		return AnthropicProvider
	}
	return Provider
}

// Connect determines where the requests of a model go.
func (p *Platform) Connect(o *provider.Options) (*provider.Connection, error) {
	if err := checkName(o); err != nil {
		return nil, err
	}
	c := connection{options: o, lookup: o.LookupEnv, process: p.ProcessEnv}
	if c.lookup == nil {
		c.lookup = os.LookupEnv
	}
	if c.process == nil {
		c.process = os.LookupEnv
	}
	var err error
	if c.location, err = c.findLocation(p.Location); err != nil {
		return nil, err
	}
	if c.project, err = c.findProject(p.Project); err != nil {
		return nil, err
	}
	given := *o
	given.TrustBaseURL = p.TrustBaseURL
	service := provider.Service{BaseURL: addressOf(c.location), Own: owns, Variables: []string{TokenVariable}, KeyHeader: "Authorization"}
	base, account, key, err := service.Resolve(&given)
	if err != nil {
		return nil, err
	}
	out := &provider.Connection{Base: base, Account: account, Adapt: c.adapt, Explain: c.explain}
	trusted := account.Own || p.TrustBaseURL
	switch {
	case key != "" && account.Key != model.CredentialHeader:
		out.Header = http.Header{"Authorization": {"Bearer " + key}}
		out.Account.Source = "an access token"
	case account.Key != model.CredentialNone && account.Key != model.CredentialWithheld:
	case trusted && o.APIKeyEnv != "":
		return nil, provider.Unset(o.Name, o.APIKeyEnv+" is not set; set it in the environment or in the manifest's env_file")
	case trusted:
		out.Sign = c.sign
		out.Account.Key, out.Account.Variable, out.Account.Source = model.CredentialPlatform, c.variable(), c.source()
	default:
		out.Advice = fmt.Sprintf("no access token was sent, because %s is not a host of Vertex AI; to send it one, set trust_base_url: true", base.Host)
	}
	return out, nil
}

// connection is how one model reaches Vertex AI.
type connection struct {
	options  *provider.Options
	lookup   func(name string) (string, bool)
	process  func(name string) (string, bool)
	location string
	project  string // "": that of the credentials

	found credentialsOnce
}

// value returns a variable without white space around it.
func (c *connection) value(name string) string {
	value, _ := c.lookup(name)
	return strings.TrimSpace(value)
}

// modelName is the form of names of models. They become a part of a path.
var modelName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._@-]*$`)

// checkName refuses names that the API does not serve.
func checkName(o *provider.Options) error {
	claude := strings.HasPrefix(o.Model, "claude")
	switch {
	case o.API != anthropic.Provider && o.API != gemini.Provider:
		return provider.Unsendable(o.Name, fmt.Errorf(
			"models that speak the API of %s cannot be reached on Vertex AI; use a gemini.Model or an anthropic.Model", o.API))
	case o.API == gemini.Provider && claude:
		return provider.Unsendable(o.Name, fmt.Errorf("%.100q is a model of Anthropic; its provider on Vertex AI is %s", o.Model, AnthropicProvider))
	case o.API == anthropic.Provider && !claude:
		return provider.Unsendable(o.Name, fmt.Errorf("%.100q is not a model of Anthropic; use a name such as %q, or the provider %s for Google's models",
			o.Model, "claude-sonnet-4-5@20250929", Provider))
	case !modelName().MatchString(strings.TrimPrefix(o.Model, "models/")):
		return provider.Unsendable(o.Name, fmt.Errorf("%.100q is not the name of a model; use a name such as %q", o.Model, "gemini-2.5-flash"))
	default:
		return nil
	}
}
