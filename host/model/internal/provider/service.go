package provider

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/mask"
)

// Service describes the service of a provider, and how it authenticates.
type Service struct {
	BaseURL   string                 // the provider's own address, or the usual one of a local server; "": it must be configured
	Regions   bool                   // the subdomains of its host are the provider's own, too
	Own       func(host string) bool // says which further hosts are the provider's own; nil: none
	Variables []string               // the environment variables that may hold the provider's key; the first one that is set counts; none: it needs no key
	KeyHeader string                 // the header with the key; in "Authorization", the key has the scheme Bearer

	BaseURLVariable string                    // the environment variable that may hold another address; "": there is none
	ReadBaseURL     func(value string) string // turns the value of BaseURLVariable into a URL; nil: it is one

	Start   string // the command that starts the server, if people run it themselves, with MODEL for the name of the model; "": they do not
	Load    string // the command that loads a model into the server, with MODEL for its name; "": there is none
	LiteLLM bool   // it is a LiteLLM proxy, which answers requests without a key with the status 500
}

// Options are the fields of a model that say where its requests go.
type Options struct {
	Name         string   // of the provider, for errors
	API          string   // the name of the provider whose API the model speaks; only a platform needs it
	Model        string   // the name of the model; for a platform and for errors
	Platform     Platform // nil: the provider's own service, or BaseURL
	BaseURL      string   // "": the provider's own
	APIKey       string
	APIKeyEnv    string
	TrustBaseURL bool                             // BaseURL is treated like the provider's own address: it gets the provider's own credentials
	LookupEnv    func(name string) (string, bool) // nil: os.LookupEnv
	InFile       func(name string) bool           // the variable is from a file of a project, whose address gets no key; nil: none is
	Header       http.Header                      // of every request, without the key
	Headers      map[string]string                // what the operator has set
	HTTPClient   *http.Client
	Network      model.Network // only without HTTPClient
	Limits       model.Limits
}

// Connect returns the endpoint of a model. It sends a key to servers other than the provider's own only if APIKey or APIKeyEnv names it, or
// if BaseURLVariable is set in the environment: the user who set both variables means the key for that server. A file that comes with a
// project could send the user's key anywhere, so an address from such a file gets no key at all.
func (s *Service) Connect(o *Options) (*Endpoint, error) {
	if o.Platform != nil {
		return connectTo(o)
	}
	base, account, key, err := s.Resolve(o)
	if err != nil {
		return nil, err
	}
	if account.Own && account.Key == model.CredentialNone {
		return nil, noKey(o.Name, &account)
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
	e.transport.unauthorized, e.transport.server = s.unauthorized(o, &account), *s.of(o, &account)
	return e, nil
}

// unauthorized says why a request had no key, and how to send one; "" if it had one, or if the server has no key.
func (s *Service) unauthorized(o *Options, account *model.Account) string {
	switch {
	case account.Key != model.CredentialNone && account.Key != model.CredentialWithheld, account.Variable == "":
		return ""
	case account.BaseURLInFile && !account.Own:
		return account.BaseURLVariable + " is set in env_file, so " + account.Host + " gets no key; set " + account.BaseURLVariable +
			" in the environment, or set base_url and api_key_env in the manifest"
	case account.Key == model.CredentialNone && (o.APIKeyEnv != "" || account.BaseURLVariable != ""):
		return "no key was sent, because " + account.Variable + " is not set; " + setIt(account, "set it in the environment or in the manifest's env_file")
	case !strings.HasPrefix(s.BaseURL, "https:"):
		return account.Variable + " was not sent to " + account.Host + "; to send it, set " + s.BaseURLVariable +
			" in the environment, or api_key_env: " + account.Variable + " in the manifest"
	default:
		return account.Variable + " is only sent to " + s.host() + " over https; to send it to " + account.Host +
			", set api_key_env: " + account.Variable
	}
}

// Account describes the account that requests use.
func (s *Service) Account(o *Options) (model.Account, error) {
	if o.Platform != nil {
		c, err := connection(o)
		if err != nil {
			return model.Account{}, err
		}
		return c.Account, nil
	}
	_, account, _, err := s.Resolve(o)
	return account, err
}

// Check returns the error that every request would fail with because of the address or the headers.
func (s *Service) Check(o *Options) error {
	_, err := s.Account(o)
	if _, unset := errors.AsType[*UnsetError](err); err != nil && !unset && !errors.Is(err, errNoAddress) { // a variable may be set later
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

// Resolve returns the address, the account and the key to send; "" if none is sent.
func (s *Service) Resolve(o *Options) (base *url.URL, account model.Account, key string, err error) {
	address, from := s.address(o)
	if address == "" {
		return nil, account, "", Unsendable(o.Name, fmt.Errorf("%w; set base_url in the manifest, or %s in the environment", errNoAddress, s.BaseURLVariable))
	}
	base, err = Address(o.Name, address, s.BaseURL)
	if err != nil && from != "" {
		err = Unsendable(o.Name, fmt.Errorf(
			"the value of %s is not the address of a server, which begins with http:// or https://; correct it or unset it", from))
	}
	if err != nil {
		return nil, account, "", err
	}
	account.Host, account.Own, account.BaseURL, account.BaseURLVariable = base.Host, s.owns(base), shown(base), from
	account.BaseURLInFile = from != "" && o.InFile != nil && o.InFile(from)
	account.Variable, key = s.variable(o)
	account.Named = o.APIKeyEnv != ""
	foreign := account.BaseURLInFile && !account.Own
	switch given := strings.TrimSpace(o.APIKey); {
	case given != "" && !foreign:
		account.Key, key = model.CredentialGiven, given
	case key != "" && !foreign && (o.APIKeyEnv != "" || account.Own || from != "" || o.TrustBaseURL):
		account.Key = model.CredentialVariable
	case key != "":
		account.Key, key = model.CredentialWithheld, ""
	}
	for name := range o.Headers {
		switch {
		case foreign && mask.IsCredential(name):
			return nil, account, "", Unsendable(o.Name, fmt.Errorf("the address of the model is from %s in env_file, which may not redirect the header %q; "+
				"set %s in the environment, or base_url in the manifest", from, name, from))
		case strings.EqualFold(name, s.KeyHeader) || strings.EqualFold(name, authorization):
			account.Key = model.CredentialHeader
		}
	}
	if account.Key == model.CredentialNone {
		account.Misspelt = misspelt(account.Variable, o.lookup())
	}
	account.ID = fingerprint(key, o.Headers, base)
	return base, account, key, nil
}

var errNoAddress = errors.New("the address of the server is not set")

// address returns the address of the server, and the environment variable that it is from; "" if it is from another place.
func (s *Service) address(o *Options) (address, from string) {
	if o.BaseURL != "" {
		return o.BaseURL, ""
	}
	if s.BaseURLVariable == "" {
		return s.BaseURL, ""
	}
	value, _ := o.lookup()(s.BaseURLVariable)
	switch value = strings.TrimSpace(value); {
	case value == "":
		return s.BaseURL, ""
	case s.ReadBaseURL != nil:
		return s.ReadBaseURL(value), s.BaseURLVariable
	default:
		return value, s.BaseURLVariable
	}
}

// shown returns an address without the parts that may be secret.
func shown(address *url.URL) string {
	plain := url.URL{Scheme: address.Scheme, Host: address.Host, Path: strings.TrimSuffix(address.Path, "/")}
	return plain.String()
}

func (o *Options) lookup() func(name string) (string, bool) {
	if o.LookupEnv != nil {
		return o.LookupEnv
	}
	return os.LookupEnv
}

// variable returns the environment variable of the key, and the key in it; "" if it is not set.
func (s *Service) variable(o *Options) (name, key string) {
	names := s.Variables
	if o.APIKeyEnv != "" {
		names = []string{o.APIKeyEnv}
	}
	if len(names) == 0 {
		return "", ""
	}
	for _, name := range names {
		value, _ := o.lookup()(name)
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
	if s.BaseURL == "" {
		return false
	}
	host := strings.ToLower(address.Hostname())
	return host == s.host() || s.Regions && strings.HasSuffix(host, "."+s.host()) || s.Own != nil && s.Own(host)
}
