//go:build !no_cloud

package azure

import (
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// Platform is Azure OpenAI. Do not change its fields after its first use. Several models may share one.
//
// The name of a model is that of its deployment, and its BaseURL the endpoint of the resource; without one, AZURE_OPENAI_ENDPOINT is.
// Requests are authorized by AZURE_OPENAI_API_KEY, or else by the token in AZURE_OPENAI_AD_TOKEN, or else by tokens that Entra ID gives
// for a client secret, a workload identity, a managed identity, or a person who is logged in with the command az. Only Azure's own hosts
// get them, unless TrustBaseURL is set or the model names the key.
type Platform struct {
	APIVersion   string // such as "2025-04-01-preview"; "": OPENAI_API_VERSION, or the API v1, which has no dated versions
	TrustBaseURL bool   // the model's BaseURL gets keys and tokens, whatever it is

	// Credential gives tokens; nil: the first one of the environment that does.
	Credential azcore.TokenCredential

	// ProcessEnv looks up a variable of the process alone; nil: [os.LookupEnv]. An endpoint that the model's LookupEnv finds and ProcessEnv
	// does not gets no credentials of the process, so that a file of variables cannot redirect them.
	ProcessEnv func(name string) (string, bool)
}

var _ provider.Platform = (*Platform)(nil)

// New returns a model of OpenAI on Azure, by the name of its deployment.
func New(deployment string) *openai.Model {
	return &openai.Model{Name: deployment, Platform: &Platform{}}
}

// Name returns the provider name of the models on Azure.
func (*Platform) Name(string) string { return Provider }

// Connect determines where the requests of a model go.
func (p *Platform) Connect(o *provider.Options) (*provider.Connection, error) {
	if err := checkName(o); err != nil {
		return nil, err
	}
	c := connection{options: o, lookup: o.LookupEnv, process: p.ProcessEnv, credential: p.Credential, busy: make(chan struct{}, 1)}
	if c.lookup == nil {
		c.lookup = os.LookupEnv
	}
	if c.process == nil {
		c.process = os.LookupEnv
	}
	given := *o
	given.TrustBaseURL = p.TrustBaseURL
	var err error
	if given.BaseURL, err = c.endpoint(); err != nil {
		return nil, err
	}
	if c.version, err = c.findVersion(p.APIVersion); err != nil {
		return nil, err
	}
	service := provider.Service{BaseURL: "https://" + ownDomain + "/", Own: owns, Variables: []string{KeyVariable}, KeyHeader: keyHeader}
	base, account, key, err := service.Resolve(&given)
	if err != nil {
		return nil, err
	}
	c.host = strings.ToLower(base.Hostname())
	out := &provider.Connection{Base: base, Account: account, Adapt: c.adapt, Explain: c.explain}
	return out, c.authorize(out, key, account.Own || p.TrustBaseURL)
}

// connection is how one model reaches Azure.
type connection struct {
	options    *provider.Options
	lookup     func(name string) (string, bool)
	process    func(name string) (string, bool)
	host       string
	version    string // "": the API v1
	credential azcore.TokenCredential
	misspelt   string // a variable that should be KeyVariable; "": there is none

	busy  chan struct{} // holds one value while a request looks at token or renews it; others wait no longer than their contexts
	token azcore.AccessToken
}

// keyHeader is the header of an API key.
const keyHeader = "Api-Key"

// authorize decides what authorizes requests.
func (c *connection) authorize(out *provider.Connection, key string, trusted bool) error {
	token := c.value(TokenVariable)
	if key == "" && c.options.APIKeyEnv == "" { // tokens need no such variable
		c.misspelt, out.Account.Misspelt = out.Account.Misspelt, ""
	}
	used := []string{out.Account.Variable}
	switch {
	case out.Account.Key == model.CredentialHeader:
		return nil
	case key != "":
		out.Header, out.Account.Source = http.Header{keyHeader: {key}}, "an API key"
		if out.Account.Key == model.CredentialGiven {
			return nil
		}
	case trusted && c.options.APIKeyEnv != "":
		return provider.Unset(c.options.Name, c.options.APIKeyEnv+" is not set; set it in the environment or in the manifest's env_file")
	case !trusted:
		out.Advice = fmt.Sprintf("no credentials were sent, because %s is not a host of Azure OpenAI; to send them, set trust_base_url: true", out.Base.Host)
		return nil
	case token != "":
		used = []string{TokenVariable}
		out.Header = http.Header{"Authorization": {"Bearer " + token}}
		out.Account.Key, out.Account.Variable, out.Account.Source = model.CredentialVariable, TokenVariable, "a token of Entra ID"
	default:
		used = c.secretVariables()
		out.Sign = c.sign
		out.Account.Key, out.Account.Variable, out.Account.Source = model.CredentialPlatform, "", c.source()
	}
	return c.checkEndpoint(used)
}

// value returns a variable without white space around it.
func (c *connection) value(name string) string {
	value, _ := c.lookup(name)
	return strings.TrimSpace(value)
}

// ofProcess reports whether the process itself has a variable.
func (c *connection) ofProcess(name string) bool {
	value, _ := c.process(name)
	return strings.TrimSpace(value) != ""
}

// deploymentName is the form of names of deployments. They become a part of a path.
var deploymentName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func checkName(o *provider.Options) error {
	switch {
	case o.API != openai.Provider:
		return provider.Unsendable(o.Name, fmt.Errorf("models that speak the API of %s cannot be reached on Azure OpenAI; use an openai.Model", o.API))
	case !deploymentName().MatchString(o.Model):
		return provider.Unsendable(o.Name, fmt.Errorf("%.100q is not the name of a deployment; it has letters, digits and -._", o.Model))
	default:
		return nil
	}
}
