package provider

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/agenthost/agenthost/host/model"
)

// Platform is a cloud that serves the models of a provider, in the provider's own API but with an address, an account and a framing of
// its own. Packages host/model/bedrock, host/model/vertex and host/model/azure have one each; a model without a Platform talks to its
// provider directly.
type Platform interface {
	// Name returns the provider name of the models that the platform serves with an API, for errors and events. The API has the name of
	// its provider, such as "anthropic".
	Name(api string) string
	// Connect determines where the requests of a model go, and what authorizes them. It sends nothing.
	Connect(o *Options) (*Connection, error)
}

// Connection is how the requests of one model reach a platform. Its functions may be called by several goroutines; each may be nil.
type Connection struct {
	Base    *url.URL      // the address, as [Address] returns it
	Account model.Account // what authorizes the requests
	Header  http.Header   // of every request, with a key that does not change
	Advice  string        // what to add to the error of a request that was refused because nothing authorized it; "": nothing

	// Adapt changes a call to what the platform expects: the path, the query and the body.
	Adapt func(ctx context.Context, c *Call) error
	// Sign authorizes a request, whose body is final. It is called for each attempt. It returns the credentials in the request that a
	// server might echo. An error that is no [*model.Error] becomes one of the kind [model.ErrorAuthentication].
	Sign func(ctx context.Context, req *http.Request, body []byte) (secrets []string, err error)
	// Events converts the body of a successful response to server-sent events. It returns other bodies unchanged.
	Events func(header http.Header, body io.ReadCloser) io.ReadCloser
	// Explain adds the way out to the error for an error response. It may also correct its kind.
	Explain func(header http.Header, body []byte, failed *model.Error)
}

// NameOf returns the provider name of a model of an API: the platform's name for it, or the API's own without a platform.
func NameOf(p Platform, api string) string {
	if p == nil {
		return api
	}
	return p.Name(api)
}

// connection returns how the requests of a model reach its platform.
func connection(o *Options) (*Connection, error) {
	c, err := o.Platform.Connect(o)
	if err != nil {
		return nil, err
	}
	if c.Account.Key == model.CredentialPlatform { // requests without a key differ by where their credentials are from
		c.Account.ID = fingerprint(c.Account.Source, o.Headers, c.Base)
	}
	return c, nil
}

// connectTo returns the endpoint of a model that a platform serves.
func connectTo(o *Options) (*Endpoint, error) {
	c, err := connection(o)
	if err != nil {
		return nil, err
	}
	client, own, secrets, err := o.client()
	if err != nil {
		return nil, err
	}
	header := o.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	for name, values := range c.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	e := NewEndpoint(o.Name, c.Base, client, header, o.Headers, secrets...)
	e.connections = own
	e.own, e.limits, e.connection = c.Account.Own, o.Limits.WithDefaults(), c
	e.transport.unauthorized, e.transport.events, e.transport.explain = c.Advice, c.Events, c.Explain
	e.transport.server = server{own: c.Account.Own, model: o.Model}
	return e, nil
}

// sign authorizes a request, and has its credentials hidden from then on.
func (e *Endpoint) sign(ctx context.Context, req *http.Request, body []byte) error {
	if e.connection == nil || e.connection.Sign == nil {
		return nil
	}
	secrets, err := e.connection.Sign(ctx, req, body)
	e.transport.secrets.learn(secrets...)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return Unauthorized(e.provider, err)
	}
}
