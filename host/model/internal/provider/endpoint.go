package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tracecontext"
	"github.com/agenthost/agenthost/internal/mask"
)

// Endpoint sends requests to a provider. It sends a request again that failed for a reason that may pass, as the SDKs of providers do;
// a middleware sees that as one call. It follows no redirects, because they would receive the API key.
type Endpoint struct {
	provider  string
	base      *url.URL // its path ends with a slash
	own       bool     // the address is the provider's own
	header    http.Header
	client    *http.Client
	transport *transport
	limits    model.Limits // without defaults to fill in

	connection *Connection // to a platform; nil: there is none

	connections *http.Transport // that belongs to this endpoint alone; nil: it shares one
}

// CloseIdleConnections closes the connections that the endpoint keeps for later requests, unless it shares them. A nil endpoint has none.
func (e *Endpoint) CloseIdleConnections() {
	if e != nil && e.connections != nil {
		e.connections.CloseIdleConnections()
	}
}

// Own reports whether the address is the provider's own.
func (e *Endpoint) Own() bool { return e.own }

// Origin returns the scheme, host and port of the address, such as "https://api.openai.com:443".
func (e *Endpoint) Origin() string {
	port := e.base.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[e.base.Scheme]
	}
	return e.base.Scheme + "://" + net.JoinHostPort(strings.ToLower(e.base.Hostname()), port)
}

// Ends reports whether the path of the address ends with this segment.
func (e *Endpoint) Ends(segment string) bool { return strings.HasSuffix(e.base.Path, "/"+segment+"/") }

// Address parses the base URL of a provider. The error for an invalid one shows the example like. Paths are added before the
// query of the URL.
func Address(name, text, like string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		// The error leaves the text out, because it may contain a key.
		return nil, Unsendable(name, fmt.Errorf("the base URL must be an http or https URL, such as %q", like))
	}
	if !strings.HasSuffix(base.Path, "/") {
		base.Path += "/"
		if base.RawPath != "" {
			base.RawPath += "/"
		}
	}
	return base, nil
}

// NewEndpoint returns the endpoint of a provider. The header is the caller's, with the key; the headers that the operator has
// set override it. The endpoint uses a copy of the client (nil means the default one) that limits the size of responses, hides the
// request's credentials and other secrets in them, and returns error responses as a [*model.Error]. All failures are thus classified in one place,
// including those that do not come from the provider, such as an error page of a proxy.
func NewEndpoint(name string, base *url.URL, client *http.Client, header http.Header, set map[string]string, secrets ...string) *Endpoint {
	all := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"agenthost"}}
	maps.Copy(all, header)
	for _, key := range slices.Sorted(maps.Keys(set)) {
		all.Set(key, set[key])
	}
	limited := http.Client{}
	if client != nil {
		limited = *client
	}
	t := &transport{provider: name, base: limited.Transport, secrets: newSecrets(append(mask.OfRequest(all, base), secrets...))}
	limited.Transport = t
	limited.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Endpoint{provider: name, base: base, header: all, client: &limited, transport: t, limits: model.Limits{}.WithDefaults()}
}

// Call is a request to an endpoint.
type Call struct {
	Method string // "": POST; GET has no body
	Path   string // relative to the base URL, unescaped
	// RawPath is the escaped Path, where it differs from the usual escaping; "": it does not.
	RawPath string
	Query   string // already encoded; sent before the query of the base URL; "" if there is none
	Header  http.Header
	Body    map[string]any // sent as JSON
	Stream  bool           // the response is a stream of events
}

// Send sends a request and returns the response, whose body the caller must close. The error is a [*model.Error] or the cause
// of the cancellation.
func (e *Endpoint) Send(ctx context.Context, c Call) (*http.Response, error) {
	if e.connection != nil && e.connection.Adapt != nil {
		if err := e.connection.Adapt(ctx, &c); err != nil {
			return nil, Failed(ctx, e.provider, err)
		}
	}
	var text []byte
	if c.Method != http.MethodGet {
		var err error
		if text, err = encode(c.Body); err != nil {
			return nil, Unsendable(e.provider, err)
		}
	}
	within, clock := startClock(ctx, e.provider, e.limits, c.Stream)
	for n := 0; ; n++ {
		clock.waits()
		resp, err := e.try(within, c, text)
		clock.rest()
		if err == nil {
			resp.Body = &clockedBody{resp.Body, within, clock}
			return resp, nil
		}
		err = Failed(ctx, e.provider, ended(within, err))
		delay, again := retryDelay(err, n, e.limits.MaxRetries)
		if again && within.Err() == nil && Pause(within, delay) == nil {
			clock.again()
			continue
		}
		if again {
			err = Failed(ctx, e.provider, ended(within, err))
		}
		clock.stop()
		return nil, err
	}
}

// try sends a request once.
func (e *Endpoint) try(ctx context.Context, c Call, body []byte) (*http.Response, error) {
	address := e.base.ResolveReference(&url.URL{Path: c.Path, RawPath: c.RawPath})
	address.RawQuery = strings.Trim(c.Query+"&"+e.base.RawQuery, "&")
	req, err := http.NewRequestWithContext(ctx, cmp.Or(c.Method, http.MethodPost), address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, Unsendable(e.provider, errors.New("the address is invalid; correct the base URL or the name of the model"))
	}
	req.Header = e.header.Clone()
	maps.Copy(req.Header, c.Header)
	if err := e.sign(ctx, req, body); err != nil {
		return nil, err
	}
	tracecontext.SetHeader(ctx, req.Header) // no signature covers it
	resp, err := e.client.Do(req)
	if err == nil && ctx.Err() != nil {
		_ = resp.Body.Close() // the response came too late
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < http.StatusMultipleChoices {
		return resp, nil
	}
	_ = resp.Body.Close()
	return nil, &model.Error{
		Provider: e.provider, Kind: model.ErrorResponse, Status: resp.StatusCode,
		Err: errors.New("the server redirects" + target(resp) + "; redirects are not followed, to protect the API key, so correct the base URL"),
	}
}

// target says where a response redirects to, without the parts of the URL that may be secret.
func target(resp *http.Response) string {
	to, err := resp.Location()
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" to %.100q", to.Scheme+"://"+to.Host)
}

// Ask sends a request and returns the text of the response as valid UTF-8.
func (e *Endpoint) Ask(ctx context.Context, c Call) ([]byte, error) {
	resp, err := e.Send(ctx, c)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(resp.Body)
	if closing := resp.Body.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, Failed(ctx, e.provider, err)
	}
	return Valid(text), nil
}

// encode returns the body of a request as JSON. It does not escape for HTML, because no page embeds the body.
func encode(body map[string]any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(body)
	if err == nil {
		return text.Bytes(), nil
	}
	for _, key := range slices.Sorted(maps.Keys(body)) {
		if _, err := json.Marshal(body[key]); err != nil { // for example NaN in a setting
			return nil, fmt.Errorf("the field %q cannot be encoded as JSON: %w", key, err)
		}
	}
	return nil, fmt.Errorf("the request cannot be encoded as JSON: %w", err)
}

// Unsendable returns the error for a request that cannot be sent.
func Unsendable(name string, err error) *model.Error {
	return &model.Error{Provider: name, Kind: model.ErrorInvalidRequest, Err: err}
}
