//go:build !no_cloud

package bedrock

import (
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// Platform is Amazon Bedrock. Do not change its fields after its first use. Several models may share one.
//
// Requests are signed with the credentials that the AWS SDK finds: variables, profiles, sessions of "aws sso login", and the roles of
// containers and machines. Only AWS's own hosts get signed requests and Bedrock API keys, unless TrustBaseURL is set or the model names
// the key.
type Platform struct {
	Region       string // such as "eu-central-1"; "": AWS_REGION, AWS_DEFAULT_REGION, or the region of the profile
	TrustBaseURL bool   // the model's BaseURL gets signed requests, whatever it is
}

var _ provider.Platform = (*Platform)(nil)

// New returns a model of Anthropic on Bedrock, by its id there, such as "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", or the ARN of an
// inference profile.
func New(name string) *anthropic.Model { return &anthropic.Model{Name: name, Platform: &Platform{}} }

// Name returns the provider name of the models on Bedrock.
func (*Platform) Name(string) string { return Provider }

// Connect determines where the requests of a model go.
func (p *Platform) Connect(o *provider.Options) (*provider.Connection, error) {
	if err := checkName(o); err != nil {
		return nil, err
	}
	given := *o
	given.TrustBaseURL = p.TrustBaseURL
	c := connection{options: &given, lookup: o.LookupEnv}
	if c.lookup == nil {
		c.lookup = os.LookupEnv
	}
	var unset error
	if c.region, unset = c.findRegion(p.Region); unset != nil && o.BaseURL == "" {
		return nil, unset
	}
	service := provider.Service{BaseURL: addressOf(c.region), Own: owns, Variables: []string{KeyVariable}, KeyHeader: "Authorization"}
	base, account, key, err := service.Resolve(&given)
	if err != nil {
		return nil, err
	}
	out := &provider.Connection{Base: base, Account: account, Adapt: c.adapt, Events: events, Explain: c.explain}
	trusted := account.Own || p.TrustBaseURL
	switch {
	case key != "" && account.Key != model.CredentialHeader:
		out.Header = http.Header{"Authorization": {"Bearer " + key}}
		out.Account.Source = "a Bedrock API key"
	case account.Key != model.CredentialNone && account.Key != model.CredentialWithheld:
	case trusted && o.APIKeyEnv != "":
		return nil, provider.Unset(o.Name, o.APIKeyEnv+" is not set; set it in the environment or in the manifest's env_file")
	case trusted && unset != nil:
		return nil, unset
	case trusted:
		if err := c.check(); err != nil {
			return nil, err
		}
		out.Sign = c.sign
		out.Account.Key, out.Account.Variable, out.Account.Source = model.CredentialPlatform, c.variable(), c.source()
	default:
		out.Advice = fmt.Sprintf("no AWS credentials were sent, because %s is not a host of Amazon Bedrock; "+
			"to send it signed requests, set trust_base_url: true", base.Host)
	}
	return out, nil
}

// connection is how one model reaches Bedrock.
type connection struct {
	options *provider.Options
	lookup  func(name string) (string, bool)
	region  string

	found credentialsOnce
}

// value returns a variable without white space around it.
func (c *connection) value(name string) string {
	value, _ := c.lookup(name)
	return strings.TrimSpace(value)
}

// modelID is the form of ids of models and inference profiles, and of their ARNs.
var modelID = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._:/-]*$`)

// checkName refuses names that are none of Anthropic's models.
func checkName(o *provider.Options) error {
	switch {
	case o.API != anthropic.Provider:
		return provider.Unsendable(o.Name, fmt.Errorf("models that speak the API of %s cannot be reached on Bedrock; use an anthropic.Model", o.API))
	case modelID().MatchString(o.Model) && (strings.HasPrefix(o.Model, "arn:aws") || strings.Contains(o.Model, "anthropic.")):
		return nil
	default:
		return provider.Unsendable(o.Name, fmt.Errorf("%.100q is not a model of Anthropic on Bedrock; use a model id or an inference profile, such as "+
			"\"eu.anthropic.claude-sonnet-4-5-20250929-v1:0\", or an ARN", o.Model))
	}
}
