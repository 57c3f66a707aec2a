package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/internal/httptransport"
	"github.com/agenthost/agenthost/internal/publicnet"
)

// httpTransport connects to an address over streamable HTTP.
type httpTransport struct {
	sdk.StreamableClientTransport
	*web
}

func (s *Server) newHTTP() *httpTransport {
	w := s.newWeb()
	return &httpTransport{sdk.StreamableClientTransport{
		Endpoint: s.config.URL, MaxRetries: 1, MaxEventSize: maxMessage, HTTPClient: w.client,
	}, w}
}

// web makes the requests to a server.
type web struct {
	connections *http.Transport
	carrier     *carrier
	client      *http.Client
}

func (s *Server) newWeb() *web {
	base := httptransport.New()
	base.MaxResponseHeaderBytes = 64 << 10
	address, _ := url.Parse(s.config.URL) // checked before
	c := &carrier{
		base: base, address: address, headers: s.config.Headers, auth: s.auth(), name: s.config.Name, secrets: s.secrets,
		sse: s.config.TransportName == TransportSSE,
	}
	return &web{connections: base, carrier: c, client: &http.Client{Transport: c, CheckRedirect: stayAt(address)}}
}

func (w *web) connected() { w.carrier.connected() }

func (w *web) end() { w.connections.CloseIdleConnections() }

// fate describes the refusal of the last message or else the first response that did not follow the protocol. The SDK may lose them.
func (w *web) fate() string {
	odd := w.carrier.refused.Load()
	if odd == nil {
		odd = w.carrier.odd.Load()
	}
	if odd == nil {
		return ""
	}
	return *odd
}

// stayAt refuses redirects to other servers: they must see neither the secrets in the headers nor the model's words.
func stayAt(address *url.URL) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		switch {
		case !sameOrigin(req.URL, address):
			return errors.New("the server redirects to another server; if that is intended, use the URL of the other server")
		case len(via) >= maxRedirects:
			return errors.New("the server redirects too often")
		}
		return nil
	}
}

const maxRedirects = 3

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

// carrier adds the headers to requests and bounds the responses.
type carrier struct {
	base    http.RoundTripper
	address *url.URL
	headers map[string]string
	auth    Authorizer // nil: none
	name    string     // of the server
	secrets *secrets
	sse     bool // the server speaks the older transport: its messages come as the answer to a GET
	pending atomic.Int64
	odd     atomic.Pointer[string]
	refused atomic.Pointer[string] // the refusal of the last message; nil: it was accepted
	usable  atomic.Bool            // the connection was made
}

// connected forgets responses that did no harm while the connection was made.
func (c *carrier) connected() {
	c.usable.Store(true)
	c.odd.Store(nil)
	c.refused.Store(nil)
}

// RoundTrip performs one request.
func (c *carrier) RoundTrip(req *http.Request) (*http.Response, error) {
	if c.pending.Add(1) > maxPending {
		c.pending.Add(-1)
		return nil, unsent{fmt.Errorf("%d requests to the server are in progress", maxPending)}
	}
	defer c.pending.Add(-1)
	if !sameOrigin(req.URL, c.address) {
		return nil, unsent{errors.New("the request is for another server")}
	}
	response, err := c.send(req)
	if err != nil {
		if said := publicnet.Unreachable(req.URL, err); said != "" {
			c.refused.Store(&said)
		}
		return nil, err
	}
	if req.Method == http.MethodPost || c.sse { // a server may refuse the other methods
		c.refused.Store(c.adviceOn(response))
	}
	media, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	if media = strings.TrimSpace(media); response.StatusCode == http.StatusOK && !c.expects(req.Method, media) {
		odd := fmt.Sprintf("the server answers with the content type %q, which is not part of the protocol", media)
		c.odd.CompareAndSwap(nil, &odd)
	}
	if media != "text/event-stream" {
		response.Body = &limitedBody{ReadCloser: response.Body, left: maxMessage} // the SDK bounds the events of a stream
	}
	return response, nil
}

// send sends a request with the headers and the access token. If the server refuses the token, and there is a newer one, it sends the
// request again, because a refused one has not run.
func (c *carrier) send(req *http.Request) (*http.Response, error) {
	token := ""
	for again := false; ; again = true {
		fresh, err := c.token(req.Context(), token)
		if err != nil {
			return nil, unsent{err}
		}
		token = fresh
		sent := req.Clone(req.Context())
		if again && req.GetBody != nil {
			if sent.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
		for name, value := range c.headers {
			sent.Header.Set(name, value)
		}
		if token != "" {
			sent.Header.Set("Authorization", "Bearer "+token)
		}
		response, err := c.base.RoundTrip(sent)
		repeatable := token != "" && !again && (req.Body == nil || req.Body == http.NoBody || req.GetBody != nil)
		if err != nil || response.StatusCode != http.StatusUnauthorized || !repeatable {
			return response, err
		}
		_ = response.Body.Close() // only the status counts
	}
}

// token returns the access token, newer than the refused one. The error says how to log in.
func (c *carrier) token(ctx context.Context, refused string) (string, error) {
	if c.auth == nil {
		return "", nil
	}
	token, err := c.auth.Token(ctx, refused)
	if err != nil {
		if ctx.Err() == nil {
			said := fmt.Sprintf("the login to the server cannot be used: %s; run 'agenthost login %s'", c.secrets.line(err.Error()), c.name)
			c.refused.Store(&said)
		}
		return "", err
	}
	c.secrets.add(token)
	return token, nil
}

// auth returns the source of access tokens, unless the headers have credentials.
func (s *Server) auth() Authorizer {
	for name := range s.config.Headers {
		if strings.EqualFold(name, "Authorization") {
			return nil
		}
	}
	return s.config.Auth
}

// expects reports whether an answer to this method may have this content type.
func (c *carrier) expects(method, media string) bool {
	if c.sse {
		return method != http.MethodGet || media == "text/event-stream"
	}
	return media == "application/json" || media == "text/event-stream"
}

// limitedBody is a body that fails once it is too large.
type limitedBody struct {
	io.ReadCloser

	left int
}

// Read reads up to the limit.
func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left+1)])
	if b.left -= n; b.left < 0 {
		return 0, fmt.Errorf("the server sent a message of more than %d bytes", maxMessage)
	}
	return n, err
}
