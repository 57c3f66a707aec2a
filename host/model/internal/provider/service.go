package provider

import (
	"cmp"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/agenthost/agenthost/host/model"
)

// Service describes the service of a provider, and how it authenticates.
type Service struct {
	BaseURL   string   // the provider's own address
	Regions   bool     // the subdomains of its host are the provider's own, too
	Variables []string // the environment variables that may hold the provider's key; the first one that is set counts
	KeyHeader string   // the header with the key; in "Authorization", the key has the scheme Bearer
}

// Options are the fields of a model that say where its requests go.
type Options struct {
	Name       string // of the provider, for errors
	BaseURL    string // "": the provider's own
	APIKey     string
	APIKeyEnv  string
	LookupEnv  func(name string) (string, bool) // nil: os.LookupEnv
	Header     http.Header                      // of every request, without the key
	Headers    map[string]string                // what the operator has set
	HTTPClient *http.Client
	Network    model.Network // only without HTTPClient
	Limits     model.Limits
}

// Connect returns the endpoint of a model. It sends a key to servers other than the provider's own only if APIKey or APIKeyEnv names it.
func (s *Service) Connect(o *Options) (*Endpoint, error) {
	base, account, key, err := s.account(o)
	if err != nil {
		return nil, err
	}
	if account.Own && account.Key == model.CredentialNone {
		return nil, noKey(o.Name, account.Variable)
	}
	header := o.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	switch {
	case key == "":
	case s.KeyHeader == authorization:
		header.Set(authorization, "Bearer "+key)
	default:
		header.Set(s.KeyHeader, key)
	}
	client, own, secrets, err := o.client()
	if err != nil {
		return nil, err
	}
	e := NewEndpoint(o.Name, base, client, header, o.Headers, secrets...)
	e.connections = own
	e.own, e.limits = account.Own, o.Limits.WithDefaults()
	switch {
	case account.Key == model.CredentialNone && o.APIKeyEnv != "":
		e.transport.unauthorized = "no key was sent, because " + o.APIKeyEnv + " is not set; set it in the environment or in the manifest's env_file"
	case account.Key == model.CredentialNone || account.Key == model.CredentialWithheld:
		e.transport.unauthorized = account.Variable + " is only sent to " + s.host() + " over https; to send it to " + account.Host +
			", set api_key_env: " + account.Variable
	}
	return e, nil
}

// Account describes the account that requests use.
func (s *Service) Account(o *Options) (model.Account, error) {
	_, account, _, err := s.account(o)
	return account, err
}

// Check returns the error that every request would fail with because of the address or the headers.
func (s *Service) Check(o *Options) error {
	if _, err := s.Account(o); err != nil {
		return err
	}
	if _, _, _, err := o.client(); err != nil {
		return err
	}
	return checkHeaders(o.Name, o.Headers)
}

// client returns the client to use, the transport that it does not share with other models, and the secrets of its proxy.
func (o *Options) client() (client *http.Client, own *http.Transport, secrets []string, err error) {
	if own, secrets, err = network(&o.Network); err == nil && own != nil && o.HTTPClient != nil {
		err = errTwoClients
	}
	switch {
	case err != nil:
		return nil, nil, nil, Unsendable(o.Name, err)
	case own == nil:
		return o.HTTPClient, nil, nil, nil
	default:
		return &http.Client{Transport: own}, own, secrets, nil
	}
}

const authorization = "Authorization"

// account also returns the address and the key to send; "" if none is sent.
func (s *Service) account(o *Options) (base *url.URL, account model.Account, key string, err error) {
	base, err = Address(o.Name, cmp.Or(o.BaseURL, s.BaseURL), s.BaseURL)
	if err != nil {
		return nil, account, "", err
	}
	account.Host, account.Own = base.Host, s.owns(base)
	account.Variable, key = s.variable(o)
	switch given := strings.TrimSpace(o.APIKey); {
	case given != "":
		account.Key, key = model.CredentialGiven, given
	case key != "" && (o.APIKeyEnv != "" || account.Own):
		account.Key = model.CredentialVariable
	case key != "":
		account.Key, key = model.CredentialWithheld, ""
	}
	for name := range o.Headers {
		if strings.EqualFold(name, s.KeyHeader) || strings.EqualFold(name, authorization) {
			account.Key = model.CredentialHeader
		}
	}
	account.ID = fingerprint(key, o.Headers, base)
	return base, account, key, nil
}

// variable returns the environment variable of the key, and the key in it; "" if it is not set.
func (s *Service) variable(o *Options) (name, key string) {
	lookup := o.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	names := s.Variables
	if o.APIKeyEnv != "" {
		names = []string{o.APIKeyEnv}
	}
	for _, name := range names {
		value, _ := lookup(name)
		if value = strings.TrimSpace(value); value != "" {
			return name, value
		}
	}
	return names[0], ""
}

// host returns the provider's own host.
func (s *Service) host() string {
	own, _ := url.Parse(s.BaseURL) // it is a constant
	return own.Host
}

// owns reports whether an address is the provider's own. It must be exact: the key goes there.
func (s *Service) owns(address *url.URL) bool {
	if address.Scheme != "https" || address.Port() != "" && address.Port() != "443" {
		return false
	}
	host := strings.ToLower(address.Hostname())
	return host == s.host() || s.Regions && strings.HasSuffix(host, "."+s.host())
}
