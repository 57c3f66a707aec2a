package client

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/internal/headerfield"
	"github.com/agenthost/agenthost/internal/httptransport"
	"github.com/agenthost/agenthost/internal/mask"
)

// Config describes a server. URL is required.
type Config struct {
	// URL is the address of the server, such as "https://agents.example.com". A path before the API's own is kept.
	URL string
	// Headers are sent with every request, for example with credentials.
	Headers map[string]string
	// Timeout is the time limit of one request with its repetitions. 0: 30 s.
	Timeout time.Duration
}

const (
	defaultTimeout = 30 * time.Second
	maxTimeout     = time.Hour
	maxHeaders     = 64 << 10 // bytes of the headers of a response
	maxRedirects   = 3
	minSecret      = 6 // bytes of the shortest value that is hidden; shorter ones may be ordinary words
)

// Client makes the requests to one server. Its methods may be called from several goroutines at once. Close it after use.
type Client struct {
	base    *url.URL
	headers map[string]string
	timeout time.Duration
	secrets *mask.Mask

	reads  *http.Client
	writes *http.Client // a new connection for each request: on a reused one, net/http may send a request twice
}

// New checks the configuration and makes a client. It does not connect.
func New(config Config) (*Client, error) {
	c := &Client{headers: maps.Clone(config.Headers), timeout: config.Timeout}
	var err error
	if c.base, err = parseURL(config.URL); err != nil {
		return nil, err
	}
	if err := checkHeaders(config.Headers); err != nil {
		return nil, err
	}
	if c.timeout == 0 {
		c.timeout = defaultTimeout
	}
	if c.timeout < time.Millisecond || c.timeout > maxTimeout {
		return nil, fmt.Errorf("timeout: the value is %v; it must be between %v and %v", c.timeout, time.Millisecond, maxTimeout)
	}
	var values []string
	for name, value := range config.Headers {
		if mask.IsCredential(name) {
			values = append(values, mask.Credentials(value)...)
		}
	}
	c.secrets = mask.Of(minSecret, values...)
	c.reads, c.writes = c.newHTTP(false), c.newHTTP(true)
	return c, nil
}

func (c *Client) newHTTP(once bool) *http.Client {
	transport := httptransport.New()
	transport.MaxResponseHeaderBytes = maxHeaders
	transport.DisableKeepAlives = once
	return &http.Client{Transport: transport, CheckRedirect: c.redirect}
}

// redirect refuses redirects to other servers, which must see neither the headers nor the messages, and those that would turn a POST
// into a GET.
func (c *Client) redirect(req *http.Request, via []*http.Request) error {
	switch {
	case req.URL.Scheme != c.base.Scheme || !strings.EqualFold(req.URL.Host, c.base.Host):
		return errors.New("the server redirects to another server; if that is intended, use the URL of the other server")
	case req.Method != via[0].Method:
		return errors.New("the server redirects the request to something else; check the URL")
	case len(via) > maxRedirects:
		return errors.New("the server redirects too often")
	}
	return nil
}

// Close closes idle connections. Requests in progress end by themselves.
func (c *Client) Close() error {
	c.reads.CloseIdleConnections()
	c.writes.CloseIdleConnections()
	return nil
}

// parseURL reads the address of a server. Its errors do not show the address, which may hold a secret.
func parseURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, errors.New("url is missing; write it as https://agents.example.com")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return nil, errors.New("url: the URL is invalid; write it as https://agents.example.com")
	case u.User != nil:
		return nil, errors.New("url: the URL contains a user; send credentials in headers, such as x-api-key")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("url: the URL has a query or a fragment; the API has its own")
	}
	return u, nil
}

// ownHeaders lists the headers that the client sets itself.
var ownHeaders = []string{"accept", "connection", "content-length", "content-type", "host", "transfer-encoding"}

// checkHeaders refuses invalid headers. Its errors never show a value, because it may be a secret.
func checkHeaders(headers map[string]string) error {
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		lower := strings.ToLower(name)
		switch {
		case !headerfield.IsName(name) || !headerfield.IsValue(headers[name]):
			return fmt.Errorf("headers: %q is not a valid header name, or its value contains a control character, such as a line break", name)
		case slices.Contains(ownHeaders, lower):
			return fmt.Errorf("headers: %q is set by the client; remove it", name)
		case seen[lower]:
			return fmt.Errorf("headers: %q is given twice", name)
		}
		seen[lower] = true
	}
	return nil
}
